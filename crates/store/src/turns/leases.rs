//! Leases: how long a turn's owner is taken to be alive, and ending the turns of those that are gone.

use std::time::Duration;

use attest_domain::TurnId;
use attest_protocol::code::ErrorCode;
use attest_protocol::frame::ErrorFrame;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::clean::Jsonb;
use crate::columns::to_seconds;
use crate::connect::Store;
use crate::error::StoreError;

/// The number of the frame that ends a turn whose owner is gone. How far its frames had come is lost with it, and a
/// number must never have two meanings: this one is beyond every frame of an answer of at most 1 MiB. A reader is
/// given a snapshot with the number before it, so no number is missing without one.
const LOST_TERMINAL_SEQ: i64 = 1 << 24;

/// Which turns may be taken from their owners.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Grip {
    /// Those whose lease has expired.
    Expired,
    /// All: no other process can be running one.
    Any,
}

impl Store {
    /// Renews the leases of turns that run and gives those that are still held. One that expired and that nobody took
    /// is held again.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn renew_leases(
        &self,
        owner: Uuid,
        turn_ids: &[TurnId],
        lease: Duration,
    ) -> Result<Vec<TurnId>, StoreError> {
        let ids: Vec<Uuid> = turn_ids.iter().map(TurnId::as_uuid).collect();
        let held: Vec<Uuid> = sqlx::query_scalar(
            "update turns set lease_until = clock_timestamp() + make_interval(secs => $3)
             where id = any($2) and owner = $1 and ended_at is null
             returning id",
        )
        .bind(owner)
        .bind(ids)
        .bind(to_seconds(lease))
        .fetch_all(&self.pool)
        .await?;
        Ok(held.into_iter().map(TurnId::from_uuid).collect())
    }

    /// Ends turns whose owner is gone, as `interrupted`: at most `limit`, longest lost first. Gives those it ended.
    ///
    /// # Errors
    /// When the database does not answer; turns ended before that stay ended.
    pub async fn end_expired_turns(
        &self,
        now: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<TurnId>, StoreError> {
        let candidates: Vec<Uuid> = sqlx::query_scalar(
            "select id from turns where ended_at is null and lease_until < clock_timestamp()
             order by lease_until limit $1",
        )
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        self.end_turns(candidates, Grip::Expired, now).await
    }

    /// Ends every turn that has not ended, whoever owns it, as `interrupted`. For a server that holds the lock of its
    /// data folder: no other process can be running one.
    ///
    /// # Errors
    /// When the database does not answer; turns ended before that stay ended.
    pub async fn end_all_running_turns(&self, now: OffsetDateTime) -> Result<Vec<TurnId>, StoreError> {
        let candidates: Vec<Uuid> =
            sqlx::query_scalar("select id from turns where ended_at is null order by lease_until")
                .fetch_all(&self.pool)
                .await?;
        self.end_turns(candidates, Grip::Any, now).await
    }

    async fn end_turns(
        &self,
        candidates: Vec<Uuid>,
        grip: Grip,
        now: OffsetDateTime,
    ) -> Result<Vec<TurnId>, StoreError> {
        let mut ended = Vec::new();
        for turn_id in candidates {
            let mut tx = self.pool.begin().await?;
            // The conversation before the turn, as everyone else.
            sqlx::query(
                "select from conversations
                 where id = (select conversation_id from turns where id = $1) for update",
            )
            .bind(turn_id)
            .execute(&mut *tx)
            .await?;
            if end_as_interrupted(&mut tx, turn_id, grip, now).await? {
                tx.commit().await?;
                ended.push(TurnId::from_uuid(turn_id));
            }
        }
        Ok(ended)
    }
}

/// Ends a turn whose owner is gone. The caller holds the lock of its conversation. False when its owner lives.
pub(super) async fn end_as_interrupted(
    connection: &mut PgConnection,
    turn_id: Uuid,
    grip: Grip,
    now: OffsetDateTime,
) -> Result<bool, StoreError> {
    let terminal = ErrorFrame {
        error: "The answer broke off because the server that was writing it is gone. Ask again.".to_owned(),
        code: ErrorCode::Interrupted,
        retryable: true,
        retry_after: None,
        answer_id: None,
    };
    let ended = sqlx::query(
        "update turns
         set ended_at = greatest(started_at, $2), terminal_event = 'error', terminal_data = $3, terminal_seq = $4
         where id = $1 and ended_at is null and ($5 or lease_until < clock_timestamp())",
    )
    .bind(turn_id)
    .bind(now)
    .bind(Jsonb(&terminal))
    .bind(LOST_TERMINAL_SEQ)
    .bind(grip == Grip::Any)
    .execute(connection)
    .await?;
    Ok(ended.rows_affected() == 1)
}
