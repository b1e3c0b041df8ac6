//! The body of a chat request, as every OpenAI-compatible endpoint takes it.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Value;

use crate::chat::{ChatMessage, ChatRequest, ToolCall, ToolChoice, ToolSpec};
use crate::failure::{FailureClass, ModelFailure};
use crate::heal::heal;
use crate::learned::{Learned, Lesson};

/// What endpoints differ in, for one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// What the endpoint asked for.
    pub(super) learned: Learned,
    /// The most tokens to write.
    pub(super) max_tokens: Option<u32>,
}

/// Writes the body: the history healed as the endpoint takes it, then the fields beside it.
pub(super) fn body(model: &str, request: &ChatRequest, shape: Shape) -> Result<Vec<u8>, ModelFailure> {
    let messages = heal(request.messages.clone(), shape.learned.into());
    serde_json::to_vec(&Body::new(model, &messages, request, shape)).map_err(|error| {
        ModelFailure::new(
            FailureClass::Rejected { status: 0 },
            format!("the request cannot be written as JSON: {error}"),
        )
    })
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

impl<'a> Body<'a> {
    /// `ToolChoice::None` leaves out every tool field, the tools too; so does an empty list of tools, because a choice
    /// without tools is refused. `auto` is what every endpoint does unasked and some refuse in writing.
    fn new(model: &'a str, messages: &'a [ChatMessage], request: &'a ChatRequest, shape: Shape) -> Self {
        let with_tools = request.tool_choice != ToolChoice::None && !request.tools.is_empty();
        let renamed = shape.learned.has(Lesson::CompletionTokens);
        let message = |message| Message { message, learned: shape.learned };
        Self {
            model,
            messages: messages.iter().map(message).collect(),
            tools: if with_tools { request.tools.iter().map(Tool).collect() } else { Vec::new() },
            tool_choice: match &request.tool_choice {
                ToolChoice::Required if with_tools => Some(Choice::Required),
                ToolChoice::Named(name) if with_tools => Some(Choice::Named(name)),
                _ => None,
            },
            max_tokens: shape.max_tokens.filter(|_| !renamed),
            max_completion_tokens: shape.max_tokens.filter(|_| renamed),
            temperature: request.temperature,
            stream: true,
            stream_options: (!shape.learned.has(Lesson::NoStreamOptions))
                .then_some(StreamOptions { include_usage: true }),
        }
    }
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

struct Message<'a> {
    message: &'a ChatMessage,
    learned: Learned,
}

impl Serialize for Message<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.message {
            ChatMessage::System { content } => {
                map.serialize_entry("role", "system")?;
                map.serialize_entry("content", content)?;
            }
            ChatMessage::User { content } => {
                map.serialize_entry("role", "user")?;
                map.serialize_entry("content", content)?;
            }
            ChatMessage::Assistant { content, tool_calls } => {
                map.serialize_entry("role", "assistant")?;
                match content.as_deref() {
                    None if self.learned.has(Lesson::NullContent) => {
                        map.serialize_entry("content", &Value::Null)?;
                    }
                    // More endpoints refuse null beside calls, or a missing field, than refuse an empty string.
                    content => map.serialize_entry("content", content.unwrap_or(""))?,
                }
                if self.learned.has(Lesson::EmptyReasoning) {
                    map.serialize_entry("reasoning_content", "")?;
                }
                if !tool_calls.is_empty() {
                    let calls: Vec<_> = tool_calls.iter().map(Call::new).collect();
                    map.serialize_entry("tool_calls", &calls)?;
                }
            }
            ChatMessage::Tool { tool_call_id, content } => {
                map.serialize_entry("role", "tool")?;
                map.serialize_entry("tool_call_id", tool_call_id)?;
                map.serialize_entry("content", content)?;
            }
        }
        map.end()
    }
}

#[derive(Serialize)]
struct Call<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    function: CalledFunction<'a>,
}

#[derive(Serialize)]
struct CalledFunction<'a> {
    name: &'a str,
    arguments: &'a str,
}

impl<'a> Call<'a> {
    fn new(call: &'a ToolCall) -> Self {
        let function = CalledFunction { name: &call.name, arguments: &call.arguments };
        Self { id: &call.id, kind: "function", function }
    }
}

struct Tool<'a>(&'a ToolSpec);

impl Serialize for Tool<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Function<'a> {
            name: &'a str,
            description: &'a str,
            parameters: &'a Value,
        }
        let ToolSpec { name, description, parameters } = self.0;
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("type", "function")?;
        map.serialize_entry("function", &Function { name, description, parameters })?;
        map.end()
    }
}

enum Choice<'a> {
    Required,
    Named(&'a str),
}

impl Serialize for Choice<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Name<'a> {
            name: &'a str,
        }
        match self {
            Self::Required => serializer.serialize_str("required"),
            Self::Named(name) => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("type", "function")?;
                map.serialize_entry("function", &Name { name })?;
                map.end()
            }
        }
    }
}

#[cfg(test)]
mod tests;
