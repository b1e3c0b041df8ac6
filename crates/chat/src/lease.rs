//! Leases: a turn belongs to the process that keeps renewing it.

use std::collections::HashSet;

use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::service::ChatService;

impl ChatService {
    /// Renews the leases of the turns that run here until cancelled. A turn whose lease was taken ends for its
    /// readers and is not saved: its new owner has ended it.
    pub async fn run(self, cancel: CancellationToken) {
        let mut ticks = tokio::time::interval(self.0.options.renew_every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut away = false;
        loop {
            tokio::select! {
                () = cancel.cancelled() => return,
                _ = ticks.tick() => {}
            }
            let running = self.0.hub.running();
            if running.is_empty() {
                continue;
            }
            let ids: Vec<_> = running.iter().map(|(id, _)| *id).collect();
            match self.0.store.renew_leases(self.0.options.owner, &ids, self.0.options.lease).await {
                Ok(held) => {
                    away = false;
                    let held: HashSet<_> = held.into_iter().collect();
                    // One that has just been saved is not held either; nobody looks at its token any more.
                    for (_, entry) in running.iter().filter(|(id, _)| !held.contains(id)) {
                        entry.lost.cancel();
                    }
                }
                Err(error) if !away => {
                    away = true;
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "Leases cannot be renewed for now"
                    );
                }
                Err(_) => {}
            }
        }
    }
}
