//! Turns: a question and what was done to answer it.
//!
//! A turn runs while `ended_at` is null; a unique index allows one such turn a conversation. It belongs to the server
//! process `owner` for as long as its lease, which runs by the database's clock, is renewed.

pub(crate) mod begin;
pub(crate) mod finish;
mod leases;

use attest_domain::{ConversationId, KbId, MessageId, Principal, TurnId};
use attest_protocol::Frame;
use attest_protocol::frame::Usage;
use attest_protocol::view::TurnRecord;
use sqlx::types::Json;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::columns::from_bigint;
use crate::connect::Store;
use crate::error::StoreError;

/// A turn as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredTurn {
    /// Its id.
    pub id: TurnId,
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// The question.
    pub question_id: MessageId,
    /// The stored answer, unless a retry has replaced it.
    pub answer_id: Option<MessageId>,
    /// The server process that runs or ran it.
    pub owner: Uuid,
    /// True while it has not ended and its owner's lease is valid. Neither running nor ended: its owner is gone, and
    /// [`Store::end_expired_turns`] ends it.
    pub running: bool,
    /// What it did; kept when it ends, absent when its owner died.
    pub record: Option<TurnRecord>,
    /// Tokens over all requests.
    pub usage: Option<Usage>,
    /// The frame that ended it: `done` or `error`.
    pub terminal: Option<Frame>,
    /// The number of that frame; 0 until it has ended.
    pub terminal_seq: u64,
    /// When it began.
    pub started_at: OffsetDateTime,
    /// When it ended.
    pub ended_at: Option<OffsetDateTime>,
}

#[derive(sqlx::FromRow)]
struct TurnRow {
    id: Uuid,
    conversation_id: Uuid,
    question_id: Uuid,
    answer_id: Option<Uuid>,
    owner: Uuid,
    running: bool,
    record: Option<Json<TurnRecord>>,
    usage: Option<Json<Usage>>,
    terminal_event: Option<String>,
    terminal_data: Option<String>,
    terminal_seq: Option<i64>,
    started_at: OffsetDateTime,
    ended_at: Option<OffsetDateTime>,
}

impl TryFrom<TurnRow> for StoredTurn {
    type Error = StoreError;

    fn try_from(row: TurnRow) -> Result<Self, StoreError> {
        let terminal = match (row.terminal_event, row.terminal_data) {
            (Some(event), Some(data)) => {
                let frame = Frame::parse(&event, &data)
                    .map_err(|error| StoreError::Corrupt(format!("the end of turn {}: {error}", row.id)))?;
                Some(frame)
            }
            _ => None,
        };
        Ok(Self {
            id: TurnId::from_uuid(row.id),
            conversation_id: ConversationId::from_uuid(row.conversation_id),
            question_id: MessageId::from_uuid(row.question_id),
            answer_id: row.answer_id.map(MessageId::from_uuid),
            owner: row.owner,
            running: row.running,
            record: row.record.map(|json| json.0),
            usage: row.usage.map(|json| json.0),
            terminal,
            terminal_seq: from_bigint(row.terminal_seq.unwrap_or(0), "the number of a turn's last frame")?,
            started_at: row.started_at,
            ended_at: row.ended_at,
        })
    }
}

impl Store {
    /// The turn, when its conversation is in the base and the principal's.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find_turn(
        &self,
        kb_id: KbId,
        principal: &Principal,
        id: TurnId,
    ) -> Result<Option<StoredTurn>, StoreError> {
        let row: Option<TurnRow> = sqlx::query_as(concat!(
            include_str!("sql/select_turns.sql"),
            "where t.id = $1 and t.kb_id = $2 and t.principal_id = $3"
        ))
        .bind(id.as_uuid())
        .bind(kb_id.as_uuid())
        .bind(principal.id.as_uuid())
        .fetch_optional(&self.pool)
        .await?;
        row.map(TryInto::try_into).transpose()
    }

    /// The turn that began last in the conversation. Whose that is has been checked by who found the conversation.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find_last_turn(
        &self,
        conversation_id: ConversationId,
    ) -> Result<Option<StoredTurn>, StoreError> {
        let row: Option<TurnRow> = sqlx::query_as(concat!(
            include_str!("sql/select_turns.sql"),
            "where t.conversation_id = $1 order by t.seq desc limit 1"
        ))
        .bind(conversation_id.as_uuid())
        .fetch_optional(&self.pool)
        .await?;
        row.map(TryInto::try_into).transpose()
    }
}
