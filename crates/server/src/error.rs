//! The one shape of every error that a client gets.

use std::error::Error;

use attest_chat::ChatError;
use attest_domain::TurnId;
use attest_ingest::IntakeError;
use attest_protocol::ErrorCode;
use attest_protocol::view::ErrorBody;
use attest_search::SearchError;
use attest_store::{CreateKbError, StoreError};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// An error on its way to a client. What went wrong on our side is logged where it becomes one, inside of the span
/// with the request's id, and the client reads nothing of it.
#[derive(Debug)]
pub(crate) struct ApiError {
    code: ErrorCode,
    sentence: String,
    turn_id: Option<TurnId>,
    retry_after_seconds: Option<u64>,
}

impl ApiError {
    /// A refusal that says what is wrong and what would be right.
    pub(crate) fn new(code: ErrorCode, sentence: impl Into<String>) -> Self {
        Self { code, sentence: sentence.into(), turn_id: None, retry_after_seconds: None }
    }

    /// This refusal, and when it is worth asking again.
    pub(crate) fn again_in(self, seconds: u64) -> Self {
        Self { retry_after_seconds: Some(seconds), ..self }
    }

    /// The request has the wrong shape.
    pub(crate) fn invalid(sentence: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidRequest, sentence)
    }

    /// There is no such thing, or it is not the caller's.
    pub(crate) fn missing(what: &str) -> Self {
        Self::new(ErrorCode::NotFound, format!("there is no {what} with this id here"))
    }

    /// A body over its limit; the size is known when the client announced it.
    pub(crate) fn too_large(size: Option<u64>, limit: usize) -> Self {
        let sentence = match size {
            Some(size) => format!("the body has {size} bytes; at most {limit} are taken here"),
            None => format!("the body is too large: at most {limit} bytes are taken here"),
        };
        Self::new(ErrorCode::TooLarge, sentence)
    }

    /// Something broke on our side.
    pub(crate) fn internal(error: &(dyn Error + 'static)) -> Self {
        tracing::error!(error, "A request failed");
        Self::opaque()
    }

    /// The words for everything that is no business of a client.
    pub(crate) fn opaque() -> Self {
        let sentence = "something broke on the server; its log says what, under this answer's x-request-id";
        Self::new(ErrorCode::Internal, sentence)
    }

    fn unavailable(error: &(dyn Error + 'static)) -> Self {
        tracing::warn!(error, "A request found no database");
        let sentence = "the database cannot be reached for now; try again in a moment";
        let retry_after_seconds = Some(5);
        Self { retry_after_seconds, ..Self::new(ErrorCode::StorageUnavailable, sentence) }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let Self { code, sentence, turn_id, retry_after_seconds } = self;
        let status = StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = ErrorBody { error: sentence, code, detail: None, turn_id };
        let mut response = (status, axum::Json(body)).into_response();
        if let Some(seconds) = retry_after_seconds {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        if error.is_unavailable() { Self::unavailable(&error) } else { Self::internal(&error) }
    }
}

impl From<SearchError> for ApiError {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Store(error) => error.into(),
            error => Self::internal(&error),
        }
    }
}

impl From<ChatError> for ApiError {
    fn from(error: ChatError) -> Self {
        if let ChatError::Store(error) = error {
            return error.into();
        }
        if error.is_internal() {
            return Self::internal(&error);
        }
        let (turn_id, retry_after_seconds) = (error.running_turn_id(), error.retry_after_seconds());
        Self { turn_id, retry_after_seconds, ..Self::new(error.code(), error.to_string()) }
    }
}

impl From<IntakeError> for ApiError {
    fn from(error: IntakeError) -> Self {
        let code = match error {
            IntakeError::Store(error) => return error.into(),
            error @ IntakeError::CutShort(_) => return Self::internal(&error),
            IntakeError::InvalidFilename { .. } => ErrorCode::InvalidName,
            IntakeError::TooLarge { .. } => ErrorCode::TooLarge,
            IntakeError::TooManyFiles { .. }
            | IntakeError::NoFiles
            | IntakeError::InvalidDate { .. }
            | IntakeError::Refused { .. } => ErrorCode::InvalidDocument,
        };
        Self::new(code, error.to_string())
    }
}

impl From<CreateKbError> for ApiError {
    fn from(error: CreateKbError) -> Self {
        match error {
            CreateKbError::NameTaken => Self::new(
                ErrorCode::NameTaken,
                "another knowledge base has this slug; state another one in `slug`",
            ),
            CreateKbError::Store(error) => error.into(),
        }
    }
}
