//! The index over a real store.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "what a test sets up must work")]

mod finding;
mod following;
mod library;
