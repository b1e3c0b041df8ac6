//! A test of the configured endpoints: every shape of request that a turn uses, tried once, and a verdict on each.
//!
//! The requests go through the clients that turns use, one after the other, because a small server has one slot.
//! `verdict.rs` judges what came back, `meaning.rs` says what that means for a turn, `conclusion.rs` whether chat will
//! work and at which level; all three are pure. `question.rs` holds what is asked. A rate limit, a server's failure or
//! a timeout is never a verdict.
//!
//! To try one more feature: a variant of [`Feature`], its question, its verdict, its meaning and a line in
//! [`Examination::run`].

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::chat::{ChatBackend, ChatRequest};
use crate::client::OpenAiClient;
use crate::embed::{Embedder, EmbeddingOptions, OpenAiEmbedder};
use crate::endpoint::{EndpointError, EndpointOptions, host_of};
use crate::failure::{FailureClass, ModelFailure, presentable};
use crate::ladder::{Knowledge, Level};
use crate::learned::LessonMemory;
use crate::retry::RetryPolicy;
use crate::text_mode::{TextMode, TextModeOptions};

mod conclusion;
mod exchange;
mod meaning;
mod question;
mod report;
mod verdict;

pub use report::{Check, Feature, Report, Target, Verdict};

use conclusion::{Subject, conclude};
use exchange::{Exchange, ProbeMemory, ask};
use verdict::Finding;

/// Why something was not tried.
const NO_TIME: &str = "there was no time for it";

/// How long a test may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For one request, resends included.
    pub each: Duration,
    /// For all of them; what is left then is skipped.
    pub all: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { each: Duration::from_secs(30), all: Duration::from_secs(180) }
    }
}

/// What to test, and how.
#[derive(Clone, Debug)]
pub struct Examination {
    /// The chat model.
    pub chat: EndpointOptions,
    /// True when it is the built-in model, because none is configured.
    pub is_offline: bool,
    /// The embedding model, where one is set.
    pub embeddings: Option<EmbeddingOptions>,
    /// The level of the settings, where one is set: turns then run at no other.
    pub fixed: Option<Level>,
    /// How long it may take.
    pub limits: Limits,
    /// Where the clients of turns remember which shapes the endpoint asked for; told what this test learns.
    pub lessons: Option<Arc<dyn LessonMemory>>,
}

impl Examination {
    /// A test of this model with the default limits, that tells nobody what it learns.
    pub fn new(chat: EndpointOptions) -> Self {
        Self {
            chat,
            is_offline: false,
            embeddings: None,
            fixed: None,
            limits: Limits::default(),
            lessons: None,
        }
    }

    /// Asks everything, in order. `knowledge` is told at which level turns can run, so that the first question need
    /// not find out. Dropping the future closes every connection.
    ///
    /// # Errors
    /// An [`EndpointError`] for settings that no request can be made with.
    pub async fn run(self, knowledge: Option<&Knowledge>) -> Result<Report, EndpointError> {
        let started = Instant::now();
        let mut probe = Probe::new(&self, started)?;
        probe.ask_chat().await;
        probe.ask_embeddings(self.embeddings.as_ref()).await?;
        let subject = Subject {
            is_offline: self.is_offline,
            has_key: self.chat.api_key.is_some(),
            model: &self.chat.model,
            endpoint: &probe.endpoint,
            fixed: self.fixed,
        };
        let conclusion = conclude(&probe.checks, probe.plain_failure.as_ref(), &subject);
        if let Some(knowledge) = knowledge
            && conclusion.chat_works
            && self.fixed.is_none()
        {
            conclusion::remember(knowledge, &probe.checks, &probe.refused).await;
        }
        Ok(Report {
            chat_works: conclusion.chat_works,
            level: conclusion.level,
            advice: conclusion.advice,
            chat: Target {
                endpoint: probe.endpoint.clone(),
                model: self.chat.model.clone(),
                offline: self.is_offline,
            },
            embeddings: self.embeddings.map(|options| Target {
                endpoint: host_of(&options.endpoint.base_url),
                model: options.endpoint.model,
                offline: false,
            }),
            window_tokens: probe.window,
            checks: probe.checks,
            duration_ms: milliseconds(started.elapsed()),
        })
    }
}

/// A test that is running.
struct Probe {
    native: Arc<dyn ChatBackend>,
    text: Arc<dyn ChatBackend>,
    memory: Arc<ProbeMemory>,
    endpoint: String,
    chat: EndpointOptions,
    limits: Limits,
    ends_at: Instant,
    checks: Vec<Check>,
    plain_failure: Option<ModelFailure>,
    /// The failures behind refusals that move the level.
    refused: Vec<(Feature, ModelFailure)>,
    window: Option<u64>,
}

impl Probe {
    fn new(examination: &Examination, started: Instant) -> Result<Self, EndpointError> {
        let limits = examination.limits;
        let chat = within(&examination.chat, limits.each);
        let memory = Arc::new(ProbeMemory::new(examination.lessons.clone()));
        let client =
            OpenAiClient::new(chat.clone())?.with_memory(Arc::clone(&memory) as Arc<dyn LessonMemory>);
        let endpoint = client.endpoint().to_owned();
        let text_mode =
            TextModeOptions { starts_in_reasoning: chat.starts_in_reasoning, ..TextModeOptions::default() };
        let native: Arc<dyn ChatBackend> = Arc::new(client.with_retries(resends(limits.each)));
        Ok(Self {
            text: Arc::new(TextMode::new(Arc::clone(&native), text_mode)),
            native,
            memory,
            endpoint,
            chat,
            limits,
            ends_at: started + limits.all,
            checks: Vec::with_capacity(Feature::ALL.len()),
            plain_failure: None,
            refused: Vec::new(),
            window: None,
        })
    }

    async fn ask_chat(&mut self) {
        let Some(plain) = self.exchange(Feature::Plain, question::plain()).await else {
            return self.skip_chat(NO_TIME);
        };
        self.put(Feature::Connection, verdict::connection(&plain), None);
        self.put(Feature::Key, verdict::key(&plain, self.chat.api_key.is_some()), None);
        self.put(Feature::Plain, verdict::plain(&plain), Some(plain.took));
        if let Err(failure) = &plain.reply {
            self.plain_failure = Some(failure.clone());
            return self.skip_chat("a plain question got no answer");
        }
        self.put(Feature::Streamed, verdict::streamed(&plain), None);
        self.put(Feature::Usage, verdict::usage(&plain), None);

        let tools = self.tries(Feature::Tools, question::tools_offered(), verdict::tools).await;
        if self.verdict_of(Feature::Tools) == Verdict::Refused {
            for feature in [Feature::ToolRequired, Feature::ToolNamed, Feature::ToolResult] {
                self.put(feature, Finding::skipped("tools are refused"), None);
            }
        } else {
            self.tries(Feature::ToolRequired, question::tool_required(), verdict::tool_required).await;
            let named = |exchange: &Exchange| verdict::tool_named(exchange, question::EXIT);
            self.tries(Feature::ToolNamed, question::tool_named(), named).await;
            let call =
                tools.and_then(|tools| tools.reply.ok()).and_then(|heard| heard.calls.into_iter().next());
            // Only the right question can be answered: another call of the model's would not fit the result.
            let call = call.filter(|call| call.name == question::SEARCH);
            self.tries(Feature::ToolResult, question::tool_result(call), verdict::tool_result).await;
        }
        self.tries(Feature::LateNote, question::late_note(), verdict::late_note).await;
        self.tries(Feature::TextMode, question::text_mode(), verdict::text_mode).await;
        let long = |exchange: &Exchange| verdict::long_input(exchange, question::LONG_INPUT);
        self.tries(Feature::LongInput, question::long_input(), long).await;
    }

    async fn ask_embeddings(&mut self, options: Option<&EmbeddingOptions>) -> Result<(), EndpointError> {
        let both = [Feature::Embedding, Feature::EmbeddingBatch];
        let Some(options) = options else {
            self.skip(&both, "no embedding model is set");
            return Ok(());
        };
        let embedder = OpenAiEmbedder::new(EmbeddingOptions {
            endpoint: within(&options.endpoint, self.limits.each),
            retry: resends(self.limits.each),
            ..options.clone()
        })?;
        let host = host_of(&options.endpoint.base_url);
        let texts =
            ["a lighthouse by the sea", "the price of bread", "a proof by induction"].map(str::to_owned);
        match self.embed(&embedder, &host, &texts[1..2]).await {
            None => self.skip(&both, NO_TIME),
            Some((Err(failure), took)) => {
                self.put(Feature::Embedding, verdict::of_failure(&failure), Some(took));
                self.skip(&[Feature::EmbeddingBatch], "one text got no vector");
            }
            Some((Ok(vectors), took)) => {
                let vector = vectors.into_iter().next().unwrap_or_default();
                let seen = format!("vectors of {} numbers", vector.len());
                self.put(Feature::Embedding, Finding::new(Verdict::Works, seen), Some(took));
                let (finding, took) = match self.embed(&embedder, &host, &texts).await {
                    None => (Finding::skipped(NO_TIME), None),
                    Some((Err(failure), took)) => (verdict::of_failure(&failure), Some(took)),
                    Some((Ok(batch), took)) => (verdict::embedding_batch(&vector, &batch, 1), Some(took)),
                };
                self.put(Feature::EmbeddingBatch, finding, took);
            }
        }
        Ok(())
    }

    async fn embed(
        &self,
        embedder: &OpenAiEmbedder,
        host: &str,
        texts: &[String],
    ) -> Option<(Result<Vec<Vec<f32>>, ModelFailure>, Duration)> {
        let limit = self.next_limit()?;
        let started = Instant::now();
        let answer = tokio::time::timeout(limit, embedder.embed(texts)).await;
        let answer = answer.unwrap_or_else(|_| Err(crate::client::no_answer(host, limit)));
        Some((answer, started.elapsed()))
    }

    /// Tries a feature and puts its verdict; `None` when there was no time.
    async fn tries(
        &mut self,
        feature: Feature,
        request: ChatRequest,
        judge: impl FnOnce(&Exchange) -> Finding,
    ) -> Option<Exchange> {
        let Some(exchange) = self.exchange(feature, request).await else {
            self.put(feature, Finding::skipped(NO_TIME), None);
            return None;
        };
        let finding = judge(&exchange);
        if let Err(failure) = &exchange.reply {
            if let FailureClass::ContextTooLong { window: Some(window) } = failure.class {
                self.window = Some(window);
            }
            if finding.verdict == Verdict::Refused {
                self.refused.push((feature, failure.clone()));
            }
        }
        self.put(feature, finding, Some(exchange.took));
        Some(exchange)
    }

    async fn exchange(&self, feature: Feature, mut request: ChatRequest) -> Option<Exchange> {
        let limit = self.next_limit()?;
        if let (Some(asked), Some(most)) = (request.max_tokens, self.chat.max_tokens) {
            request.max_tokens = Some(asked.min(most));
        }
        let backend = if feature == Feature::TextMode { &self.text } else { &self.native };
        tracing::debug!(endpoint.host = self.endpoint, "Trying: {}", feature.in_words());
        Some(ask(backend.as_ref(), &self.memory, &self.endpoint, request, limit).await)
    }

    fn next_limit(&self) -> Option<Duration> {
        let left = self.ends_at.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left.min(self.limits.each))
    }

    /// Everything of chat that has no verdict yet.
    fn skip_chat(&mut self, because: &str) {
        let left: Vec<Feature> = Feature::ALL
            .iter()
            .copied()
            .filter(|feature| !matches!(feature, Feature::Embedding | Feature::EmbeddingBatch))
            .filter(|feature| self.checks.iter().all(|check| check.feature != *feature))
            .collect();
        self.skip(&left, because);
    }

    fn skip(&mut self, features: &[Feature], because: &str) {
        for feature in features {
            self.put(*feature, Finding::skipped(because), None);
        }
    }

    fn verdict_of(&self, feature: Feature) -> Verdict {
        conclusion::verdict_of(&self.checks, feature)
    }

    fn put(&mut self, feature: Feature, finding: Finding, took: Option<Duration>) {
        let Finding { verdict, seen, refusal } = finding;
        self.checks.push(Check {
            feature,
            verdict,
            seen,
            meaning: meaning::meaning(feature, verdict).to_owned(),
            // Failures come without secrets; once more costs nothing, and an embedding endpoint may know the chat key.
            refusal: refusal.map(|words| presentable(&words, self.chat.api_key.as_ref())),
            duration_ms: took.map(milliseconds),
        });
    }
}

/// The same endpoint with no patience beyond the limit of one request.
fn within(options: &EndpointOptions, each: Duration) -> EndpointOptions {
    EndpointOptions {
        connect_timeout: options.connect_timeout.min(each),
        first_event_timeout: options.first_event_timeout.min(each),
        idle_timeout: options.idle_timeout.min(each),
        ..options.clone()
    }
}

/// One resend: a hiccup is no verdict, and whoever waits for a test should not wait for more.
fn resends(each: Duration) -> RetryPolicy {
    RetryPolicy { max_resends: 1, deadline: each, ..RetryPolicy::default() }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
