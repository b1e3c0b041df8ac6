//! The chat model: the one of the settings, or the offline one on a loopback port.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use attest_llm::chat::ChatBackend;
use attest_llm::client::OpenAiClient;
use attest_llm::endpoint::{EndpointOptions, validate_base_url};
use attest_llm::ladder::{CapabilityKey, Knowledge, Ladder};
use attest_llm::learned::LessonMemory;
use attest_llm::retry::RetryPolicy;
use attest_llm::text_mode::{TextMode, TextModeOptions};
use attest_offline::OfflineOptions;
use attest_store::Store;
use time::OffsetDateTime;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use url::Url;

use super::capabilities::StoredCapabilities;
use super::start_error::StartError;
use crate::settings::Settings;

/// The model and how it is called.
pub(super) struct Model {
    pub(super) backend: Arc<dyn ChatBackend>,
    pub(super) in_words: String,
    pub(super) place: ModelPlace,
    pub(super) memory: ModelMemory,
}

/// What turns remember of the model.
#[derive(Clone)]
pub(crate) struct ModelMemory {
    /// Holds at which level it can be asked.
    pub(crate) ladder: Ladder,
    /// The shapes that its endpoint asked for.
    pub(crate) lessons: Arc<dyn LessonMemory>,
}

/// Where the model is.
#[derive(Clone, Debug)]
pub(crate) struct ModelPlace {
    pub(crate) endpoint: EndpointOptions,
    /// True for the built-in one.
    pub(crate) is_offline: bool,
}

impl Model {
    /// Makes a client for the model of the settings; starts the offline one when there is none. An endpoint that
    /// cannot be reached is a warning: it may come back before anybody asks. In text mode `hidden_tools` are not
    /// offered: those that write.
    pub(super) async fn start(
        settings: &Settings,
        store: &Store,
        hidden_tools: Vec<String>,
        background: &TaskTracker,
        ending: &CancellationToken,
    ) -> Result<Self, StartError> {
        let place = ModelPlace::find(settings, background, ending).await?;
        let ModelPlace { endpoint, is_offline } = &place;
        let in_words = if *is_offline {
            tracing::info!(base_url = %endpoint.base_url, "No model is configured, so the offline model answers");
            "the offline model".to_owned()
        } else {
            let (base_url, patience) = (endpoint.base_url.clone(), endpoint.connect_timeout);
            background.spawn(warn_if_unreachable(base_url, patience, ending.clone()));
            format!("{} at {}", endpoint.model, host(&endpoint.base_url))
        };
        let knowledge = Arc::new(place.knowledge(store));
        let lessons: Arc<dyn LessonMemory> = Arc::clone(&knowledge) as Arc<dyn LessonMemory>;
        let client =
            OpenAiClient::new(endpoint.clone()).map_err(StartError::Model)?.with_memory(Arc::clone(&lessons));
        let wire: Arc<dyn ChatBackend> = Arc::new(client.with_retries(RetryPolicy::default()));
        let taught = TextModeOptions { hidden_tools, starts_in_reasoning: endpoint.starts_in_reasoning };
        let text = Arc::new(TextMode::new(Arc::clone(&wire), taught));
        let ladder = Ladder::new(wire, text, settings.model.level, knowledge);
        Ok(Self {
            backend: Arc::new(ladder.clone()),
            in_words,
            place,
            memory: ModelMemory { ladder, lessons },
        })
    }
}

impl ModelPlace {
    /// The endpoint of the settings; the offline model, started on a loopback port, when there is none.
    pub(crate) async fn find(
        settings: &Settings,
        background: &TaskTracker,
        ending: &CancellationToken,
    ) -> Result<Self, StartError> {
        let model = &settings.model;
        let configured = model.base_url.clone().zip(model.name.clone());
        let is_offline = configured.is_none();
        let (base_url, name) = match configured {
            Some(configured) => configured,
            None => {
                let offline = OfflineOptions { pace: settings.offline.pace, ..OfflineOptions::default() };
                let name = offline.model_name.clone();
                (start_offline(offline, background, ending).await?, name)
            }
        };
        let endpoint = EndpointOptions {
            api_key: model.api_key.clone().filter(|_| !is_offline),
            connect_timeout: model.connect_timeout,
            first_event_timeout: model.first_event_timeout,
            idle_timeout: model.idle_timeout,
            max_tokens: model.max_tokens,
            starts_in_reasoning: model.starts_in_reasoning && !is_offline,
            ..EndpointOptions::new(base_url, name)
        };
        Ok(Self { endpoint, is_offline })
    }

    /// What is known of it, in the database that all instances share.
    fn knowledge(&self, store: &Store) -> Knowledge {
        let endpoint = &self.endpoint;
        let key = CapabilityKey::new(&endpoint.base_url, &endpoint.model, endpoint.api_key.as_ref());
        if self.is_offline {
            // Its port is another one at each start, so nobody would read again what is kept of it.
            return Knowledge::of_the_process(key);
        }
        let memory = Arc::new(StoredCapabilities::new(store.clone()));
        Knowledge::new(key, memory, Arc::new(OffsetDateTime::now_utc))
    }
}

async fn start_offline(
    options: OfflineOptions,
    background: &TaskTracker,
    ending: &CancellationToken,
) -> Result<Url, StartError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(StartError::OfflineModel)?;
    let addr = listener.local_addr().map_err(StartError::OfflineModel)?;
    let ending = ending.clone();
    background.spawn(async move {
        if let Err(error) = attest_offline::serve(listener, options, ending.cancelled_owned()).await {
            tracing::error!(error = &error as &dyn std::error::Error, "The offline model has ended");
        }
    });
    validate_base_url(&format!("http://{addr}/v1")).map_err(StartError::Model)
}

/// Only opens a connection: it sends no key, and an endpoint that answers nothing but chat passes too.
async fn warn_if_unreachable(base_url: Url, patience: Duration, ending: CancellationToken) {
    let (Some(host), Some(port)) = (base_url.host_str(), base_url.port_or_known_default()) else { return };
    let host = host.trim_matches(['[', ']']);
    let connecting = tokio::time::timeout(patience, TcpStream::connect((host, port)));
    let reason = tokio::select! {
        () = ending.cancelled() => return,
        connected = connecting => match connected {
            Ok(Ok(_)) => return,
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("no connection within {} s", patience.as_secs()),
        },
    };
    tracing::warn!(
        "The model at {host}:{port} (model.base_url) cannot be reached for now: {reason}. Questions will end with an \
         error until it can, unless a proxy leads there"
    );
}

fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}
