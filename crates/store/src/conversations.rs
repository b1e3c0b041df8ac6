//! Conversations. Each belongs to one principal; for everyone else it does not exist.

use attest_domain::{ConversationId, KbId, Principal, PrincipalId, TurnId};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::clean::text;
use crate::connect::Store;
use crate::error::{StoreError, carries_database_errors};

/// A conversation without its messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredConversation {
    /// Its id.
    pub id: ConversationId,
    /// Its base.
    pub kb_id: KbId,
    /// Its owner.
    pub principal_id: PrincipalId,
    /// Its title.
    pub title: String,
    /// The turn that runs in it and whose server is alive.
    pub running_turn_id: Option<TurnId>,
    /// When it began.
    pub created_at: OffsetDateTime,
    /// When a turn last began or ended.
    pub updated_at: OffsetDateTime,
}

/// Why a conversation was not deleted.
#[derive(Debug, thiserror::Error)]
pub enum DeleteConversationError {
    /// A turn runs in it.
    #[error("a turn is running in the conversation")]
    Running(TurnId),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
carries_database_errors!(DeleteConversationError);

#[derive(sqlx::FromRow)]
struct ConversationRow {
    id: Uuid,
    kb_id: Uuid,
    principal_id: Uuid,
    title: String,
    running_turn_id: Option<Uuid>,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
}

impl From<ConversationRow> for StoredConversation {
    fn from(row: ConversationRow) -> Self {
        Self {
            id: ConversationId::from_uuid(row.id),
            kb_id: KbId::from_uuid(row.kb_id),
            principal_id: PrincipalId::from_uuid(row.principal_id),
            title: row.title,
            running_turn_id: row.running_turn_id.map(TurnId::from_uuid),
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

impl Store {
    /// The principal's conversations in the base, last changed first: at most `limit`, from the one before `before`.
    /// With `q`, those whose title contains it, in either case.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_conversations(
        &self,
        kb_id: KbId,
        principal: &Principal,
        q: Option<&str>,
        limit: u32,
        before: Option<(OffsetDateTime, ConversationId)>,
    ) -> Result<Vec<StoredConversation>, StoreError> {
        let rows: Vec<ConversationRow> = sqlx::query_as(include_str!("sql/list_conversations.sql"))
            .bind(kb_id.as_uuid())
            .bind(principal.id.as_uuid())
            .bind(q.map(like_pattern))
            .bind(before.map(|(updated_at, _)| updated_at))
            .bind(before.map(|(_, id)| id.as_uuid()))
            .bind(i64::from(limit))
            .fetch_all(&self.pool)
            .await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    /// The conversation, when it is in the base and the principal's.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find_conversation(
        &self,
        kb_id: KbId,
        principal: &Principal,
        id: ConversationId,
    ) -> Result<Option<StoredConversation>, StoreError> {
        let row: Option<ConversationRow> = sqlx::query_as(
            "select c.id, c.kb_id, c.principal_id, c.title, t.id as running_turn_id, c.created_at, c.updated_at
             from conversations c
             left join turns t
               on t.conversation_id = c.id and t.ended_at is null and t.lease_until > clock_timestamp()
             where c.id = $1 and c.kb_id = $2 and c.principal_id = $3",
        )
        .bind(id.as_uuid())
        .bind(kb_id.as_uuid())
        .bind(principal.id.as_uuid())
        .fetch_optional(&self.pool)
        .await?;
        Ok(row.map(Into::into))
    }

    /// Changes the title; the place in the list stays. False when there is no such conversation of the principal.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn rename_conversation(
        &self,
        kb_id: KbId,
        principal: &Principal,
        id: ConversationId,
        title: &str,
    ) -> Result<bool, StoreError> {
        let renamed = sqlx::query(
            "update conversations set title = $4 where id = $1 and kb_id = $2 and principal_id = $3",
        )
        .bind(id.as_uuid())
        .bind(kb_id.as_uuid())
        .bind(principal.id.as_uuid())
        .bind(text(title))
        .execute(&self.pool)
        .await?;
        Ok(renamed.rows_affected() == 1)
    }

    /// Deletes the conversation with everything in it. False when there is no such conversation of the principal.
    ///
    /// # Errors
    /// [`DeleteConversationError::Running`] while a turn runs whose server is alive.
    pub async fn delete_conversation(
        &self,
        kb_id: KbId,
        principal: &Principal,
        id: ConversationId,
    ) -> Result<bool, DeleteConversationError> {
        let mut tx = self.pool.begin().await?;
        if lock_conversation(&mut tx, kb_id, principal.id, id).await?.is_none() {
            return Ok(false);
        }
        let running: Option<Uuid> = sqlx::query_scalar(
            "select id from turns
             where conversation_id = $1 and ended_at is null and lease_until > clock_timestamp()",
        )
        .bind(id.as_uuid())
        .fetch_optional(&mut *tx)
        .await?;
        if let Some(turn_id) = running {
            return Err(DeleteConversationError::Running(TurnId::from_uuid(turn_id)));
        }
        sqlx::query("delete from conversations where id = $1").bind(id.as_uuid()).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(true)
    }
}

/// Locks the owner's conversation until the transaction ends and gives its title.
pub(crate) async fn lock_conversation(
    connection: &mut PgConnection,
    kb_id: KbId,
    principal_id: PrincipalId,
    id: ConversationId,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar(
        "select title from conversations where id = $1 and kb_id = $2 and principal_id = $3 for update",
    )
    .bind(id.as_uuid())
    .bind(kb_id.as_uuid())
    .bind(principal_id.as_uuid())
    .fetch_optional(connection)
    .await
}

/// Anything that contains `q`; its wildcards stand for themselves.
fn like_pattern(q: &str) -> String {
    let mut pattern = String::with_capacity(q.len() + 2);
    pattern.push('%');
    for c in text(q).chars() {
        if matches!(c, '\\' | '%' | '_') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use super::like_pattern;

    #[test]
    fn wildcards_in_a_query_stand_for_themselves() {
        assert_eq!(like_pattern(r"100%_\ a"), r"%100\%\_\\ a%");
    }
}
