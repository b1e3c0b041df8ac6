//! Everything that a test of the real server needs: the production server on port 0 with a database of its own,
//! models that a test scripts or plays by hand, a typed client for event streams.
//!
//! For tests alone, so it panics with a sentence instead of returning errors. It does not fake anything of ours: the
//! only fakes are the endpoints outside (the model; a network between server and database that can be cut).
//!
//! Start at [`TestServer`]; then [`ScriptedModel`] (a queue of replies, every request checked), [`GatedModel`] (a
//! reply word by word, for stopping, leaving and coming back in the middle) and [`SseClient`]. A new kind of reply is
//! a function in `model/reply.rs`; a new rule that every request to a model has to keep is one in `model/check.rs`.

// Test code: a failed expectation is the message.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod api;
mod logs;
mod model;
mod options;
mod process;
mod proxy;
mod server;
mod sse;
mod wait;

pub use api::{Answer, Api, Live, follow_up, question};
pub use logs::log_so_far;
pub use model::gated::{GatedModel, GatedReply};
pub use model::reply;
pub use model::reply::Reply;
pub use model::scripted::ScriptedModel;
pub use model::{MODEL_KEY, MODEL_NAME};
pub use options::{ModelChoice, TestOptions};
pub use process::AttestProcess;
pub use proxy::DatabaseProxy;
pub use server::{Replica, TestServer};
pub use sse::client::{Received, SseClient};
pub use sse::turn::{Turn, fold};
pub use wait::{PATIENCE, soon, until};
