//! What handlers work with.

use std::sync::Arc;
use std::time::Duration;

use attest_chat::ChatService;
use attest_domain::Clock;
use attest_ingest::Intake;
use attest_search::SearchIndex;
use attest_store::Store;
use tokio_util::sync::CancellationToken;

use crate::doctor::Doctor;

/// The services behind the routes. Cheap to clone.
#[derive(Clone)]
pub(crate) struct AppState(Arc<Services>);

/// See [`AppState`].
pub(crate) struct Services {
    pub(crate) store: Store,
    pub(crate) search: SearchIndex,
    pub(crate) intake: Intake,
    pub(crate) chat: ChatService,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) limits: Limits,
    /// The model in words, for `/readyz`.
    pub(crate) model: String,
    /// Tries the model's endpoint.
    pub(crate) doctor: Doctor,
    /// The curl command that asks the sample base, for the page at `/`.
    pub(crate) example: String,
    /// Between two keep-alive comments.
    pub(crate) keep_alive: Duration,
    /// Cancelled when the server begins to stop: it is not ready any more.
    pub(crate) stopping: CancellationToken,
    /// Cancelled once every turn of this server has ended: streams that still wait end.
    pub(crate) closing: CancellationToken,
}

/// What bodies may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) chat_body_bytes: usize,
    pub(crate) document_bytes: usize,
    pub(crate) upload_bytes: usize,
    pub(crate) upload_files: usize,
}

impl AppState {
    pub(crate) fn new(services: Services) -> Self {
        Self(Arc::new(services))
    }
}

impl std::ops::Deref for AppState {
    type Target = Services;

    fn deref(&self) -> &Services {
        &self.0
    }
}
