//! Refusals, in the shape that clients of such endpoints read.

use axum::Json;
use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::oddities::Refusal;
use crate::wire::reply::{ErrorBody, ErrorDetail};
use axum::http::HeaderValue;
use axum::http::header::RETRY_AFTER;

/// Why a request gets no reply.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OfflineError {
    /// The body says something that is not allowed.
    Invalid(String),
    /// The body is over the limit.
    TooLarge,
    /// The body could not be read to its end.
    Unreadable,
    NoSuchRoute,
    WrongMethod,
    /// Refused on purpose.
    Odd(Box<Refusal>),
    /// A fault of ours, logged where it happened.
    Internal,
}

impl From<BytesRejection> for OfflineError {
    fn from(rejection: BytesRejection) -> Self {
        match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Self::TooLarge,
            _ => Self::Unreadable,
        }
    }
}

impl IntoResponse for OfflineError {
    fn into_response(self) -> Response {
        let (status, code, message) = match &self {
            Self::Odd(refusal) => return refused(refusal),
            Self::Invalid(message) => (StatusCode::BAD_REQUEST, None, message.as_str()),
            Self::TooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                Some("request_too_large"),
                "The request body is larger than 16 MB.",
            ),
            Self::Unreadable => (StatusCode::BAD_REQUEST, None, "The request body ended before its time."),
            Self::NoSuchRoute => (
                StatusCode::NOT_FOUND,
                Some("unknown_url"),
                "Unknown request URL. Try POST /v1/chat/completions, POST /v1/embeddings or GET /v1/models.",
            ),
            Self::WrongMethod => (
                StatusCode::METHOD_NOT_ALLOWED,
                Some("method_not_supported"),
                "This URL does not support that method.",
            ),
            Self::Internal => {
                (StatusCode::INTERNAL_SERVER_ERROR, None, "The offline model failed on this request.")
            }
        };
        let kind = if status.is_server_error() { "server_error" } else { "invalid_request_error" };
        let error = ErrorDetail { message, kind, param: None, code };
        (status, Json(ErrorBody { error })).into_response()
    }
}

fn refused(refusal: &Refusal) -> Response {
    let mut response = (refusal.status, Json(&refusal.body)).into_response();
    if let Some(seconds) = refusal.retry_after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
