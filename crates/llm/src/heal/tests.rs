use proptest::prelude::*;

use super::*;

fn system(text: &str) -> ChatMessage {
    ChatMessage::System { content: text.into() }
}

fn user(text: &str) -> ChatMessage {
    ChatMessage::User { content: text.into() }
}

fn assistant(text: &str) -> ChatMessage {
    ChatMessage::Assistant { content: Some(text.into()), tool_calls: vec![] }
}

fn call(id: &str) -> ToolCall {
    ToolCall { id: id.into(), name: "f".into(), arguments: "{}".into() }
}

fn calls(text: Option<&str>, ids: &[&str]) -> ChatMessage {
    let tool_calls = ids.iter().copied().map(call).collect();
    ChatMessage::Assistant { content: text.map(str::to_owned), tool_calls }
}

fn result(id: &str) -> ChatMessage {
    ChatMessage::Tool { tool_call_id: id.into(), content: format!("result of {id}") }
}

const STRICT: HistoryPolicy =
    HistoryPolicy { system: SystemPlace::Front, strict_turns: true, calls_apart: false };

const PLAIN: HistoryPolicy =
    HistoryPolicy { system: SystemPlace::Nowhere, strict_turns: true, calls_apart: false };

#[test]
fn a_history_that_is_right_stays_as_it_is() {
    let history = vec![
        system("be brief"),
        user("q"),
        calls(Some("I look."), &["a", "b"]),
        result("a"),
        result("b"),
        assistant("answer"),
        system("a note"),
        user("p"),
    ];
    assert_eq!(heal(history.clone(), HistoryPolicy::default()), history);
}

#[test]
fn what_a_stopped_turn_left_is_healed() {
    type Messages = Vec<ChatMessage>;
    let cases: [(&str, Messages, Messages); 11] = [
        ("a result without its call", vec![user("q"), result("a"), user("p")], vec![user("q\n\np")]),
        ("a call without its result", vec![user("q"), calls(None, &["a"]), user("p")], vec![user("q\n\np")]),
        (
            "three calls with two results, and words that stay",
            vec![user("q"), calls(Some("I look."), &["a", "b", "c"]), result("a"), result("c"), user("p")],
            vec![user("q"), assistant("I look."), user("p")],
        ),
        (
            "results out of order, one twice",
            vec![user("q"), calls(None, &["a", "b"]), result("b"), result("a"), result("a")],
            vec![user("q"), calls(None, &["a", "b"]), result("a"), result("b")],
        ),
        (
            "a note between a call and its result",
            vec![user("q"), calls(None, &["a"]), system("a note"), result("a")],
            vec![user("q"), calls(None, &["a"]), result("a"), system("a note")],
        ),
        (
            "a result that comes after somebody spoke",
            vec![user("q"), calls(None, &["a"]), user("p"), result("a")],
            vec![user("q\n\np")],
        ),
        (
            "two calls with one id",
            vec![user("q"), calls(None, &["a", "a"]), result("a"), result("a"), user("p")],
            vec![user("q\n\np")],
        ),
        (
            "a turn without an answer, and words before calls",
            vec![user("q"), user("p"), assistant("I look."), calls(Some("Again."), &["a"]), result("a")],
            vec![user("q\n\np"), calls(Some("I look.\n\nAgain."), &["a"]), result("a")],
        ),
        (
            "messages that say nothing",
            vec![
                system(" "),
                user(""),
                assistant("\n"),
                calls(None, &[]),
                user("q"),
                calls(Some(" "), &["a"]),
                result("a"),
            ],
            vec![user("q"), calls(None, &["a"]), result("a")],
        ),
        (
            "a newest question that says nothing",
            vec![user("q"), assistant("a"), user(" ")],
            vec![user("q"), assistant("a"), user(" ")],
        ),
        (
            "several system messages in front",
            vec![system("one"), system("two"), user("q")],
            vec![system("one\n\ntwo"), user("q")],
        ),
    ];
    for (what, history, expected) in cases {
        assert_eq!(heal(history, HistoryPolicy::default()), expected, "{what}");
    }
}

#[test]
fn a_result_without_a_word_says_so_and_arguments_become_whole() {
    let odd = |arguments: &str| ChatMessage::Assistant {
        content: None,
        tool_calls: vec![ToolCall { arguments: arguments.into(), ..call("a") }],
    };
    let silent = ChatMessage::Tool { tool_call_id: "a".into(), content: " \n".into() };
    let spoken = ChatMessage::Tool { tool_call_id: "a".into(), content: "(no content)".into() };
    for arguments in ["", "{\"q\":\"Par", "{\"a\":1}{\"b\":2}", "[1]", "null"] {
        let healed = heal(vec![user("q"), odd(arguments), silent.clone()], HistoryPolicy::default());
        assert_eq!(healed, vec![user("q"), odd("{}"), spoken.clone()], "{arguments}");
    }
}

#[test]
fn strict_templates_get_their_order() {
    let history = vec![
        assistant("an answer whose question was trimmed"),
        system("be brief"),
        user("q"),
        calls(Some("I look."), &["a"]),
        result("a"),
        system("a note"),
        user("p"),
    ];
    let unanswered = || assistant("(no answer was given)");
    let middle = || vec![calls(Some("I look."), &["a"]), result("a"), unanswered()];
    assert_eq!(
        heal(history.clone(), STRICT),
        [vec![system("be brief\n\na note"), user("q")], middle(), vec![user("p")]].concat()
    );
    assert_eq!(
        heal(history.clone(), PLAIN),
        [vec![user("be brief\n\nq")], middle(), vec![user("a note\n\np")]].concat()
    );
    let apart = HistoryPolicy { calls_apart: true, ..STRICT };
    assert_eq!(
        heal(history, apart),
        [
            vec![system("be brief\n\na note"), user("q"), assistant("I look.")],
            vec![calls(None, &["a"]), result("a"), unanswered(), user("p")]
        ]
        .concat()
    );
    assert_eq!(heal(vec![user("q"), system("a last note")], PLAIN), vec![user("a last note\n\nq")]);
    assert_eq!(heal(vec![system("alone")], PLAIN), vec![user("alone")]);
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{1,3}", Just(String::new()), Just(" \n".to_owned()), Just("a\n\nb".to_owned())]
}

fn ids() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-c]", 1 => Just(String::new())]
}

fn messages() -> impl Strategy<Value = Vec<ChatMessage>> {
    let arguments = prop_oneof![Just("{}"), Just("{\"q\":1}"), Just("{\"q"), Just(""), Just("[]")];
    let name = prop_oneof![6 => Just("f"), 1 => Just("")];
    let call = (ids(), name, arguments).prop_map(|(id, name, arguments)| ToolCall {
        id,
        name: name.into(),
        arguments: arguments.into(),
    });
    let one = prop_oneof![
        1 => texts().prop_map(|content| vec![ChatMessage::System { content }]),
        2 => texts().prop_map(|content| vec![ChatMessage::User { content }]),
        2 => (proptest::option::of(texts()), proptest::collection::vec(call, 0..4))
            .prop_map(|(content, tool_calls)| vec![ChatMessage::Assistant { content, tool_calls }]),
        2 => (ids(), texts()).prop_map(|(tool_call_id, content)| vec![ChatMessage::Tool { tool_call_id, content }]),
        // A pair that is whole, or the other way round: chance alone makes too few.
        2 => (texts(), any::<bool>()).prop_map(|(content, turned)| {
            let mut pair = vec![calls(Some(&content), &["x", "y"]), result("x"), result("y")];
            if turned {
                pair.swap(1, 2);
            }
            pair
        }),
    ];
    proptest::collection::vec(one, 0..9).prop_map(|groups| groups.concat())
}

fn policies() -> impl Strategy<Value = HistoryPolicy> {
    any::<[bool; 3]>().prop_map(|[strict, nowhere, apart]| {
        let lessons =
            [(strict, Lesson::StrictRoles), (nowhere, Lesson::NoSystemRole), (apart, Lesson::CallsApart)];
        let learned: Learned = lessons.into_iter().filter(|(on, _)| *on).map(|(_, lesson)| lesson).collect();
        learned.into()
    })
}

/// The first rule that a healed history breaks.
fn broken_rule(messages: &[ChatMessage], policy: HistoryPolicy) -> Option<&'static str> {
    use ChatMessage::{Assistant, System, Tool, User};
    let newest = messages.iter().rposition(|message| matches!(message, User { .. }));
    let mut open: Vec<&str> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| &messages[at]);
        match message {
            Tool { tool_call_id, content } => {
                if open.first() != Some(&tool_call_id.as_str()) {
                    return Some("a result stands behind its call, in call order");
                }
                open.remove(0);
                if !said(content) {
                    return Some("no result is blank");
                }
                continue;
            }
            _ if !open.is_empty() => return Some("every call has its result"),
            System { content } => {
                let placed = match policy.system {
                    SystemPlace::Anywhere => !matches!(before, Some(System { .. })),
                    SystemPlace::Front => at == 0,
                    SystemPlace::Nowhere => false,
                };
                if !placed || !said(content) {
                    return Some("instructions stand where they may, once, and say something");
                }
            }
            User { content } => {
                if matches!(before, Some(User { .. }))
                    || policy.strict_turns && matches!(before, Some(Tool { .. }))
                {
                    return Some("the person speaks once at a time");
                }
                if !said(content) && Some(at) != newest {
                    return Some("only the newest question may be blank");
                }
            }
            Assistant { content, tool_calls } => {
                let spoken = content.as_deref().is_some_and(said);
                if !spoken && (tool_calls.is_empty() || content.is_some()) {
                    return Some("the model says or calls something");
                }
                if policy.calls_apart && spoken && !tool_calls.is_empty() {
                    return Some("words and calls are apart");
                }
                let split = policy.calls_apart && !tool_calls.is_empty() && !spoken;
                if matches!(before, Some(Assistant { .. })) && !split {
                    return Some("the model speaks once at a time");
                }
                if policy.strict_turns
                    && newest.is_some()
                    && at
                        <= usize::from(
                            policy.system == SystemPlace::Front && matches!(messages[0], System { .. }),
                        )
                {
                    return Some("the person speaks first");
                }
                for call in tool_calls {
                    if serde_json::from_str::<serde_json::Map<String, Value>>(&call.arguments).is_err() {
                        return Some("arguments are whole");
                    }
                    if !said(&call.id) || !said(&call.name) || open.contains(&call.id.as_str()) {
                        return Some("a call has a name and an id of its own");
                    }
                    open.push(&call.id);
                }
            }
        }
    }
    (!open.is_empty()).then_some("every call has its result")
}

fn newest_question(messages: &[ChatMessage]) -> Option<&str> {
    messages.iter().rev().find_map(|message| match message {
        ChatMessage::User { content } => Some(content.as_str()),
        _ => None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn a_healed_history_keeps_every_rule_and_the_newest_question(history in messages(), policy in policies()) {
        let healed = heal(history.clone(), policy);
        prop_assert_eq!(broken_rule(&healed, policy), None, "{:#?}", healed);
        if let Some(question) = newest_question(&history) {
            prop_assert!(newest_question(&healed).is_some_and(|kept| kept.ends_with(question)), "{:#?}", healed);
        }
        prop_assert_eq!(heal(healed.clone(), policy), healed);
    }
}
