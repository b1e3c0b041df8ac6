//! Requests that are refused on purpose, in the words of public endpoints.

use axum::http::StatusCode;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::behaviour::{Behaviour, Failing, ToolRefusal};
use crate::wire::request::{ChatRequest, Role};

/// A refusal as it is sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) body: Value,
    /// Seconds.
    pub(crate) retry_after: Option<u64>,
}

impl Refusal {
    fn bad_request(body: Value) -> Self {
        Self { status: StatusCode::BAD_REQUEST, body, retry_after: None }
    }
}

/// Which fields a body brought, null counting as none.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Sent {
    #[serde(default)]
    tool_choice: Option<IgnoredAny>,
    #[serde(default)]
    stream_options: Option<IgnoredAny>,
}

/// The refusal of a request that has the shape of one; `prompt_tokens` is its estimated length.
pub(crate) fn of_request(
    behaviour: &Behaviour,
    request: &ChatRequest,
    sent: &Sent,
    model: &str,
    prompt_tokens: u64,
) -> Option<Refusal> {
    let body = if let Some(wording) = behaviour.reject_tools
        && !request.tools.is_empty()
    {
        tools(wording, model)
    } else if behaviour.reject_tool_choice && sent.tool_choice.is_some() {
        invalid(&format!("{model} does not support this tool_choice"), Some("tool_choice"), None)
    } else if behaviour.reject_stream_options && sent.stream_options.is_some() {
        let message = "Unrecognized request argument supplied: stream_options";
        invalid(message, Some("stream_options"), None)
    } else if behaviour.reject_second_system
        && request.messages.iter().skip(1).any(|message| message.role == Role::System)
    {
        invalid("Jinja Exception: System message must be at the beginning.", None, None)
    } else if let Some(window) = behaviour.context_window
        && prompt_tokens > window
    {
        let message = format!(
            "This model's maximum context length is {window} tokens. However, your messages resulted in {prompt_tokens} \
             tokens. Please reduce the length of the messages."
        );
        invalid(&message, Some("messages"), Some("context_length_exceeded"))
    } else {
        return None;
    };
    Some(Refusal::bad_request(body))
}

fn tools(wording: ToolRefusal, model: &str) -> Value {
    match wording {
        ToolRefusal::Unsupported => json!({"error": {
            "message": format!("registry.example/{model} does not support tools"),
            "type": "api_error", "param": null, "code": null}}),
        ToolRefusal::NeedsFlag => json!({"object": "error",
            "message": "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
            "type": "BadRequestError", "param": null, "code": 400}),
        ToolRefusal::ExtraInputs => json!({"error": {
            "object": "error", "type": "invalid_request_error",
            "message": "Extra inputs are not permitted, field: 'tools'"}}),
    }
}

fn invalid(message: &str, param: Option<&str>, code: Option<&str>) -> Value {
    error(message, "invalid_request_error", param, code)
}

fn error(message: &str, kind: &str, param: Option<&str>, code: Option<&str>) -> Value {
    json!({"error": {"message": message, "type": kind, "param": param, "code": code}})
}

/// The refusal of a request by its place in the order of arrival, the first one being 0.
pub(crate) fn of_status(failing: &Failing, place: u64) -> Option<Refusal> {
    if failing.requests.is_some_and(|requests| place >= requests) {
        return None;
    }
    let status = StatusCode::from_u16(failing.status).ok().filter(|status| status.as_u16() >= 400);
    let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = match status.as_u16() {
        401 => error(
            "Incorrect API key provided. You can find your key in the settings of your account.",
            "invalid_request_error",
            None,
            Some("invalid_api_key"),
        ),
        402 => error("Insufficient Balance", "unknown_error", None, Some("invalid_request_error")),
        429 => error(
            "Rate limit reached for requests. Please try again later.",
            "requests",
            None,
            Some("rate_limit_exceeded"),
        ),
        503 => {
            error("The engine is currently overloaded, please try again later.", "server_error", None, None)
        }
        _ => error(
            &format!("The offline model has been told to fail with {status}."),
            "server_error",
            None,
            None,
        ),
    };
    Some(Refusal { status, body, retry_after: failing.retry_after })
}
