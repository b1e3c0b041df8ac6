//! The words of the business: ids, moments with a precision, documents and chunks, principals, the clock.
//!
//! No IO, no async, no SQL, no HTTP. Ids and moments serialize because they stand in frames and stored rows;
//! the structs do not: what leaves the server is `attest-protocol`'s to shape.
//!
//! Start at [`ids`] and [`moment`]. A new id is one line in `ids.rs`.

pub mod clock;
pub mod document;
pub mod ids;
pub mod moment;
pub mod principal;
pub mod text;

pub use clock::{Clock, SystemClock};
pub use document::{Chunk, ChunkSpan, Document, DocumentState, KnowledgeBase};
pub use ids::{ChunkId, ConversationId, DocumentId, EntityId, KbId, MessageId, PrincipalId, TurnId};
pub use moment::{Moment, MomentError, Precision};
pub use principal::Principal;
