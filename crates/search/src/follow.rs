//! Keeping up with the store.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use attest_domain::DocumentId;
use attest_store::{ChangeListener, Channel, IndexCursor, IndexEntry, StoreError};
use tokio_util::sync::CancellationToken;

use crate::disk::Writing;
use crate::error::SearchError;
use crate::index::{SearchIndex, WriterSlot};
use crate::schema;

/// Changes read from the store at once.
const BATCH_CHANGES: u32 = 200;

/// Passages after which a batch is committed before its changes are all read: bounds memory, not size.
const BATCH_CHUNKS: usize = 20_000;

/// The net under lost notifications.
const POLL_EVERY: Duration = Duration::from_secs(1);

/// The longest pause between attempts while the database is away.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Changes, and everything they lead to.
struct Batch {
    documents: Vec<(DocumentId, Vec<IndexEntry>)>,
    changes: usize,
    cursor: IndexCursor,
}

impl SearchIndex {
    /// Applies every change the store has, commits after each batch, and shows the result to searches. Answers the
    /// number of changes applied.
    ///
    /// # Errors
    /// The store or the index failed; what was committed stays, and the next call goes on from there.
    pub async fn catch_up(&self) -> Result<usize, SearchError> {
        // Held until the end: reading changes and committing them must not interleave with another caller's.
        let mut slot = self.inner.writer.clone().lock_owned().await;
        let mut applied = 0;
        loop {
            if slot.is_none() {
                slot = self.reopen(slot).await?;
            }
            let Some(cursor) = slot.as_ref().map(|writing| writing.cursor) else { return Ok(applied) };
            let Some(batch) = self.read_batch(cursor).await? else { break };
            applied += batch.changes;
            let (back, result) = tokio::task::spawn_blocking(move || {
                let result = slot.as_mut().map_or(Ok(()), |writing| apply(writing, batch));
                if result.is_err() {
                    // Uncommitted writes are lost with the writer; the next call checks the index and goes on.
                    *slot = None;
                }
                (slot, result)
            })
            .await?;
            slot = back;
            result?;
            if let Some(writing) = slot.as_ref() {
                self.inner.note_reached(writing.cursor);
            }
        }
        self.inner.caught_up.store(true, Ordering::Release);
        Ok(applied)
    }

    /// Keeps the index up to date until cancelled: at each [`nudge`](Self::nudge), at each notification of the
    /// database, and every second in case one was lost. A database that is away is waited for.
    pub async fn follow(self, cancel: CancellationToken) {
        let mut listener = None;
        let mut failures = 0_u32;
        while !cancel.is_cancelled() {
            match self.step(&mut listener).await {
                Ok(()) => {
                    if failures > 0 {
                        tracing::info!(attempts = failures, "the search index is up to date again");
                    }
                    failures = 0;
                }
                Err(error) => {
                    failures = failures.saturating_add(1);
                    listener = None;
                    if failures == 1 {
                        tracing::warn!(
                            error = &error as &dyn std::error::Error,
                            "the search index cannot follow the database for now and keeps trying"
                        );
                    }
                }
            }
            let wait = async {
                match listener.as_mut() {
                    Some(listener) if failures == 0 => {
                        tokio::select! {
                            () = self.inner.nudge.notified() => Ok(()),
                            changed = listener.changed() => changed,
                            () = tokio::time::sleep(POLL_EVERY) => Ok(()),
                        }
                    }
                    _ => {
                        tokio::time::sleep(pause_after(failures)).await;
                        Ok(())
                    }
                }
            };
            let heard: Option<Result<(), StoreError>> = tokio::select! {
                heard = wait => Some(heard),
                () = cancel.cancelled() => None,
            };
            if matches!(heard, Some(Err(_))) {
                listener = None;
            }
        }
    }

    /// Listens first and reads then, so that no change falls between the two.
    async fn step(&self, listener: &mut Option<ChangeListener>) -> Result<(), SearchError> {
        if listener.is_none() {
            *listener = Some(self.inner.store.listen(Channel::Index).await?);
        }
        self.catch_up().await?;
        Ok(())
    }

    async fn reopen(&self, mut slot: WriterSlot) -> Result<WriterSlot, SearchError> {
        let epoch = self.inner.store.index_epoch().await?;
        let inner = self.inner.clone();
        let (slot, result) = tokio::task::spawn_blocking(move || {
            let result = inner.folder.open(epoch).map(|writing| {
                inner.show(&writing);
                *slot = Some(writing);
            });
            (slot, result)
        })
        .await?;
        result?;
        Ok(slot)
    }

    async fn read_batch(&self, after: IndexCursor) -> Result<Option<Batch>, SearchError> {
        let store = &self.inner.store;
        let changes = store.list_index_changes(after, BATCH_CHANGES).await?;
        let mut batch = Batch { documents: Vec::new(), changes: 0, cursor: after };
        let mut seen = HashSet::new();
        let mut chunks = 0;
        for change in changes {
            // A document that changed twice is read once: what is read now is at least as new as both changes.
            if seen.insert(change.document_id) {
                let entries = store.list_index_entries(change.document_id).await?;
                chunks += entries.len();
                batch.documents.push((change.document_id, entries));
            }
            batch.changes += 1;
            batch.cursor = change.cursor;
            if chunks >= BATCH_CHUNKS {
                break;
            }
        }
        Ok((batch.changes > 0).then_some(batch))
    }
}

fn apply(writing: &mut Writing, batch: Batch) -> Result<(), SearchError> {
    for (document_id, entries) in batch.documents {
        writing.writer.delete_term(schema::id_term(writing.fields.document_id, document_id.as_uuid()));
        for entry in entries {
            writing.writer.add_document(schema::to_document(&writing.fields, &entry))?;
        }
    }
    writing.commit(batch.cursor)?;
    Ok(())
}

fn pause_after(failures: u32) -> Duration {
    Duration::from_millis(250).saturating_mul(1 << failures.min(8)).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_ten_seconds() {
        let pauses: Vec<_> = [1, 2, 3, 6, 60].map(|n| pause_after(n).as_millis()).into();
        assert_eq!(pauses, [500, 1_000, 2_000, 10_000, 10_000]);
    }
}
