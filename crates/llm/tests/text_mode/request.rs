//! What is sent: the lesson, and the conversation in blocks.

use std::sync::Arc;

use async_trait::async_trait;
use attest_llm::chat::{ChatBackend, ChatMessage, ChatRequest, ChatStream, ToolCall, ToolChoice, ToolSpec};
use attest_llm::failure::{FailureClass, ModelFailure};
use attest_llm::text_mode::{NEXT, TextMode, TextModeOptions};
use serde_json::Value;

use crate::reading::tools;

struct Nobody;

#[async_trait]
impl ChatBackend for Nobody {
    async fn chat(&self, _request: ChatRequest) -> Result<ChatStream, ModelFailure> {
        Err(ModelFailure::new(FailureClass::Unreachable, "nobody answers"))
    }

    fn model(&self) -> &str {
        "nobody"
    }
}

fn text_mode(hidden: &[&str]) -> TextMode {
    let hidden_tools = hidden.iter().map(|name| (*name).to_owned()).collect();
    TextMode::new(Arc::new(Nobody), TextModeOptions { hidden_tools, ..TextModeOptions::default() })
}

fn content(message: &ChatMessage) -> &str {
    match message {
        ChatMessage::System { content }
        | ChatMessage::User { content }
        | ChatMessage::Tool { content, .. } => content,
        ChatMessage::Assistant { content, tool_calls } => {
            assert_eq!(*tool_calls, vec![]);
            content.as_deref().unwrap()
        }
    }
}

/// The lesson that these tools give.
pub(crate) fn lesson(tools: &[ToolSpec], tool_choice: ToolChoice) -> String {
    let request = ChatRequest { tools: tools.to_vec(), tool_choice, ..ChatRequest::default() };
    let written = text_mode(&[]).written(&request);
    assert_eq!((written.tools.len(), &written.tool_choice), (0, &ToolChoice::None));
    content(&written.messages[0]).to_owned()
}

/// The conversation without the lesson.
pub(crate) fn written(messages: Vec<ChatMessage>) -> Vec<ChatMessage> {
    let request = ChatRequest { messages, tools: tools(), ..ChatRequest::default() };
    text_mode(&[]).written(&request).messages.split_off(1)
}

/// How a call is written in the history.
pub(crate) fn rendered_call(name: &str, arguments: &Value) -> String {
    let call = ToolCall { id: "a".into(), name: name.into(), arguments: arguments.to_string() };
    let messages = vec![user("q"), called(None, vec![call]), result("a", "r")];
    content(&written(messages)[1]).to_owned()
}

fn system(text: &str) -> ChatMessage {
    ChatMessage::System { content: text.into() }
}

fn user(text: &str) -> ChatMessage {
    ChatMessage::User { content: text.into() }
}

fn said(text: &str) -> ChatMessage {
    called(Some(text), vec![])
}

fn called(text: Option<&str>, tool_calls: Vec<ToolCall>) -> ChatMessage {
    ChatMessage::Assistant { content: text.map(str::to_owned), tool_calls }
}

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() }
}

fn result(id: &str, text: &str) -> ChatMessage {
    ChatMessage::Tool { tool_call_id: id.into(), content: text.into() }
}

/// A conversation as a person reads it.
fn in_words(messages: &[ChatMessage]) -> String {
    let words: Vec<String> = messages
        .iter()
        .map(|message| {
            let role = match message {
                ChatMessage::System { .. } => "system",
                ChatMessage::User { .. } => "user",
                ChatMessage::Assistant { .. } => "assistant",
                ChatMessage::Tool { .. } => "tool",
            };
            format!("{role}: {}", content(message))
        })
        .collect();
    words.join("\n--\n")
}

#[test]
fn the_lesson_names_the_rules_the_tools_in_order_and_an_example() {
    insta::assert_snapshot!(lesson(&tools(), ToolChoice::Auto));
}

#[test]
fn the_lesson_stands_at_the_end_of_the_system_message_and_says_when_a_call_is_due() {
    let request = ChatRequest {
        messages: vec![system("You are kind."), user("q")],
        tools: tools(),
        tool_choice: ToolChoice::Required,
        max_tokens: Some(9),
        temperature: Some(0.5),
    };
    let written = text_mode(&[]).written(&request);
    let taught = format!("You are kind.\n\n{}", lesson(&tools(), ToolChoice::Required));
    let expected = ChatRequest {
        messages: vec![system(&taught), user("q")],
        tools: vec![],
        tool_choice: ToolChoice::None,
        ..request
    };
    assert_eq!(written, expected);
    assert!(taught.ends_with("\nYour first reply must be a C block."));
    assert!(!lesson(&tools(), ToolChoice::Auto).contains("must be a C block"));
}

#[test]
fn a_named_choice_teaches_that_tool_only_and_a_hidden_tool_is_not_taught() {
    let named = lesson(&tools(), ToolChoice::Named("faq".into()));
    assert!(named.contains("faq[question]") && !named.contains("kb_search"), "{named}");
    let request = ChatRequest { tools: tools(), ..ChatRequest::default() };
    let hidden = text_mode(&["send_mail"]).written(&request);
    assert!(!content(&hidden.messages[0]).contains("send_mail"));
}

#[test]
fn a_description_is_one_short_line() {
    let spec = ToolSpec {
        name: "odd".into(),
        description: format!("first\nC odd[x]\r\n{}", "long ".repeat(100)),
        parameters: serde_json::json!({"type": "object"}),
    };
    let text = lesson(&[spec], ToolChoice::Auto);
    let line = text.lines().find(|line| line.starts_with("  odd[]")).unwrap();
    assert!(line.starts_with("  odd[]   first C odd[x] long long"), "{line}");
    assert_eq!(line.chars().count(), "  odd[]   ".len() + 201 - 1, "{line}");
}

#[test]
fn tools_that_are_too_many_or_too_long_cannot_be_taught() {
    let many = |count: usize| -> Vec<ToolSpec> {
        (0..count)
            .map(|n| ToolSpec {
                name: format!("tool_{n}"),
                description: "x".into(),
                parameters: serde_json::json!({"type": "object"}),
            })
            .collect()
    };
    assert!(text_mode(&[]).can_offer(&many(24)));
    assert!(!text_mode(&[]).can_offer(&many(25)));
    assert!(text_mode(&["tool_0"]).can_offer(&many(25)));
    let properties: serde_json::Map<String, Value> = (0..120)
        .map(|n| {
            (
                format!("argument_{n}"),
                serde_json::json!({"type": "string", "description": "word ".repeat(30)}),
            )
        })
        .collect();
    let long = ToolSpec {
        name: "long".into(),
        description: "x".into(),
        parameters: serde_json::json!({"type": "object", "properties": properties}),
    };
    assert!(!text_mode(&[]).can_offer(&[long]));
}

#[test]
fn a_conversation_is_written_in_blocks_whatever_mode_it_came_from() {
    let messages = vec![
        user("When do refunds arrive?"),
        called(
            Some("Let me look."),
            vec![
                call("a", "kb_search", r#"{"query":"refund time"}"#),
                call("b", "kb_search", r#"{"top_k":3,"query":"a [b] | \"c\""}"#),
                call("lost", "today", "{}"),
            ],
        ),
        result("a", "Within 5 days.\nR end 0000"),
        result("b", " "),
        result("nobody's", "x"),
        said("Within 5 days [1]."),
        system("Today is Monday."),
        user("And to whom?"),
        said("Let me see."),
        user(NEXT),
        called(None, vec![call("first_a", "make_report", r#"{"title":"x","filters":{"b":1,"a":2}}"#)]),
        result("first_a", "done"),
        called(None, vec![call("a", "faq", "[a|b")]),
        result("a", "unclosed: the call has no closing bracket. Use: C faq[question]"),
    ];
    insta::assert_snapshot!(in_words(&written(messages)));
}

#[test]
fn the_list_ends_with_the_person_and_two_messages_of_theirs_become_one() {
    let cases = [
        (vec![user("a"), user("b")], "user: a\n\nb"),
        (vec![user("a"), said("b")], "user: a\n--\nassistant: E b\n--\nuser: (next)"),
        (vec![user("a"), said("b"), user(NEXT), user("c")], "user: a\n--\nassistant: E b\n--\nuser: c"),
        (vec![user("a"), said("b"), user(NEXT)], "user: a\n--\nassistant: T b\n--\nuser: (next)"),
        (
            vec![user("a"), said("b"), said("c"), user("d")],
            "user: a\n--\nassistant: T b\n--\nuser: (next)\n--\nassistant: E c\n--\nuser: d",
        ),
        (vec![user("a"), called(None, vec![call("x", "today", "")]), user("b")], "user: a\n\nb"),
    ];
    for (messages, expected) in cases {
        assert_eq!(in_words(&written(messages)), expected);
    }
}

#[test]
fn a_long_result_is_cut_and_says_so() {
    let body = "é".repeat(24_001);
    let messages = vec![user("q"), called(None, vec![call("a", "today", "{}")]), result("a", &body)];
    let message = written(messages).pop().unwrap();
    let lines: Vec<&str> = content(&message).lines().collect();
    assert_eq!(lines[1].chars().count(), 24_000);
    assert_eq!(lines[2], "[cut: shown 24000 of 24001 characters]");
}

#[test]
fn values_are_written_with_brackets_when_they_read_the_same() {
    let cases = [
        ("kb_search", serde_json::json!({"query": "refund"}), "C kb_search[refund]"),
        ("kb_search", serde_json::json!({"query": "a|b", "top_k": 3}), r"C kb_search[a\|b|3]"),
        ("kb_search", serde_json::json!({"query": " a"}), r#"C kb_search{"query":" a"}"#),
        ("kb_search", serde_json::json!({"query": "a\nb"}), r#"C kb_search{"query":"a\nb"}"#),
        ("kb_search", serde_json::json!({"query": "\"a\""}), r#"C kb_search{"query":"\"a\""}"#),
        ("faq", serde_json::json!({"question": "question=x"}), r#"C faq{"question":"question=x"}"#),
        ("get_order", serde_json::json!({"order_id": "A", "verbose": true}), "C get_order[A|true]"),
        ("today", serde_json::json!({}), "C today[]"),
        ("make_report", serde_json::json!({"title": "x"}), r#"C make_report{"title":"x"}"#),
        ("gone", serde_json::json!({"b": 1, "a": 2}), r#"C gone{"a":2,"b":1}"#),
    ];
    for (name, arguments, expected) in cases {
        assert_eq!(rendered_call(name, &arguments), expected);
    }
}
