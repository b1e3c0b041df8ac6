//! The OpenAI-compatible client: one request out, one streamed reply back.
//!
//! It sends a request again only in another shape, when a refusal says which one would be accepted, and each change at
//! most once. Resending the same request is [`crate::retry`]'s.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures::StreamExt;
use reqwest::Response;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use time::OffsetDateTime;
use tokio::time::Instant;
use url::Url;

use crate::chat::{ChatBackend, ChatRequest, ChatStream};
use crate::endpoint::{EndpointError, EndpointOptions, host_of, http_client, route_url};
use crate::failure::{
    FailureClass, ModelFailure, Refusal, RefusedShape, affordable_tokens, classify, fitting_max_tokens,
    presentable, root_cause,
};
use crate::learned::{Known, Lesson, LessonMemory, ProcessMemory};
use crate::quirks::lessons_of;
use crate::reply::{ReplyOptions, read_reply};
use crate::retry::{RetryPolicy, RetryingBackend};

mod prompt_size;
mod request;

use request::{Shape, body};

/// The most bytes of a refusal's body that are read.
const MAX_REFUSAL: usize = 64 * 1024;

/// How long a refusal's body may take; its status alone is worth more than the wait.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(10);

/// With fewer tokens than this no answer is worth its request.
const MIN_USEFUL_TOKENS: u32 = 64;

/// `/chat/completions` of one endpoint for one model.
#[derive(Debug)]
pub struct OpenAiClient {
    http: reqwest::Client,
    url: Url,
    endpoint: String,
    options: EndpointOptions,
    memory: Arc<dyn LessonMemory>,
}

impl OpenAiClient {
    /// A client for these settings. Nothing is sent yet. What the endpoint teaches is remembered while the process lives.
    ///
    /// # Errors
    /// An [`EndpointError`] for a key that cannot stand in a header, and when TLS cannot be set up.
    pub fn new(options: EndpointOptions) -> Result<Self, EndpointError> {
        Ok(Self {
            http: http_client(&options)?,
            url: route_url(&options.base_url, "/chat/completions"),
            endpoint: host_of(&options.base_url),
            options,
            memory: Arc::new(ProcessMemory::default()),
        })
    }

    /// This client with another memory for what its endpoint teaches.
    #[must_use]
    pub fn with_memory(self, memory: Arc<dyn LessonMemory>) -> Self {
        Self { memory, ..self }
    }

    /// Host and port, for logs.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// This client with resends before anything was handed out.
    pub fn with_retries(self, policy: RetryPolicy) -> RetryingBackend<Self> {
        let endpoint = self.endpoint.clone();
        RetryingBackend::new(self, policy, endpoint)
    }

    /// Remembers what an accepted request proved: the lessons that refusals had taught it, and that the one on trial was
    /// needless, if the request would have looked otherwise with it.
    async fn remember(&self, taught: &[(Lesson, u16)], needless: Option<Lesson>) {
        for (lesson, status) in taught {
            tracing::info!(
                endpoint.host = self.endpoint,
                model.name = self.options.model,
                endpoint.lesson = lesson.name(),
                "the endpoint accepts the request in another shape, which is kept"
            );
            self.memory.set(*lesson, *status).await;
        }
        if let Some(lesson) = needless {
            tracing::info!(
                endpoint.host = self.endpoint,
                model.name = self.options.model,
                endpoint.lesson = lesson.name(),
                "the endpoint accepts again what it had refused"
            );
            self.memory.was_needless(lesson).await;
        }
    }

    async fn send(&self, body: Bytes, deadline: Instant) -> Result<Response, ModelFailure> {
        let sending = self
            .http
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream")
            .body(body)
            .send();
        match tokio::time::timeout_at(deadline, sending).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(no_connection(&self.endpoint, &error, &self.options)),
            Err(_) => Err(no_answer(&self.endpoint, self.options.first_event_timeout)),
        }
    }
}

#[async_trait]
impl ChatBackend for OpenAiClient {
    async fn chat(&self, request: ChatRequest) -> Result<ChatStream, ModelFailure> {
        let started = Instant::now();
        let deadline = started + self.options.first_event_timeout;
        let Known { learned, on_trial } = self.memory.get().await;
        let mut shape = Shape { learned, max_tokens: request.max_tokens.or(self.options.max_tokens) };
        let write = |shape| body(&self.options.model, &request, shape).map(Bytes::from);
        let mut text = write(shape)?;
        let mut resends = Resends { on_trial, ..Resends::default() };
        loop {
            let response = self.send(text.clone(), deadline).await?;
            let status = response.status();
            tracing::debug!(
                endpoint.host = self.endpoint,
                model.name = self.options.model,
                http.status = status.as_u16(),
                duration_ms = started.elapsed().as_millis(),
                "the model endpoint answered"
            );
            if status.is_success() {
                let without = |lesson: &Lesson| {
                    let obeyed = Shape { learned: shape.learned.with(*lesson), ..shape };
                    write(obeyed).is_ok_and(|obeyed| obeyed != text)
                };
                self.remember(&resends.taught, resends.on_trial.filter(without)).await;
                let options = ReplyOptions {
                    endpoint: self.endpoint.clone(),
                    // What the answer's head took is gone from the wait for the first event.
                    first_event_timeout: deadline.saturating_duration_since(Instant::now()),
                    idle_timeout: self.options.idle_timeout,
                    key: self.options.api_key.clone(),
                    starts_in_reasoning: self.options.starts_in_reasoning,
                };
                let reply = read_reply(response.bytes_stream(), options);
                return Ok(prompt_size::watched(reply, &request, &self.endpoint));
            }
            let (failure, refusal) = refused(response, &self.options).await;
            let next = resends.next(shape, &failure, &refusal, |shape| {
                let changed = write(shape).ok()?;
                (changed != text).then_some(changed)
            });
            let Some((next, changed)) = next else { return Err(failure) };
            self.memory.saw_refusal(&failure);
            tracing::info!(
                endpoint.host = self.endpoint,
                error.class = failure.class.name(),
                "the endpoint refused the request's shape and is asked once more: {}",
                failure.message
            );
            (shape, text) = (next, changed);
        }
    }

    fn model(&self) -> &str {
        &self.options.model
    }
}

/// What one request was already sent again for.
#[derive(Debug, Default)]
struct Resends {
    limited: bool,
    healed: bool,
    /// What refusals have taught it so far, with their statuses.
    taught: Vec<(Lesson, u16)>,
    /// The expired lesson that it leaves out for as long as nothing is refused.
    on_trial: Option<Lesson>,
}

impl Resends {
    /// The shape that this refusal says would be accepted, and the request in it. Each change is made once, one of the
    /// history and one of the token limit at most: a second refusal is an answer. `write` gives nothing for a shape that
    /// changes nothing.
    fn next<T>(
        &mut self,
        tried: Shape,
        failure: &ModelFailure,
        refusal: &str,
        write: impl Fn(Shape) -> Option<T>,
    ) -> Option<(Shape, T)> {
        if let FailureClass::Rejected { status } = failure.class {
            let taught = lessons_of(status, refusal)
                .filter(|lesson| !tried.learned.has(*lesson))
                .filter(|lesson| !self.healed || !lesson.is_about_history())
                .find_map(|lesson| {
                    let shape = Shape { learned: tried.learned.with(lesson), ..tried };
                    Some((lesson, shape, write(shape)?))
                })
                .map(|(lesson, shape, written)| {
                    self.healed |= lesson.is_about_history();
                    self.on_trial = self.on_trial.filter(|on_trial| *on_trial != lesson);
                    self.taught.push((lesson, status));
                    (shape, written)
                });
            // Words that teach nothing may still be about what is left out on trial; the trial must cost no answer.
            let about_tools = failure.shape.is_some_and(|shape| shape != RefusedShape::Template);
            return taught.or_else(|| {
                if about_tools {
                    return None;
                }
                let shape = Shape { learned: tried.learned.with(self.on_trial.take()?), ..tried };
                Some((shape, write(shape)?))
            });
        }
        let fitting = match failure.class {
            FailureClass::OutOfCredit => affordable_tokens(refusal),
            FailureClass::ContextTooLong { .. } if tried.max_tokens.is_some() => fitting_max_tokens(refusal),
            _ => None,
        }?;
        let smaller = tried.max_tokens.is_none_or(|limit| fitting < limit);
        if !smaller || fitting < MIN_USEFUL_TOKENS || std::mem::replace(&mut self.limited, true) {
            return None;
        }
        let shape = Shape { max_tokens: Some(fitting), ..tried };
        write(shape).map(|written| (shape, written))
    }
}

/// The failure behind an answer that is no success, and its body.
pub(crate) async fn refused(response: Response, options: &EndpointOptions) -> (ModelFailure, String) {
    let status = response.status().as_u16();
    let headers = response.headers().clone();
    let mut bytes = Vec::new();
    let reading = async {
        let mut body = response.bytes_stream();
        while let Some(Ok(piece)) = body.next().await {
            bytes.extend_from_slice(&piece);
            if bytes.len() > MAX_REFUSAL {
                break;
            }
        }
    };
    if tokio::time::timeout(REFUSAL_TIMEOUT, reading).await.is_err() {
        tracing::debug!(http.status = status, "the refusal's body did not come in time");
    }
    bytes.truncate(MAX_REFUSAL);
    let body = String::from_utf8_lossy(&bytes).into_owned();
    let refusal = Refusal { status, headers: &headers, body: &body, received_at: OffsetDateTime::now_utc() };
    (classify(&refusal, options.api_key.as_ref()), body)
}

/// The failure behind a request that got no answer's head.
pub(crate) fn no_connection(
    endpoint: &str,
    error: &reqwest::Error,
    options: &EndpointOptions,
) -> ModelFailure {
    let timed_out = error.is_timeout();
    let message = if timed_out {
        format!("no connection to {endpoint} within {} s", options.connect_timeout.as_secs_f64())
    } else if error.is_connect() {
        let cause = root_cause(error);
        // What the TLS library says when the other side answers in plain text.
        let advice = if cause.contains("InvalidContentType") {
            "; it seems to speak no TLS, so write http:// in place of https://"
        } else {
            ""
        };
        format!("{endpoint} cannot be reached: {cause}{advice}")
    } else {
        format!("the request to {endpoint} broke off: {}", root_cause(error))
    };
    let message = presentable(&message, options.api_key.as_ref());
    ModelFailure { timed_out, ..ModelFailure::new(FailureClass::Unreachable, message) }
}

/// The failure of an endpoint that took the request and said nothing.
pub(crate) fn no_answer(endpoint: &str, waited: Duration) -> ModelFailure {
    let message = format!("{endpoint} accepted the request and sent nothing for {} s", waited.as_secs_f64());
    ModelFailure { timed_out: true, ..ModelFailure::new(FailureClass::Stalled, message) }
}
