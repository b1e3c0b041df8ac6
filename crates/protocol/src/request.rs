//! Bodies that clients send.

use attest_domain::{ConversationId, MessageId, TurnId};
use serde::{Deserialize, Serialize};

/// POST `/kbs/{kb}/chat`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskRequest {
    /// The question. A retry may leave it away: the stored one is asked.
    #[serde(default)]
    pub message: String,
    /// The conversation to go on with; a new one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    /// The stored question to answer again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_question_id: Option<MessageId>,
}

/// POST `…/conversations/{id}/stop`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StopRequest {
    /// The turn to stop; a later turn is never stopped by it.
    pub turn_id: TurnId,
}

/// The answer to a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopResponse {
    /// False when that turn does not run.
    pub stopping: bool,
}

/// PATCH `…/conversations/{id}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RenameRequest {
    /// The new title, 1 to 200 characters.
    pub title: String,
}

/// POST `/kbs`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KbCreateRequest {
    /// The name for people, 1 to 200 characters.
    pub name: String,
    /// The name for URLs; made from the name when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
}

/// PATCH `/kbs/{kb}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KbRenameRequest {
    /// The new name, 1 to 200 characters.
    pub name: String,
}

/// POST `…/documents` as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentCreateRequest {
    /// The document's name; its ending tells how it is read.
    pub filename: String,
    /// Its text.
    pub text: String,
    /// Its date: a year, a month, a day or an instant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}
