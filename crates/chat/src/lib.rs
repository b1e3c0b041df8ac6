//! One turn's life: admitted, driven, followed, stopped, saved.
//!
//! A turn is a detached task that owns its conversation until it has been saved; readers only follow it, and a
//! reader that leaves changes nothing. Its frames are numbered once and kept in memory while it runs and for a
//! while after. Nothing here knows HTTP, and nothing here decides what the agent does.
//!
//! Start at [`ChatService::ask`], then `drive.rs` (what happens to a turn) and `finish.rs` (what is kept of it).
//! A new way in which a turn can end is a variant of `finish::Outcome`; the compiler then asks for its frames.

mod admit;
mod attach;
mod conversations;
mod drive;
mod error;
mod finish;
mod hub;
mod lease;
mod live;
mod reader;
mod service;

pub use attach::Attachment;
pub use error::ChatError;
pub use reader::{Numbered, Reader, Told};
pub use service::{ChatOptions, ChatService};
