//! What the reader sees of the model's words: held while they may be sent back, a blank line between replies,
//! numbers that were never issued removed, and never more than the limit.

use std::collections::BTreeSet;

use crate::citations::CitationFilter;

/// What stands between two replies that showed text.
const BETWEEN_REPLIES: &str = "\n\n";

/// The text of a turn's answer as it grows, over all of its replies.
#[derive(Debug)]
pub(crate) struct Speech {
    text: String,
    max_bytes: usize,
    full: bool,
    cited: BTreeSet<u32>,
    unissued: u32,
    reply: Reply,
}

/// The text of the current reply.
#[derive(Debug, Default)]
struct Reply {
    /// Waits for a call or the end of the reply; `None` when text is shown as it comes.
    held: Option<String>,
    /// Blanks before the first word: shown only when a word follows.
    leading: String,
    said: bool,
    begun: bool,
    shown: bool,
    filter: CitationFilter,
}

impl Speech {
    /// Nothing said yet; never more than `max_bytes` of UTF-8.
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self {
            text: String::new(),
            max_bytes,
            full: false,
            cited: BTreeSet::new(),
            unissued: 0,
            reply: Reply::default(),
        }
    }

    /// A reply begins; its text is held when `held`.
    pub(crate) fn begin_reply(&mut self, held: bool) {
        self.reply = Reply { held: held.then(String::new), ..Reply::default() };
    }

    /// The model says more. Gives what is to be shown now; never an empty text.
    pub(crate) fn push(&mut self, text: &str, is_issued: impl Fn(u32) -> bool) -> Option<String> {
        self.reply.said |= !text.trim().is_empty();
        if let Some(held) = &mut self.reply.held {
            // Bounded like everything that is shown: what goes beyond could not be shown anyway.
            if held.len() <= self.max_bytes {
                held.push_str(text);
            }
            return None;
        }
        self.show(text, is_issued)
    }

    /// What was held may be shown, and what follows too.
    pub(crate) fn release(&mut self, is_issued: impl Fn(u32) -> bool) -> Option<String> {
        let held = self.reply.held.take()?;
        self.show(&held, is_issued)
    }

    /// The reply has ended: gives what the filter still kept back.
    pub(crate) fn flush(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.reply.filter);
        let (text, counted) = rest.finish();
        self.cited.extend(counted.cited);
        self.unissued += counted.unissued;
        self.append(text)
    }

    /// True when the current reply holds more than blanks.
    pub(crate) const fn said(&self) -> bool {
        self.reply.said
    }

    /// True when the reader has seen something of the current reply.
    pub(crate) const fn reply_shown(&self) -> bool {
        self.reply.shown
    }

    /// True when the reader has seen something.
    pub(crate) fn shown(&self) -> bool {
        !self.text.is_empty()
    }

    /// True when the limit was reached and text was cut off.
    pub(crate) const fn is_full(&self) -> bool {
        self.full
    }

    /// What the reader has seen.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The issued numbers that the text cites.
    pub(crate) const fn cited(&self) -> &BTreeSet<u32> {
        &self.cited
    }

    /// How many numbers were removed because they were never issued.
    pub(crate) const fn unissued(&self) -> u32 {
        self.unissued
    }

    fn show(&mut self, text: &str, is_issued: impl Fn(u32) -> bool) -> Option<String> {
        if self.reply.begun {
            let shown = self.reply.filter.push(text, is_issued);
            return self.append(shown);
        }
        self.reply.leading.push_str(text);
        let first_word = self.reply.leading.find(|c: char| !c.is_whitespace())?;
        // The indentation of the first line stays, blank lines above it go.
        let start = self.reply.leading[..first_word].rfind('\n').map_or(0, |at| at + 1);
        let leading = std::mem::take(&mut self.reply.leading);
        self.reply.begun = true;
        let shown = self.reply.filter.push(&leading[start..], is_issued);
        self.append(shown)
    }

    fn append(&mut self, mut text: String) -> Option<String> {
        if text.is_empty() || self.full {
            return None;
        }
        // The blank line goes out with the later text, never alone.
        if !self.reply.shown && !self.text.is_empty() {
            text.insert_str(0, BETWEEN_REPLIES);
        }
        self.reply.shown = true;
        let room = self.max_bytes.saturating_sub(self.text.len());
        if text.len() > room {
            self.full = true;
            let cut = (0..=room).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            text.truncate(cut);
        }
        self.text.push_str(&text);
        (!text.is_empty()).then_some(text)
    }
}

#[cfg(test)]
mod tests;
