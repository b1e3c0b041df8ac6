//! A line in the log for the end of every chat request, so that it can be seen when a reader has left.

use tokio::time::Instant;

/// Lives as long as the request and its reply; the reply's end, or the reader's, drops it.
#[derive(Debug)]
pub(super) struct Watch {
    started_at: Instant,
    events: u64,
    complete: bool,
}

impl Watch {
    pub(super) fn start() -> Self {
        Self { started_at: Instant::now(), events: 0, complete: false }
    }

    /// One more event, or part of a body, has been handed to the connection.
    pub(super) fn note_event(&mut self) {
        self.events += 1;
    }

    /// The reply has been handed over to its end, a refusal included.
    pub(super) fn note_complete(&mut self) {
        self.complete = true;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let duration_ms = u64::try_from(self.started_at.elapsed().as_millis()).unwrap_or(u64::MAX);
        if self.complete {
            tracing::debug!(
                reply.events = self.events,
                duration_ms,
                "A reply of the offline model has ended"
            );
        } else {
            tracing::info!(
                reply.events = self.events,
                duration_ms,
                "A reply of the offline model was closed before its end"
            );
        }
    }
}
