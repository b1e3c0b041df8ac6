//! What went wrong with the model, by what a caller can do about it (table in the turn's design: failures keep their names).

use serde::{Deserialize, Serialize};

mod body;
mod classify;
mod scrub;
mod shape;
mod wordings;

pub(crate) use body::says_error;
pub(crate) use classify::classify_in_stream;
pub use classify::{Refusal, classify};
pub(crate) use scrub::presentable;
pub use shape::RefusedShape;
pub(crate) use wordings::{affordable_tokens, fitting_max_tokens};

/// The class of a failure. It survives the way through the agent library and back, so it serializes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// The account behind the key has no money or quota left.
    OutOfCredit,
    /// Too many requests for now.
    RateLimited,
    /// The endpoint or what stands before it is down for now.
    Unavailable,
    /// The request does not fit into the model's window.
    ContextTooLong {
        /// The window in tokens, where the endpoint says so.
        window: Option<u64>,
    },
    /// The key is missing, wrong or not allowed.
    Unauthorized,
    /// The endpoint refused the request as it is; the body tells why.
    Rejected {
        /// The HTTP status.
        status: u16,
    },
    /// The stream ended without its end mark.
    Interrupted,
    /// The endpoint went silent.
    Stalled,
    /// A 200 without a single event.
    EmptyStream,
    /// A content filter ended the reply.
    Filtered,
    /// No connection, no TLS, no name, or an answer that is none.
    Unreachable,
}

/// One failed request to the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{class:?}: {message}")]
pub struct ModelFailure {
    /// What a caller can do about it.
    pub class: FailureClass,
    /// The endpoint's own sentence, or ours where it said nothing; shortened, without secrets.
    pub message: String,
    /// How long the endpoint asked to wait, in seconds.
    pub retry_after_seconds: Option<u64>,
    /// True when the request timed out before anything came (such a failure is not retried).
    pub timed_out: bool,
    /// The part of the request that was refused, where the endpoint's words tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<RefusedShape>,
}

impl FailureClass {
    /// The class's name in logs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::OutOfCredit => "out_of_credit",
            Self::RateLimited => "rate_limited",
            Self::Unavailable => "unavailable",
            Self::ContextTooLong { .. } => "context_too_long",
            Self::Unauthorized => "unauthorized",
            Self::Rejected { .. } => "rejected",
            Self::Interrupted => "interrupted",
            Self::Stalled => "stalled",
            Self::EmptyStream => "empty_stream",
            Self::Filtered => "filtered",
            Self::Unreachable => "unreachable",
        }
    }
}

impl ModelFailure {
    /// A failure that asks for no wait and did not time out.
    pub fn new(class: FailureClass, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), retry_after_seconds: None, timed_out: false, shape: None }
    }
}

/// The innermost cause of an error: the outer layers only say that a request failed.
pub(crate) fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
