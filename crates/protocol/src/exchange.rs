//! What a turn keeps of its work for the next one: calls and results in the wire form of the chat API.
//! Neither leaves the server.

use attest_domain::EntityId;
use serde::{Deserialize, Serialize};

/// The calls and results of a turn, in order, ready to be replayed; and what cannot be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolExchange {
    /// Assistant messages with calls, each followed by the result of every one of them, in call order.
    #[serde(default)]
    pub messages: Vec<ExchangeMessage>,
    /// Calls that are left out of the replay: of unknown tools, or with arguments that are no object.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aside: Vec<AsideCall>,
}

/// One message of the exchange.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum ExchangeMessage {
    /// What the model called. Its narration is in the answer, so `content` is always null.
    Assistant {
        /// Always null.
        content: Option<String>,
        /// The calls of one reply.
        tool_calls: Vec<ExchangeCall>,
    },
    /// What a call came to.
    Tool {
        /// The call.
        tool_call_id: String,
        /// The result as the model read it, or the refusal.
        content: String,
        /// True for a refusal.
        is_error: bool,
    },
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExchangeCall {
    /// Its id.
    pub id: String,
    /// Always `function`.
    #[serde(rename = "type")]
    pub kind: CallKind,
    /// What was called.
    pub function: ExchangeFunction,
}

/// The one kind of call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallKind {
    /// A function.
    #[default]
    Function,
}

/// What was called, and with what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExchangeFunction {
    /// The tool.
    pub name: String,
    /// A JSON object, as text.
    pub arguments: String,
}

/// A call that is not replayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AsideCall {
    /// The name it called.
    pub name: String,
    /// Its arguments as they came.
    pub arguments: String,
    /// What the model was told.
    pub refusal: String,
}

/// An entity that a turn settled on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedEntity {
    /// Its id.
    pub id: EntityId,
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
}
