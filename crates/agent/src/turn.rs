//! What a turn is given, what it says on the way, and how it ends.

use async_trait::async_trait;
use attest_domain::ChunkId;
use attest_protocol::ErrorCode;
use attest_protocol::exchange::{ResolvedEntity, ToolExchange};
use attest_protocol::frame::{Evidence, Finish, Source};
use attest_tools::{StepText, ToolContext};

/// Who said something earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PastRole {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// A message before the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastMessage {
    /// Who.
    pub role: PastRole,
    /// What.
    pub content: String,
}

/// Everything one turn starts from.
#[derive(Clone, Debug)]
pub struct TurnRequest {
    /// The question.
    pub question: String,
    /// The last messages before it, oldest first; the caller has bounded them.
    pub history: Vec<PastMessage>,
    /// What the last answer's turn called and got: replayed right before that answer.
    pub replay: ToolExchange,
    /// What the turn itself has called and got already, when it goes on after an interruption.
    pub resumed: ToolExchange,
    /// Entities identified so far, in order of first sight, at most 20.
    pub entities: Vec<ResolvedEntity>,
    /// The citation numbers that the conversation has issued.
    pub numbers: Vec<(u32, ChunkId)>,
    /// The sources that the last answer cites, which an answer without a look-up may keep.
    pub previous_sources: Vec<Source>,
    /// On whose behalf, and where.
    pub context: ToolContext,
}

/// Where a turn says what happens. The three announcements do not wait and never fail: a reader that is slow or
/// gone is no concern of the turn.
#[async_trait]
pub trait TurnSink: Send + Sync {
    /// Words of the answer, in order. Never empty.
    fn delta(&self, text: &str);
    /// A tool finished, or a call was refused; `tool` is the name the model called.
    fn step(&self, tool: &str, step: &StepText);
    /// The list of sources has changed; this is the whole list.
    fn sources(&self, sources: &[Source]);
    /// Words that are not for the answer: a reader may ask to see them, nobody keeps them.
    fn reasoning(&self, _text: &str) {}
    /// Waits until what was announced may pile up no further. Called between polls of the model's stream.
    async fn ready(&self) {}
}

/// An answer that came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// `Complete`, `Length` or `Filtered`.
    pub finish: Finish,
    /// What it rests on.
    pub evidence: Evidence,
    /// Text that was held back until its outcome was judged, to be saved first and sent then; it follows what was
    /// announced as deltas. Empty when everything was announced.
    pub held_text: String,
    /// The sources of the answer when they are not those announced (kept ones, for example).
    pub sources: Option<Vec<Source>>,
}

/// A turn that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnFailure {
    /// For programs.
    pub code: ErrorCode,
    /// One sentence for people, in plain words; the model endpoint's own words where they help.
    pub sentence: String,
    /// True when the same request may succeed unchanged.
    pub retryable: bool,
    /// Seconds to wait before it may, where known.
    pub retry_after: Option<u64>,
}
