//! Documents: the original, the text that was read from it, and how far that has come.

pub(crate) mod claims;

use attest_domain::{Document, DocumentId, DocumentState, KbId, Moment};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::clean::text;
use crate::columns::{from_bigint, from_integer, precision_name, to_bigint, to_moment};
use crate::connect::Store;
use crate::error::StoreError;
use crate::index_log::record_changes;
use crate::listen::Channel;

/// A document as it is accepted.
#[derive(Clone, Debug)]
pub struct NewDocument {
    /// Its id.
    pub id: DocumentId,
    /// Its base.
    pub kb_id: KbId,
    /// Its name.
    pub filename: String,
    /// What to read it as.
    pub media_type: String,
    /// Its own date, where it was stated.
    pub dated: Option<Moment>,
    /// The bytes as they came.
    pub original: Vec<u8>,
    /// When it was accepted.
    pub created_at: OffsetDateTime,
}

/// A stretch of a document's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentText {
    /// The document's name.
    pub filename: String,
    /// The stretch.
    pub text: String,
    /// Its first character, after clipping to the text.
    pub from: u64,
    /// The character after its last, after clipping to the text.
    pub to: u64,
    /// The length of the whole text in characters.
    pub characters: u64,
}

/// Every column but the original and the text, which may be large.
#[derive(sqlx::FromRow)]
pub(crate) struct DocumentRow {
    id: Uuid,
    kb_id: Uuid,
    filename: String,
    media_type: String,
    dated_at: Option<OffsetDateTime>,
    dated_precision: Option<String>,
    size_bytes: i64,
    state: String,
    reason: Option<String>,
    chunk_count: i32,
    char_count: i64,
    created_at: OffsetDateTime,
    deleted_at: Option<OffsetDateTime>,
}

impl TryFrom<DocumentRow> for Document {
    type Error = StoreError;

    fn try_from(row: DocumentRow) -> Result<Self, StoreError> {
        Ok(Self {
            id: DocumentId::from_uuid(row.id),
            kb_id: KbId::from_uuid(row.kb_id),
            filename: row.filename,
            media_type: row.media_type,
            dated: to_moment(row.dated_at, row.dated_precision.as_deref())?,
            size_bytes: from_bigint(row.size_bytes, "a document's size")?,
            state: match (row.state.as_str(), row.reason) {
                ("queued", _) => DocumentState::Queued,
                ("reading", _) => DocumentState::Reading,
                ("ready", _) => DocumentState::Ready,
                ("failed", Some(reason)) => DocumentState::Failed { reason },
                (other, _) => return Err(StoreError::Corrupt(format!("document state {other:?}"))),
            },
            chunk_count: from_integer(row.chunk_count, "a document's number of passages")?,
            char_count: from_bigint(row.char_count, "a document's length")?,
            created_at: row.created_at,
            deleted_at: row.deleted_at,
        })
    }
}

impl Store {
    /// Accepts a document: it is queued for a worker, and those who listen are told.
    ///
    /// # Errors
    /// [`StoreError::Missing`] when the base is gone.
    pub async fn insert_document(&self, new: &NewDocument) -> Result<Document, StoreError> {
        let mut tx = self.pool.begin().await?;
        let inserted: Result<DocumentRow, StoreError> =
            sqlx::query_as(include_str!("sql/insert_document.sql"))
                .bind(new.id.as_uuid())
                .bind(new.kb_id.as_uuid())
                .bind(text(&new.filename))
                .bind(text(&new.media_type))
                .bind(new.dated.map(|dated| dated.start_at()))
                .bind(new.dated.map(|dated| precision_name(dated.precision())))
                .bind(&new.original)
                .bind(new.created_at)
                .fetch_one(&mut *tx)
                .await
                .map_err(StoreError::from);
        let row = match inserted {
            Err(error) if error.is_dangling() => return Err(StoreError::Missing("knowledge base")),
            other => other?,
        };
        sqlx::query("select pg_notify($1, $2)")
            .bind(Channel::Documents.name())
            .bind(new.id.to_string())
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        row.try_into()
    }

    /// A document of the base, also a deleted one.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find_document(&self, kb_id: KbId, id: DocumentId) -> Result<Option<Document>, StoreError> {
        let row: Option<DocumentRow> = sqlx::query_as(
            "select id, kb_id, filename, media_type, dated_at, dated_precision, size_bytes, state, reason,
                    chunk_count, char_count, created_at, deleted_at
             from documents where id = $1 and kb_id = $2",
        )
        .bind(id.as_uuid())
        .bind(kb_id.as_uuid())
        .fetch_optional(&self.pool)
        .await?;
        row.map(TryInto::try_into).transpose()
    }

    /// The documents of the base that are not deleted, newest first: at most `limit`, from the one before `before`.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_documents(
        &self,
        kb_id: KbId,
        limit: u32,
        before: Option<DocumentId>,
    ) -> Result<Vec<Document>, StoreError> {
        let rows: Vec<DocumentRow> = sqlx::query_as(
            "select id, kb_id, filename, media_type, dated_at, dated_precision, size_bytes, state, reason,
                    chunk_count, char_count, created_at, deleted_at
             from documents
             where kb_id = $1 and deleted_at is null and ($2::uuid is null or id < $2)
             order by id desc limit $3",
        )
        .bind(kb_id.as_uuid())
        .bind(before.map(|id| id.as_uuid()))
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(TryInto::try_into).collect()
    }

    /// How many documents the base has, deleted ones not counted.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn count_documents(&self, kb_id: KbId) -> Result<u64, StoreError> {
        let count: i64 =
            sqlx::query_scalar("select count(*) from documents where kb_id = $1 and deleted_at is null")
                .bind(kb_id.as_uuid())
                .fetch_one(&self.pool)
                .await?;
        from_bigint(count, "the number of documents")
    }

    /// Takes a document out of every search of now; as of an earlier time it is still found. A worker that is reading
    /// it loses its claim. False when there is none, or it is deleted already.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn delete_document(
        &self,
        kb_id: KbId,
        id: DocumentId,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let mut tx = self.pool.begin().await?;
        let deleted = sqlx::query(
            "update documents set deleted_at = $3, lease_owner = null, lease_until = null
             where id = $1 and kb_id = $2 and deleted_at is null",
        )
        .bind(id.as_uuid())
        .bind(kb_id.as_uuid())
        .bind(now)
        .execute(&mut *tx)
        .await?;
        if deleted.rows_affected() == 0 {
            return Ok(false);
        }
        record_changes(&mut tx, kb_id, &[id.as_uuid()], now).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Removes a document for good, deleted before or not. False when there is none.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn purge_document(
        &self,
        kb_id: KbId,
        id: DocumentId,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let mut tx = self.pool.begin().await?;
        let purged = sqlx::query("delete from documents where id = $1 and kb_id = $2")
            .bind(id.as_uuid())
            .bind(kb_id.as_uuid())
            .execute(&mut *tx)
            .await?;
        if purged.rows_affected() == 0 {
            return Ok(false);
        }
        record_changes(&mut tx, kb_id, &[id.as_uuid()], now).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// The characters `from` up to, not including, `to` of a document's text, clipped to it. None when there is no such
    /// document or it is not ready. A deleted one is still read, because answers given before go on citing it;
    /// a purged one is gone.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find_document_text(
        &self,
        kb_id: KbId,
        id: DocumentId,
        from: u64,
        to: u64,
    ) -> Result<Option<DocumentText>, StoreError> {
        let row: Option<(String, String, i64, i64, i64)> =
            sqlx::query_as(include_str!("sql/find_document_text.sql"))
                .bind(id.as_uuid())
                .bind(kb_id.as_uuid())
                .bind(to_bigint(from))
                .bind(to_bigint(to))
                .fetch_optional(&self.pool)
                .await?;
        let Some((filename, text, from, to, characters)) = row else {
            return Ok(None);
        };
        Ok(Some(DocumentText {
            filename,
            text,
            from: from_bigint(from, "a span's start")?,
            to: from_bigint(to, "a span's end")?,
            characters: from_bigint(characters, "a document's length")?,
        }))
    }
}
