use serde_json::json;

use super::*;

fn checked(request: &Value) -> Vec<String> {
    let headers = vec![("authorization".to_owned(), format!("Bearer {MODEL_KEY}"))];
    faults(&headers, request.to_string().as_bytes())
}

fn call(id: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "search_chunks", "arguments": "{}"}})
}

fn with_messages(messages: &Value) -> Vec<String> {
    checked(&json!({"messages": messages}))
}

#[test]
fn a_sound_request_has_no_faults() {
    let request = json!({
        "messages": [
            {"role": "system", "content": "You answer."},
            {"role": "user", "content": "When?"},
            {"role": "assistant", "content": "", "tool_calls": [call("a"), call("b")]},
            {"role": "tool", "tool_call_id": "a", "content": "1"},
            {"role": "tool", "tool_call_id": "b", "content": "2"},
        ],
        "tools": [{"type": "function"}],
        "tool_choice": "required",
    });
    assert_eq!(checked(&request), Vec::<String>::new());
}

#[test]
fn calls_without_their_results_are_found() {
    for messages in [
        json!([{"role": "assistant", "content": "", "tool_calls": [call("a")]}]),
        json!([{"role": "assistant", "content": "", "tool_calls": [call("a")]}, {"role": "user", "content": "x"}]),
        json!([{"role": "tool", "tool_call_id": "a", "content": "1"}]),
        json!([
            {"role": "assistant", "content": "", "tool_calls": [call("a"), call("b")]},
            {"role": "tool", "tool_call_id": "b", "content": "2"},
            {"role": "tool", "tool_call_id": "a", "content": "1"},
        ]),
        json!([
            {"role": "assistant", "content": "", "tool_calls": [call("a")]},
            {"role": "tool", "tool_call_id": "a", "content": "1"},
            {"role": "tool", "tool_call_id": "a", "content": "1"},
        ]),
    ] {
        assert!(!with_messages(&messages).is_empty(), "{messages}");
    }
}

#[test]
fn missing_content_and_half_present_tool_fields_are_found() {
    assert!(!with_messages(&json!([{"role": "user"}])).is_empty());
    assert!(!with_messages(&json!([{"role": "user", "content": null}])).is_empty());
    assert!(!with_messages(&json!([{"role": "user", "content": "a\0b"}])).is_empty());
    let answered = json!({"role": "tool", "tool_call_id": "a", "content": "1"});
    let silent = json!({"role": "assistant", "content": null, "tool_calls": [call("a")]});
    assert!(!with_messages(&json!([silent, answered])).is_empty());
    let user = json!([{"role": "user", "content": "x"}]);
    assert!(!checked(&json!({"messages": user, "tools": []})).is_empty());
    assert!(!checked(&json!({"messages": user, "tool_choice": "required"})).is_empty());
    assert!(!checked(&json!({"messages": user, "tools": [{}], "tool_choice": "none"})).is_empty());
}

#[test]
fn the_key_may_stand_in_its_header_alone() {
    let body = json!({"messages": [{"role": "user", "content": format!("my key is {MODEL_KEY}")}]});
    assert!(!checked(&body).is_empty());
    let body = json!({"messages": [{"role": "user", "content": "x"}]}).to_string();
    assert!(!faults(&[], body.as_bytes()).is_empty());
    let twice = [
        ("authorization".to_owned(), format!("Bearer {MODEL_KEY}")),
        ("x-trace".to_owned(), MODEL_KEY.to_owned()),
    ];
    assert!(!faults(&twice, body.as_bytes()).is_empty());
}
