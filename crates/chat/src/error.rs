//! Why something was refused, in words for clients.

use attest_domain::TurnId;
use attest_protocol::ErrorCode;
use attest_store::StoreError;

/// Everything that a request about conversations can be answered with instead of what it asked for. Nothing is
/// stored when one is returned.
#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// No such conversation, turn or question, or it is not the caller's.
    #[error("there is no {what} with this id here")]
    NotFound {
        /// What was looked for.
        what: &'static str,
    },
    /// The conversation runs a turn.
    #[error("this conversation is being answered; wait for its end, follow it, or stop it")]
    AnswerRunning {
        /// The turn.
        turn_id: TurnId,
    },
    /// The question has a complete answer.
    #[error("this question has a complete answer; ask a new question instead of retrying it")]
    RetryAnswered,
    /// A retry without its conversation.
    #[error("a retry needs `conversation_id`, the conversation that the question stands in")]
    RetryNeedsConversation,
    /// The retried message is not the last question.
    #[error(
        "`retry_question_id` is not the last question of this conversation; only that one can be retried"
    )]
    RetryNotQuestion,
    /// An idempotency key came again with another body.
    #[error("this Idempotency-Key was used with another request; take a new key for a new question")]
    IdempotencyMismatch,
    /// An idempotency key that cannot be one.
    #[error("an Idempotency-Key has 1 to 200 printable ASCII characters")]
    InvalidIdempotencyKey,
    /// A blank message.
    #[error("`message` is empty: it must hold a question")]
    EmptyMessage,
    /// A message over the limit.
    #[error("`message` has {length} characters; at most {limit} are allowed")]
    MessageTooLong {
        /// Its length in characters.
        length: usize,
        /// The limit in characters.
        limit: usize,
    },
    /// A title that breaks its rule.
    #[error("`title` must have 1 to 200 characters and must not be blank")]
    InvalidTitle,
    /// A cursor of a list that was not given out here.
    #[error("`cursor` is not one that this list has given out")]
    InvalidCursor,
    /// Too many turns at once.
    #[error("too many answers are being written at once; try again in a moment")]
    TooManyTurns,
    /// No model is configured.
    #[error("no chat model is configured; set model.base_url and model.name")]
    NoChatModel,
    /// The server is shutting down.
    #[error("the server is shutting down; try again in a moment")]
    Draining,
    /// The store failed.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// A task of ours was lost.
    #[error("the request was lost inside the server")]
    Lost,
}

impl ChatError {
    pub(crate) const CONVERSATION: Self = Self::NotFound { what: "conversation" };
    pub(crate) const TURN: Self = Self::NotFound { what: "turn" };

    /// The code for programs.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound { .. } => ErrorCode::NotFound,
            Self::AnswerRunning { .. } => ErrorCode::AnswerRunning,
            Self::RetryAnswered => ErrorCode::RetryAnswered,
            Self::RetryNeedsConversation => ErrorCode::RetryNeedsConversation,
            Self::RetryNotQuestion => ErrorCode::RetryNotQuestion,
            Self::IdempotencyMismatch => ErrorCode::IdempotencyMismatch,
            Self::InvalidIdempotencyKey => ErrorCode::InvalidRequest,
            Self::EmptyMessage => ErrorCode::EmptyMessage,
            Self::MessageTooLong { .. } => ErrorCode::MessageTooLong,
            Self::InvalidTitle => ErrorCode::InvalidName,
            Self::InvalidCursor => ErrorCode::InvalidCursor,
            Self::TooManyTurns => ErrorCode::TooManyTurns,
            Self::NoChatModel => ErrorCode::NoChatModel,
            Self::Draining => ErrorCode::Draining,
            Self::Store(StoreError::Unavailable(_)) => ErrorCode::StorageUnavailable,
            Self::Store(_) | Self::Lost => ErrorCode::Internal,
        }
    }

    /// The turn that stands in the way.
    #[must_use]
    pub const fn running_turn_id(&self) -> Option<TurnId> {
        match self {
            Self::AnswerRunning { turn_id } => Some(*turn_id),
            _ => None,
        }
    }

    /// Seconds after which the same request may succeed.
    #[must_use]
    pub const fn retry_after_seconds(&self) -> Option<u64> {
        match self {
            Self::TooManyTurns => Some(1),
            Self::Draining | Self::Store(StoreError::Unavailable(_)) => Some(5),
            _ => None,
        }
    }

    /// True when its words are for the log and not for clients.
    #[must_use]
    pub const fn is_internal(&self) -> bool {
        matches!(self, Self::Store(_) | Self::Lost)
    }
}
