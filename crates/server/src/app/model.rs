//! The chat model: the one of the settings, or the offline one on a loopback port.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use attest_llm::chat::ChatBackend;
use attest_llm::client::OpenAiClient;
use attest_llm::endpoint::{EndpointOptions, validate_base_url};
use attest_llm::retry::RetryPolicy;
use attest_offline::OfflineOptions;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use url::Url;

use super::start_error::StartError;
use crate::settings::Settings;

/// The model and how it is called.
pub(super) struct Model {
    pub(super) backend: Arc<dyn ChatBackend>,
    pub(super) in_words: String,
}

impl Model {
    /// Makes a client for the model of the settings; starts the offline one when there is none. An endpoint that
    /// cannot be reached is a warning: it may come back before anybody asks.
    pub(super) async fn start(
        settings: &Settings,
        background: &TaskTracker,
        ending: &CancellationToken,
    ) -> Result<Self, StartError> {
        let model = &settings.model;
        let (options, in_words) = match (&model.base_url, &model.name) {
            (Some(base_url), Some(name)) => {
                background.spawn(warn_if_unreachable(
                    base_url.clone(),
                    model.connect_timeout,
                    ending.clone(),
                ));
                (EndpointOptions::new(base_url.clone(), name), format!("{name} at {}", host(base_url)))
            }
            _ => {
                let offline = OfflineOptions { pace: settings.offline.pace, ..OfflineOptions::default() };
                let name = offline.model_name.clone();
                let base_url = start_offline(offline, background, ending).await?;
                tracing::info!(%base_url, "No model is configured, so the offline model answers");
                (EndpointOptions::new(base_url, name), "the offline model".to_owned())
            }
        };
        let options = EndpointOptions {
            api_key: model.api_key.clone().filter(|_| model.base_url.is_some()),
            connect_timeout: model.connect_timeout,
            first_event_timeout: model.first_event_timeout,
            idle_timeout: model.idle_timeout,
            max_tokens: model.max_tokens,
            ..options
        };
        let client = OpenAiClient::new(options).map_err(StartError::Model)?;
        Ok(Self { backend: Arc::new(client.with_retries(RetryPolicy::default())), in_words })
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
