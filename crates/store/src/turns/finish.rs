//! Ending a turn: the answer, the terminal frame and the numbers are one transaction, and only the turn's owner
//! can make it.

use attest_domain::{ChunkId, MessageId, TurnId};
use attest_protocol::Frame;
use attest_protocol::exchange::{ResolvedEntity, ToolExchange};
use attest_protocol::frame::{Evidence, Finish, Source, Step, Usage};
use attest_protocol::view::TurnRecord;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::clean::{Jsonb, text, without_nul_escapes};
use crate::columns::{finish_name, to_bigint};
use crate::connect::Store;
use crate::error::{StoreError, carries_database_errors};
use crate::issued_numbers::insert_numbers;

/// What a turn came to.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishTurn {
    /// The turn.
    pub turn_id: TurnId,
    /// The process that runs it.
    pub owner: Uuid,
    /// The answer; none when nothing was shown.
    pub answer: Option<NewAnswer>,
    /// The partial answer that it replaces, from `begin_turn`. Without an answer it stays.
    pub replaces: Option<MessageId>,
    /// The frame that ends it: `done` or `error`.
    pub terminal: Frame,
    /// Its number.
    pub terminal_seq: u64,
    /// What the turn did.
    pub record: TurnRecord,
    /// Tokens over all requests.
    pub usage: Option<Usage>,
    /// Numbers issued in it. Repeating those issued before is allowed.
    pub numbers: Vec<(u32, ChunkId)>,
    /// Now.
    pub now: OffsetDateTime,
}

/// An answer to store.
#[derive(Clone, Debug, PartialEq)]
pub struct NewAnswer {
    /// Its id.
    pub id: MessageId,
    /// Its text.
    pub content: String,
    /// How it ended.
    pub finish: Finish,
    /// What it cost.
    pub usage: Option<Usage>,
    /// What it rests on.
    pub evidence: Option<Evidence>,
    /// Its steps.
    pub steps: Vec<Step>,
    /// Its sources.
    pub sources: Vec<Source>,
    /// The entities that its turn settled on.
    pub resolved: Vec<ResolvedEntity>,
    /// The calls and results of its turn.
    pub tool_exchange: ToolExchange,
}

/// Why a turn was not finished. Nothing was stored.
#[derive(Debug, thiserror::Error)]
pub enum FinishError {
    /// The turn was ended by someone else, or is gone.
    #[error("the turn belongs to another process or has ended")]
    LeaseLost,
    /// The store failed. The same call may be made again: if it was kept after all, it says so.
    #[error(transparent)]
    Store(#[from] StoreError),
}
carries_database_errors!(FinishError);

impl Store {
    /// Ends a turn. Repeating a call that was kept, because its outcome was lost on the way, succeeds and changes
    /// nothing. A lease that has expired is no obstacle while nobody else has ended the turn.
    ///
    /// # Errors
    /// [`FinishError::LeaseLost`] when the turn has another owner or another end.
    pub async fn finish_turn(&self, finish: &FinishTurn) -> Result<(), FinishError> {
        if !finish.terminal.is_terminal() {
            let event = finish.terminal.event();
            return Err(StoreError::Corrupt(format!("a turn cannot end with the frame {event:?}")).into());
        }
        let data = finish.terminal.data().map_err(|error| StoreError::Corrupt(error.to_string()))?;
        let data = without_nul_escapes(&data);
        let mut tx = self.pool.begin().await?;
        let conversation_id = match grip(&mut tx, finish, &data).await? {
            Held::Running(conversation_id) => conversation_id,
            Held::FinishedBefore => return Ok(()),
        };
        if let Some(answer) = &finish.answer {
            if let Some(replaced) = finish.replaces {
                sqlx::query(
                    "delete from messages where id = $1 and conversation_id = $2 and role = 'assistant'",
                )
                .bind(replaced.as_uuid())
                .bind(conversation_id)
                .execute(&mut *tx)
                .await?;
            }
            insert_answer(&mut tx, finish, answer, conversation_id).await?;
        }
        sqlx::query(include_str!("../sql/end_turn.sql"))
            .bind(finish.turn_id.as_uuid())
            .bind(finish.now)
            .bind(finish.answer.as_ref().map(|answer| answer.id.as_uuid()))
            .bind(finish.terminal.event())
            .bind(&data)
            .bind(to_bigint(finish.terminal_seq))
            .bind(Jsonb(&finish.record))
            .bind(finish.usage.as_ref().map(Jsonb))
            .execute(&mut *tx)
            .await?;
        insert_numbers(&mut tx, conversation_id, &finish.numbers).await?;
        sqlx::query("update conversations set updated_at = greatest(updated_at, $2) where id = $1")
            .bind(conversation_id)
            .bind(finish.now)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(())
    }
}

enum Held {
    Running(Uuid),
    FinishedBefore,
}

/// Locks the conversation, then the turn, and checks that the turn is ours to end.
async fn grip(connection: &mut PgConnection, finish: &FinishTurn, data: &str) -> Result<Held, FinishError> {
    let conversation_id: Option<Uuid> = sqlx::query_scalar(
        "select id from conversations
         where id = (select conversation_id from turns where id = $1) for update",
    )
    .bind(finish.turn_id.as_uuid())
    .fetch_optional(&mut *connection)
    .await?;
    let conversation_id = conversation_id.ok_or(FinishError::LeaseLost)?;
    let state: Option<(bool, bool)> = sqlx::query_as(
        "select ended_at is null,
                coalesce(terminal_event = $3 and terminal_data = $4::jsonb and terminal_seq = $5, false)
         from turns where id = $1 and owner = $2 for update",
    )
    .bind(finish.turn_id.as_uuid())
    .bind(finish.owner)
    .bind(finish.terminal.event())
    .bind(data)
    .bind(to_bigint(finish.terminal_seq))
    .fetch_optional(connection)
    .await?;
    match state {
        Some((true, _)) => Ok(Held::Running(conversation_id)),
        Some((false, true)) => Ok(Held::FinishedBefore),
        Some((false, false)) | None => Err(FinishError::LeaseLost),
    }
}

async fn insert_answer(
    connection: &mut PgConnection,
    finish: &FinishTurn,
    answer: &NewAnswer,
    conversation_id: Uuid,
) -> Result<(), FinishError> {
    sqlx::query(include_str!("../sql/insert_answer.sql"))
        .bind(answer.id.as_uuid())
        .bind(conversation_id)
        .bind(finish.turn_id.as_uuid())
        .bind(text(&answer.content))
        .bind(finish_name(answer.finish))
        .bind(answer.usage.as_ref().map(Jsonb))
        .bind(answer.evidence.as_ref().map(Jsonb))
        .bind(Jsonb(&answer.steps))
        .bind(Jsonb(&answer.sources))
        .bind(Jsonb(&answer.resolved))
        .bind(Jsonb(&answer.tool_exchange))
        .bind(finish.now)
        .execute(connection)
        .await?;
    Ok(())
}
