//! The production server in this process.

use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Once;

use attest_server::settings::{Loaded, Sources, load};
use attest_server::{App, RunningApp};
use attest_store::{Connection, Store, StoreOptions};
use attest_testkit_db::{TestDatabase, fresh_database};
use tempfile::TempDir;

use crate::api::Api;
use crate::logs;
use crate::options::TestOptions;
use crate::proxy::DatabaseProxy;
use crate::wait::soon;

/// A server of its own for one test: port 0, a fresh database, a data folder that goes with it. It is called as
/// an [`Api`].
pub struct TestServer {
    // In the order in which they may go.
    running: Option<RunningApp>,
    api: Api,
    proxy: Option<DatabaseProxy>,
    data: TempDir,
    database: TestDatabase,
    options: TestOptions,
}

impl TestServer {
    /// Starts one.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn start(options: TestOptions) -> Self {
        install_tls();
        logs::keep();
        let database = fresh_database().await;
        let proxy = match options.behind_proxy {
            true => Some(DatabaseProxy::before(&database).await),
            false => None,
        };
        let data = tempfile::tempdir().expect("a folder for the test's data");
        let nowhere = Api::new(String::new());
        let mut server = Self { running: None, api: nowhere, proxy, data, database, options };
        server.run().await;
        server
    }

    /// A second server over the same database, with a data folder and a model of its own.
    pub async fn replica(&self, options: TestOptions) -> Replica {
        let data = tempfile::tempdir().expect("a folder for the replica's data");
        let running = run(&options, data.path(), &self.database.url()).await;
        let api = Api::new(base_of(running.addr()));
        Replica { _running: running, api, _data: data }
    }

    async fn run(&mut self) {
        let url = self.proxy.as_ref().map_or_else(|| self.database.url(), |proxy| proxy.url().to_owned());
        let running = run(&self.options, self.data.path(), &url).await;
        self.api = Api::new(base_of(running.addr()));
        self.running = Some(running);
    }

    /// Stops it, gracefully.
    pub async fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            soon("the server to stop", running.stop()).await;
        }
    }

    /// Stops it and starts it again on the same database and data folder; on another port.
    pub async fn restart(&mut self) {
        self.stop().await;
        self.run().await;
    }

    /// Where it listens, for a bare socket.
    ///
    /// # Panics
    /// When it has been stopped.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.running.as_ref().expect("the server runs").addr()
    }

    /// The network to the database.
    ///
    /// # Panics
    /// Without [`TestOptions::behind_proxy`].
    #[must_use]
    pub fn proxy(&self) -> &DatabaseProxy {
        self.proxy.as_ref().expect("the options say behind_proxy()")
    }

    /// The server's database, past the server: for what no route can do, such as rows of another person.
    pub async fn store(&self) -> Store {
        let connection = Connection::Url(self.database.url());
        let options = StoreOptions { max_connections: 2, ..StoreOptions::new(connection) };
        Store::connect(options).await.expect("the test's database")
    }
}

impl Deref for TestServer {
    type Target = Api;

    fn deref(&self) -> &Api {
        &self.api
    }
}

/// Another server over the database of a [`TestServer`].
pub struct Replica {
    _running: RunningApp,
    api: Api,
    _data: TempDir,
}

impl Deref for Replica {
    type Target = Api;

    fn deref(&self) -> &Api {
        &self.api
    }
}

async fn run(options: &TestOptions, data_dir: &std::path::Path, database_url: &str) -> RunningApp {
    let sources = Sources {
        named_file: None,
        local_file: None,
        variables: options.variables(data_dir, Some(database_url)),
    };
    let Loaded { settings, .. } = load(sources).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    soon("the server to start", Box::pin(App::start(settings)))
        .await
        .unwrap_or_else(|error| panic!("the server did not start: {error}"))
}

fn base_of(address: SocketAddr) -> String {
    format!("http://{address}")
}

/// As main does it first.
pub(crate) fn install_tls() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Another test of this process may have been faster.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
