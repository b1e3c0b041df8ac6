//! Text mode: what a model is told, what its replies come to, and that a reply in pieces comes to the same.
//!
//! `rows` is the specification by example; the splits and the properties hold for every row and for random text. With
//! `PROPTEST_CASES` set, the properties are a fuzzer.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

mod bounds;
mod events;
mod foreign_rows;
mod properties;
mod reading;
mod request;
mod rows;
