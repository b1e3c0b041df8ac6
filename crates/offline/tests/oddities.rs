//! The endpoint with its deviations, over HTTP: each one alone, and what a client sees of it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // a helper that fails is a failed test

#[path = "oddities/endings.rs"]
mod endings;
#[path = "oddities/refusals.rs"]
mod refusals;
#[path = "oddities/replies.rs"]
mod replies;

use std::time::Duration;

use attest_offline::{Behaviour, OfflineOptions, router};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use axum::response::Response;
use serde_json::{Value, json};
use tower::ServiceExt as _;

const QUESTION: &str = "Who built the Varnholt lighthouse?";
const FOUND: &str =
    "[3] varnholt.md (document d1)\nThe Varnholt lighthouse was built in 1871 by Mira Tannoth.";

fn endpoint(behaviour: Behaviour) -> Router {
    router(OfflineOptions { pace: Duration::ZERO, behaviour, ..OfflineOptions::default() })
}

async fn send(endpoint: &Router, body: &Value) -> Response {
    let request = Request::post("/v1/chat/completions").body(Body::from(body.to_string())).unwrap();
    endpoint.clone().oneshot(request).await.unwrap()
}

async fn text_of(response: Response) -> String {
    let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    String::from_utf8(body.to_vec()).unwrap()
}

/// The status and the JSON of the answer to one request.
async fn ask(behaviour: Behaviour, body: &Value) -> (StatusCode, Value) {
    let response = send(&endpoint(behaviour), body).await;
    let status = response.status();
    (status, serde_json::from_str(&text_of(response).await).unwrap())
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn tools() -> Value {
    json!([
        {"type": "function", "function": {"name": "search_chunks", "parameters": {"type": "object",
            "properties": {"query": {"type": "string"}}, "required": ["query"]}}},
        {"type": "function", "function": {"name": "no_evidence_needed", "parameters": {"type": "object",
            "properties": {"reason": {"type": "string"}}, "required": ["reason"]}}}])
}

/// A question, with a search for it and what that found when `searched`.
fn question(searched: bool) -> Value {
    let mut messages = vec![user(QUESTION)];
    if searched {
        messages.push(
            json!({"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function",
            "function": {"name": "search_chunks", "arguments": "{\"query\":\"x\"}"}}]}),
        );
        messages.push(json!({"role": "tool", "tool_call_id": "c1", "content": FOUND}));
    }
    json!({"messages": messages, "tools": tools()})
}

/// The request with these fields beside.
fn with(mut request: Value, fields: &Value) -> Value {
    let object = request.as_object_mut().unwrap();
    object.extend(fields.as_object().unwrap().clone());
    request
}
