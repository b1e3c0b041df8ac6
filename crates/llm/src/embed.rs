//! Vectors for texts over `/embeddings`.

use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use reqwest::header::CONTENT_TYPE;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::client::{no_answer, no_connection, refused};
use crate::endpoint::{EndpointError, EndpointOptions, host_of, http_client, route_url};
use crate::failure::{FailureClass, ModelFailure, classify_in_stream, presentable, root_cause, says_error};
use crate::retry::RetryPolicy;

mod answer;

use answer::vectors_of;

/// Something that turns texts into vectors.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// One vector a text, in the order of the texts, all of one length. No texts give no vectors and no request.
    ///
    /// # Errors
    /// A [`ModelFailure`] when the endpoint failed or answered with something else. All or nothing.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, ModelFailure>;

    /// The length of its vectors, where the settings state it.
    fn dimensions(&self) -> Option<usize>;

    /// The model's name, for records: vectors of different models cannot be compared.
    fn model(&self) -> &str;
}

/// The settings of an embedder.
#[derive(Clone, Debug)]
pub struct EmbeddingOptions {
    /// Where it lives. Of its timeouts, `first_event_timeout` bounds one whole request.
    pub endpoint: EndpointOptions,
    /// The length that every vector must have; `None` takes the first vector's.
    pub dimensions: Option<usize>,
    /// The most texts of one request, at least 1. Halved for good when the endpoint answers 413.
    pub batch_size: usize,
    /// When a request is sent again.
    pub retry: RetryPolicy,
}

impl EmbeddingOptions {
    /// Options with batches of 64 texts and the default resends.
    pub fn new(endpoint: EndpointOptions) -> Self {
        Self { endpoint, dimensions: None, batch_size: 64, retry: RetryPolicy::default() }
    }
}

/// `/embeddings` of one endpoint for one model.
#[derive(Debug)]
pub struct OpenAiEmbedder {
    http: reqwest::Client,
    url: Url,
    host: String,
    options: EmbeddingOptions,
    /// The batch size that the endpoint has accepted so far.
    batch_size: AtomicUsize,
}

/// Why one batch has no vectors.
enum BatchFailure {
    /// Fewer texts may pass.
    TooLarge(ModelFailure),
    /// Fewer texts change nothing.
    Other(ModelFailure),
}

impl OpenAiEmbedder {
    /// An embedder for these settings. Nothing is sent yet.
    ///
    /// # Errors
    /// An [`EndpointError`] for a key that cannot stand in a header, and when TLS cannot be set up.
    pub fn new(options: EmbeddingOptions) -> Result<Self, EndpointError> {
        Ok(Self {
            http: http_client(&options.endpoint)?,
            url: route_url(&options.endpoint.base_url, "/embeddings"),
            host: host_of(&options.endpoint.base_url),
            batch_size: AtomicUsize::new(options.batch_size.max(1)),
            options,
        })
    }

    async fn embed_batch(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, BatchFailure> {
        let endpoint = &self.options.endpoint;
        let request = Request { model: &endpoint.model, input: texts };
        let body = serde_json::to_vec(&request).map_err(|error| {
            let message = format!("the texts cannot be written as JSON: {error}");
            BatchFailure::Other(ModelFailure::new(FailureClass::Rejected { status: 0 }, message))
        })?;
        let mut attempts = self.options.retry.attempts(&self.host);
        loop {
            let answer = tokio::time::timeout(endpoint.first_event_timeout, self.post(body.clone())).await;
            let failure = match answer {
                Ok(Ok(answer)) => return self.read(&answer, texts.len()).map_err(BatchFailure::Other),
                Ok(Err(BatchFailure::TooLarge(failure))) => return Err(BatchFailure::TooLarge(failure)),
                Ok(Err(BatchFailure::Other(failure))) => failure,
                Err(_) => no_answer(&self.host, endpoint.first_event_timeout),
            };
            attempts.wait_after(failure).await.map_err(BatchFailure::Other)?;
        }
    }

    async fn post(&self, body: Vec<u8>) -> Result<Bytes, BatchFailure> {
        let endpoint = &self.options.endpoint;
        let sent =
            self.http.post(self.url.clone()).header(CONTENT_TYPE, "application/json").body(body).send().await;
        let response =
            sent.map_err(|error| BatchFailure::Other(no_connection(&self.host, &error, endpoint)))?;
        let status = response.status();
        if status.is_success() {
            return response.bytes().await.map_err(|error| {
                let message = format!("the connection to {} broke: {}", self.host, root_cause(&error));
                let message = presentable(&message, endpoint.api_key.as_ref());
                BatchFailure::Other(ModelFailure::new(FailureClass::Unreachable, message))
            });
        }
        let (failure, _) = refused(response, endpoint).await;
        Err(if status.as_u16() == 413 {
            BatchFailure::TooLarge(failure)
        } else {
            BatchFailure::Other(failure)
        })
    }

    fn read(&self, answer: &[u8], texts: usize) -> Result<Vec<Vec<f32>>, ModelFailure> {
        let key = self.options.endpoint.api_key.as_ref();
        vectors_of(answer, texts, self.options.dimensions).map_err(|what| {
            let text = String::from_utf8_lossy(answer);
            if says_error(&text) {
                return classify_in_stream(&text, key);
            }
            let message = format!("{} answered with something that is no list of vectors: {what}", self.host);
            ModelFailure::new(FailureClass::Unreachable, presentable(&message, key))
        })
    }
}

#[async_trait]
impl Embedder for OpenAiEmbedder {
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, ModelFailure> {
        let mut vectors: Vec<Vec<f32>> = Vec::with_capacity(texts.len());
        while vectors.len() < texts.len() {
            let rest = &texts[vectors.len()..];
            let batch = &rest[..rest.len().min(self.batch_size.load(Ordering::Relaxed))];
            match self.embed_batch(batch).await {
                Ok(more) => vectors.extend(more),
                Err(BatchFailure::TooLarge(_)) if batch.len() > 1 => {
                    let half = batch.len() / 2;
                    tracing::info!(
                        endpoint.host = self.host,
                        batch.size = half,
                        "the endpoint takes smaller batches only"
                    );
                    self.batch_size.fetch_min(half, Ordering::Relaxed);
                }
                Err(BatchFailure::TooLarge(failure) | BatchFailure::Other(failure)) => return Err(failure),
            }
        }
        // Each batch was checked alone; without a stated length they could still differ from one another.
        match vectors.iter().position(|vector| vector.len() != vectors[0].len()) {
            None => Ok(vectors),
            Some(at) => Err(ModelFailure::new(
                FailureClass::Unreachable,
                format!(
                    "{} answered with vectors of {} and of {} numbers",
                    self.host,
                    vectors[0].len(),
                    vectors[at].len()
                ),
            )),
        }
    }

    fn dimensions(&self) -> Option<usize> {
        self.options.dimensions
    }

    fn model(&self) -> &str {
        &self.options.endpoint.model
    }
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [String],
}

/// An answer's list, before it is checked.
#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(default)]
    index: Option<usize>,
    embedding: Vec<f32>,
}
