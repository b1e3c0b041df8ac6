//! The OpenAI-compatible client: one request out, one streamed reply back.
//!
//! It sends a request again only in another shape, when a refusal says which one would be accepted, and each change at
//! most once. Resending the same request is [`crate::retry`]'s.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use reqwest::Response;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use time::OffsetDateTime;
use tokio::time::Instant;
use url::Url;

use crate::chat::{ChatBackend, ChatRequest, ChatStream};
use crate::endpoint::{EndpointError, EndpointOptions, host_of, http_client, route_url};
use crate::failure::{
    FailureClass, ModelFailure, Refusal, affordable_tokens, classify, fitting_max_tokens, presentable,
    root_cause,
};
use crate::reply::{ReplyOptions, read_reply};
use crate::retry::{RetryPolicy, RetryingBackend};

mod request;

use request::{Body, Shape};

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
    /// What the endpoint refused once it is not asked again while the process lives.
    no_stream_options: AtomicBool,
    completion_tokens: AtomicBool,
}

impl OpenAiClient {
    /// A client for these settings. Nothing is sent yet.
    ///
    /// # Errors
    /// An [`EndpointError`] for a key that cannot stand in a header, and when TLS cannot be set up.
    pub fn new(options: EndpointOptions) -> Result<Self, EndpointError> {
        Ok(Self {
            http: http_client(&options)?,
            url: route_url(&options.base_url, "/chat/completions"),
            endpoint: host_of(&options.base_url),
            options,
            no_stream_options: AtomicBool::new(false),
            completion_tokens: AtomicBool::new(false),
        })
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

    fn shape(&self, request: &ChatRequest) -> Shape {
        Shape {
            stream_options: !self.no_stream_options.load(Ordering::Relaxed),
            completion_tokens: self.completion_tokens.load(Ordering::Relaxed),
            max_tokens: request.max_tokens.or(self.options.max_tokens),
        }
    }

    /// The shape that this refusal says would be accepted. `None` when it says none, or one that was tried.
    fn reshaped(&self, tried: Shape, failure: &ModelFailure, body: &str) -> Option<Shape> {
        let bad_shape = matches!(failure.class, FailureClass::Rejected { status: 400 | 422 });
        if bad_shape && tried.stream_options && body.contains("stream_options") {
            self.no_stream_options.store(true, Ordering::Relaxed);
            return Some(Shape { stream_options: false, ..tried });
        }
        let limited = tried.max_tokens.is_some();
        if bad_shape && limited && !tried.completion_tokens && body.contains("max_completion_tokens") {
            self.completion_tokens.store(true, Ordering::Relaxed);
            return Some(Shape { completion_tokens: true, ..tried });
        }
        let fitting = match failure.class {
            FailureClass::OutOfCredit => affordable_tokens(body),
            FailureClass::ContextTooLong { .. } if limited => fitting_max_tokens(body),
            _ => None,
        }?;
        let smaller = tried.max_tokens.is_none_or(|limit| fitting < limit);
        (smaller && fitting >= MIN_USEFUL_TOKENS).then_some(Shape { max_tokens: Some(fitting), ..tried })
    }

    async fn send(&self, body: Vec<u8>, deadline: Instant) -> Result<Response, ModelFailure> {
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
        let mut shape = self.shape(&request);
        let mut limit_changed = false;
        loop {
            let body = Body::new(&self.options.model, &request, shape).to_json()?;
            let response = self.send(body, deadline).await?;
            let status = response.status();
            tracing::debug!(
                endpoint.host = self.endpoint,
                model.name = self.options.model,
                http.status = status.as_u16(),
                duration_ms = started.elapsed().as_millis(),
                "the model endpoint answered"
            );
            if status.is_success() {
                let options = ReplyOptions {
                    endpoint: self.endpoint.clone(),
                    // What the answer's head took is gone from the wait for the first event.
                    first_event_timeout: deadline.saturating_duration_since(Instant::now()),
                    idle_timeout: self.options.idle_timeout,
                    key: self.options.api_key.clone(),
                };
                return Ok(read_reply(response.bytes_stream(), options));
            }
            let (failure, text) = refused(response, &self.options).await;
            match self.reshaped(shape, &failure, &text) {
                // One new token limit a request: a second refusal is an answer.
                Some(next) if next.max_tokens == shape.max_tokens || !limit_changed => {
                    limit_changed |= next.max_tokens != shape.max_tokens;
                    tracing::info!(
                        endpoint.host = self.endpoint,
                        error.class = failure.class.name(),
                        "the endpoint refused the request's shape and is asked once more: {}",
                        failure.message
                    );
                    shape = next;
                }
                _ => return Err(failure),
            }
        }
    }

    fn model(&self) -> &str {
        &self.options.model
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
        format!("{endpoint} cannot be reached: {}", root_cause(error))
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
