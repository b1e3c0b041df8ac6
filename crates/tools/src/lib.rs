//! What a model may do: one file a tool, one registry.
//!
//! A tool has typed arguments (their schema is the schema that the model sees), a typed output, and a rendering
//! of it. The registry offers the tools, checks what a model sends before anything runs, and runs it. Nothing
//! here knows of a model, a turn or HTTP, and no tool decides who may see what: the store does, by principal.
//!
//! Start at [`tool::Tool`] and [`registry::Registry`]. To add a tool: a file beside `search_chunks.rs`, a line in
//! [`registry::Registry::for_chat`]; a test then asks for its schema snapshot.

mod check;
mod get_document;
mod no_evidence_needed;
pub mod numbering;
mod passage;
pub mod registry;
mod search_chunks;
pub mod tool;

pub use check::{Refusal, RefusalKind};
pub use no_evidence_needed::NO_EVIDENCE_NEEDED;
pub use numbering::Numbering;
pub use registry::{CheckedCall, Offer, Registry, ToolServices};
pub use tool::{Rendered, StepText, ToolContext, ToolError, ToolOutcome};
