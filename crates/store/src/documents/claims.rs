//! Reading documents: a worker claims one, and only who holds the claim may say what came of it.

use std::time::Duration;

use attest_domain::{Chunk, Document, DocumentId, KbId};
use sqlx::{PgConnection, Postgres, QueryBuilder};
use time::OffsetDateTime;
use uuid::Uuid;

use super::DocumentRow;
use crate::clean::{text, texts};
use crate::columns::{from_integer, to_bigint, to_integer, to_seconds};
use crate::connect::Store;
use crate::error::{StoreError, carries_database_errors};
use crate::index_log::record_changes;

/// Passages sent in one statement: 7 values each, far below the 65,535 that the protocol allows.
const CHUNKS_PER_STATEMENT: usize = 500;

/// A document that a worker is to read.
#[derive(Clone, Debug)]
pub struct ClaimedDocument {
    /// The document.
    pub document: Document,
    /// The bytes as they came.
    pub original: Vec<u8>,
    /// How often it has been claimed, this time included: a document that kills its readers is recognised by it.
    pub attempt: u32,
}

/// Why the outcome of reading was not kept.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// The document was taken by another worker, has its outcome, was deleted, or is gone. Nothing was changed.
    #[error("the claim on the document is lost")]
    ClaimLost,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
carries_database_errors!(ClaimError);

#[derive(sqlx::FromRow)]
struct ClaimedRow {
    #[sqlx(flatten)]
    document: DocumentRow,
    original: Vec<u8>,
    attempts: i32,
}

impl Store {
    /// Claims the document that has waited longest: a queued one, or one whose reader's lease has run out.
    /// Workers never wait for each other.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn claim_document(
        &self,
        owner: Uuid,
        lease: Duration,
    ) -> Result<Option<ClaimedDocument>, StoreError> {
        let row: Option<ClaimedRow> = sqlx::query_as(include_str!("../sql/claim_document.sql"))
            .bind(owner)
            .bind(to_seconds(lease))
            .fetch_optional(&self.pool)
            .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        Ok(Some(ClaimedDocument {
            document: row.document.try_into()?,
            original: row.original,
            attempt: from_integer(row.attempts, "a document's number of attempts")?,
        }))
    }

    /// Keeps what was read. The text, its passages, the state and the entry for the index are one transaction:
    /// a document is searchable as a whole or not at all.
    ///
    /// # Errors
    /// [`ClaimError::ClaimLost`] when `owner` does not hold the claim any more.
    pub async fn finish_document(
        &self,
        id: DocumentId,
        owner: Uuid,
        content: &str,
        chunks: &[Chunk],
        now: OffsetDateTime,
    ) -> Result<(), ClaimError> {
        let content = text(content);
        let mut tx = self.pool.begin().await?;
        let kb_id: Option<Uuid> = sqlx::query_scalar(
            "update documents
             set state = 'ready', text = $3, char_count = $4, chunk_count = $5, recorded_at = $6,
                 reason = null, lease_owner = null, lease_until = null
             where id = $1 and lease_owner = $2 and state = 'reading' and deleted_at is null
             returning kb_id",
        )
        .bind(id.as_uuid())
        .bind(owner)
        .bind(&content)
        .bind(to_bigint(content.chars().count() as u64))
        .bind(i32::try_from(chunks.len()).unwrap_or(i32::MAX))
        .bind(now)
        .fetch_optional(&mut *tx)
        .await?;
        let kb_id = KbId::from_uuid(kb_id.ok_or(ClaimError::ClaimLost)?);
        for some in chunks.chunks(CHUNKS_PER_STATEMENT) {
            insert_chunks(&mut tx, id, some).await?;
        }
        record_changes(&mut tx, kb_id, &[id.as_uuid()], now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Records that the document cannot be read, and why, in a sentence for a person who can act on it.
    ///
    /// # Errors
    /// [`ClaimError::ClaimLost`] when `owner` does not hold the claim any more.
    pub async fn fail_document(&self, id: DocumentId, owner: Uuid, reason: &str) -> Result<(), ClaimError> {
        let failed = sqlx::query(
            "update documents set state = 'failed', reason = $3, lease_owner = null, lease_until = null
             where id = $1 and lease_owner = $2 and state = 'reading'",
        )
        .bind(id.as_uuid())
        .bind(owner)
        .bind(text(reason))
        .execute(&self.pool)
        .await?;
        if failed.rows_affected() == 0 { Err(ClaimError::ClaimLost) } else { Ok(()) }
    }
}

async fn insert_chunks(
    connection: &mut PgConnection,
    document_id: DocumentId,
    chunks: &[Chunk],
) -> Result<(), sqlx::Error> {
    let mut insert = QueryBuilder::<Postgres>::new(
        "insert into chunks (id, document_id, ordinal, heading_path, span_start, span_end, text) ",
    );
    insert.push_values(chunks, |mut row, chunk| {
        row.push_bind(chunk.id.as_uuid())
            .push_bind(document_id.as_uuid())
            .push_bind(to_integer(chunk.ordinal))
            .push_bind(texts(&chunk.heading_path))
            .push_bind(to_bigint(chunk.span.start))
            .push_bind(to_bigint(chunk.span.end))
            .push_bind(text(&chunk.text));
    });
    // Each number of passages is a statement of its own; none is worth a place in the cache.
    insert.build().persistent(false).execute(connection).await?;
    Ok(())
}
