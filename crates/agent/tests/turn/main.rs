//! Whole turns: a scripted model, the real policy, fake tools. Each snapshot holds everything that was announced, every
//! request as the model received it, the outcome, and what the turn keeps.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that finds something else has failed")]

mod answers;
mod backend;
mod budget;
mod calls;
mod failures;
mod follow_ups;
mod ladder;
mod stops;
mod tools;
mod world;
