//! What a turn keeps, readable at any time.

use std::sync::{Mutex, PoisonError};

use attest_domain::ChunkId;
use attest_protocol::exchange::{ResolvedEntity, ToolExchange};
use attest_protocol::frame::Usage;
use attest_protocol::view::TurnRecord;

/// What a turn has done so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnWork {
    /// Calls and results that are complete: a call without a result is not in it.
    pub exchange: ToolExchange,
    /// Entities it settled on.
    pub resolved: Vec<ResolvedEntity>,
    /// Citation numbers it issued.
    pub numbers: Vec<(u32, ChunkId)>,
    /// What it did, counted.
    pub record: TurnRecord,
    /// Tokens over all requests; `None` when no request said.
    pub usage: Option<Usage>,
}

/// The turn's own record of its work, never the library's. Shared between the agent, which writes, and the caller,
/// which reads it when the turn ends or is stopped.
#[derive(Debug, Default)]
pub struct TurnLog(Mutex<TurnWork>);

impl TurnLog {
    /// The work so far.
    #[must_use]
    pub fn work(&self) -> TurnWork {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes it. The lock is held for the closure alone, which must not wait.
    pub fn update<R>(&self, change: impl FnOnce(&mut TurnWork) -> R) -> R {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
