//! What the index holds of a passage. Its text and place stay in the store: the index answers with ids.

use attest_domain::ChunkId;
use attest_store::IndexEntry;
use tantivy::schema::{
    BytesOptions, FAST, Field, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions, Value,
};
use tantivy::{TantivyDocument, Term};
use time::OffsetDateTime;
use uuid::Uuid;

/// Raised whenever the fields or the way text becomes terms change: older indexes are rebuilt.
pub(crate) const VERSION: u32 = 1;

/// The name under which the tokenizer is registered.
pub(crate) const TOKENIZER: &str = "attest";

/// What a passage that was never removed has in `removed_at`.
pub(crate) const NEVER: i64 = i64::MAX;

/// The fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    pub(crate) chunk_id: Field,
    pub(crate) kb_id: Field,
    pub(crate) document_id: Field,
    pub(crate) body: Field,
    /// The headings above the passage and the name of its document.
    pub(crate) title: Field,
    /// Microseconds since 1970.
    pub(crate) recorded_at: Field,
    /// Microseconds since 1970, or [`NEVER`].
    pub(crate) removed_at: Field,
}

/// The schema and its fields.
pub(crate) fn build() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    // No positions: pairs of characters already hold the order that a phrase would ask for.
    let text = TextOptions::default().set_indexing_options(
        TextFieldIndexing::default().set_tokenizer(TOKENIZER).set_index_option(IndexRecordOption::WithFreqs),
    );
    let exact = BytesOptions::default().set_indexed();
    let fields = Fields {
        chunk_id: schema.add_bytes_field("chunk_id", STORED),
        kb_id: schema.add_bytes_field("kb_id", exact.clone()),
        document_id: schema.add_bytes_field("document_id", exact),
        body: schema.add_text_field("body", text.clone()),
        title: schema.add_text_field("title", text),
        recorded_at: schema.add_i64_field("recorded_at", FAST),
        removed_at: schema.add_i64_field("removed_at", FAST),
    };
    (schema.build(), fields)
}

/// A passage as the index keeps it.
pub(crate) fn to_document(fields: &Fields, entry: &IndexEntry) -> TantivyDocument {
    let mut document = TantivyDocument::new();
    document.add_bytes(fields.chunk_id, entry.chunk_id.as_uuid().as_bytes());
    document.add_bytes(fields.kb_id, entry.kb_id.as_uuid().as_bytes());
    document.add_bytes(fields.document_id, entry.document_id.as_uuid().as_bytes());
    document.add_text(fields.body, &entry.text);
    document.add_text(fields.title, &entry.filename);
    for heading in &entry.heading_path {
        document.add_text(fields.title, heading);
    }
    document.add_i64(fields.recorded_at, micros(entry.recorded_at));
    document.add_i64(fields.removed_at, entry.removed_at.map_or(NEVER, micros));
    document
}

/// The passage that a document of the index stands for.
pub(crate) fn chunk_id(fields: &Fields, document: &TantivyDocument) -> Option<ChunkId> {
    let bytes = document.get_first(fields.chunk_id)?.as_bytes()?;
    Uuid::from_slice(bytes).ok().map(ChunkId::from_uuid)
}

/// The term of an id.
pub(crate) fn id_term(field: Field, id: Uuid) -> Term {
    Term::from_field_bytes(field, id.as_bytes())
}

/// Microseconds since 1970, the resolution of the store. No moment that the domain can state overflows.
pub(crate) fn micros(at: OffsetDateTime) -> i64 {
    i64::try_from(at.unix_timestamp_nanos().div_euclid(1_000)).unwrap_or(NEVER - 1)
}
