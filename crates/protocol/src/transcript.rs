//! The one fold: what a reader holds after a number of frames. The snapshot, the stored answer and every
//! client use it, so that they cannot disagree.

use attest_domain::text::utf16_len;
use attest_domain::{ConversationId, MessageId, TurnId};

use crate::frame::{ConversationFrame, Done, ErrorFrame, Frame, Snapshot, Source, Step};
use crate::view::FoldedTurn;

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With an answer, whole or stopped.
    Done(Done),
    /// With an error.
    Error(ErrorFrame),
}

/// Everything the frames of one turn add up to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    conversation_id: ConversationId,
    question_id: MessageId,
    turn_id: TurnId,
    content: String,
    content_utf16: u64,
    steps: Vec<Step>,
    sources: Vec<Source>,
    seq: u64,
    ending: Option<Ending>,
}

impl Transcript {
    /// A turn of which nothing has been said yet.
    #[must_use]
    pub fn new(conversation_id: ConversationId, question_id: MessageId, turn_id: TurnId) -> Self {
        Self {
            conversation_id,
            question_id,
            turn_id,
            content: String::new(),
            content_utf16: 0,
            steps: Vec::new(),
            sources: Vec::new(),
            seq: 0,
            ending: None,
        }
    }

    /// Takes in the frame with the number `seq`. For a snapshot, a live mark and an idle frame the number is
    /// that of the last frame they stand for.
    pub fn apply(&mut self, seq: u64, frame: &Frame) {
        match frame {
            Frame::Conversation(ConversationFrame { id, question_id, turn_id, title: _ }) => {
                (self.conversation_id, self.question_id, self.turn_id) = (*id, *question_id, *turn_id);
            }
            Frame::Step(step) => self.steps.push(step.clone()),
            Frame::Sources(sources) => self.sources.clone_from(sources),
            Frame::Delta(delta) => {
                self.content.push_str(&delta.text);
                self.content_utf16 += utf16_len(&delta.text);
            }
            Frame::Done(done) => self.ending = Some(Ending::Done(done.clone())),
            Frame::Error(error) => self.ending = Some(Ending::Error(error.clone())),
            Frame::Snapshot(snapshot) => {
                self.conversation_id = snapshot.conversation_id;
                self.question_id = snapshot.question_id;
                self.turn_id = snapshot.turn_id;
                self.content.clone_from(&snapshot.content);
                self.content_utf16 = utf16_len(&snapshot.content);
                self.steps.clone_from(&snapshot.steps);
                self.sources.clone_from(&snapshot.sources);
                self.ending = None;
            }
            Frame::Live(_) | Frame::Idle(_) => {}
        }
        self.seq = seq;
    }

    /// The snapshot at this point: it and the frames after it are the whole.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            turn_id: self.turn_id,
            conversation_id: self.conversation_id,
            question_id: self.question_id,
            content: self.content.clone(),
            steps: self.steps.clone(),
            sources: self.sources.clone(),
            seq: self.seq,
        }
    }

    /// The folded turn, as `Accept: application/json` gets it.
    #[must_use]
    pub fn into_folded(self) -> FoldedTurn {
        let (done, error) = match self.ending {
            Some(Ending::Done(done)) => (Some(done), None),
            Some(Ending::Error(error)) => (None, Some(error)),
            None => (None, None),
        };
        FoldedTurn {
            conversation_id: self.conversation_id,
            question_id: self.question_id,
            turn_id: self.turn_id,
            content: self.content,
            steps: self.steps,
            sources: self.sources,
            done,
            error,
        }
    }

    /// The turn.
    #[must_use]
    pub const fn turn_id(&self) -> TurnId {
        self.turn_id
    }

    /// The conversation.
    #[must_use]
    pub const fn conversation_id(&self) -> ConversationId {
        self.conversation_id
    }

    /// The question.
    #[must_use]
    pub const fn question_id(&self) -> MessageId {
        self.question_id
    }

    /// The answer's text so far.
    #[must_use]
    pub fn content(&self) -> &str {
        &self.content
    }

    /// Its length in UTF-16 code units: the `at` of a step that is published now.
    #[must_use]
    pub const fn content_utf16(&self) -> u64 {
        self.content_utf16
    }

    /// The steps so far.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The sources so far.
    #[must_use]
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The number of the last frame taken in; 0 before the first.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// How the turn ended, once it has.
    #[must_use]
    pub const fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }
}

#[cfg(test)]
mod tests;
