//! Thoughts and answer as channels of one text:
//! `<|channel|>analysis<|message|>…<|end|><|start|>assistant<|channel|>final<|message|>…`.
//!
//! Only a reply that begins with such a marker is read so; in any other reply a marker is text.

use std::collections::VecDeque;

use super::thoughts::overlap;
use crate::chat::ChatEvent;

const CHANNEL: &str = "<|channel|>";
const START: &str = "<|start|>";
const MESSAGE: &str = "<|message|>";

/// What ends a message. The first three belong to it, the others begin the next one.
const ENDS: [&str; 5] = ["<|end|>", "<|return|>", "<|call|>", START, CHANNEL];

/// The most bytes of a header. Real ones name a role, a channel and a tool.
const MAX_HEADER: usize = 256;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    /// Between two messages.
    #[default]
    Between,
    /// From a marker up to [`MESSAGE`].
    Header,
    /// A message for the reader.
    Words,
    /// A message that is not for the reader.
    Thought,
}

/// The channels of one reply while it streams.
#[derive(Debug, Default)]
pub(super) struct Channels {
    mode: Mode,
    held: String,
    /// Words went out already: the next message of words is a paragraph of its own.
    spoke: bool,
    new_paragraph: bool,
}

impl Channels {
    /// How a reply of channels begins.
    pub(super) const OPENERS: [&str; 2] = [CHANNEL, START];

    /// Whether a text begins so.
    pub(super) fn begin(text: &str) -> bool {
        Self::OPENERS.into_iter().any(|opener| text.starts_with(opener))
    }

    /// Takes a piece of text and puts out what is certain.
    pub(super) fn take(&mut self, text: &str, out: &mut VecDeque<ChatEvent>) {
        self.held.push_str(text);
        while self.step(out) {}
    }

    /// One step; true when another one may follow.
    fn step(&mut self, out: &mut VecDeque<ChatEvent>) -> bool {
        match self.mode {
            Mode::Between => {
                let text = self.held.trim_start();
                if Self::begin(text) {
                    self.held = text.to_owned();
                    self.mode = Mode::Header;
                    return true;
                }
                if Self::OPENERS.into_iter().any(|opener| opener.starts_with(text)) {
                    return false;
                }
                // Words without a header.
                self.held = text.to_owned();
                self.enter(Mode::Words);
                true
            }
            Mode::Header => {
                if let Some(at) = self.held.find(MESSAGE) {
                    let mode = mode_of(&self.held[..at]);
                    self.held.drain(..at + MESSAGE.len());
                    self.enter(mode);
                    return true;
                }
                let too_long = self.held.len() > MAX_HEADER;
                if too_long {
                    // No header after all: its marker is text, and so is what follows it.
                    self.enter(Mode::Words);
                    let marker = self.held.find("|>").map_or(0, |at| at + 2);
                    self.put_out(marker, out);
                }
                too_long
            }
            Mode::Words | Mode::Thought => {
                let end = ENDS.iter().filter_map(|end| Some((self.held.find(end)?, *end))).min();
                if let Some((at, end)) = end {
                    self.put_out(at, out);
                    if !Self::OPENERS.contains(&end) {
                        self.held.drain(..end.len());
                    }
                    self.mode = Mode::Between;
                    return true;
                }
                let held_back = ENDS.iter().map(|end| overlap(&self.held, end)).max().unwrap_or(0);
                self.put_out(self.held.len() - held_back, out);
                false
            }
        }
    }

    fn enter(&mut self, mode: Mode) {
        self.mode = mode;
        self.new_paragraph = mode == Mode::Words && self.spoke;
    }

    fn put_out(&mut self, end: usize, out: &mut VecDeque<ChatEvent>) {
        if end == 0 {
            return;
        }
        let rest = self.held.split_off(end);
        let text = std::mem::replace(&mut self.held, rest);
        if self.mode == Mode::Thought {
            out.push_back(ChatEvent::Reasoning(text));
            return;
        }
        self.spoke = true;
        let paragraph = std::mem::take(&mut self.new_paragraph);
        out.push_back(ChatEvent::Text(if paragraph { format!("\n\n{text}") } else { text }));
    }

    /// Puts out what is held: an unfinished marker was text. A header without a message says nothing, unless nothing
    /// else was said.
    pub(super) fn finish(&mut self, out: &mut VecDeque<ChatEvent>) {
        match self.mode {
            Mode::Header if self.spoke => self.held.clear(),
            Mode::Between if self.held.trim().is_empty() => self.held.clear(),
            Mode::Header | Mode::Between => {
                self.enter(Mode::Words);
                self.put_out(self.held.len(), out);
            }
            Mode::Words | Mode::Thought => self.put_out(self.held.len(), out),
        }
    }
}

/// What a header's message is: the final channel and remarks to nobody in particular are for the reader, thoughts and
/// what is meant for a tool are not.
fn mode_of(header: &str) -> Mode {
    let channel = header.rsplit_once(CHANNEL).map_or("", |(_, rest)| rest);
    let name: String = channel.trim_start().chars().take_while(char::is_ascii_alphanumeric).collect();
    let for_a_tool = header.contains(" to=");
    if for_a_tool || name == "analysis" { Mode::Thought } else { Mode::Words }
}
