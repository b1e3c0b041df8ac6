//! Thoughts that a model writes into its text: `<think>…</think>` before the answer.
//!
//! A tag opens only where a reply begins. So a `<think>` that an answer talks about, in code or in prose, stays text.

use std::collections::VecDeque;

use super::channels::Channels;
use crate::chat::ChatEvent;

#[cfg(test)]
mod tests;

/// How models open and close a thought.
const TAGS: &[(&str, &[&str])] = &[
    ("<think>", &["</think>"]),
    ("<thinking>", &["</thinking>"]),
    ("<thought>", &["</thought>"]),
    ("<reasoning>", &["</reasoning>"]),
    ("<seed:think>", &["</seed:think>"]),
    ("[THINK]", &["[/THINK]"]),
    ("◁think▷", &["◁/think▷"]),
    ("<|channel>thought", &["<channel|>"]),
];

/// What may close a thought that a reply begins in: its opener stood in the prompt.
const CLOSERS: &[&str] = &[
    "</think>",
    "</thinking>",
    "</thought>",
    "</reasoning>",
    "</seed:think>",
    "[/THINK]",
    "◁/think▷",
    "<channel|>",
];

/// Openers that close themselves: no thought at all.
const EMPTY_TAGS: &[&str] = &["<think/>", "<think />", "<thinking/>"];

#[derive(Debug, Default)]
enum State {
    /// Nothing but blanks so far.
    #[default]
    Start,
    /// Inside of a thought that one of these closes.
    Thinking(&'static [&'static str]),
    /// The reply is made of channels.
    Channels(Channels),
    /// The answer has begun: all that follows is text.
    Said,
}

/// Splits the text of one reply while it streams.
#[derive(Debug, Default)]
pub(super) struct ThoughtSplitter {
    state: State,
    /// The endpoint is marked so: a reply that opens no thought is in one.
    starts_inside: bool,
    /// A tag was met: the blank lines between it and the answer are the tag's.
    tagged: bool,
    /// What may be a part of a tag.
    held: String,
    /// The thought so far, for a reply that never closes it.
    thought: String,
}

impl ThoughtSplitter {
    /// A splitter for an endpoint whose replies may begin inside of a thought.
    pub(super) fn new(starts_inside: bool) -> Self {
        Self { starts_inside, ..Self::default() }
    }

    /// Takes a piece of text and puts out what is certain.
    pub(super) fn take(&mut self, text: String, out: &mut VecDeque<ChatEvent>) {
        if matches!(self.state, State::Said) {
            if !text.is_empty() {
                out.push_back(ChatEvent::Text(text));
            }
            return;
        }
        if let State::Channels(channels) = &mut self.state {
            channels.take(&text, out);
            return;
        }
        self.held.push_str(&text);
        while self.step(out) {}
    }

    /// One step; true when another one may follow.
    fn step(&mut self, out: &mut VecDeque<ChatEvent>) -> bool {
        match self.state {
            State::Said | State::Channels(_) => false,
            State::Start => self.open(out),
            State::Thinking(closers) => {
                let closed =
                    closers.iter().filter_map(|closer| Some((self.held.find(closer)?, closer.len()))).min();
                if let Some((at, length)) = closed {
                    let rest = self.held[at + length..].to_owned();
                    self.held.truncate(at);
                    self.put_out_thought(at, out);
                    self.thought.clear();
                    self.held = rest;
                    self.state = State::Start;
                    true
                } else {
                    let held_back =
                        closers.iter().map(|closer| overlap(&self.held, closer)).max().unwrap_or(0);
                    self.put_out_thought(self.held.len() - held_back, out);
                    false
                }
            }
        }
    }

    /// Looks for an opener at the beginning of what is held; true when something opened.
    fn open(&mut self, out: &mut VecDeque<ChatEvent>) -> bool {
        let text = self.held.trim_start();
        if let Some((opener, closers)) = TAGS.iter().find(|(opener, _)| text.starts_with(opener)) {
            self.held = text[opener.len()..].to_owned();
            self.enter(State::Thinking(closers));
            return true;
        }
        if let Some(tag) = EMPTY_TAGS.iter().find(|tag| text.starts_with(**tag)) {
            self.held = text[tag.len()..].to_owned();
            self.enter(State::Start);
            return true;
        }
        if Channels::begin(text) {
            let mut channels = Channels::default();
            channels.take(text, out);
            self.held.clear();
            self.enter(State::Channels(channels));
            return false;
        }
        let tags = TAGS.iter().map(|(opener, _)| *opener);
        let mut openers = tags.chain(EMPTY_TAGS.iter().copied()).chain(Channels::OPENERS);
        if openers.any(|opener| opener.starts_with(text)) {
            return false;
        }
        if self.starts_inside {
            self.enter(State::Thinking(CLOSERS));
            return true;
        }
        self.release(out);
        false
    }

    fn enter(&mut self, state: State) {
        self.state = state;
        self.tagged = true;
        self.starts_inside = false;
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
        match &mut self.state {
            State::Said => {}
            State::Channels(channels) => channels.finish(out),
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
pub(super) fn overlap(text: &str, tag: &str) -> usize {
    (1..tag.len()).rev().find(|length| text.as_bytes().ends_with(&tag.as_bytes()[..*length])).unwrap_or(0)
}
