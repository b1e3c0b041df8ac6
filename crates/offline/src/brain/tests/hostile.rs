//! Whatever a request holds, the model answers, always the same, and in bounded time.

use proptest::prelude::*;
use serde_json::json;

use super::{request, search, tools, user};
use crate::brain::decide;
use crate::stream::words;
use crate::wire::request::{ChatRequest, Content, FunctionCall, Message, Role, ToolCall, ToolChoice};

/// Text in which the signs that the readers look for are frequent.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("[3] ".to_owned()),
        Just("\n[1] a.md (document ".to_owned()),
        Just("\n".to_owned()),
        Just("{\"question\": \"who\", \"results\": [".to_owned()),
        Just("| a | ".to_owned()),
        Just("](x)".to_owned()),
        Just("1903–1911年 ".to_owned()),
        Just("他是谁".to_owned()),
        Just("and in 1993? ".to_owned()),
        Just("Varnholt Ⅷ ﷺ e\u{301}\u{200d}👩‍👧 ".to_owned()),
        Just("\u{0}".to_owned()),
        Just("\n[How to reply]\nTools\n  lookup[query|x?]  y\n  r{\"a\": b}\nExample\n  x\n".to_owned()),
        Just("C lookup[".to_owned()),
        Just("C r{\"a\":".to_owned()),
        Just("\nR lookup ok 7c1e\n".to_owned()),
        Just("\nR end 7c1e\n".to_owned()),
        Just("(next)".to_owned()),
        ".{0,12}",
        "\\PC{0,12}",
        "[a-z .]{0,12}",
        "[一-龥。，]{0,12}",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn message() -> impl Strategy<Value = Message> {
    let role = prop_oneof![Just(Role::System), Just(Role::User), Just(Role::Assistant), Just(Role::Tool)];
    let arguments = prop_oneof![text(), text().prop_map(|query| json!({"query": query}).to_string())];
    (role, text(), proptest::option::of(arguments)).prop_map(|(role, text, arguments)| Message {
        role,
        content: Content::Text(text),
        tool_calls: arguments
            .into_iter()
            .map(|arguments| ToolCall {
                id: "a".to_owned(),
                function: FunctionCall { name: "search_chunks".to_owned(), arguments },
            })
            .collect(),
        tool_call_id: None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_messages_get_a_decision_and_the_same_one_twice(
        messages in proptest::collection::vec(message(), 0..8),
        with_tools in any::<bool>(),
        choice in prop_oneof![
            Just(ToolChoice::Auto), Just(ToolChoice::None), Just(ToolChoice::Required),
            Just(ToolChoice::Named("get_document".to_owned())), Just(ToolChoice::Named("missing".to_owned())),
        ],
    ) {
        let tools = if with_tools { serde_json::from_value(tools()).unwrap() } else { Vec::new() };
        let request = ChatRequest { messages, tools, tool_choice: choice, ..ChatRequest::default() };
        prop_assert_eq!(decide(&request), decide(&request));
    }

    #[test]
    fn streamed_pieces_join_to_the_text(text in text()) {
        prop_assert_eq!(words(&text).concat(), text);
    }
}

#[test]
fn megabytes_of_anything_are_answered() {
    for unit in [
        "a",
        "[",
        "[1] x\n",
        "[How to reply]\nTools\n  lookup[query]\n",
        "R lookup ok 7c1e\n",
        "R lookup ok 7c1e\nR end 7c1e\n",
        "{",
        "他",
        "1903 to ",
        ". ",
        "| ",
        "A. ",
        "\u{301}",
        "ﷺ",
        "and then? ",
        "**",
        "[a](b",
        "what is X? ",
    ] {
        let megabyte = unit.repeat(1_000_000 / unit.len());
        let mut messages = vec![
            user(&megabyte),
            json!({"role": "assistant", "content": megabyte}),
            user("他是谁 Varnholt 1903?"),
        ];
        messages.extend(search("a", &megabyte, &megabyte));
        messages.extend(search("b", "x", &format!("[1] a (document b)\n{megabyte}")));
        decide(&request(json!(messages), tools(), json!(null)));
        decide(&request(json!([user(&megabyte)]), json!([]), json!(null)));
    }
}
