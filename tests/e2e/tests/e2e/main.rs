//! Every file here is about one promise of `docs/contract.md` or one way to break it.

// Test code: a failed expectation is the message.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod corpus;

mod bad_documents;
mod bad_questions;
mod bad_routes;
mod conversations;
mod database_away;
mod doctor;
mod documents;
mod evidence;
mod failures;
mod folded;
mod idempotency;
mod levels;
mod many_documents;
mod oddities;
mod ownership;
mod process;
mod reasoning;
mod reconnect;
mod replay;
mod restart;
mod resume;
mod retry;
mod sample;
mod stop;
mod stream;
