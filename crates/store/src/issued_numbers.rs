//! Numbers of passages: `[n]` means the same passage in the whole conversation.

use attest_domain::{ChunkId, ConversationId};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::columns::{from_integer, to_integer};
use crate::connect::Store;
use crate::error::StoreError;

impl Store {
    /// The numbers issued in the conversation, in order.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_numbers(
        &self,
        conversation_id: ConversationId,
    ) -> Result<Vec<(u32, ChunkId)>, StoreError> {
        let rows: Vec<(i32, Uuid)> =
            sqlx::query_as("select n, chunk_id from issued_numbers where conversation_id = $1 order by n")
                .bind(conversation_id.as_uuid())
                .fetch_all(&self.pool)
                .await?;
        rows.into_iter().map(|(n, id)| Ok((from_integer(n, "a number")?, ChunkId::from_uuid(id)))).collect()
    }
}

/// Keeps newly issued numbers. One that was issued before stays what it is: an answer is worth more than the
/// number that contradicts it.
pub(crate) async fn insert_numbers(
    connection: &mut PgConnection,
    conversation_id: Uuid,
    numbers: &[(u32, ChunkId)],
) -> Result<(), StoreError> {
    if numbers.is_empty() {
        return Ok(());
    }
    let (ns, chunk_ids): (Vec<i32>, Vec<Uuid>) =
        numbers.iter().map(|(n, id)| (to_integer(*n), id.as_uuid())).unzip();
    sqlx::query(
        "insert into issued_numbers (conversation_id, n, chunk_id)
         select $1, pair.n, pair.chunk_id from unnest($2::integer[], $3::uuid[]) as pair (n, chunk_id)
         where pair.n > 0
         on conflict do nothing",
    )
    .bind(conversation_id)
    .bind(ns)
    .bind(chunk_ids)
    .execute(connection)
    .await?;
    Ok(())
}
