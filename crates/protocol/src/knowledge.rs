//! What clients see of knowledge bases, documents and search.

use attest_domain::{ChunkId, DocumentId, KbId, Moment};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// A knowledge base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KbView {
    /// Its id.
    pub id: KbId,
    /// Its name in URLs.
    pub slug: String,
    /// Its name for people.
    pub name: String,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// Every base one may see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KbList {
    /// The bases, oldest first.
    pub kbs: Vec<KbView>,
}

/// How far a document has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentStateView {
    /// Accepted.
    Queued,
    /// Being read.
    Reading,
    /// Searchable.
    Ready,
    /// Could not be read; `reason` says why.
    Failed,
}

/// A document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentView {
    /// Its id.
    pub id: DocumentId,
    /// Its name.
    pub filename: String,
    /// The media type it was read as.
    pub media_type: String,
    /// Its own date, as precise as it was stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Moment>,
    /// Size of the original in bytes.
    pub size_bytes: u64,
    /// How far it has come.
    pub state: DocumentStateView,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The number of its passages.
    pub chunks: u32,
    /// The length of its text in characters.
    pub characters: u64,
    /// When it was accepted.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// A page of documents, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentPage {
    /// The documents.
    pub documents: Vec<DocumentView>,
    /// Where the next page begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The answer to an upload of one or more files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentsAccepted {
    /// The documents, in the order of the files.
    pub documents: Vec<DocumentView>,
}

/// A stretch of a document's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentTextView {
    /// The document.
    pub document_id: DocumentId,
    /// Its name.
    pub filename: String,
    /// First character shown (Unicode scalar values).
    pub from: u64,
    /// Character after the last shown.
    pub to: u64,
    /// Length of the whole text in characters.
    pub characters: u64,
    /// The text.
    pub text: String,
}

/// One passage that a search found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchHitView {
    /// The passage.
    pub chunk_id: ChunkId,
    /// Its document.
    pub document_id: DocumentId,
    /// The document's name.
    pub filename: String,
    /// The headings above it, outermost first.
    pub heading_path: Vec<String>,
    /// First character in the document's text.
    pub from: u64,
    /// Character after the last.
    pub to: u64,
    /// Its text.
    pub text: String,
    /// Its score; comparable within one answer only.
    pub score: f32,
}

/// The answer to a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchView {
    /// The passages, best first.
    pub hits: Vec<SearchHitView>,
    /// How the search was done: `full_text`, and `vectors` where an embeddings endpoint is configured.
    pub arms: Vec<String>,
}
