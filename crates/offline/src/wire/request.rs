//! What a client sends. Unknown fields are ignored; a field of an odd shape counts as absent where that is harmless.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The body of `POST /v1/chat/completions`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct ChatRequest {
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The tools on offer.
    #[serde(default, deserialize_with = "null_is_default")]
    pub tools: Vec<ToolSpec>,
    /// Whether a tool must, may or may not be called.
    #[serde(default, deserialize_with = "null_is_default")]
    pub tool_choice: ToolChoice,
    /// Events instead of one body.
    #[serde(default, deserialize_with = "null_is_default")]
    pub stream: bool,
    /// What the events hold beside the reply.
    #[serde(default, deserialize_with = "null_is_default")]
    pub stream_options: StreamOptions,
    /// The most tokens of a reply, in its older spelling.
    #[serde(default)]
    pub max_tokens: Option<u64>,
    /// The most tokens of a reply, in its newer spelling, which wins.
    #[serde(default)]
    pub max_completion_tokens: Option<u64>,
}

/// `stream_options`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct StreamOptions {
    /// One more event with the token counts before the end.
    #[serde(default, deserialize_with = "null_is_default")]
    pub include_usage: bool,
}

/// One message.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text.
    #[serde(default)]
    pub content: Content,
    /// What the assistant called.
    #[serde(default, deserialize_with = "null_is_default")]
    pub tool_calls: Vec<ToolCall>,
    /// The call that a tool message answers.
    #[serde(default)]
    pub tool_call_id: Option<String>,
}

impl Message {
    /// The text of the message, its parts joined by line breaks.
    pub fn text(&self) -> Cow<'_, str> {
        match &self.content {
            Content::Text(text) => Cow::Borrowed(text),
            Content::Parts(parts) => {
                let texts: Vec<&str> = parts.iter().filter_map(|part| part.text.as_deref()).collect();
                Cow::Owned(texts.join("\n"))
            }
            Content::Absent => Cow::Borrowed(""),
        }
    }
}

/// Who speaks in a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions or context.
    #[serde(alias = "developer")]
    System,
    /// The person.
    #[default]
    User,
    /// The model.
    Assistant,
    /// The result of a call.
    #[serde(alias = "function")]
    Tool,
}

/// A message's content: a string, a list of parts, or nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Content {
    /// A string.
    Text(String),
    /// Typed parts, of which only those with a `text` count.
    Parts(Vec<ContentPart>),
    /// Null, missing, or no shape that is known.
    #[default]
    Absent,
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Value::deserialize(deserializer)? {
            Value::String(text) => Self::Text(text),
            Value::Array(parts) => {
                Self::Parts(parts.into_iter().map(|part| ContentPart { text: text_of_part(part) }).collect())
            }
            _ => Self::Absent,
        })
    }
}

fn text_of_part(part: Value) -> Option<String> {
    match part {
        Value::String(text) => Some(text),
        Value::Object(mut fields) => match fields.remove("text") {
            Some(Value::String(text)) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// One part of a content list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentPart {
    /// The text of a text part; images and the like have none.
    pub text: Option<String>,
}

/// One call in an assistant message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ToolCall {
    /// The id that the tool message repeats.
    #[serde(default)]
    pub id: String,
    /// What was called.
    pub function: FunctionCall,
}

/// The function of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct FunctionCall {
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text; an object is accepted and written back to text.
    #[serde(default, deserialize_with = "json_text")]
    pub arguments: String,
}

/// One tool on offer.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct ToolSpec {
    /// The function.
    pub function: FunctionSpec,
}

/// The function of a tool on offer.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct FunctionSpec {
    /// The name to call it by.
    pub name: String,
    /// What it does; not read by the brain.
    #[serde(default, deserialize_with = "null_is_default")]
    pub description: String,
    /// The JSON schema of its arguments.
    #[serde(default)]
    pub parameters: Value,
}

/// `tool_choice`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// No call.
    None,
    /// Some call.
    Required,
    /// A call of this tool.
    Named(String),
}

impl<'de> Deserialize<'de> for ToolChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let named = value.pointer("/function/name").or_else(|| value.get("name")).and_then(Value::as_str);
        match (value.as_str(), named) {
            (Some("auto"), _) => Ok(Self::Auto),
            (Some("none"), _) => Ok(Self::None),
            (Some("required" | "any"), _) => Ok(Self::Required),
            (None, Some(name)) => Ok(Self::Named(name.to_owned())),
            _ => Err(serde::de::Error::custom(
                "tool_choice must be \"none\", \"auto\", \"required\" or {\"type\": \"function\", \"function\": {\"name\": …}}",
            )),
        }
    }
}

/// The body of `POST /v1/embeddings`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct EmbeddingRequest {
    pub(crate) input: EmbeddingInput,
}

/// One text or several.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(crate) enum EmbeddingInput {
    One(String),
    Many(Vec<String>),
}

fn null_is_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

fn json_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    })
}
