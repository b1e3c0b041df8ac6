//! The composition root: the order in which the service starts and stops.

mod capabilities;
mod database;
mod knowledge;
mod model;
mod samples;
mod start_error;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use attest_agent::{Agent, AgentOptions};
use attest_chat::{ChatOptions, ChatService};
use attest_domain::{Clock, SystemClock};
use attest_llm::endpoint::install_crypto_provider;
use attest_tools::{Registry, ToolServices};
use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub(crate) use database::Database;
pub(crate) use model::{ModelMemory, ModelPlace};
pub use start_error::StartError;

use crate::doctor::Doctor;
use crate::router::router;
use crate::settings::Settings;
use crate::state::{AppState, Limits, Services};
use knowledge::Knowledge;
use model::Model;

/// A question that the sample base answers.
const EXAMPLE_QUESTION: &str = "Who was Director-General of CERN in 1990?";

/// How long connections and background work get to end once every turn has.
const LAST_MOMENTS: Duration = Duration::from_secs(5);

/// The service before it runs.
#[derive(Debug)]
pub struct App;

/// The service while it runs. Stop it with [`RunningApp::stop`]; dropping it leaves its tasks to the runtime.
pub struct RunningApp {
    addr: SocketAddr,
    database: Database,
    database_in_words: String,
    model_in_words: String,
    chat: ChatService,
    grace: Duration,
    /// Requests are not accepted any more.
    stopping: CancellationToken,
    /// Streams that still wait end.
    closing: CancellationToken,
    /// Background work ends.
    ending: CancellationToken,
    connections: TaskTracker,
    background: TaskTracker,
}

impl App {
    /// Starts the service. When it returns, the service answers at [`RunningApp::addr`].
    ///
    /// # Errors
    /// [`StartError`]: one sentence that names the setting to look at. Nothing is left running then.
    pub async fn start(settings: Settings) -> Result<RunningApp, StartError> {
        install_crypto_provider();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        // First: a port in use is known before anything else is touched. Who connects meanwhile waits a little.
        let listener = listen(&settings).await?;
        let database = Database::open(&settings).await?;
        let (background, ending) = (TaskTracker::new(), CancellationToken::new());
        let started = Self::start_over(&settings, listener, &database, clock, &background, &ending).await;
        if started.is_err() {
            ending.cancel();
            background.close();
            ended_within(LAST_MOMENTS, background.wait(), "background work").await;
            database.close().await;
        }
        started
    }

    /// Starts everything above an open database.
    async fn start_over(
        settings: &Settings,
        listener: TcpListener,
        database: &Database,
        clock: Arc<dyn Clock>,
        background: &TaskTracker,
        ending: &CancellationToken,
    ) -> Result<RunningApp, StartError> {
        let store = database.store.clone();
        database.end_orphaned_turns(clock.now()).await?;
        let knowledge = Knowledge::open(settings, &store, clock.now(), background, ending).await?;
        let tools = ToolServices { store: store.clone(), search: knowledge.search.clone() };
        let tools = Arc::new(Registry::for_chat(&tools));
        let writing =
            tools.offers().filter(|offer| !offer.reads_only).map(|offer| offer.name.to_owned()).collect();
        let model = Model::start(settings, &store, writing, background, ending).await?;
        let agent = Agent::new(model.backend, tools, agent_options(settings));
        let chat = ChatService::new(store.clone(), Some(agent), Arc::clone(&clock), chat_options(settings));
        background.spawn(chat.clone().run(ending.clone()));
        database.watch(background, ending);

        let addr = listener.local_addr().map_err(|source| StartError::listen(settings, source))?;
        let (stopping, closing) = (CancellationToken::new(), CancellationToken::new());
        let state = AppState::new(Services {
            store,
            search: knowledge.search,
            intake: knowledge.intake,
            chat: chat.clone(),
            clock,
            limits: limits(settings),
            model: model.in_words.clone(),
            doctor: Doctor::new(&model.place, settings).telling(model.memory),
            example: example(addr),
            keep_alive: settings.http.keep_alive,
            stopping: stopping.clone(),
            closing: closing.clone(),
        });
        let connections = TaskTracker::new();
        connections.spawn(accept(listener, state, stopping.clone()));
        Ok(RunningApp {
            addr,
            database_in_words: database.in_words().await?,
            database: database.clone(),
            model_in_words: model.in_words,
            chat,
            grace: settings.http.shutdown_grace,
            stopping,
            closing,
            ending: ending.clone(),
            connections,
            background: background.clone(),
        })
    }
}

impl RunningApp {
    /// Where it listens; the real port when the settings said 0.
    #[must_use]
    pub const fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// `http://` and [`addr`](Self::addr).
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Which database it uses, without a password.
    #[must_use]
    pub fn database(&self) -> &str {
        &self.database_in_words
    }

    /// Which model it asks.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model_in_words
    }

    /// A curl command that works when it is pasted.
    #[must_use]
    pub fn example(&self) -> String {
        example(self.addr)
    }

    /// Returns when the private database has ended by itself; never, with another database.
    pub async fn failed(&self) {
        self.database.lost.cancelled().await;
    }

    /// Stops in order: no new connections and no new questions, running answers get their grace and are saved,
    /// readers get their terminal frame, then the workers, the pool and the private database end.
    pub async fn stop(&self) {
        self.stopping.cancel();
        self.chat.drain(self.grace).await;
        self.closing.cancel();
        self.connections.close();
        ended_within(LAST_MOMENTS, self.connections.wait(), "connections").await;
        self.ending.cancel();
        self.background.close();
        ended_within(LAST_MOMENTS, self.background.wait(), "background work").await;
        self.database.close().await;
    }

    /// Stops the private database and nothing else, for someone who does not want to wait for [`stop`](Self::stop).
    pub async fn stop_database(&self) {
        self.database.stop_private_postgres().await;
    }
}

async fn listen(settings: &Settings) -> Result<TcpListener, StartError> {
    TcpListener::bind(settings.http.listen).await.map_err(|source| StartError::listen(settings, source))
}

/// Serves until told to stop, then until every connection has had its answer.
async fn accept(listener: TcpListener, state: AppState, stopping: CancellationToken) {
    // A frame is sent when it is there, not when a packet is full.
    let listener = listener.tap_io(|socket| {
        if let Err(error) = socket.set_nodelay(true) {
            tracing::debug!(error = %error, "A connection stays without TCP_NODELAY");
        }
    });
    let served =
        axum::serve(listener, router(state)).with_graceful_shutdown(stopping.cancelled_owned()).await;
    if let Err(error) = served {
        tracing::error!(error = &error as &dyn std::error::Error, "Connections are not accepted any more");
    }
}

async fn ended_within(patience: Duration, end: impl Future<Output = ()>, what: &str) {
    if tokio::time::timeout(patience, end).await.is_err() {
        tracing::warn!("Some {what} did not end in time and will be cut off");
    }
}

/// Single quotes hold it together in every shell, so the question holds none.
fn example(addr: SocketAddr) -> String {
    format!(
        "curl -N http://{addr}/api/v1/kbs/default/chat -H 'Content-Type: application/json' \
         -d '{{\"message\": \"{EXAMPLE_QUESTION}\"}}'"
    )
}

const fn limits(settings: &Settings) -> Limits {
    Limits {
        chat_body_bytes: settings.http.max_chat_body_bytes,
        document_bytes: settings.documents.max_bytes,
        upload_bytes: settings.documents.max_upload_bytes,
        upload_files: settings.documents.max_files,
    }
}

fn chat_options(settings: &Settings) -> ChatOptions {
    ChatOptions {
        history_messages: settings.turn.history_messages,
        max_message_characters: settings.turn.max_message_characters,
        max_running_turns: settings.turn.max_running,
        ..ChatOptions::default()
    }
}

const fn agent_options(settings: &Settings) -> AgentOptions {
    AgentOptions {
        model_calls_with_tools: settings.turn.calls,
        answer_deadline: settings.turn.answer_deadline,
        turn_deadline: settings.turn.deadline,
        max_answer_bytes: settings.turn.max_answer_bytes,
        tool_concurrency: settings.turn.tool_concurrency,
        retrieval_tool: "search_chunks",
    }
}
