//! The turns of this process: those that run, and those that ended a moment ago.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use attest_agent::TurnLog;
use attest_domain::{ConversationId, TurnId};
use tokio_util::sync::CancellationToken;

use crate::live::LiveTurn;

/// A turn of this process.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) conversation_id: ConversationId,
    pub(crate) live: Arc<LiveTurn>,
    pub(crate) log: Arc<TurnLog>,
    /// A person wants it stopped.
    pub(crate) stop: CancellationToken,
    /// Its lease is gone: somebody else may have ended it.
    pub(crate) lost: CancellationToken,
}

/// Turns by id. A conversation has few at a time: one that runs and perhaps some that ended a moment ago.
#[derive(Default)]
pub(crate) struct Hub(Mutex<HashMap<TurnId, Entry>>);

impl Hub {
    fn turns(&self) -> MutexGuard<'_, HashMap<TurnId, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn insert(&self, turn_id: TurnId, entry: Entry) {
        self.turns().insert(turn_id, entry);
    }

    pub(crate) fn remove(&self, turn_id: TurnId) {
        self.turns().remove(&turn_id);
    }

    /// The turn, if it belongs to the conversation.
    pub(crate) fn find(&self, conversation_id: ConversationId, turn_id: TurnId) -> Option<Entry> {
        self.turns().get(&turn_id).filter(|entry| entry.conversation_id == conversation_id).cloned()
    }

    /// The turns that have not ended.
    pub(crate) fn running(&self) -> Vec<(TurnId, Entry)> {
        self.turns().iter().filter(|(_, e)| !e.live.has_ended()).map(|(id, e)| (*id, e.clone())).collect()
    }
}
