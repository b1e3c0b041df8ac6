//! Knowledge bases, documents and their passages.

use time::OffsetDateTime;

use crate::ids::{ChunkId, DocumentId, KbId};
use crate::moment::Moment;

/// A named set of documents that questions are answered from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnowledgeBase {
    /// Its id.
    pub id: KbId,
    /// Its name in URLs: `a-z`, `0-9` and `-`, 1 to 64 characters.
    pub slug: String,
    /// Its name for people.
    pub name: String,
    /// When it was made.
    pub created_at: OffsetDateTime,
}

/// How far a document has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentState {
    /// Accepted, not yet read.
    Queued,
    /// Being read.
    Reading,
    /// In every search.
    Ready,
    /// Could not be read.
    Failed {
        /// Why, for a person who can act on it.
        reason: String,
    },
}

/// A document, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its id.
    pub id: DocumentId,
    /// Its base.
    pub kb_id: KbId,
    /// The name it was given, without any path.
    pub filename: String,
    /// The media type it was read as, such as `text/markdown`.
    pub media_type: String,
    /// What it says of its own date.
    pub dated: Option<Moment>,
    /// The size of the original, in bytes.
    pub size_bytes: u64,
    /// How far it has come.
    pub state: DocumentState,
    /// The number of its passages, once it is ready.
    pub chunk_count: u32,
    /// The length of its text in characters, once it is ready.
    pub char_count: u64,
    /// When it was accepted.
    pub created_at: OffsetDateTime,
    /// When it left the searches of now.
    pub deleted_at: Option<OffsetDateTime>,
}

/// A stretch of a document's text, in characters (Unicode scalar values): from `start` up to, not including, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkSpan {
    /// The first character.
    pub start: u64,
    /// The character after the last.
    pub end: u64,
}

/// A passage: what search finds and citations point to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its id.
    pub id: ChunkId,
    /// Its document.
    pub document_id: DocumentId,
    /// Its place in the document, from 0.
    pub ordinal: u32,
    /// The headings above it, outermost first.
    pub heading_path: Vec<String>,
    /// Where it stands in the document's text.
    pub span: ChunkSpan,
    /// Its text, equal to the document's text at `span`.
    pub text: String,
}
