//! What is asked: the shapes of a turn, small. The answers cannot be known, only read.

use serde_json::json;

use crate::chat::{ChatMessage, ChatRequest, ToolCall, ToolChoice, ToolSpec};

/// Enough for a model that thinks a little; whoever does not stops long before.
const MAX_TOKENS: u32 = 512;

/// The size of the long prompt, in characters.
pub(super) const LONG_INPUT: usize = 32_000;

/// What only the tool's result says.
pub(super) const LIT_IN: &str = "1862";
/// What only a note says.
pub(super) const CODE_WORD: &str = "larkspur";
/// The tool that the lighthouse question needs.
pub(super) const SEARCH: &str = "search_chunks";
/// The tool that nobody would choose for it.
pub(super) const EXIT: &str = "no_evidence_needed";

const LIGHTHOUSE: &str = "When was the lighthouse of Varnholt first lit? Search the knowledge base for it.";
const PERSONA: &str = "You answer from a knowledge base, in one short sentence.";
const SENTENCE: &str = "The harbour was dredged again in spring and the quay was mended with granite. ";

fn system(content: &str) -> ChatMessage {
    ChatMessage::System { content: content.to_owned() }
}

fn user(content: &str) -> ChatMessage {
    ChatMessage::User { content: content.to_owned() }
}

fn request(messages: Vec<ChatMessage>) -> ChatRequest {
    ChatRequest { messages, max_tokens: Some(MAX_TOKENS), ..ChatRequest::default() }
}

fn passage(file: &str, text: &str) -> String {
    format!("[1] {file} (document 01890000-0000-7000-8000-000000000001)\n{text}")
}

/// Two tools in the shape of ours.
fn tools() -> Vec<ToolSpec> {
    let tool = |name: &str, description: &str, argument: &str, meaning: &str| ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {argument: {"type": "string", "description": meaning}},
            "required": [argument],
            "additionalProperties": false,
        }),
    };
    vec![
        tool(SEARCH, "Searches the knowledge base for passages.", "query", "The words to look for."),
        tool(
            EXIT,
            "Says that a message needs no search, such as a greeting.",
            "reason",
            "Why it needs none.",
        ),
    ]
}

fn with_tools(messages: Vec<ChatMessage>, tool_choice: ToolChoice) -> ChatRequest {
    ChatRequest { tools: tools(), tool_choice, ..request(messages) }
}

/// A question without tools, whose answer takes more than one piece.
pub(super) fn plain() -> ChatRequest {
    request(vec![system("You are helpful and brief."), user("Count from one to twelve in words.")])
}

/// Tools on offer, and a question that needs one.
pub(super) fn tools_offered() -> ChatRequest {
    with_tools(vec![system(PERSONA), user(LIGHTHOUSE)], ToolChoice::Auto)
}

/// A message that nobody would call a tool for.
pub(super) fn tool_required() -> ChatRequest {
    with_tools(vec![system(PERSONA), user("Hello!")], ToolChoice::Required)
}

/// The tool that does not fit the question.
pub(super) fn tool_named() -> ChatRequest {
    with_tools(vec![system(PERSONA), user(LIGHTHOUSE)], ToolChoice::Named(EXIT.to_owned()))
}

/// The model's own call, or one of ours, answered.
pub(super) fn tool_result(call: Option<ToolCall>) -> ChatRequest {
    let call = call.unwrap_or_else(|| ToolCall {
        id: "call_1".to_owned(),
        name: SEARCH.to_owned(),
        arguments: json!({"query": "Varnholt lighthouse first lit"}).to_string(),
    });
    let result = passage("varnholt.md", &format!("The lighthouse of Varnholt was first lit in {LIT_IN}."));
    let messages = vec![
        system(PERSONA),
        user(LIGHTHOUSE),
        ChatMessage::Assistant { content: None, tool_calls: vec![call.clone()] },
        ChatMessage::Tool { tool_call_id: call.id, content: result },
    ];
    with_tools(messages, ToolChoice::Auto)
}

/// A second system message right before the question.
pub(super) fn late_note() -> ChatRequest {
    let note = passage("notes.md", &format!("The code word of the harbour is {CODE_WORD}."));
    request(vec![
        system(PERSONA),
        user("Hello!"),
        ChatMessage::Assistant {
            content: Some("Hello! What is it about?".to_owned()),
            tool_calls: Vec::new(),
        },
        system(&note),
        user("What is the code word of the harbour?"),
    ])
}

/// The lighthouse question for a backend that teaches the tools in words.
pub(super) fn text_mode() -> ChatRequest {
    tools_offered()
}

/// 32,000 characters, and a question about their beginning.
pub(super) fn long_input() -> ChatRequest {
    let opening = passage("notes.md", &format!("The code word of the harbour is {CODE_WORD}.\n\n"));
    let room = LONG_INPUT.saturating_sub(opening.chars().count());
    let filler = SENTENCE.repeat(room / SENTENCE.len());
    request(vec![
        system(&format!("{PERSONA}\n\n{opening}{filler}")),
        user("What is the code word of the harbour?"),
    ])
}
