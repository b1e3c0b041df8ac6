//! The feed of the search index: which documents it has to look at again.
//!
//! A reader remembers the last number it saw. With a plain sequence it would miss entries: a transaction may take
//! number 5 and commit after number 6 was read. So entries are written under an advisory lock that is held until
//! commit, as the last thing a transaction does: numbers are given in the order of commits. (Holding entries back by
//! transaction id needs no lock, but then a long transaction in any database of the same server delays the index.)

use attest_domain::{ChunkId, DocumentId, KbId};
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::clean::text;
use crate::connect::Store;
use crate::error::StoreError;
use crate::listen::Channel;

/// The advisory lock under which the log is written: "attest", then 1.
const LOG_LOCK: i64 = 0x6174_7465_7374_0001;

/// How far a reader of the feed has come. The default is the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IndexCursor(i64);

/// A document to look at again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexChange {
    /// Where the feed goes on after it.
    pub cursor: IndexCursor,
    /// The base of the document.
    pub kb_id: KbId,
    /// The document. It may be gone.
    pub document_id: DocumentId,
}

/// One passage as the search index keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// The passage.
    pub chunk_id: ChunkId,
    /// Its base.
    pub kb_id: KbId,
    /// Its document.
    pub document_id: DocumentId,
    /// The headings above it, outermost first.
    pub heading_path: Vec<String>,
    /// Its text.
    pub text: String,
    /// The document's name.
    pub filename: String,
    /// Since when it is known.
    pub recorded_at: OffsetDateTime,
    /// When it left the searches of now.
    pub removed_at: Option<OffsetDateTime>,
}

#[derive(sqlx::FromRow)]
struct EntryRow {
    chunk_id: Uuid,
    kb_id: Uuid,
    document_id: Uuid,
    heading_path: Vec<String>,
    text: String,
    filename: String,
    recorded_at: OffsetDateTime,
    removed_at: Option<OffsetDateTime>,
}

impl From<EntryRow> for IndexEntry {
    fn from(row: EntryRow) -> Self {
        Self {
            chunk_id: ChunkId::from_uuid(row.chunk_id),
            kb_id: KbId::from_uuid(row.kb_id),
            document_id: DocumentId::from_uuid(row.document_id),
            heading_path: row.heading_path,
            text: row.text,
            filename: row.filename,
            recorded_at: row.recorded_at,
            removed_at: row.removed_at,
        }
    }
}

impl Store {
    /// The changes after `after`, in order; none that commits later is ever before one that was listed.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_index_changes(
        &self,
        after: IndexCursor,
        limit: u32,
    ) -> Result<Vec<IndexChange>, StoreError> {
        let rows: Vec<(i64, Uuid, Uuid)> = sqlx::query_as(
            "select seq, kb_id, document_id from index_log where seq > $1 order by seq limit $2",
        )
        .bind(after.0)
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        let changes = rows.into_iter().map(|(seq, kb_id, document_id)| IndexChange {
            cursor: IndexCursor(seq),
            kb_id: KbId::from_uuid(kb_id),
            document_id: DocumentId::from_uuid(document_id),
        });
        Ok(changes.collect())
    }

    /// The passages of a document for the index, in order; none when it is not ready or was purged.
    /// A deleted document is listed with the time of its deletion.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_index_entries(&self, document_id: DocumentId) -> Result<Vec<IndexEntry>, StoreError> {
        let rows: Vec<EntryRow> = sqlx::query_as(
            "select c.id as chunk_id, d.kb_id, c.document_id, c.heading_path, c.text, d.filename,
                    d.recorded_at, d.deleted_at as removed_at
             from chunks c join documents d on d.id = c.document_id
             where c.document_id = $1 and d.state = 'ready'
             order by c.ordinal",
        )
        .bind(document_id.as_uuid())
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }
}

/// Enters changed documents into the log. The last statements of a transaction: the lock is held until commit.
pub(crate) async fn record_changes(
    connection: &mut PgConnection,
    kb_id: KbId,
    document_ids: &[Uuid],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    if document_ids.is_empty() {
        return Ok(());
    }
    sqlx::query("select pg_notify($1, $2)")
        .bind(Channel::Index.name())
        .bind(text(&kb_id.to_string()))
        .execute(&mut *connection)
        .await?;
    sqlx::query("select pg_advisory_xact_lock($1)").bind(LOG_LOCK).execute(&mut *connection).await?;
    sqlx::query("insert into index_log (kb_id, document_id, recorded_at) select $1, unnest($2::uuid[]), $3")
        .bind(kb_id.as_uuid())
        .bind(document_ids)
        .bind(now)
        .execute(&mut *connection)
        .await?;
    Ok(())
}
