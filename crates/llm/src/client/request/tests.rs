use super::*;

fn written(request: &ChatRequest, shape: Shape) -> String {
    String::from_utf8(body("m", request, shape).unwrap()).unwrap()
}

/// The shape for an endpoint that taught these.
fn taught(lessons: &[Lesson]) -> Shape {
    Shape { learned: lessons.iter().copied().collect(), max_tokens: None }
}

fn calling(content: Option<&str>, calls: &[(&str, &str)]) -> ChatMessage {
    let call = |(id, arguments): &(&str, &str)| ToolCall {
        id: (*id).into(),
        name: "f".into(),
        arguments: (*arguments).into(),
    };
    ChatMessage::Assistant {
        content: content.map(str::to_owned),
        tool_calls: calls.iter().map(call).collect(),
    }
}

fn result(id: &str) -> ChatMessage {
    ChatMessage::Tool { tool_call_id: id.into(), content: "r".into() }
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
        assert_eq!(written(&request(choice), Shape::default()), expected);
    }
    let no_tools = ChatRequest { tools: Vec::new(), ..request(ToolChoice::Required) };
    assert_eq!(written(&no_tools, Shape::default()), format!("{HEAD}{TAIL}"));
}

#[test]
fn limits_are_written_under_the_name_that_the_endpoint_takes() {
    let request = ChatRequest { temperature: Some(0.5), ..request(ToolChoice::None) };
    let limited = Shape { max_tokens: Some(7), ..taught(&[Lesson::NoStreamOptions]) };
    assert_eq!(
        written(&request, limited),
        format!(r#"{HEAD},"max_tokens":7,"temperature":0.5,"stream":true}}"#)
    );
    let renamed = Shape { learned: limited.learned.with(Lesson::CompletionTokens), ..limited };
    assert_eq!(
        written(&request, renamed),
        format!(r#"{HEAD},"max_completion_tokens":7,"temperature":0.5,"stream":true}}"#)
    );
}

#[test]
fn every_role_is_written_and_a_replayed_call_has_whole_arguments() {
    let messages = vec![
        ChatMessage::System { content: "s".into() },
        calling(None, &[("a", r#"{"q":1}"#), ("b", r#"{"q":"Par"#), ("c", "")]),
        result("a"),
        result("b"),
        result("c"),
        ChatMessage::Assistant { content: Some("done".into()), tool_calls: vec![] },
    ];
    let request = ChatRequest { messages, ..ChatRequest::default() };
    let call = |id: &str, arguments: &str| {
        format!(r#"{{"id":"{id}","type":"function","function":{{"name":"f","arguments":"{arguments}"}}}}"#)
    };
    let answer = |id: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"r"}}"#);
    let expected = [
        r#"{"model":"m","messages":[{"role":"system","content":"s"},{"role":"assistant","content":"","tool_calls":["#,
        &[call("a", r#"{\"q\":1}"#), call("b", "{}"), call("c", "{}")].join(","),
        "]},",
        &[answer("a"), answer("b"), answer("c")].join(","),
        r#",{"role":"assistant","content":"done"}]"#,
        TAIL,
    ]
    .concat();
    assert_eq!(written(&request, Shape::default()), expected);
}

#[test]
fn each_lesson_changes_what_it_is_about_and_nothing_else() {
    let call = r#""tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]"#;
    let answer = r#"{"role":"tool","tool_call_id":"a","content":"r"}"#;
    let said = |text: &str| ChatMessage::User { content: text.into() };
    let note = || ChatMessage::System { content: "s".into() };
    let silent = vec![said("q"), calling(None, &[("a", "{}")]), result("a")];
    let spoken = vec![said("q"), calling(Some("t"), &[("a", "{}")]), result("a")];
    let stopped = vec![said("q"), calling(None, &[("a", "{}")]), result("a"), note(), said("p")];
    let cases = [
        (
            Lesson::NullContent,
            silent.clone(),
            format!(
                r#"{{"role":"user","content":"q"}},{{"role":"assistant","content":null,{call}}},{answer}"#
            ),
        ),
        (
            Lesson::EmptyReasoning,
            silent,
            format!(
                r#"{{"role":"user","content":"q"}},{{"role":"assistant","content":"","reasoning_content":"",{call}}},{answer}"#
            ),
        ),
        (
            Lesson::CallsApart,
            spoken,
            format!(
                r#"{{"role":"user","content":"q"}},{{"role":"assistant","content":"t"}},{{"role":"assistant","content":"",{call}}},{answer}"#
            ),
        ),
        (
            Lesson::StrictRoles,
            stopped.clone(),
            format!(
                r#"{{"role":"system","content":"s"}},{{"role":"user","content":"q"}},{{"role":"assistant","content":"",{call}}},{answer},{{"role":"assistant","content":"(no answer was given)"}},{{"role":"user","content":"p"}}"#
            ),
        ),
        (
            Lesson::NoSystemRole,
            stopped,
            format!(
                r#"{{"role":"user","content":"q"}},{{"role":"assistant","content":"",{call}}},{answer},{{"role":"assistant","content":"(no answer was given)"}},{{"role":"user","content":"s\n\np"}}"#
            ),
        ),
    ];
    for (lesson, messages, expected) in cases {
        let request = ChatRequest { messages, ..ChatRequest::default() };
        let expected = format!(r#"{{"model":"m","messages":[{expected}]{TAIL}"#);
        assert_eq!(written(&request, taught(&[lesson])), expected, "{lesson:?}");
    }
}
