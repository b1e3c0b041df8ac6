//! What clients may rely on: frames, the transcript fold, error codes, requests and responses, and the typed
//! JSON of stored turns.
//!
//! Types only: nothing here does IO, and nothing here decides. The prose is in `docs/contract.md`.
//!
//! Start at [`frame::Frame`] and [`transcript::Transcript`]. To add a frame: a struct and a variant in
//! `frame.rs`; the compiler then asks for the fold, and a test for a sample.

pub mod code;
pub mod cursor;
pub mod exchange;
pub mod frame;
pub mod knowledge;
pub mod request;
pub mod transcript;
pub mod view;

pub use code::ErrorCode;
pub use cursor::EventId;
pub use frame::Frame;
pub use transcript::Transcript;
