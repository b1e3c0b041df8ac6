//! One reply, read while it comes in: what may be shown already, and what the whole comes to.
//!
//! What is shown is always a beginning of what the whole reply shows, and reading a reply in pieces comes to the same as
//! reading it at once. Reading is linear in the reply, and nothing beyond [`REPLY_LIMIT`] is kept.

use std::ops::Range;
use std::sync::Arc;

use super::call;
use super::catalogue::Catalogue;
use super::foreign::{self, Hope};
use super::head::{Head, HeadReader, Kind};
use super::outcome::{Emptiness, Floor, Outcome};
use super::prose::{Cut, Prose, Rules};
use super::turn::TurnSoFar;

/// The longest reply, in bytes. What follows is dropped as if the token limit had cut it.
pub const REPLY_LIMIT: usize = 256 * 1024;
/// How many characters that are no blanks may follow a whole call before nothing more is read.
const TAIL_LIMIT: usize = 16;

/// A piece of a reply that is handed out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Words for the reader.
    Text(String),
    /// Words that are not for the reader.
    Reasoning(String),
}

#[derive(Clone, Debug)]
enum Stage {
    /// What the reply is, is not known.
    Head(HeadReader),
    /// It says something.
    Words { head: Head, prose: Prose, hope: Hope, repeats: bool },
    /// It calls.
    Call { name: Range<usize>, after: usize, look_at: usize, complete: bool },
    /// Nothing of it counts.
    Nothing(Emptiness),
}

/// Reads one reply.
#[derive(Clone, Debug)]
pub struct ReplyReader {
    catalogue: Arc<Catalogue>,
    turn: TurnSoFar,
    text: String,
    /// The last character was a carriage return, whose line feed may come.
    after_return: bool,
    /// The reply was longer than it may be.
    overflown: bool,
    stage: Stage,
    /// Up to where the words were handed out.
    shown: usize,
}

impl ReplyReader {
    /// A reader of a reply to a request that offered these tools. `starts_in_reasoning` is for endpoints whose replies
    /// begin inside of a thought: there a closing tag counts without an opening one.
    #[must_use]
    pub fn new(catalogue: Arc<Catalogue>, turn: TurnSoFar, starts_in_reasoning: bool) -> Self {
        Self {
            catalogue,
            turn,
            text: String::new(),
            after_return: false,
            overflown: false,
            stage: Stage::Head(HeadReader::new(starts_in_reasoning)),
            shown: 0,
        }
    }

    /// Takes a piece of the reply and hands out what is certain.
    pub fn take(&mut self, piece: &str, out: &mut Vec<Piece>) {
        for c in piece.chars() {
            let after_return = std::mem::replace(&mut self.after_return, c == '\r');
            let c = match c {
                '\n' if after_return => continue,
                '\r' => '\n',
                c => c,
            };
            if self.overflown || self.text.len() + c.len_utf8() > REPLY_LIMIT {
                self.overflown = true;
                break;
            }
            self.text.push(c);
        }
        self.advance(false, out);
    }

    /// True once nothing that follows can change what the reply comes to: a whole call with a tail, or the longest
    /// reply. The endpoint need not be listened to any longer.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.overflown || matches!(self.stage, Stage::Call { complete: true, .. })
    }

    /// True for a `T`, from its head on.
    pub(super) fn keeps_floor(&self) -> bool {
        matches!(&self.stage, Stage::Words { head, .. } if head.kind == Kind::Tell)
    }

    /// True when the reply was longer than [`REPLY_LIMIT`].
    #[must_use]
    pub const fn is_overflown(&self) -> bool {
        self.overflown
    }

    /// The end of the reply: hands out the rest of its words and says what it comes to. `cut` says that the token
    /// limit ended it.
    pub fn finish(mut self, cut: bool, out: &mut Vec<Piece>) -> Outcome {
        let cut = cut || self.overflown;
        self.advance(true, out);
        match self.stage {
            Stage::Head(_) => Outcome::Empty(Emptiness::Blank),
            Stage::Nothing(why) => Outcome::Empty(why),
            Stage::Call { name, after, .. } => call::read(&self.text, name, after, cut, &self.catalogue),
            Stage::Words { ref head, hope, .. } => {
                let called = (head.kind == Kind::Untagged && hope != Hope::No)
                    .then(|| foreign::whole(&self.text[head.payload..], cut, &self.catalogue))
                    .flatten();
                called.unwrap_or_else(|| self.words(cut, out))
            }
        }
    }

    fn advance(&mut self, end: bool, out: &mut Vec<Piece>) {
        if let Stage::Head(reader) = &mut self.stage {
            let mut thoughts = Vec::new();
            let head = reader.read(&self.text, end, &self.catalogue, &mut thoughts);
            for thought in thoughts.into_iter().filter(|thought| !thought.is_empty()) {
                out.push(Piece::Reasoning(self.text[thought].to_owned()));
            }
            let Some(head) = head else { return };
            self.enter(head);
        }
        match &mut self.stage {
            Stage::Words { head, prose, hope, repeats } => {
                let words = &self.text[head.payload..];
                if *hope != Hope::No && head.kind == Kind::Untagged {
                    *hope = if *hope == Hope::Open { foreign::hope(words, &self.catalogue) } else { *hope };
                    if *hope != Hope::No && !end {
                        return;
                    }
                }
                prose.advance(&self.text, end, &self.catalogue);
                *repeats = *repeats && self.turn.may_repeat(&self.text[head.payload..prose.certain()]);
                if !end && !*repeats {
                    let certain = prose.certain();
                    self.show(certain, out);
                }
            }
            Stage::Call { after, look_at, complete, .. } => {
                if !*complete && self.text.len() >= *look_at {
                    *look_at = self.text.len() + TAIL_LIMIT + self.text.len() / 64;
                    let text = &self.text[*after..];
                    *complete = call::certain_end(text).is_some_and(|end| {
                        let tail = &text[text.floor_char_boundary(end)..];
                        text.len() > call::BLOCK_LIMIT
                            || tail.chars().filter(|c| !c.is_whitespace()).nth(TAIL_LIMIT).is_some()
                    });
                }
            }
            Stage::Head(_) | Stage::Nothing(_) => {}
        }
    }

    fn enter(&mut self, head: Head) {
        self.shown = head.payload;
        self.stage = match &head.kind {
            Kind::Result => Stage::Nothing(Emptiness::FabricatedResult),
            Kind::ReasoningOnly => Stage::Nothing(Emptiness::ReasoningOnly),
            Kind::Call { name } => {
                Stage::Call { name: name.clone(), after: head.payload, look_at: 0, complete: false }
            }
            Kind::Tell | Kind::End | Kind::Untagged => Stage::Words {
                prose: Prose::new(Rules::of(&head.kind, head.wrapped), head.payload),
                hope: if head.kind == Kind::Untagged { Hope::Open } else { Hope::No },
                repeats: head.kind == Kind::Tell,
                head,
            },
        };
    }

    fn show(&mut self, end: usize, out: &mut Vec<Piece>) {
        if end > self.shown {
            out.push(Piece::Text(self.text[self.shown..end].to_owned()));
            self.shown = end;
        }
    }

    /// What words come to.
    fn words(mut self, cut: bool, out: &mut Vec<Piece>) -> Outcome {
        let Stage::Words { head, prose, .. } = self.stage.clone() else {
            return Outcome::Empty(Emptiness::Blank);
        };
        let ended = prose.finish();
        let words = self.text[head.payload..ended.end.max(head.payload)].trim_end();
        let nothing = words.trim().is_empty();
        let floor = ended.cut.map(|cut| match cut {
            Cut::Call => Floor::SecondCall,
            Cut::Result => Floor::FabricatedResult,
            Cut::Markup => Floor::ForeignMarkup,
        });
        let outcome = match head.kind {
            Kind::Tell if self.turn.repeats(words) && !nothing => {
                return Outcome::Say(floor.unwrap_or(Floor::Repeated));
            }
            Kind::Tell => match floor {
                Some(floor) => Outcome::Say(floor),
                None if nothing => Outcome::Empty(Emptiness::EmptyTell),
                None if ended.by_end_line || cut => Outcome::Done { cut, untagged: false },
                None => Outcome::Say(Floor::Told),
            },
            Kind::End if nothing && !self.turn.has_shown() => Outcome::Empty(Emptiness::NoAnswer),
            Kind::End => Outcome::Done { cut, untagged: false },
            _ => match floor {
                Some(Floor::ForeignMarkup) if nothing => Outcome::Empty(Emptiness::ForeignMarkup),
                Some(floor) => Outcome::Say(floor),
                None if nothing => Outcome::Empty(Emptiness::Blank),
                None if !ended.by_end_line && !cut && self.turn.is_announcement(words) => {
                    Outcome::Say(Floor::Announced)
                }
                None => Outcome::Done { cut, untagged: true },
            },
        };
        let end = head.payload + words.len();
        self.show(end, out);
        outcome
    }
}

/// Reads a whole reply at once: what is shown of it, what was thought, and what it comes to.
#[must_use]
pub fn read(reader: ReplyReader, reply: &str, cut: bool) -> (String, String, Outcome) {
    let mut reader = reader;
    let mut pieces = Vec::new();
    reader.take(reply, &mut pieces);
    let outcome = reader.finish(cut, &mut pieces);
    let (mut text, mut thoughts) = (String::new(), String::new());
    for piece in pieces {
        match piece {
            Piece::Text(words) => text.push_str(&words),
            Piece::Reasoning(words) => thoughts.push_str(&words),
        }
    }
    (text, thoughts, outcome)
}
