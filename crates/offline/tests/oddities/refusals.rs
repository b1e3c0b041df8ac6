//! What is refused on purpose.

use attest_offline::{Behaviour, Failing, ToolRefusal};
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::{ask, endpoint, question, send, text_of, user, with};

fn no_tools(request: Value) -> Value {
    with(request, &json!({"tools": null}))
}

#[tokio::test]
async fn tools_are_refused_in_three_public_wordings_and_plain_requests_are_not() {
    for (wording, expected) in [
        (
            ToolRefusal::Unsupported,
            json!({"error": {"message": "registry.example/attest-offline does not support tools",
                "type": "api_error", "param": null, "code": null}}),
        ),
        (
            ToolRefusal::NeedsFlag,
            json!({"object": "error", "type": "BadRequestError", "param": null, "code": 400, "message":
                "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"}),
        ),
        (
            ToolRefusal::ExtraInputs,
            json!({"error": {"object": "error", "type": "invalid_request_error",
                "message": "Extra inputs are not permitted, field: 'tools'"}}),
        ),
    ] {
        let behaviour = Behaviour { reject_tools: Some(wording), ..Behaviour::default() };
        for stream in [false, true] {
            let request = with(question(false), &json!({"stream": stream}));
            assert_eq!(ask(behaviour.clone(), &request).await, (StatusCode::BAD_REQUEST, expected.clone()));
        }
        let (status, _) = ask(behaviour, &no_tools(question(false))).await;
        assert_eq!(status, StatusCode::OK);
    }
}

#[tokio::test]
async fn a_field_or_a_role_that_is_not_taken_is_refused_and_the_rest_is_not() {
    let twice = json!([{"role": "system", "content": "a"}, {"role": "system", "content": "b"}, user("hi")]);
    let once = json!([{"role": "system", "content": "a"}, user("hi")]);
    let long = json!([user(&"word ".repeat(100))]);
    let with_fields = |fields: Value| with(question(false), &fields);
    let with_messages = |messages: Value| json!({"messages": messages});
    for (behaviour, refused, accepted, message, param, code) in [
        (
            Behaviour { reject_tool_choice: true, ..Behaviour::default() },
            with_fields(json!({"tool_choice": "auto"})),
            with_fields(json!({"tool_choice": null})),
            "attest-offline does not support this tool_choice",
            json!("tool_choice"),
            Value::Null,
        ),
        (
            Behaviour { reject_stream_options: true, ..Behaviour::default() },
            with_fields(json!({"stream_options": {"include_usage": true}})),
            with_fields(json!({})),
            "Unrecognized request argument supplied: stream_options",
            json!("stream_options"),
            Value::Null,
        ),
        (
            Behaviour { reject_second_system: true, ..Behaviour::default() },
            with_messages(twice),
            with_messages(once),
            "Jinja Exception: System message must be at the beginning.",
            Value::Null,
            Value::Null,
        ),
        (
            Behaviour { context_window: Some(100), ..Behaviour::default() },
            with_messages(long),
            with_messages(json!([user("hi")])),
            "This model's maximum context length is 100 tokens. However, your messages resulted in 129 tokens. Please \
             reduce the length of the messages.",
            json!("messages"),
            json!("context_length_exceeded"),
        ),
    ] {
        let expected = json!({"error":
            {"message": message, "type": "invalid_request_error", "param": param, "code": code}});
        assert_eq!(ask(behaviour.clone(), &refused).await, (StatusCode::BAD_REQUEST, expected));
        assert_eq!(ask(behaviour, &accepted).await.0, StatusCode::OK, "{message}");
        assert_eq!(ask(Behaviour::default(), &refused).await.0, StatusCode::OK, "only on purpose: {message}");
    }
}

#[tokio::test]
async fn the_first_requests_fail_with_a_status_and_its_words() {
    let request = json!({"messages": [user("hi")]});
    for (status, code, words) in [
        (401, json!("invalid_api_key"), "Incorrect API key provided."),
        (402, json!("invalid_request_error"), "Insufficient Balance"),
        (429, json!("rate_limit_exceeded"), "Rate limit reached"),
        (503, Value::Null, "The engine is currently overloaded"),
        (524, Value::Null, "The offline model has been told to fail with 524"),
    ] {
        let fail = Some(Failing { status, requests: Some(2), retry_after: Some(7) });
        let endpoint = endpoint(Behaviour { fail, ..Behaviour::default() });
        for _ in 0..2 {
            let response = send(&endpoint, &request).await;
            assert_eq!(
                (response.status().as_u16(), &response.headers()["retry-after"]),
                (status, &"7".parse().unwrap())
            );
            let body: Value = serde_json::from_str(&text_of(response).await).unwrap();
            assert_eq!(body["error"]["code"], code);
            assert!(body["error"]["message"].as_str().unwrap().starts_with(words), "{body}");
        }
        assert_eq!(send(&endpoint, &request).await.status(), StatusCode::OK, "the third one is answered");
    }
}

#[tokio::test]
async fn every_request_fails_when_no_number_is_given() {
    let fail = Some(Failing { status: 503, requests: None, retry_after: None });
    let endpoint = endpoint(Behaviour { fail, ..Behaviour::default() });
    for _ in 0..3 {
        let response = send(&endpoint, &json!({"messages": [user("hi")]})).await;
        assert_eq!((response.status().as_u16(), response.headers().get("retry-after")), (503, None));
    }
}
