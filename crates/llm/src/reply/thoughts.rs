//! Thoughts that a model writes into its text: `<think>…</think>` before the answer.
//!
//! A tag opens only where a reply begins. So a `<think>` that an answer talks about, in code or in prose, stays text.

use std::collections::VecDeque;

use crate::chat::ChatEvent;

#[cfg(test)]
mod tests;

/// How models open and close a thought.
const TAGS: &[(&str, &str)] =
    &[("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<thought>", "</thought>")];

/// Openers that close themselves: no thought at all.
const EMPTY_TAGS: &[&str] = &["<think/>", "<think />", "<thinking/>"];

#[derive(Debug, Default)]
enum State {
    /// Nothing but blanks so far.
    #[default]
    Start,
    /// Inside of a thought that this closes.
    Thinking(&'static str),
    /// The answer has begun: all that follows is text.
    Said,
}

/// Splits the text of one reply while it streams.
#[derive(Debug, Default)]
pub(super) struct ThoughtSplitter {
    state: State,
    /// A tag was met: the blank lines between it and the answer are the tag's.
    tagged: bool,
    /// What may be a part of a tag.
    held: String,
    /// The thought so far, for a reply that never closes it.
    thought: String,
}

impl ThoughtSplitter {
    /// Takes a piece of text and puts out what is certain.
    pub(super) fn take(&mut self, text: String, out: &mut VecDeque<ChatEvent>) {
        if matches!(self.state, State::Said) {
            if !text.is_empty() {
                out.push_back(ChatEvent::Text(text));
            }
            return;
        }
        self.held.push_str(&text);
        while self.step(out) {}
    }

    /// One step; true when another one may follow.
    fn step(&mut self, out: &mut VecDeque<ChatEvent>) -> bool {
        match self.state {
            State::Said => false,
            State::Start => {
                let text = self.held.trim_start();
                let openers = TAGS.iter().map(|(opener, _)| *opener).chain(EMPTY_TAGS.iter().copied());
                if let Some((opener, closer)) = TAGS.iter().find(|(opener, _)| text.starts_with(opener)) {
                    self.held = text[opener.len()..].to_owned();
                    self.tagged = true;
                    self.state = State::Thinking(closer);
                    true
                } else if let Some(tag) = EMPTY_TAGS.iter().find(|tag| text.starts_with(**tag)) {
                    self.held = text[tag.len()..].to_owned();
                    self.tagged = true;
                    true
                } else if openers.into_iter().any(|opener| opener.starts_with(text)) {
                    false
                } else {
                    self.release(out);
                    false
                }
            }
            State::Thinking(closer) => {
                if let Some(at) = self.held.find(closer) {
                    let rest = self.held[at + closer.len()..].to_owned();
                    self.held.truncate(at);
                    self.put_out_thought(at, out);
                    self.thought.clear();
                    self.held = rest;
                    self.state = State::Start;
                    true
                } else {
                    self.put_out_thought(self.held.len() - overlap(&self.held, closer), out);
                    false
                }
            }
        }
    }

    fn release(&mut self, out: &mut VecDeque<ChatEvent>) {
        let held = std::mem::take(&mut self.held);
        out.push_back(ChatEvent::Text(if self.tagged { held.trim_start().to_owned() } else { held }));
        self.state = State::Said;
    }

    fn put_out_thought(&mut self, end: usize, out: &mut VecDeque<ChatEvent>) {
        if end > 0 {
            let rest = self.held.split_off(end);
            let thought = std::mem::replace(&mut self.held, rest);
            self.thought.push_str(&thought);
            out.push_back(ChatEvent::Reasoning(thought));
        }
    }

    /// Puts out what is held. A thought that nothing closed and nothing followed was the answer, when the reply ended
    /// well and without calls (`unanswered`): it is put out once more, as text.
    pub(super) fn finish(&mut self, unanswered: bool, out: &mut VecDeque<ChatEvent>) {
        match self.state {
            State::Said => {}
            State::Start if self.held.trim().is_empty() => self.held.clear(),
            State::Start => self.release(out),
            State::Thinking(_) => {
                self.put_out_thought(self.held.len(), out);
                if unanswered && !self.thought.trim().is_empty() {
                    tracing::info!("the model never closed its thought; it is shown as the answer");
                    out.push_back(ChatEvent::Text(std::mem::take(&mut self.thought)));
                }
            }
        }
        self.state = State::Said;
    }
}

/// How many bytes at the end of a text may be the beginning of a tag.
fn overlap(text: &str, tag: &str) -> usize {
    (1..tag.len()).rev().find(|length| text.ends_with(&tag[..*length])).unwrap_or(0)
}
