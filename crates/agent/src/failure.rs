//! What went wrong, in words for people and a code for programs.

use std::error::Error;

use attest_llm::failure::{FailureClass, ModelFailure};
use attest_protocol::ErrorCode;
use attest_search::SearchError;
use attest_store::StoreError;

use crate::policy::Fault;
use crate::turn::TurnFailure;

/// The most characters of an endpoint's own words that a reader is shown.
const OWN_WORDS: usize = 300;

fn failure(code: ErrorCode, retryable: bool, sentence: impl Into<String>) -> TurnFailure {
    TurnFailure { code, sentence: sentence.into(), retryable, retry_after: None }
}

/// A failed request to the model.
pub(crate) fn of_model(model: &ModelFailure) -> TurnFailure {
    let (code, retryable, sentence) = match model.class {
        FailureClass::OutOfCredit => (
            ErrorCode::ModelOutOfCredit,
            false,
            "The account behind the model's key has no credit left. Add credit, or set another key.",
        ),
        FailureClass::RateLimited => (
            ErrorCode::ModelRateLimited,
            true,
            "The model's endpoint takes no more requests for now. Ask again in a moment.",
        ),
        FailureClass::Unavailable => (
            ErrorCode::ModelUnavailable,
            true,
            "The model's endpoint is down for now. Ask again in a moment.",
        ),
        FailureClass::ContextTooLong { .. } => return of_fault(Fault::ContextTooLong),
        FailureClass::Unauthorized => (
            ErrorCode::ModelUnauthorized,
            false,
            "The model's endpoint refused the key. Check the key and what it is allowed to use.",
        ),
        FailureClass::Rejected { status } => {
            let sentence = format!(
                "The model's endpoint refused the request with status {status}. Check the model's name and settings."
            );
            return with_own_words(failure(ErrorCode::ModelRejected, false, sentence), model);
        }
        FailureClass::Interrupted => (
            ErrorCode::Interrupted,
            true,
            "The answer broke off: the model's stream ended in the middle. Ask again.",
        ),
        FailureClass::Stalled => {
            (ErrorCode::Stalled, true, "The model stopped sending and did not go on. Ask again.")
        }
        // A 200 without a single event is an endpoint that is not up to its work, which passes.
        FailureClass::EmptyStream => (
            ErrorCode::ModelUnavailable,
            true,
            "The model's endpoint accepted the request and sent nothing. Ask again in a moment.",
        ),
        FailureClass::Filtered => return of_fault(Fault::Filtered),
        FailureClass::Unreachable => (
            ErrorCode::ModelUnreachable,
            true,
            "The model's endpoint cannot be reached. Check its address and the network.",
        ),
    };
    with_own_words(failure(code, retryable, sentence), model)
}

/// A stream that ended without its end event: what it said may be cut.
pub(crate) fn without_end() -> ModelFailure {
    ModelFailure::new(FailureClass::Interrupted, "")
}

/// What the policy found.
pub(crate) fn of_fault(fault: Fault) -> TurnFailure {
    match fault {
        Fault::AnswerEmpty => failure(
            ErrorCode::AnswerEmpty,
            true,
            "The model answered with nothing, twice. Ask again, or use another model.",
        ),
        Fault::AnswerToolText => failure(
            ErrorCode::AnswerToolText,
            true,
            "The model called tools instead of answering, twice. Ask again, or use another model.",
        ),
        Fault::ContextTooLong => failure(
            ErrorCode::ContextTooLong,
            false,
            "The conversation does not fit into the model's window. Start a new conversation, ask for less, or use a \
             model with a larger window.",
        ),
        Fault::Filtered => failure(
            ErrorCode::ModelFiltered,
            false,
            "The model's content filter withheld the answer. Ask in other words.",
        ),
    }
}

/// A tool that failed on our side. A model never reads of it.
pub(crate) fn of_tool(source: &(dyn Error + 'static)) -> TurnFailure {
    if storage_is_down(source) {
        failure(
            ErrorCode::StorageUnavailable,
            true,
            "The database cannot be reached, so nothing could be looked up. Ask again in a moment.",
        )
    } else {
        failure(
            ErrorCode::AnswerFailed,
            false,
            "Looking something up failed on the server. Its log tells why.",
        )
    }
}

/// The turn took too long.
pub(crate) fn of_deadline(seconds: u64) -> TurnFailure {
    failure(
        ErrorCode::AnswerFailed,
        true,
        format!("The answer took longer than {seconds} seconds and was ended. Ask again, or ask for less."),
    )
}

/// The answer call took too long.
pub(crate) fn of_answer_deadline(seconds: u64) -> TurnFailure {
    failure(
        ErrorCode::Stalled,
        true,
        format!("The model did not word its answer within {seconds} seconds. Ask again."),
    )
}

/// The agent library ended the turn for a reason that it did not name to us.
pub(crate) fn of_library() -> TurnFailure {
    failure(ErrorCode::AnswerFailed, true, "The answer failed on the server. Its log tells why. Ask again.")
}

/// The class as it stands in the turn's record.
pub(crate) const fn class_name(class: FailureClass) -> &'static str {
    match class {
        FailureClass::OutOfCredit => "out_of_credit",
        FailureClass::RateLimited => "rate_limited",
        FailureClass::Unavailable => "unavailable",
        FailureClass::ContextTooLong { .. } => "context_too_long",
        FailureClass::Unauthorized => "unauthorized",
        FailureClass::Rejected { .. } => "rejected",
        FailureClass::Interrupted => "interrupted",
        FailureClass::Stalled => "stalled",
        FailureClass::EmptyStream => "empty_stream",
        FailureClass::Filtered => "filtered",
        FailureClass::Unreachable => "unreachable",
    }
}

fn with_own_words(mut failure: TurnFailure, model: &ModelFailure) -> TurnFailure {
    failure.retry_after = model.retry_after_seconds;
    let words: String = model.message.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() {
        return failure;
    }
    let mut short: String = words.chars().take(OWN_WORDS).collect();
    if short.len() < words.len() {
        short.push('…');
    }
    failure.sentence = format!("{} The endpoint said: {short}", failure.sentence);
    failure
}

/// Looks for the store's own word through the errors around it. A search error shows the store's as its own, so
/// that the chain of sources alone would miss it.
fn storage_is_down(source: &(dyn Error + 'static)) -> bool {
    let mut next = Some(source);
    while let Some(error) = next {
        let store = match error.downcast_ref::<SearchError>() {
            Some(SearchError::Store(store)) => Some(store),
            _ => error.downcast_ref::<StoreError>(),
        };
        if store.is_some_and(StoreError::is_unavailable) {
            return true;
        }
        next = error.source();
    }
    false
}

#[cfg(test)]
mod tests;
