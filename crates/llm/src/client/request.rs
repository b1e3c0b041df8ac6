//! The body of a chat request, as every OpenAI-compatible endpoint takes it.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Value;

use crate::chat::{ChatMessage, ChatRequest, ToolCall, ToolChoice, ToolSpec};
use crate::failure::{FailureClass, ModelFailure};

/// What endpoints differ in, for one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Whether to ask for usage. Some refuse the field, and send usage unasked or never.
    pub(super) stream_options: bool,
    /// Whether the limit is called `max_completion_tokens`.
    pub(super) completion_tokens: bool,
    /// The most tokens to write.
    pub(super) max_tokens: Option<u32>,
}

#[derive(Serialize)]
pub(super) struct Body<'a> {
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
    pub(super) fn new(model: &'a str, request: &'a ChatRequest, shape: Shape) -> Self {
        let with_tools = request.tool_choice != ToolChoice::None && !request.tools.is_empty();
        let limit = shape.max_tokens;
        Self {
            model,
            messages: request.messages.iter().map(Message).collect(),
            tools: if with_tools { request.tools.iter().map(Tool).collect() } else { Vec::new() },
            tool_choice: match &request.tool_choice {
                ToolChoice::Required if with_tools => Some(Choice::Required),
                ToolChoice::Named(name) if with_tools => Some(Choice::Named(name)),
                _ => None,
            },
            max_tokens: limit.filter(|_| !shape.completion_tokens),
            max_completion_tokens: limit.filter(|_| shape.completion_tokens),
            temperature: request.temperature,
            stream: true,
            stream_options: shape.stream_options.then_some(StreamOptions { include_usage: true }),
        }
    }

    /// The body's bytes.
    pub(super) fn to_json(&self) -> Result<Vec<u8>, ModelFailure> {
        serde_json::to_vec(self).map_err(|error| {
            ModelFailure::new(
                FailureClass::Rejected { status: 0 },
                format!("the request cannot be written as JSON: {error}"),
            )
        })
    }
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

struct Message<'a>(&'a ChatMessage);

impl Serialize for Message<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.0 {
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
                // An empty string where there is no text: some refuse null beside calls, some a missing field.
                map.serialize_entry("content", content.as_deref().unwrap_or(""))?;
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
    /// A replayed call needs whole arguments: several servers parse the history and answer 500 to a cut-off string for
    /// the rest of the conversation. What the model really wrote is in the refusal that answers the call.
    fn new(call: &'a ToolCall) -> Self {
        let whole = serde_json::from_str::<serde_json::Map<String, Value>>(&call.arguments).is_ok();
        let arguments = if whole { call.arguments.as_str() } else { "{}" };
        Self { id: &call.id, kind: "function", function: CalledFunction { name: &call.name, arguments } }
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
mod tests {
    use super::*;

    const PLAIN: Shape = Shape { stream_options: true, completion_tokens: false, max_tokens: None };

    fn written(request: &ChatRequest, shape: Shape) -> String {
        String::from_utf8(Body::new("m", request, shape).to_json().unwrap()).unwrap()
    }

    fn request(tool_choice: ToolChoice) -> ChatRequest {
        let parameters = serde_json::json!({"type": "object"});
        ChatRequest {
            messages: vec![ChatMessage::User { content: "q".into() }],
            tools: vec![ToolSpec { name: "f".into(), description: "d".into(), parameters }],
            tool_choice,
            ..ChatRequest::default()
        }
    }

    const HEAD: &str = r#"{"model":"m","messages":[{"role":"user","content":"q"}]"#;
    const TOOLS: &str = r#","tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}}]"#;
    const TAIL: &str = r#","stream":true,"stream_options":{"include_usage":true}}"#;

    #[test]
    fn the_choice_decides_which_tool_fields_are_written() {
        let named = r#","tool_choice":{"type":"function","function":{"name":"f"}}"#;
        let cases = [
            (ToolChoice::Auto, format!("{HEAD}{TOOLS}{TAIL}")),
            (ToolChoice::None, format!("{HEAD}{TAIL}")),
            (ToolChoice::Required, format!("{HEAD}{TOOLS},\"tool_choice\":\"required\"{TAIL}")),
            (ToolChoice::Named("f".into()), format!("{HEAD}{TOOLS}{named}{TAIL}")),
        ];
        for (choice, expected) in cases {
            assert_eq!(written(&request(choice), PLAIN), expected);
        }
        let no_tools = ChatRequest { tools: Vec::new(), ..request(ToolChoice::Required) };
        assert_eq!(written(&no_tools, PLAIN), format!("{HEAD}{TAIL}"));
    }

    #[test]
    fn limits_are_written_under_the_name_that_the_endpoint_takes() {
        let request = ChatRequest { temperature: Some(0.5), ..request(ToolChoice::None) };
        let limited = Shape { stream_options: false, max_tokens: Some(7), ..PLAIN };
        assert_eq!(
            written(&request, limited),
            format!(r#"{HEAD},"max_tokens":7,"temperature":0.5,"stream":true}}"#)
        );
        let renamed = Shape { completion_tokens: true, ..limited };
        assert_eq!(
            written(&request, renamed),
            format!(r#"{HEAD},"max_completion_tokens":7,"temperature":0.5,"stream":true}}"#)
        );
    }

    #[test]
    fn every_role_is_written_and_a_replayed_call_has_whole_arguments() {
        let call = |id: &str, arguments: &str| ToolCall {
            id: id.into(),
            name: "f".into(),
            arguments: arguments.into(),
        };
        let messages = vec![
            ChatMessage::System { content: "s".into() },
            ChatMessage::Assistant {
                content: None,
                tool_calls: vec![call("a", r#"{"q":1}"#), call("b", r#"{"q":"Par"#), call("c", "")],
            },
            ChatMessage::Tool { tool_call_id: "a".into(), content: "r".into() },
            ChatMessage::Assistant { content: Some("done".into()), tool_calls: vec![] },
        ];
        let request = ChatRequest { messages, ..ChatRequest::default() };
        let call = |id: &str, arguments: &str| {
            format!(
                r#"{{"id":"{id}","type":"function","function":{{"name":"f","arguments":"{arguments}"}}}}"#
            )
        };
        let expected = [
            r#"{"model":"m","messages":[{"role":"system","content":"s"},{"role":"assistant","content":"","tool_calls":["#,
            &[call("a", r#"{\"q\":1}"#), call("b", "{}"), call("c", "{}")].join(","),
            r#"]},{"role":"tool","tool_call_id":"a","content":"r"},{"role":"assistant","content":"done"}]"#,
            TAIL,
        ]
        .concat();
        assert_eq!(written(&request, PLAIN), expected);
    }
}
