//! Every function of the store against a real database, one test binary with a file for each table.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on stops where it stands")]

mod chunks;
mod connect;
mod conversations;
mod documents;
mod index_log;
mod kbs;
mod messages;
mod model_capabilities;
mod nul;
mod setup;
mod turns_begin;
mod turns_finish;
mod turns_leases;
mod turns_retry;
