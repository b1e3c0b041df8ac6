//! Knowledge bases.

use attest_domain::{KbId, KnowledgeBase, Principal};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::clean::text;
use crate::connect::Store;
use crate::error::{StoreError, carries_database_errors};
use crate::index_log::record_changes;

/// Why a base was not made.
#[derive(Debug, thiserror::Error)]
pub enum CreateKbError {
    /// Another base has this slug.
    #[error("another knowledge base is called so")]
    NameTaken,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
carries_database_errors!(CreateKbError);

#[derive(sqlx::FromRow)]
struct KbRow {
    id: Uuid,
    slug: String,
    name: String,
    created_at: OffsetDateTime,
}

impl From<KbRow> for KnowledgeBase {
    fn from(row: KbRow) -> Self {
        Self { id: KbId::from_uuid(row.id), slug: row.slug, name: row.name, created_at: row.created_at }
    }
}

impl Store {
    /// The base `default`, made when it is missing.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn ensure_default_kb(&self, now: OffsetDateTime) -> Result<KnowledgeBase, StoreError> {
        sqlx::query(
            "insert into kbs (id, slug, name, created_at) values ($1, 'default', 'Default', $2)
             on conflict (slug) do nothing",
        )
        .bind(KbId::new().as_uuid())
        .bind(now)
        .execute(&self.pool)
        .await?;
        let row: KbRow = sqlx::query_as("select id, slug, name, created_at from kbs where slug = 'default'")
            .fetch_one(&self.pool)
            .await?;
        Ok(row.into())
    }

    /// The base with this id or slug, when the principal may see it. Today everyone may see every base.
    /// An id wins over a slug that looks like it.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find_kb(
        &self,
        id_or_slug: &str,
        _principal: &Principal,
    ) -> Result<Option<KnowledgeBase>, StoreError> {
        let id = id_or_slug.parse::<KbId>().ok().map(|id| id.as_uuid());
        let row: Option<KbRow> = sqlx::query_as(
            "select id, slug, name, created_at from kbs where id = $1 or slug = $2
             order by (id = $1) desc nulls last limit 1",
        )
        .bind(id)
        .bind(text(id_or_slug))
        .fetch_optional(&self.pool)
        .await?;
        Ok(row.map(Into::into))
    }

    /// Every base the principal may see, oldest first.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_kbs(&self, _principal: &Principal) -> Result<Vec<KnowledgeBase>, StoreError> {
        let rows: Vec<KbRow> =
            sqlx::query_as("select id, slug, name, created_at from kbs order by created_at, id")
                .fetch_all(&self.pool)
                .await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    /// Makes a base.
    ///
    /// # Errors
    /// [`CreateKbError::NameTaken`] when its slug is in use.
    pub async fn create_kb(&self, kb: &KnowledgeBase) -> Result<(), CreateKbError> {
        let made = sqlx::query("insert into kbs (id, slug, name, created_at) values ($1, $2, $3, $4)")
            .bind(kb.id.as_uuid())
            .bind(text(&kb.slug))
            .bind(text(&kb.name))
            .bind(kb.created_at)
            .execute(&self.pool)
            .await
            .map_err(StoreError::from);
        match made {
            Ok(_) => Ok(()),
            Err(error) if error.is_conflict_on("kbs_slug_unique") => Err(CreateKbError::NameTaken),
            Err(error) => Err(error.into()),
        }
    }

    /// Changes the name for people. False when there is no such base.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn rename_kb(&self, id: KbId, name: &str) -> Result<bool, StoreError> {
        let renamed = sqlx::query("update kbs set name = $2 where id = $1")
            .bind(id.as_uuid())
            .bind(text(name))
            .execute(&self.pool)
            .await?;
        Ok(renamed.rows_affected() == 1)
    }

    /// Removes a base for good, with its documents and conversations; a turn that runs in one of them can no longer
    /// be saved. False when there is no such base. Whether it may be deleted is for the caller to know.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn delete_kb(&self, id: KbId, now: OffsetDateTime) -> Result<bool, StoreError> {
        let mut tx = self.pool.begin().await?;
        // The lock keeps new documents out between the list and the delete.
        let kb: Option<Uuid> = sqlx::query_scalar("select id from kbs where id = $1 for update")
            .bind(id.as_uuid())
            .fetch_optional(&mut *tx)
            .await?;
        if kb.is_none() {
            return Ok(false);
        }
        let documents: Vec<Uuid> = sqlx::query_scalar("select id from documents where kb_id = $1")
            .bind(id.as_uuid())
            .fetch_all(&mut *tx)
            .await?;
        sqlx::query("delete from kbs where id = $1").bind(id.as_uuid()).execute(&mut *tx).await?;
        record_changes(&mut tx, id, &documents, now).await?;
        tx.commit().await?;
        Ok(true)
    }
}
