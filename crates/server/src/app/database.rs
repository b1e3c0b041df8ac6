//! The database: the one of the settings, or a private one that starts and stops with the service.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use attest_embedded_pg::{Cluster, Options, SUPERUSER};
use attest_llm::secret::Secret;
use attest_store::{Connection, Store, StoreError, StoreOptions};
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::start_error::StartError;
use crate::settings::{Settings, without_passwords};

/// The database inside the private server.
const DATABASE: &str = "attest";

/// How often the private server is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long the pool may take to close.
const CLOSING: Duration = Duration::from_secs(5);

/// How many turns of dead servers are ended at once.
const EXPIRED_AT_ONCE: u32 = 1_000;

/// An open database with a current schema. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Database {
    pub(crate) store: Store,
    /// The URL of the settings without its password; none for the private server.
    url: Option<String>,
    /// The private server, until it is stopped.
    private: Option<Arc<Mutex<Option<Cluster>>>>,
    /// Cancelled when the private server has ended by itself.
    pub(crate) lost: CancellationToken,
}

impl Database {
    /// Starts the private server when the settings name no other, connects, and brings the schema up to date.
    ///
    /// # Errors
    /// [`StartError`]; nothing is left running then.
    pub(crate) async fn open(settings: &Settings) -> Result<Self, StartError> {
        let database = match &settings.database.url {
            Some(url) => Self::connect(settings, url).await?,
            None => Self::start_private(settings).await?,
        };
        if let Err(error) = database.store.migrate().await {
            database.close().await;
            return Err(database.unusable(error));
        }
        Ok(database)
    }

    async fn connect(settings: &Settings, url: &Secret) -> Result<Self, StartError> {
        let connection = Connection::Url(url.expose().to_owned());
        let url = without_passwords(url.expose());
        match Store::connect(options(settings, connection)).await {
            Ok(store) => Ok(Self { store, url: Some(url), private: None, lost: CancellationToken::new() }),
            Err(source) => Err(StartError::Database { url, source }),
        }
    }

    async fn start_private(settings: &Settings) -> Result<Self, StartError> {
        let folder: PathBuf = settings.data.dir.join("postgres");
        let cluster = tokio::task::spawn_blocking(move || Cluster::start(Options::new(folder)))
            .await?
            .map_err(StartError::PrivatePostgres)?;
        let connection = Connection::Socket {
            dir: cluster.socket_dir().to_owned(),
            user: SUPERUSER.to_owned(),
            database: DATABASE.to_owned(),
        };
        let private = Some(Arc::new(Mutex::new(Some(cluster))));
        let connected = async {
            Store::create_database_if_missing(&connection).await?;
            Store::connect(options(settings, connection)).await
        };
        match connected.await {
            Ok(store) => Ok(Self { store, url: None, private, lost: CancellationToken::new() }),
            Err(error) => {
                stop(private).await;
                Err(StartError::PrivateStore(error))
            }
        }
    }

    /// Ends turns that nobody runs any more. Whoever holds the data folder's lock knows that none of them runs;
    /// on a shared database their leases tell.
    pub(super) async fn end_orphaned_turns(&self, now: OffsetDateTime) -> Result<(), StartError> {
        let ended = match self.private {
            Some(_) => self.store.end_all_running_turns(now).await,
            None => self.store.end_expired_turns(now, EXPIRED_AT_ONCE).await,
        };
        let ended = ended.map_err(|error| self.unusable(error))?;
        if !ended.is_empty() {
            tracing::info!(turns = ended.len(), "Ended turns that an earlier server left behind");
        }
        Ok(())
    }

    /// Which database it is, for people.
    pub(crate) async fn in_words(&self) -> Result<String, StartError> {
        let place = self.store.describe().await.map_err(|error| self.unusable(error))?;
        Ok(match self.private {
            Some(_) => format!("{place} (private)"),
            None => place,
        })
    }

    /// Names the error of a call while the service starts.
    pub(super) fn unusable(&self, source: StoreError) -> StartError {
        match self.url.clone() {
            Some(url) => StartError::Database { url, source },
            None => StartError::PrivateStore(source),
        }
    }

    /// Notices when the private server ends by itself.
    pub(super) fn watch(&self, background: &TaskTracker, ending: &CancellationToken) {
        let Some(private) = self.private.clone() else { return };
        let (lost, ending) = (self.lost.clone(), ending.clone());
        background.spawn(async move {
            loop {
                tokio::select! {
                    () = ending.cancelled() => return,
                    () = tokio::time::sleep(LOOK_EVERY) => {}
                }
                let cluster = private.lock().unwrap_or_else(PoisonError::into_inner);
                if cluster.as_ref().is_some_and(|cluster| !cluster.is_running()) {
                    tracing::error!(
                        "The private PostgreSQL has ended by itself; its log is in the data folder"
                    );
                    lost.cancel();
                    return;
                }
            }
        });
    }

    /// Closes the pool and stops the private server.
    pub(crate) async fn close(&self) {
        if tokio::time::timeout(CLOSING, self.store.close()).await.is_err() {
            tracing::warn!("Some database connections were still in use and are cut off");
        }
        self.stop_private_postgres().await;
    }

    /// Stops the private server, connections or not.
    pub(crate) async fn stop_private_postgres(&self) {
        stop(self.private.clone()).await;
    }
}

async fn stop(private: Option<Arc<Mutex<Option<Cluster>>>>) {
    let Some(cluster) = private.and_then(|p| p.lock().unwrap_or_else(PoisonError::into_inner).take()) else {
        return;
    };
    if tokio::task::spawn_blocking(move || cluster.stop()).await.is_err() {
        tracing::error!("The private PostgreSQL could not be stopped in order");
    }
}

fn options(settings: &Settings, connection: Connection) -> StoreOptions {
    StoreOptions {
        connection,
        max_connections: settings.database.max_connections,
        acquire_timeout: settings.database.acquire_timeout,
    }
}
