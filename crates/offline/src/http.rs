//! The routes.

mod body;
mod error;
mod watch;

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt as _;
use axum::{Json, Router};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use tokio::net::TcpListener;

use crate::brain::Decision;
use crate::brain::turn::asked_at;
use crate::embedding::embed;
use crate::hash::hash;
use crate::oddities;
use crate::options::OfflineOptions;
use crate::stream::{CREATED, Reply, cut};
use crate::usage;
use crate::wire::checks::find_fault;
use crate::wire::reply::{EmbeddingItem, EmbeddingList, Model, ModelList, Usage};
use crate::wire::request::{ChatRequest, EmbeddingInput, EmbeddingRequest};
use error::OfflineError;
use watch::Watch;

/// A larger request body is answered with 413.
pub const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;

/// How long running replies may go on once the server is told to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// How many texts one embedding request may hold.
const MAX_EMBEDDING_INPUTS: usize = 2_048;

/// What the routes share.
struct Endpoint {
    options: OfflineOptions,
    /// How many chat requests have arrived, for those that shall fail.
    arrived: AtomicU64,
}

/// The endpoint: `/v1/models`, `/v1/chat/completions`, `/v1/embeddings`, and `/health`.
pub fn router(options: OfflineOptions) -> Router {
    Router::new()
        .route("/health", get(|| async { "ok" }))
        .route("/v1/models", get(models))
        .route("/v1/chat/completions", post(chat))
        .route("/v1/embeddings", post(embeddings))
        .fallback(async || OfflineError::NoSuchRoute)
        .method_not_allowed_fallback(async || OfflineError::WrongMethod)
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(Arc::new(Endpoint { options, arrived: AtomicU64::new(0) }))
}

/// Serves the endpoint until `shutdown` resolves; replies that run then have two seconds to end.
///
/// # Errors
/// Whatever the listener fails with.
pub async fn serve(
    listener: TcpListener,
    options: OfflineOptions,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let (stopping, stopped) = tokio::sync::oneshot::channel::<()>();
    let signal = async move {
        shutdown.await;
        drop(stopping);
    };
    // Words leave one by one: held back to fill a packet, they would arrive in bursts.
    let listener = listener.tap_io(|socket| {
        if let Err(error) = socket.set_nodelay(true) {
            tracing::debug!(error = %error, "a connection of the offline model stays without TCP_NODELAY");
        }
    });
    let server = axum::serve(listener, router(options)).with_graceful_shutdown(signal);
    tokio::select! {
        ended = server => ended,
        () = async { stopped.await.ok(); tokio::time::sleep(SHUTDOWN_GRACE).await; } => Ok(()),
    }
}

async fn models(State(endpoint): State<Arc<Endpoint>>) -> Response {
    let model =
        Model { id: &endpoint.options.model_name, object: "model", created: CREATED, owned_by: "attest" };
    Json(ModelList { object: "list", data: [model] }).into_response()
}

async fn chat(
    State(endpoint): State<Arc<Endpoint>>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, OfflineError> {
    let mut watch = Watch::start();
    let read = read_and_decide(&endpoint, body).await;
    let (reply, request) = read.inspect_err(|_| watch.note_complete())?;
    let OfflineOptions { pace, behaviour, .. } = &endpoint.options;
    Ok(if request.stream {
        body::streamed(&reply, request.stream_options.include_usage, *pace, behaviour, watch)
    } else {
        body::whole(reply.body(), behaviour, watch)
    })
}

async fn read_and_decide(
    endpoint: &Arc<Endpoint>,
    body: Result<Bytes, BytesRejection>,
) -> Result<(Reply, ChatRequest), OfflineError> {
    let behaviour = &endpoint.options.behaviour;
    let place = endpoint.arrived.fetch_add(1, Ordering::Relaxed);
    if !behaviour.first_byte_after.is_zero() {
        tokio::time::sleep(behaviour.first_byte_after).await;
    }
    if let Some(refusal) = behaviour.fail.as_ref().and_then(|failing| oddities::of_status(failing, place)) {
        return Err(OfflineError::Odd(Box::new(refusal)));
    }
    let body = body?;
    let endpoint = Arc::clone(endpoint);
    compute(move || {
        let OfflineOptions { model_name, behaviour, .. } = &endpoint.options;
        let request: ChatRequest = parse(&body)?;
        if let Some(fault) = find_fault(&request) {
            return Err(OfflineError::Invalid(fault));
        }
        // A large body is not read twice for nothing.
        let reads_fields = behaviour.reject_tool_choice || behaviour.reject_stream_options;
        let sent = if reads_fields { parse(&body)? } else { oddities::Sent::default() };
        let prompt_tokens = usage::of_prompt(&request);
        if let Some(refusal) = oddities::of_request(behaviour, &request, &sent, model_name, prompt_tokens) {
            return Err(OfflineError::Odd(Box::new(refusal)));
        }
        Ok((reply_to(&request, &endpoint.options, hash(&body)), request))
    })
    .await
}

fn reply_to(request: &ChatRequest, options: &OfflineOptions, hash: u64) -> Reply {
    let limit = request.max_completion_tokens.or(request.max_tokens);
    let (decision, was_cut) = match (oddities::decide(request, &options.behaviour), limit) {
        (Decision::Say(text), Some(limit)) => {
            let (text, was_cut) = cut(&text, limit);
            (Decision::Say(text), was_cut)
        }
        (decision, _) => (decision, false),
    };
    let usage = usage::of_chat(request, &decision);
    Reply::new(hash, &options.model_name, decision, was_cut, usage)
        .with_thoughts(options.behaviour.reasoning.map(|place| (place, thoughts(request))))
}

/// What comes as reasoning: the question, so that a test can tell whose thoughts they are.
fn thoughts(request: &ChatRequest) -> String {
    let asked = asked_at(&request.messages).and_then(|asked| request.messages.get(asked));
    let question: String =
        asked.map(|message| message.text().chars().take(200).collect()).unwrap_or_default();
    format!("The person asks: {question} First I think about what to do, then I do it.")
}

async fn embeddings(
    State(endpoint): State<Arc<Endpoint>>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, OfflineError> {
    let body = body?;
    let model = endpoint.options.model_name.clone();
    let body = compute(move || {
        let request: EmbeddingRequest = parse(&body)?;
        let texts = match request.input {
            EmbeddingInput::One(text) => vec![text],
            EmbeddingInput::Many(texts) => texts,
        };
        if texts.is_empty() || texts.len() > MAX_EMBEDDING_INPUTS {
            return Err(OfflineError::Invalid(format!(
                "'input' must hold between 1 and {MAX_EMBEDDING_INPUTS} texts, not {}.",
                texts.len()
            )));
        }
        let item = |(index, text): (usize, &String)| EmbeddingItem {
            object: "embedding",
            index,
            embedding: embed(text),
        };
        Ok(crate::stream::json(&EmbeddingList {
            object: "list",
            data: texts.iter().enumerate().map(item).collect(),
            model: &model,
            usage: Usage::of_input(texts.iter().map(|text| usage::estimate_tokens(text)).sum()),
        }))
    })
    .await?;
    Ok(json_body(body))
}

/// Reading megabytes and weighing thousands of sentences would hold up the streams on this thread.
async fn compute<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, OfflineError> + Send + 'static,
) -> Result<T, OfflineError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        tracing::error!(error = %error, "the offline model failed on a request");
        Err(OfflineError::Internal)
    })
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, OfflineError> {
    serde_json::from_slice(body).map_err(|error| {
        OfflineError::Invalid(format!("We could not parse the JSON body of your request: {error}"))
    })
}

fn json_body(body: Vec<u8>) -> Response {
    let mut response = (StatusCode::OK, body).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
