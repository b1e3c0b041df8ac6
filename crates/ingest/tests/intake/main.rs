//! Documents on their way into a real store and index.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "what a test sets up must work")]

mod house;
mod reading;
mod refusals;
mod seeding;
