//! Passages, as they may be seen: of now, or of an earlier record time.

use attest_domain::{Chunk, ChunkId, ChunkSpan, DocumentId, KbId};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::columns::{from_bigint, from_integer};
use crate::connect::Store;
use crate::error::StoreError;

/// A passage with the name of its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The passage.
    pub chunk: Chunk,
    /// The document's name.
    pub filename: String,
}

#[derive(sqlx::FromRow)]
struct PassageRow {
    id: Uuid,
    document_id: Uuid,
    ordinal: i32,
    heading_path: Vec<String>,
    span_start: i64,
    span_end: i64,
    text: String,
    filename: String,
}

impl TryFrom<PassageRow> for Passage {
    type Error = StoreError;

    fn try_from(row: PassageRow) -> Result<Self, StoreError> {
        Ok(Self {
            chunk: Chunk {
                id: ChunkId::from_uuid(row.id),
                document_id: DocumentId::from_uuid(row.document_id),
                ordinal: from_integer(row.ordinal, "a passage's place")?,
                heading_path: row.heading_path,
                span: ChunkSpan {
                    start: from_bigint(row.span_start, "a span's start")?,
                    end: from_bigint(row.span_end, "a span's end")?,
                },
                text: row.text,
            },
            filename: row.filename,
        })
    }
}

impl Store {
    /// Those of the passages that are in this base and visible: in documents that are ready and not deleted or,
    /// with `as_of`, that were ready and not deleted at that time. In the order of `ids`; the rest is left out.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_passages(
        &self,
        kb_id: KbId,
        ids: &[ChunkId],
        as_of: Option<OffsetDateTime>,
    ) -> Result<Vec<Passage>, StoreError> {
        let ids: Vec<Uuid> = ids.iter().map(ChunkId::as_uuid).collect();
        let rows: Vec<PassageRow> = sqlx::query_as(concat!(
            include_str!("sql/select_passages.sql"),
            "join unnest($3::uuid[]) with ordinality as wanted (id, place) on wanted.id = c.id
             order by wanted.place"
        ))
        .bind(kb_id.as_uuid())
        .bind(as_of)
        .bind(ids)
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(TryInto::try_into).collect()
    }

    /// The passages of one document in order, when it is visible as in [`Store::list_passages`]; else none.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_document_passages(
        &self,
        kb_id: KbId,
        document_id: DocumentId,
        as_of: Option<OffsetDateTime>,
    ) -> Result<Vec<Passage>, StoreError> {
        let rows: Vec<PassageRow> = sqlx::query_as(concat!(
            include_str!("sql/select_passages.sql"),
            "where c.document_id = $3 order by c.ordinal"
        ))
        .bind(kb_id.as_uuid())
        .bind(as_of)
        .bind(document_id.as_uuid())
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(TryInto::try_into).collect()
    }
}
