//! The workers: claim a document, read it, keep what was read.

use std::time::{Duration, Instant};

use attest_domain::{Chunk, Document};
use attest_store::{Channel, ClaimError, ClaimedDocument, StoreError};
use time::OffsetDateTime;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::Intake;
use crate::chunk::{self, OutOfTime};
use crate::error::Refusal;
use crate::parse::find_format;

/// A document that was claimed this often and never finished takes its reader down with it.
const MAX_ATTEMPTS: u32 = 3;

/// What a claim lasts longer than reading may take: time to store a large document.
const LEASE_MARGIN: Duration = Duration::from_secs(120);

/// The net under lost notifications, and how soon after its lease a document of a dead worker is seen.
const POLL_EVERY: Duration = Duration::from_secs(5);

/// The pause after the database failed.
const PAUSE: Duration = Duration::from_secs(2);

/// What came of reading a document.
enum Reading {
    Done {
        text: String,
        chunks: Vec<Chunk>,
    },
    Failed {
        reason: String,
    },
    /// The server is stopping: the claim is left to run out.
    GivenUp,
}

impl Intake {
    /// Reads what is queued until cancelled. A document that is being read then is finished, or given up within
    /// moments if it is large; it is read again once its claim has run out.
    pub async fn run(self, cancel: CancellationToken) {
        let mut tasks = JoinSet::new();
        tasks.spawn_blocking(chunk::warm_up);
        tasks.spawn(self.clone().listen(cancel.clone()));
        for _ in 0..self.inner.options.workers.max(1) {
            tasks.spawn(self.clone().work(cancel.clone()));
        }
        while let Some(ended) = tasks.join_next().await {
            if let Err(error) = ended {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "a worker of the intake ended early"
                );
            }
        }
    }

    /// Wakes a worker when another process has queued a document.
    async fn listen(self, cancel: CancellationToken) {
        let heard = async {
            loop {
                if let Ok(mut listener) = self.inner.store.listen(Channel::Documents).await {
                    while listener.changed().await.is_ok() {
                        self.inner.queued.notify_one();
                    }
                }
                // Workers poll and complain while the database is away; here it is only waited for.
                tokio::time::sleep(PAUSE).await;
            }
        };
        tokio::select! {
            () = heard => {}
            () = cancel.cancelled() => {}
        }
    }

    async fn work(self, cancel: CancellationToken) {
        let owner = Uuid::new_v4();
        let mut failing = false;
        while !cancel.is_cancelled() {
            let pause = match self.read_next(owner, &cancel).await {
                Ok(true) => {
                    failing = false;
                    continue;
                }
                Ok(false) => {
                    failing = false;
                    POLL_EVERY
                }
                Err(error) => {
                    if !failing {
                        tracing::warn!(
                            error = &error as &dyn std::error::Error,
                            "the intake cannot reach its queue for now and keeps trying"
                        );
                    }
                    failing = true;
                    PAUSE
                }
            };
            tokio::select! {
                () = self.inner.queued.notified(), if !failing => {}
                () = tokio::time::sleep(pause) => {}
                () = cancel.cancelled() => {}
            }
        }
    }

    /// Reads the document that has waited longest. False when none waits.
    async fn read_next(&self, owner: Uuid, cancel: &CancellationToken) -> Result<bool, StoreError> {
        let lease = self.inner.options.read_timeout + LEASE_MARGIN;
        let Some(claimed) = self.inner.store.claim_document(owner, lease).await? else { return Ok(false) };
        // There may be more: one notification can stand for many documents.
        self.inner.queued.notify_one();
        let started = Instant::now();
        let document = claimed.document.clone();
        let kept = match self.read(claimed, cancel).await {
            Reading::Done { text, chunks } => {
                let now = OffsetDateTime::now_utc();
                let kept = self.inner.store.finish_document(document.id, owner, &text, &chunks, now).await;
                if kept.is_ok() {
                    self.inner.index.nudge();
                    tracing::debug!(
                        document.id = %document.id,
                        document.chunks = chunks.len(),
                        duration_ms = started.elapsed().as_millis() as u64,
                        "a document was read"
                    );
                }
                kept
            }
            Reading::Failed { reason } => {
                tracing::warn!(document.id = %document.id, reason, "a document could not be read");
                self.inner.store.fail_document(document.id, owner, &reason).await
            }
            Reading::GivenUp => return Ok(true),
        };
        match kept {
            Ok(()) => Ok(true),
            Err(ClaimError::ClaimLost) => {
                tracing::info!(document.id = %document.id, "a document was deleted or taken over while it was read");
                Ok(true)
            }
            Err(ClaimError::Store(error)) => Err(error),
        }
    }

    async fn read(&self, claimed: ClaimedDocument, cancel: &CancellationToken) -> Reading {
        if claimed.attempt > MAX_ATTEMPTS {
            return Reading::Failed {
                reason: format!(
                    "the server stopped {MAX_ATTEMPTS} times while it read the file: delete it and split it into smaller files"
                ),
            };
        }
        let limit = self.inner.options.read_timeout;
        let max_tokens = self.inner.options.chunk_tokens;
        let stopping = cancel.clone();
        let ClaimedDocument { document, original, .. } = claimed;
        let task = tokio::task::spawn_blocking(move || {
            let until = Instant::now() + limit;
            read_now(&document, &original, max_tokens, limit, &|| {
                stopping.is_cancelled() || Instant::now() >= until
            })
        });
        match task.await {
            Ok(Ok((text, chunks))) => Reading::Done { text, chunks },
            Ok(Err(Refusal::TooSlow { .. })) if cancel.is_cancelled() => Reading::GivenUp,
            Ok(Err(refusal)) => Reading::Failed { reason: format!("the file {refusal}") },
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "reading a document ended in a panic"
                );
                Reading::Failed {
                    reason: "the file could not be read because of a fault in the server".to_owned(),
                }
            }
        }
    }
}

fn read_now(
    document: &Document,
    original: &[u8],
    max_tokens: usize,
    limit: Duration,
    is_over: &dyn Fn() -> bool,
) -> Result<(String, Vec<Chunk>), Refusal> {
    let format = find_format(&document.filename)?;
    let parsed = (format.parse)(original)?;
    let chunks = chunk::cut(&parsed, document.id, max_tokens, is_over)
        .map_err(|OutOfTime| Refusal::TooSlow { seconds: limit.as_secs() })?;
    Ok((parsed.text, chunks))
}
