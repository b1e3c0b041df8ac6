//! Requests and messages, from the library's words to ours and back.

use attest_llm::chat::{ChatMessage, ChatRequest, ToolCall, ToolChoice, ToolSpec};
use rig_core::completion::CompletionRequest;
use rig_core::message::{
    self, AssistantContent, AssistantMessage, CallId, Message, ToolFunction, ToolName, ToolResultContent,
    UserContent,
};

use super::REFUSED_CALL;
use crate::policy::window::PastShape;

/// What a request is written from beside the library's own history.
pub(crate) trait CallRecords {
    /// A call as the model wrote it.
    fn call_as_written(&self, id: &str) -> Option<ToolCall>;
    /// A result as the model reads it.
    fn result_of(&self, id: &str) -> Option<String>;
}

/// A request in our words, in the parts that a window that is too small looks at.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parts {
    /// The system prompt, when there is one.
    pub(crate) system: Vec<ChatMessage>,
    /// What comes before the question.
    pub(crate) past: Vec<ChatMessage>,
    /// The note right before the question, the question, and what followed.
    pub(crate) turn: Vec<ChatMessage>,
    /// The request without its messages.
    pub(crate) frame: ChatRequest,
}

impl Parts {
    /// The request, with this past.
    pub(crate) fn request(&self, past: Vec<ChatMessage>) -> ChatRequest {
        let messages = [self.system.clone(), past, self.turn.clone()].concat();
        ChatRequest { messages, ..self.frame.clone() }
    }
}

/// Takes a request apart. Documents become one system message right before the question; the question is found by
/// its place, because nudges and results follow it.
pub(crate) fn parts(request: CompletionRequest, shape: &PastShape, records: &impl CallRecords) -> Parts {
    let mut messages = Vec::with_capacity(request.chat_history.len() + 1);
    for message in request.chat_history {
        push_message(&mut messages, message, records);
    }
    let has_system = matches!(messages.first(), Some(ChatMessage::System { .. }));
    let mut rest = messages.split_off(usize::from(has_system));
    let mut turn = rest.split_off(shape.before_question.min(rest.len()));
    let notes: Vec<String> = request.documents.into_iter().map(|document| document.text).collect();
    if !notes.is_empty() {
        turn.insert(0, ChatMessage::System { content: notes.join("\n\n") });
    }
    let (tools, tool_choice) = tools(request.tools, request.tool_choice);
    let frame = ChatRequest {
        messages: Vec::new(),
        tools,
        tool_choice,
        max_tokens: request.max_tokens.and_then(|tokens| u32::try_from(tokens).ok()),
        temperature: request.temperature,
    };
    Parts { system: messages, past: rest, turn, frame }
}

fn tools(
    tools: Vec<rig_core::completion::ToolDefinition>,
    choice: Option<message::ToolChoice>,
) -> (Vec<ToolSpec>, ToolChoice) {
    let choice = match choice {
        None | Some(message::ToolChoice::Auto) => ToolChoice::Auto,
        Some(message::ToolChoice::None) => return (Vec::new(), ToolChoice::None),
        Some(message::ToolChoice::Required) => ToolChoice::Required,
        Some(message::ToolChoice::Specific { function_names }) => function_names
            .first()
            .map_or(ToolChoice::Required, |name| ToolChoice::Named(name.as_str().to_owned())),
    };
    let specs = tools
        .into_iter()
        .filter(|tool| tool.name.as_str() != REFUSED_CALL)
        .map(|tool| ToolSpec {
            name: tool.name.to_string(),
            description: tool.description,
            parameters: tool.parameters,
        })
        .collect();
    (specs, choice)
}

fn push_message(out: &mut Vec<ChatMessage>, message: Message, records: &impl CallRecords) {
    match message {
        Message::System { content } => out.push(ChatMessage::System { content }),
        Message::User { content } => {
            for part in content {
                match part {
                    UserContent::Text(text) => out.push(ChatMessage::User { content: text.text }),
                    UserContent::ToolResult(result) => {
                        let tool_call_id = result.call.wire().into_owned();
                        let content =
                            records.result_of(&tool_call_id).unwrap_or_else(|| plain(&result.content));
                        out.push(ChatMessage::Tool { tool_call_id, content });
                    }
                    // Nothing of ours puts these into a turn.
                    UserContent::Image(_)
                    | UserContent::Audio(_)
                    | UserContent::Video(_)
                    | UserContent::Document(_) => {}
                }
            }
        }
        Message::Assistant(message) => {
            let mut text = String::new();
            let mut tool_calls = Vec::new();
            for part in message.content {
                match part {
                    AssistantContent::Text(part) => text.push_str(&part.text),
                    AssistantContent::ToolCall(call) => {
                        let id = call.id.wire().into_owned();
                        tool_calls.push(records.call_as_written(&id).unwrap_or_else(|| ToolCall {
                            id,
                            name: call.function.name.to_string(),
                            arguments: call.function.arguments_value().to_string(),
                        }));
                    }
                    _ => {}
                }
            }
            let content = (!text.trim().is_empty()).then_some(text);
            // A message with neither is refused by endpoints and says nothing.
            if content.is_some() || !tool_calls.is_empty() {
                out.push(ChatMessage::Assistant { content, tool_calls });
            }
        }
    }
}

fn plain(content: &[ToolResultContent]) -> String {
    content.iter().filter_map(ToolResultContent::as_text).collect::<Vec<_>>().join("\n")
}

/// Our messages in the library's words. Results of one reply become one message, as the library keeps them itself.
pub(crate) fn to_library(messages: &[ChatMessage]) -> Vec<Message> {
    let mut out: Vec<Message> = Vec::with_capacity(messages.len());
    for message in messages {
        match message {
            ChatMessage::System { content } => out.push(Message::system(content)),
            ChatMessage::User { content } => out.push(Message::user(content)),
            ChatMessage::Assistant { content, tool_calls } => {
                let mut parts: Vec<AssistantContent> = content.iter().map(AssistantContent::text).collect();
                parts.extend(tool_calls.iter().filter_map(|call| {
                    let function = ToolFunction::parse(ToolName::new(&call.name).ok()?, &call.arguments);
                    Some(AssistantContent::ToolCall(message::ToolCall::from_wire(&call.id, function)))
                }));
                out.push(Message::Assistant(AssistantMessage::new(parts)));
            }
            ChatMessage::Tool { tool_call_id, content } => {
                let Ok(name) = ToolName::new(REFUSED_CALL) else { continue };
                let result = UserContent::tool_result(
                    CallId::from_wire(tool_call_id),
                    name,
                    vec![ToolResultContent::text(content)],
                );
                match out.last_mut() {
                    Some(Message::User { content }) if only_results(content) => content.push(result),
                    _ => out.push(Message::User { content: vec![result] }),
                }
            }
        }
    }
    out
}

fn only_results(content: &[UserContent]) -> bool {
    content.iter().all(|part| matches!(part, UserContent::ToolResult(_)))
}
