//! The endpoint over HTTP: what it answers, what it refuses and in which shape.

#![allow(clippy::unwrap_used)] // a helper that fails is a failed test

use std::time::Duration;

use attest_offline::{DIMENSIONS, MAX_BODY_BYTES, OfflineOptions, router, serve};
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, StatusCode};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tower::ServiceExt as _;

fn options() -> OfflineOptions {
    OfflineOptions { pace: Duration::ZERO, ..OfflineOptions::default() }
}

async fn send(method: Method, path: &str, body: impl Into<Body>) -> (StatusCode, String) {
    let request = Request::builder().method(method).uri(path).body(body.into()).unwrap();
    let response = router(options()).oneshot(request).await.unwrap();
    let status = response.status();
    let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

async fn post(path: &str, body: &Value) -> (StatusCode, Value) {
    let (status, body) = send(Method::POST, path, body.to_string()).await;
    (status, serde_json::from_str(&body).unwrap())
}

#[tokio::test]
async fn a_streamed_reply_and_a_whole_one_say_the_same() {
    let mut body = json!({"model": "any", "messages": [{"role": "user", "content": [{"type": "text", "text": "你好"}]}]});
    let (status, whole) = post("/v1/chat/completions", &body).await;
    assert_eq!(status, StatusCode::OK);
    let whole = whole["choices"][0]["message"]["content"].as_str().unwrap().to_owned();
    body["stream"] = json!(true);
    let (_, streamed) = send(Method::POST, "/v1/chat/completions", body.to_string()).await;
    let events: Vec<&str> = streamed.split("\n\n").filter_map(|event| event.strip_prefix("data: ")).collect();
    let text: String = events
        .iter()
        .filter_map(|event| serde_json::from_str::<Value>(event).ok())
        .filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str().map(str::to_owned))
        .collect();
    assert_eq!((text, events.last().copied()), (whole, Some("[DONE]")));
    let (_, again) = send(Method::POST, "/v1/chat/completions", body.to_string()).await;
    assert_eq!(again, streamed, "the same request gets the same bytes");
}

#[tokio::test]
async fn a_reply_cut_by_the_token_limit_says_so() {
    let body = json!({"max_tokens": 3, "messages": [{"role": "user", "content": "hello"}]});
    let (_, reply) = post("/v1/chat/completions", &body).await;
    assert_eq!(
        reply["choices"][0],
        json!({"index": 0, "message": {"role": "assistant", "content": "Hello! Ask"}, "finish_reason": "length"})
    );
}

#[tokio::test]
async fn what_a_strict_endpoint_refuses_is_refused() {
    let call = json!({"role": "assistant", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "search_chunks", "arguments": "{}"}}]});
    let user = json!({"role": "user", "content": "Who is Odo Brask?"});
    let tool = json!({"role": "tool", "tool_call_id": "c1", "content": "x"});
    let unanswered = "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
         'tool_call_id'. The following tool_call_ids did not have response messages: c1";
    for (body, message) in [
        (json!({"messages": [user, call]}), unanswered),
        (json!({"messages": [user, call, user]}), unanswered),
        (
            json!({"messages": [user, tool]}),
            "Invalid parameter: messages with role 'tool' must be a response",
        ),
        (
            json!({"messages": [user, call, tool, tool]}),
            "Invalid parameter: messages with role 'tool' must be a response",
        ),
        (json!({"messages": []}), "[] is too short - 'messages'"),
        (
            json!({"messages": [user], "tool_choice": "required"}),
            "'tool_choice' is only allowed when 'tools' are specified.",
        ),
        (
            json!({"messages": [user], "tool_choice": "sometimes"}),
            "We could not parse the JSON body of your request",
        ),
        (
            json!({"prompt": "x"}),
            "We could not parse the JSON body of your request: missing field `messages`",
        ),
    ] {
        let (status, error) = post("/v1/chat/completions", &body).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{body}");
        assert_eq!(error["error"]["type"], "invalid_request_error");
        assert!(error["error"]["message"].as_str().unwrap().starts_with(message), "{error}");
    }
    let (status, _) = post("/v1/chat/completions", &json!({"messages": [user, call, tool]})).await;
    assert_eq!(status, StatusCode::OK);
}

#[tokio::test]
async fn every_refusal_has_the_shape_of_an_error() {
    for (method, path, body, expected) in [
        (Method::POST, "/v1/chat/completions", vec![b'{'; 5], StatusCode::BAD_REQUEST),
        (Method::POST, "/v1/chat/completions", vec![b' '; MAX_BODY_BYTES + 1], StatusCode::PAYLOAD_TOO_LARGE),
        (Method::POST, "/v1/responses", Vec::new(), StatusCode::NOT_FOUND),
        (Method::GET, "/v1/chat/completions", Vec::new(), StatusCode::METHOD_NOT_ALLOWED),
        (Method::POST, "/v1/embeddings", b"{\"input\": []}".to_vec(), StatusCode::BAD_REQUEST),
        (Method::POST, "/v1/embeddings", b"{\"input\": 7}".to_vec(), StatusCode::BAD_REQUEST),
    ] {
        let (status, body) = send(method, path, body).await;
        let error: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(
            (status, &error["error"]["type"]),
            (expected, &json!("invalid_request_error")),
            "{path}: {body}"
        );
    }
}

#[tokio::test]
async fn embeddings_come_for_one_text_and_for_several() {
    let (_, one) = post("/v1/embeddings", &json!({"model": "any", "input": "Varnholt"})).await;
    let (_, two) = post("/v1/embeddings", &json!({"model": "any", "input": ["灯塔", "Varnholt"]})).await;
    assert_eq!(two["data"][1]["embedding"], one["data"][0]["embedding"]);
    assert_eq!(one["data"][0]["embedding"].as_array().map(Vec::len), Some(DIMENSIONS));
    assert_eq!(two["usage"], json!({"prompt_tokens": 3, "total_tokens": 3}));
}

#[tokio::test]
async fn it_names_its_model_and_its_health() {
    let (_, models) = send(Method::GET, "/v1/models", Body::empty()).await;
    assert_eq!(
        models,
        r#"{"object":"list","data":[{"id":"attest-offline","object":"model","created":0,"owned_by":"attest"}]}"#
    );
    assert_eq!(send(Method::GET, "/health", Body::empty()).await, (StatusCode::OK, "ok".to_owned()));
}

#[tokio::test]
async fn it_serves_on_a_socket_until_it_is_told_to_stop() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let server = tokio::spawn(serve(listener, options(), async {
        stopped.await.ok();
    }));
    let body = json!({"stream": true, "messages": [{"role": "user", "content": "hello"}]}).to_string();
    let mut socket = tokio::net::TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    socket.write_all((head + &body).as_bytes()).await.unwrap();
    let mut reply = String::new();
    socket.read_to_string(&mut reply).await.unwrap();
    assert!(reply.starts_with("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream"), "{reply}");
    assert!(reply.contains("data: [DONE]"), "{reply}");
    stop.send(()).unwrap();
    server.await.unwrap().unwrap();
}
