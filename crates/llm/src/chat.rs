//! The shapes that cross the wire, in our own words: one request, one streamed reply.

use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;
use futures::Stream;
use serde::{Deserialize, Serialize};

use crate::failure::ModelFailure;
use crate::ladder::Standing;

/// One message of a request, in the roles that every OpenAI-compatible endpoint knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatMessage {
    /// Instructions, or context that is not the person's.
    System {
        /// The text.
        content: String,
    },
    /// What the person (or a nudge) says.
    User {
        /// The text.
        content: String,
    },
    /// What the model said and called.
    Assistant {
        /// The text; `None` when it only called.
        content: Option<String>,
        /// The calls, in the order in which they came.
        tool_calls: Vec<ToolCall>,
    },
    /// The result of one call.
    Tool {
        /// The id of the call that this answers.
        tool_call_id: String,
        /// What the tool said.
        content: String,
    },
}

/// One call of a tool, as the model wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The endpoint's id, or a minted one (`call_` and a UUID) when it sent none.
    pub id: String,
    /// The tool's name, trimmed; never empty.
    pub name: String,
    /// The arguments as text, exactly as they came: cut-off JSON stays cut off and never becomes `{}`.
    /// An empty string when the endpoint sent none.
    pub arguments: String,
}

/// A tool as it is offered to the model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// The name the model calls it by.
    pub name: String,
    /// One or two sentences.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub parameters: serde_json::Value,
}

/// Whether the model must, may or may not call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// The model decides; never written out, the field is left away.
    #[default]
    Auto,
    /// No tool field of any kind is sent, the tools neither.
    None,
    /// Some tool must be called.
    Required,
    /// This tool must be called.
    Named(String),
}

/// One request to the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatRequest {
    /// The conversation, oldest first.
    pub messages: Vec<ChatMessage>,
    /// The tools on offer.
    pub tools: Vec<ToolSpec>,
    /// Whether they must be used.
    pub tool_choice: ToolChoice,
    /// The most tokens to write; the endpoint's own default when `None`.
    pub max_tokens: Option<u32>,
    /// Sampling temperature; the endpoint's own default when `None`.
    pub temperature: Option<f64>,
}

/// Tokens counted by the endpoint. A count it did not send is unknown, not zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Tokens read.
    pub prompt_tokens: Option<u64>,
    /// Tokens written.
    pub completion_tokens: Option<u64>,
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyFinish {
    /// It was complete.
    Stop,
    /// It wants its calls answered.
    ToolCalls,
    /// The token limit cut it.
    Length,
    /// A content filter cut it.
    Filtered,
}

/// One event of a streamed reply. Calls come whole, after the text, once the stream has ended well:
/// a call of a broken stream never comes at all.
#[derive(Clone, Debug, PartialEq)]
pub enum ChatEvent {
    /// Words for the reader.
    Text(String),
    /// Words that are not for the reader.
    Reasoning(String),
    /// The words that follow keep the floor: they are for the reader whatever comes after them, and need not wait for
    /// the end of the reply. Before its words, at most once. Only text mode says so.
    KeepsFloor,
    /// One complete call.
    Call(ToolCall),
    /// A call that cannot run as it was written: refused before anything else looks at it. Only text mode writes one.
    FaultyCall {
        /// The call, its arguments as they came: they may be no JSON.
        call: ToolCall,
        /// What the model is told: the reason, then how to write the call. It needs no signature beside it.
        fault: String,
    },
    /// The end, always last and exactly once in a reply that did not fail.
    End {
        /// Why.
        finish: ReplyFinish,
        /// What it cost, where the endpoint says so.
        usage: Option<TokenUsage>,
        /// Set when the reply keeps the floor: the turn does not end, this is sent as the next user message, and the
        /// model is asked again. Never shown, never stored. Only text mode sets it.
        continue_turn: Option<String>,
    },
}

/// A reply as it comes in. Dropping it closes the connection to the endpoint.
pub type ChatStream = Pin<Box<dyn Stream<Item = Result<ChatEvent, ModelFailure>> + Send>>;

/// Something that answers chat requests: an endpoint, a decorator around one, a script in a test.
#[async_trait]
pub trait ChatBackend: Send + Sync {
    /// Sends one request; the stream ends with [`ChatEvent::End`] or with one failure.
    ///
    /// # Errors
    /// A [`ModelFailure`] when the endpoint could not be reached or refused.
    async fn chat(&self, request: ChatRequest) -> Result<ChatStream, ModelFailure>;

    /// The model's name, for records and logs.
    fn model(&self) -> &str;

    /// Whether requests with these tools can be sent at all; false for a catalogue that does not fit into a prompt.
    fn can_offer(&self, tools: &[ToolSpec]) -> bool {
        let _ = tools;
        true
    }

    /// A backend for the requests of one turn, when it matters that they belong together; `None` when it does not.
    fn for_turn(&self) -> Option<Arc<dyn ChatBackend>> {
        None
    }

    /// With what of tools the last request went out, and what was given up for it. At [`crate::ladder::Level::Retrieval`]
    /// a request with tools fails unsent.
    fn standing(&self) -> Standing {
        Standing::default()
    }
}
