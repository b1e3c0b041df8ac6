//! What clients see of conversations, messages and turns.

use attest_domain::{ConversationId, MessageId, TurnId};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::code::ErrorCode;
use crate::frame::{Done, ErrorFrame, Evidence, Finish, Source, Step, Usage};

/// The body of every error that is not a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// One sentence.
    pub error: String,
    /// For programs.
    pub code: ErrorCode,
    /// More, where there is more to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The running turn, with `answer_running`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
}

/// A conversation in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationSummary {
    /// Its id.
    pub id: ConversationId,
    /// Its title.
    pub title: String,
    /// The turn that runs in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running_turn_id: Option<TurnId>,
    /// When it began.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// A page of conversations, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationPage {
    /// The conversations.
    pub conversations: Vec<ConversationSummary>,
    /// Where the next page begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A conversation with its messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationView {
    /// Its id.
    pub id: ConversationId,
    /// Its title.
    pub title: String,
    /// The turn that runs in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running_turn_id: Option<TurnId>,
    /// The messages, oldest first.
    pub messages: Vec<MessageView>,
}

/// Who wrote a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// A stored message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageView {
    /// Its id.
    pub id: MessageId,
    /// Who wrote it.
    pub role: Role,
    /// Its text.
    pub content: String,
    /// The turn it belongs to.
    pub turn_id: TurnId,
    /// How an answer ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<Finish>,
    /// What an answer cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What an answer rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The steps of an answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// The sources of an answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    /// Why the turn of a question failed, or of a partial answer broke off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorFrame>,
    /// When it was stored.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// A turn that has ended, folded: the answer for `Accept: application/json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoldedTurn {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The question.
    pub question_id: MessageId,
    /// The turn.
    pub turn_id: TurnId,
    /// The answer's text.
    pub content: String,
    /// The steps.
    pub steps: Vec<Step>,
    /// The sources.
    pub sources: Vec<Source>,
    /// How it ended well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<Done>,
    /// How it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorFrame>,
}

/// Whether a turn runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnState {
    /// It runs.
    Running,
    /// It has ended.
    Ended,
}

/// What a request to the model was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestPurpose {
    /// A reply that may call tools.
    Work,
    /// The tool-free answer at the end of the budget.
    Answer,
}

/// One request to the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelRequestRecord {
    /// What for.
    pub purpose: RequestPurpose,
    /// How the reply ended, or the class of its failure.
    pub outcome: String,
    /// Tools it called.
    pub calls: u32,
    /// Tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

/// What a turn did, as it is counted while it runs and stored when it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnRecord {
    /// The model that answered.
    pub model: String,
    /// With what of tools the model was asked: `native`, `native_without_choice`, `text` or `retrieval`.
    pub level: String,
    /// What had to be given up for the model's endpoint and why, in order; one short line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub degradations: Vec<String>,
    /// Every request to the model, in order.
    pub requests: Vec<ModelRequestRecord>,
    /// Instructions sent because a reply was empty or came without evidence, by name of the rule.
    pub nudges: Vec<String>,
    /// Calls that were refused, as the model was told.
    pub refusals: Vec<String>,
    /// Tools that ran, in order.
    pub tools: Vec<String>,
    /// Numbers in the answer that were never issued.
    pub unissued_numbers: u32,
}

/// GET `…/turns/{turn_id}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnView {
    /// Its id.
    pub id: TurnId,
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// Its question.
    pub question_id: MessageId,
    /// Its stored answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_id: Option<MessageId>,
    /// Whether it runs.
    pub state: TurnState,
    /// What it did.
    #[serde(flatten)]
    pub record: TurnRecord,
    /// How long it took, in seconds; so far, while it runs.
    pub seconds: f64,
    /// Tokens over all requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// How it ended well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<Done>,
    /// How it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorFrame>,
    /// When it began.
    #[serde(with = "time::serde::rfc3339")]
    pub started_at: OffsetDateTime,
}
