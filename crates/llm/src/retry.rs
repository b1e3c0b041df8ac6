//! Resends of the same request, before anything of the reply was handed out and never after.

use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use tokio::time::Instant;

use crate::chat::{ChatBackend, ChatRequest, ChatStream};
use crate::failure::{FailureClass, ModelFailure};

#[cfg(test)]
mod tests;

/// When the same request is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The most resends of one request.
    pub max_resends: u32,
    /// The wait before the first resend; it doubles with each further one. The real wait is between half of it and all.
    pub base_delay: Duration,
    /// The longest wait that is ours; an endpoint may ask for a longer one.
    pub max_delay: Duration,
    /// How long after the first attempt began a resend may still begin. A wait that would end later is not begun.
    pub deadline: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_resends: 2,
            base_delay: Duration::from_millis(500),
            max_delay: Duration::from_secs(8),
            deadline: Duration::from_secs(60),
        }
    }
}

impl RetryPolicy {
    /// The wait before the next resend; `None` when there is none. `jitter` is between 0 and 1.
    fn wait(&self, failure: &ModelFailure, resends: u32, elapsed: Duration, jitter: f64) -> Option<Duration> {
        let most = match failure.class {
            FailureClass::RateLimited | FailureClass::Unavailable => self.max_resends,
            // Whoever timed out would wait as long again.
            FailureClass::Unreachable if !failure.timed_out => self.max_resends,
            FailureClass::EmptyStream => self.max_resends.min(1),
            _ => 0,
        };
        if resends >= most {
            return None;
        }
        let backoff = self.base_delay.saturating_mul(2u32.saturating_pow(resends)).min(self.max_delay);
        let ours = backoff.mul_f64(0.5 + jitter.clamp(0.0, 1.0) / 2.0);
        let wait = match failure.retry_after_seconds {
            // The same jitter on top, so that many clients do not come back in one instant.
            Some(asked) => Duration::from_secs(asked).saturating_add(ours.min(self.base_delay)),
            None => ours,
        };
        (elapsed.saturating_add(wait) <= self.deadline).then_some(wait)
    }

    /// The attempts of one request to this endpoint, the first of which begins now.
    pub(crate) fn attempts<'a>(&'a self, endpoint: &'a str) -> Attempts<'a> {
        Attempts { policy: self, endpoint, started: Instant::now(), resends: 0 }
    }
}

/// The attempts of one request so far.
pub(crate) struct Attempts<'a> {
    policy: &'a RetryPolicy,
    endpoint: &'a str,
    started: Instant,
    resends: u32,
}

impl Attempts<'_> {
    /// Logs a failed attempt and waits until the next one may begin.
    ///
    /// # Errors
    /// The failure itself when there is no next one.
    pub(crate) async fn wait_after(&mut self, failure: ModelFailure) -> Result<(), ModelFailure> {
        let wait = self.policy.wait(&failure, self.resends, self.started.elapsed(), rand::random());
        tracing::warn!(
            endpoint.host = self.endpoint,
            error.class = failure.class.name(),
            attempt = self.resends + 1,
            retry_in_ms = wait.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
            "a request to the model failed: {}",
            failure.message
        );
        let Some(wait) = wait else { return Err(failure) };
        tokio::time::sleep(wait).await;
        self.resends += 1;
        Ok(())
    }
}

/// A backend that sends a request again while nothing of its reply was handed out.
///
/// [`ChatBackend::chat`] returns with the reply's first event in hand, so a stream that fails before it is an `Err` of
/// `chat` and not of the stream. A failure after that event is the caller's.
#[derive(Debug)]
pub struct RetryingBackend<B> {
    inner: B,
    policy: RetryPolicy,
    endpoint: String,
}

impl<B: ChatBackend> RetryingBackend<B> {
    /// Wraps a backend; `endpoint` is the host that the log names.
    pub fn new(inner: B, policy: RetryPolicy, endpoint: impl Into<String>) -> Self {
        Self { inner, policy, endpoint: endpoint.into() }
    }

    async fn attempt(&self, request: ChatRequest) -> Result<ChatStream, ModelFailure> {
        let (first, rest) = self.inner.chat(request).await?.into_future().await;
        match first {
            Some(Ok(event)) => Ok(Box::pin(futures::stream::iter([Ok(event)]).chain(rest))),
            Some(Err(failure)) => Err(failure),
            None => {
                Err(ModelFailure::new(FailureClass::EmptyStream, "the reply ended without a single event"))
            }
        }
    }
}

#[async_trait]
impl<B: ChatBackend> ChatBackend for RetryingBackend<B> {
    async fn chat(&self, request: ChatRequest) -> Result<ChatStream, ModelFailure> {
        let mut attempts = self.policy.attempts(&self.endpoint);
        loop {
            match self.attempt(request.clone()).await {
                Ok(stream) => return Ok(stream),
                Err(failure) => attempts.wait_after(failure).await?,
            }
        }
    }

    fn model(&self) -> &str {
        self.inner.model()
    }
}
