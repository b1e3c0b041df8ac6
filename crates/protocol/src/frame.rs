//! The frames of a stream: one named SSE event each, its data one line of JSON.

use attest_domain::{ChunkId, ConversationId, DocumentId, MessageId, TurnId};
use serde::{Deserialize, Serialize};

use crate::code::ErrorCode;

/// Everything a stream can say. Closed: a client may match it without a wildcard.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    /// First frame of a turn, sent once the question is committed.
    Conversation(ConversationFrame),
    /// A tool finished, or a call was refused.
    Step(Step),
    /// Replaces the list of sources.
    Sources(Vec<Source>),
    /// Appends to the answer.
    Delta(Delta),
    /// Terminal: the answer is saved.
    Done(Done),
    /// Terminal: the turn failed.
    Error(ErrorFrame),
    /// Live only: replaces everything a reader holds.
    Snapshot(Snapshot),
    /// Live only: what came before was replay, what follows is live.
    Live(LiveMark),
    /// Live only: nothing runs; the stream closes after it.
    Idle(Idle),
}

/// Names the conversation, the question and the turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationFrame {
    /// The conversation.
    pub id: ConversationId,
    /// The stored question.
    pub question_id: MessageId,
    /// The turn that answers it.
    pub turn_id: TurnId,
    /// The conversation's title, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// What kind of thing a step did; a page picks its icon by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// Passages were searched.
    Search,
    /// A document was read.
    Document,
    /// A call was refused and did not run.
    Refused,
}

/// One tool that finished, or one call that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// What kind of thing it did.
    pub kind: StepKind,
    /// The tool's name as the model called it.
    pub tool: String,
    /// A few words for people: what was done.
    pub label: String,
    /// What came of it, in a few words.
    pub detail: String,
    /// The length of the answer's text so far, in UTF-16 code units.
    pub at: u64,
    /// How many things came back, where that can be counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
}

/// One numbered passage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its number in this conversation, from 1: what `[n]` in the answer points to.
    pub n: u32,
    /// The passage.
    pub chunk_id: ChunkId,
    /// Its document.
    pub document_id: DocumentId,
    /// The document's name.
    pub filename: String,
    /// The headings above the passage, joined with ` › `; absent when there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    /// Its text as the model read it.
    pub excerpt: String,
    /// First character of the passage in the document's text (Unicode scalar values).
    pub from: u64,
    /// Character after its last.
    pub to: u64,
    /// Sentences that facts were read from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<String>,
}

/// A piece of the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delta {
    /// The piece.
    pub text: String,
}

/// How an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It is whole.
    Complete,
    /// The model's token limit cut it.
    Length,
    /// A person stopped it.
    Stopped,
    /// A content filter cut it.
    Filtered,
    /// It broke off; only in stored messages, a stream says `error`.
    Interrupted,
}

/// Tokens, summed over the requests of a turn. An unknown count is absent, not zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens the model read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// Tokens it wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion_tokens: Option<u64>,
}

/// What an answer rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// It cites passages.
    Cited,
    /// It looked, and cites nothing.
    Consulted,
    /// It repeats what the last answer cited.
    Kept,
    /// It took the honest exit; the reason is recorded.
    None,
}

/// What an answer rests on, stored with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// What.
    pub kind: EvidenceKind,
    /// The model's reason, for `none`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The end of a turn that was answered or stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// The stored answer.
    pub answer_id: MessageId,
    /// How it ended.
    pub finish: Finish,
    /// True when a person stopped it.
    pub stopped: bool,
    /// What it cost, where the model says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What it rests on.
    pub evidence: Evidence,
}

/// The end of a turn that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorFrame {
    /// One sentence for people.
    pub error: String,
    /// For programs.
    pub code: ErrorCode,
    /// True when the same request may succeed unchanged.
    pub retryable: bool,
    /// Seconds to wait before it may, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// The stored partial answer, when text had been shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_id: Option<MessageId>,
}

/// Everything a reader needs to go on from the middle of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The turn.
    pub turn_id: TurnId,
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// Its question.
    pub question_id: MessageId,
    /// The answer's text so far.
    pub content: String,
    /// The steps so far.
    pub steps: Vec<Step>,
    /// The sources so far.
    pub sources: Vec<Source>,
    /// The number of the last frame it holds.
    pub seq: u64,
}

/// Where replay ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveMark {
    /// The number of the last frame of the replay.
    pub seq: u64,
}

/// Nothing runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Idle {
    /// The conversation's last turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// How its answer ended; absent when it stored none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<Finish>,
}

impl Frame {
    /// The SSE event name.
    #[must_use]
    pub const fn event(&self) -> &'static str {
        match self {
            Self::Conversation(_) => "conversation",
            Self::Step(_) => "step",
            Self::Sources(_) => "sources",
            Self::Delta(_) => "delta",
            Self::Done(_) => "done",
            Self::Error(_) => "error",
            Self::Snapshot(_) => "snapshot",
            Self::Live(_) => "live",
            Self::Idle(_) => "idle",
        }
    }

    /// True for the two that end a turn.
    #[must_use]
    pub const fn is_terminal(&self) -> bool {
        matches!(self, Self::Done(_) | Self::Error(_))
    }

    /// The SSE data: one line of JSON.
    ///
    /// # Errors
    /// Never for frames that this crate can build; serde's signature has one.
    pub fn data(&self) -> Result<String, serde_json::Error> {
        match self {
            Self::Conversation(data) => serde_json::to_string(data),
            Self::Step(data) => serde_json::to_string(data),
            Self::Sources(data) => serde_json::to_string(data),
            Self::Delta(data) => serde_json::to_string(data),
            Self::Done(data) => serde_json::to_string(data),
            Self::Error(data) => serde_json::to_string(data),
            Self::Snapshot(data) => serde_json::to_string(data),
            Self::Live(data) => serde_json::to_string(data),
            Self::Idle(data) => serde_json::to_string(data),
        }
    }

    /// Reads a frame back from its event name and data, as a client or the store does.
    ///
    /// # Errors
    /// [`FrameError`] for an event name that is none of ours or data of another shape.
    pub fn parse(event: &str, data: &str) -> Result<Self, FrameError> {
        fn read<'a, T: Deserialize<'a>>(data: &'a str) -> Result<T, FrameError> {
            serde_json::from_str(data).map_err(FrameError::Data)
        }
        Ok(match event {
            "conversation" => Self::Conversation(read(data)?),
            "step" => Self::Step(read(data)?),
            "sources" => Self::Sources(read(data)?),
            "delta" => Self::Delta(read(data)?),
            "done" => Self::Done(read(data)?),
            "error" => Self::Error(read(data)?),
            "snapshot" => Self::Snapshot(read(data)?),
            "live" => Self::Live(read(data)?),
            "idle" => Self::Idle(read(data)?),
            other => return Err(FrameError::Event(other.to_owned())),
        })
    }
}

/// An event that is no frame.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// An unknown event name.
    #[error("there is no frame named {0:?}")]
    Event(String),
    /// Data of another shape.
    #[error("the frame's data does not have its shape")]
    Data(#[source] serde_json::Error),
}

#[cfg(test)]
mod tests;
