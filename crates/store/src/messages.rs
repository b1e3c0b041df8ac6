//! Messages: questions and answers, with what the next turn needs of them.

use attest_domain::{ConversationId, MessageId, TurnId};
use attest_protocol::exchange::{ResolvedEntity, ToolExchange};
use attest_protocol::frame::{ErrorFrame, Evidence, Finish, Source, Step, Usage};
use attest_protocol::view::Role;
use sqlx::types::Json;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::columns::{to_finish, to_role};
use crate::connect::Store;
use crate::error::StoreError;

/// A message with everything that is kept of it. `resolved` and `tool_exchange` never leave the server.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredMessage {
    /// Its id.
    pub id: MessageId,
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// The turn it belongs to; for a question that was retried, the last one.
    pub turn_id: TurnId,
    /// Who wrote it.
    pub role: Role,
    /// Its text.
    pub content: String,
    /// How an answer ended.
    pub finish: Option<Finish>,
    /// What an answer cost.
    pub usage: Option<Usage>,
    /// What an answer rests on.
    pub evidence: Option<Evidence>,
    /// The steps of an answer.
    pub steps: Vec<Step>,
    /// The sources of an answer.
    pub sources: Vec<Source>,
    /// The entities that its turn settled on.
    pub resolved: Vec<ResolvedEntity>,
    /// The calls and results of its turn.
    pub tool_exchange: ToolExchange,
    /// How its turn failed: on the partial answer, or on the question when the turn stored no answer.
    pub error: Option<ErrorFrame>,
    /// When it was stored.
    pub created_at: OffsetDateTime,
}

#[derive(sqlx::FromRow)]
struct MessageRow {
    id: Uuid,
    conversation_id: Uuid,
    turn_id: Uuid,
    role: String,
    content: String,
    finish: Option<String>,
    usage: Option<Json<Usage>>,
    evidence: Option<Json<Evidence>>,
    steps: Json<Vec<Step>>,
    sources: Json<Vec<Source>>,
    resolved: Json<Vec<ResolvedEntity>>,
    tool_exchange: Json<ToolExchange>,
    error: Option<Json<ErrorFrame>>,
    created_at: OffsetDateTime,
}

impl TryFrom<MessageRow> for StoredMessage {
    type Error = StoreError;

    fn try_from(row: MessageRow) -> Result<Self, StoreError> {
        Ok(Self {
            id: MessageId::from_uuid(row.id),
            conversation_id: ConversationId::from_uuid(row.conversation_id),
            turn_id: TurnId::from_uuid(row.turn_id),
            role: to_role(&row.role)?,
            content: row.content,
            finish: row.finish.as_deref().map(to_finish).transpose()?,
            usage: row.usage.map(|json| json.0),
            evidence: row.evidence.map(|json| json.0),
            steps: row.steps.0,
            sources: row.sources.0,
            resolved: row.resolved.0,
            tool_exchange: row.tool_exchange.0,
            error: row.error.map(|json| json.0),
            created_at: row.created_at,
        })
    }
}

impl Store {
    /// Every message of the conversation, oldest first. Whose it is has been checked by who found the conversation.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_messages(
        &self,
        conversation_id: ConversationId,
    ) -> Result<Vec<StoredMessage>, StoreError> {
        let rows: Vec<MessageRow> = sqlx::query_as(concat!(
            include_str!("sql/select_messages.sql"),
            "where m.conversation_id = $1 order by m.seq"
        ))
        .bind(conversation_id.as_uuid())
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(TryInto::try_into).collect()
    }

    /// The last `limit` messages before the message `before`, oldest first. Costs the same however long the
    /// conversation is. None when `before` is no message of the conversation.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_recent_messages(
        &self,
        conversation_id: ConversationId,
        before: MessageId,
        limit: u32,
    ) -> Result<Vec<StoredMessage>, StoreError> {
        let rows: Vec<MessageRow> = sqlx::query_as(concat!(
            include_str!("sql/select_messages.sql"),
            include_str!("sql/where_recent.sql")
        ))
        .bind(conversation_id.as_uuid())
        .bind(before.as_uuid())
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().rev().map(TryInto::try_into).collect()
    }

    /// A message. Whose it is has been checked by who found its turn or conversation.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find_message(&self, id: MessageId) -> Result<Option<StoredMessage>, StoreError> {
        let row: Option<MessageRow> =
            sqlx::query_as(concat!(include_str!("sql/select_messages.sql"), "where m.id = $1"))
                .bind(id.as_uuid())
                .fetch_optional(&self.pool)
                .await?;
        row.map(TryInto::try_into).transpose()
    }

    /// The entities that the conversation has settled on: the `limit` that were last in use, in the order in which they
    /// were first seen, each once and under the name it was first given.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_resolved(
        &self,
        conversation_id: ConversationId,
        limit: u32,
    ) -> Result<Vec<ResolvedEntity>, StoreError> {
        let entities: Vec<Json<ResolvedEntity>> = sqlx::query_scalar(include_str!("sql/list_resolved.sql"))
            .bind(conversation_id.as_uuid())
            .bind(i64::from(limit))
            .fetch_all(&self.pool)
            .await?;
        Ok(entities.into_iter().map(|json| json.0).collect())
    }
}
