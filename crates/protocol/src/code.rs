//! Error codes: what programs act on. The words beside them are for people and may change.

use serde::{Deserialize, Serialize};

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $text:literal, $status:literal;)+) => {
        /// Why something was refused or failed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum ErrorCode {
            $($(#[doc = $doc])* #[serde(rename = $text)] $name,)+
        }

        impl ErrorCode {
            /// Every code, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The code as it stands in JSON.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text),+ }
            }

            /// The HTTP status of an answer with this code before a stream opens.
            /// Codes that only ever end a stream name the status that a folded turn is answered with.
            #[must_use]
            pub const fn status(self) -> u16 {
                match self { $(Self::$name => $status),+ }
            }

            /// What it means, for the documentation.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),*)),+ }
            }
        }
    };
}

codes! {
    /// There is no such thing, or it is not yours to see.
    NotFound = "not_found", 404;
    /// The path exists, but not with this method.
    MethodNotAllowed = "method_not_allowed", 405;
    /// The request does not have the expected shape.
    InvalidRequest = "invalid_request", 400;
    /// The body is not of a media type that is read here.
    UnsupportedMediaType = "unsupported_media_type", 415;
    /// The request is larger than the limit that its error names.
    TooLarge = "too_large", 413;
    /// A cursor or an event id has the wrong form.
    InvalidCursor = "invalid_cursor", 400;
    /// The conversation is running a turn; its id is in `turn_id`.
    AnswerRunning = "answer_running", 409;
    /// The question to retry has a complete answer.
    RetryAnswered = "retry_answered", 409;
    /// A retry names its conversation.
    RetryNeedsConversation = "retry_needs_conversation", 422;
    /// What the retry names is not the last question of the conversation.
    RetryNotQuestion = "retry_not_question", 422;
    /// The same idempotency key came with another body.
    IdempotencyMismatch = "idempotency_mismatch", 422;
    /// The message is empty or blank.
    EmptyMessage = "empty_message", 422;
    /// The message is longer than the limit.
    MessageTooLong = "message_too_long", 422;
    /// A name, title or slug breaks its rule.
    InvalidName = "invalid_name", 422;
    /// A name is taken.
    NameTaken = "name_taken", 409;
    /// The document is empty, not text, or of a format that is not read.
    InvalidDocument = "invalid_document", 422;
    /// Too many turns run at once.
    TooManyTurns = "too_many_turns", 429;
    /// It is being done already, and is done once at a time.
    AlreadyRunning = "already_running", 429;
    /// No chat model is configured.
    NoChatModel = "no_chat_model", 503;
    /// The server is shutting down.
    Draining = "draining", 503;
    /// Something broke on our side; the request id leads to the log.
    Internal = "internal", 500;

    /// The model answered with nothing, twice.
    AnswerEmpty = "answer_empty", 502;
    /// The model wrote tool markup instead of an answer.
    AnswerToolText = "answer_tool_text", 502;
    /// The answer could not be saved.
    AnswerNotSaved = "answer_not_saved", 503;
    /// The answer failed on our side.
    AnswerFailed = "answer_failed", 500;
    /// The answer broke off: the model's stream or the server ended in the middle.
    Interrupted = "interrupted", 502;
    /// The model went silent.
    Stalled = "stalled", 504;
    /// The conversation does not fit into the model's window.
    ContextTooLong = "context_too_long", 502;
    /// The account behind the model's key has no credit.
    ModelOutOfCredit = "model_out_of_credit", 502;
    /// The model's endpoint limits the rate.
    ModelRateLimited = "model_rate_limited", 503;
    /// The model's endpoint is down for now.
    ModelUnavailable = "model_unavailable", 503;
    /// The model's endpoint refused the key.
    ModelUnauthorized = "model_unauthorized", 502;
    /// The model's endpoint refused the request.
    ModelRejected = "model_rejected", 502;
    /// The model's endpoint cannot be reached.
    ModelUnreachable = "model_unreachable", 502;
    /// A content filter withheld the answer.
    ModelFiltered = "model_filtered", 502;
    /// The database cannot be reached.
    StorageUnavailable = "storage_unavailable", 503;
}
