//! What model endpoints refused. The store keeps entries and settles who was first; what they mean is decided above.

use time::OffsetDateTime;

use crate::clean::text;
use crate::connect::Store;
use crate::error::StoreError;

/// Whose capabilities they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelIdentity {
    /// The base URL, normalised.
    pub base_url: String,
    /// The model's name there.
    pub model: String,
    /// Tells keys apart without holding one; empty without a key.
    pub credential: String,
    /// The version of the client that learns.
    pub adapter_version: i32,
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct StoredCapability {
    /// What it is about; one entry a kind.
    pub kind: String,
    /// What is sent because of it; `None` while nothing had to be given up.
    pub value: Option<String>,
    /// The class of the refusal.
    pub class: Option<String>,
    /// Its HTTP status.
    pub status: Option<i32>,
    /// `words` or `differential`.
    pub proof: Option<String>,
    /// The tools it holds for; `None` for any.
    pub tool_set: Option<String>,
    /// How often it was proved.
    pub hits: i32,
    /// Refusals since the last success.
    pub refused_in_a_row: i32,
    /// When it was first proved.
    pub first_seen_at: OffsetDateTime,
    /// When it was last proved or succeeded.
    pub last_seen_at: OffsetDateTime,
    /// Until when it holds.
    pub expires_at: Option<OffsetDateTime>,
    /// The last success.
    pub succeeded_at: Option<OffsetDateTime>,
    /// Until when somebody tries whether it still holds.
    pub probed_until: Option<OffsetDateTime>,
    /// Counts the changes; 0 for an entry that is not stored yet.
    pub version: i64,
}

impl Store {
    /// Every entry of a model, by kind.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_model_capabilities(
        &self,
        of: &ModelIdentity,
    ) -> Result<Vec<StoredCapability>, StoreError> {
        Ok(sqlx::query_as(
            "select kind, value, class, status, proof, tool_set, hits, refused_in_a_row, first_seen_at,
                    last_seen_at, expires_at, succeeded_at, probed_until, version
             from model_capabilities
             where base_url = $1 and model = $2 and credential = $3 and adapter_version = $4
             order by kind",
        )
        .bind(text(&of.base_url))
        .bind(text(&of.model))
        .bind(text(&of.credential))
        .bind(of.adapter_version)
        .fetch_all(&self.pool)
        .await?)
    }

    /// Keeps an entry, as the next version, when the stored one still has the version of this one (none is stored, for
    /// version 0). False when somebody else changed it first.
    ///
    /// # Errors
    /// When the database does not answer, and for a proof that is none.
    pub async fn save_model_capability(
        &self,
        of: &ModelIdentity,
        entry: &StoredCapability,
    ) -> Result<bool, StoreError> {
        let saved = sqlx::query(include_str!("sql/save_model_capability.sql"))
            .bind(text(&of.base_url))
            .bind(text(&of.model))
            .bind(text(&of.credential))
            .bind(of.adapter_version)
            .bind(text(&entry.kind))
            .bind(entry.value.as_deref().map(text))
            .bind(entry.class.as_deref().map(text))
            .bind(entry.status)
            .bind(&entry.proof)
            .bind(entry.tool_set.as_deref().map(text))
            .bind(entry.hits)
            .bind(entry.refused_in_a_row)
            .bind(entry.first_seen_at)
            .bind(entry.last_seen_at)
            .bind(entry.expires_at)
            .bind(entry.succeeded_at)
            .bind(entry.probed_until)
            .bind(entry.version)
            .execute(&self.pool)
            .await?;
        Ok(saved.rows_affected() == 1)
    }

    /// Forgets everything about a model, for a person who wants it tested again. Gives how many entries there were.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn delete_model_capabilities(&self, of: &ModelIdentity) -> Result<u64, StoreError> {
        Ok(sqlx::query(
            "delete from model_capabilities
             where base_url = $1 and model = $2 and credential = $3 and adapter_version = $4",
        )
        .bind(text(&of.base_url))
        .bind(text(&of.model))
        .bind(text(&of.credential))
        .bind(of.adapter_version)
        .execute(&self.pool)
        .await?
        .rows_affected())
    }
}
