//! The service and what it is made of.

use std::sync::Arc;
use std::time::Duration;

use attest_agent::Agent;
use attest_domain::Clock;
use attest_store::Store;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::hub::Hub;

/// How turns are run.
#[derive(Clone, Debug)]
pub struct ChatOptions {
    /// This process, in the leases of its turns.
    pub owner: Uuid,
    /// How long a turn belongs to a process that says nothing. 10 s.
    pub lease: Duration,
    /// How often leases are renewed; less than a third of `lease`. 3 s.
    pub renew_every: Duration,
    /// How long a turn stays in memory after its end. 60 s.
    pub keep_ended: Duration,
    /// Messages before the question that the model sees. 20.
    pub history_messages: u32,
    /// The most characters of a question.
    pub max_message_characters: usize,
    /// The most turns at once in this process.
    pub max_running_turns: usize,
    /// How long a finished answer waits for a database that is away. 60 s.
    pub save_patience: Duration,
}

impl Default for ChatOptions {
    fn default() -> Self {
        Self {
            owner: Uuid::now_v7(),
            lease: Duration::from_secs(10),
            renew_every: Duration::from_secs(3),
            keep_ended: Duration::from_secs(60),
            history_messages: 20,
            max_message_characters: 32_000,
            max_running_turns: 1_000,
            save_patience: Duration::from_secs(60),
        }
    }
}

/// Admits turns, follows them, stops them. Cheap to clone.
#[derive(Clone)]
pub struct ChatService(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) store: Store,
    pub(crate) agent: Option<Agent>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) options: ChatOptions,
    pub(crate) hub: Hub,
    /// One permit for each turn that may run.
    pub(crate) permits: Arc<Semaphore>,
    /// No turn is admitted any more.
    pub(crate) draining: CancellationToken,
    /// Running turns end now.
    pub(crate) shutdown: CancellationToken,
}

impl ChatService {
    /// A service over a store; without an agent every question is refused with `no_chat_model`.
    #[must_use]
    pub fn new(store: Store, agent: Option<Agent>, clock: Arc<dyn Clock>, options: ChatOptions) -> Self {
        let permits = Arc::new(Semaphore::new(options.max_running_turns.min(Semaphore::MAX_PERMITS)));
        Self(Arc::new(Inner {
            store,
            agent,
            clock,
            options,
            hub: Hub::default(),
            permits,
            draining: CancellationToken::new(),
            shutdown: CancellationToken::new(),
        }))
    }

    /// Turns that run in this process.
    #[must_use]
    pub fn running_turns(&self) -> usize {
        self.0.options.max_running_turns.saturating_sub(self.0.permits.available_permits())
    }

    /// Refuses new turns, waits `grace` for those that run, then ends the rest as interrupted and waits until they
    /// are saved (at most as long as an answer waits for the database). Every reader gets its terminal frame.
    pub async fn drain(&self, grace: Duration) {
        self.0.draining.cancel();
        if tokio::time::timeout(grace, self.all_ended()).await.is_err() {
            tracing::warn!(
                turns = self.running_turns(),
                "Turns still run after the grace time; they end as interrupted"
            );
            self.0.shutdown.cancel();
            if tokio::time::timeout(self.0.options.save_patience, self.all_ended()).await.is_err() {
                tracing::error!(turns = self.running_turns(), "Turns could not be saved before the end");
            }
        }
        // Turns that have ended are not kept for readers any longer either.
        self.0.shutdown.cancel();
    }

    async fn all_ended(&self) {
        let all = u32::try_from(self.0.options.max_running_turns).unwrap_or(u32::MAX);
        // An error would mean a closed semaphore, and nobody closes it.
        let _ = self.0.permits.acquire_many(all).await;
    }
}
