//! The server that all tests' databases live on.

use std::{env, path::PathBuf, str::FromStr, sync::OnceLock};

use attest_embedded_pg::{Cluster, Durability, Error, Options};
use sqlx::postgres::PgConnectOptions;

use crate::sweep;

/// How to connect to the shared server, to a database that is always there.
pub(crate) async fn options() -> PgConnectOptions {
    let url = match env::var("TEST_DATABASE_URL") {
        Ok(url) if !url.is_empty() => url,
        _ => own().await,
    };
    match PgConnectOptions::from_str(&url) {
        Ok(options) => options,
        Err(error) => panic!("TEST_DATABASE_URL is no PostgreSQL URL: {error}"),
    }
}

/// The URL of this process's own server, started by the first test that asks.
async fn own() -> String {
    // Statics are not dropped at exit: the server notices our end by itself, and the next run sweeps up.
    static OWN: OnceLock<Cluster> = OnceLock::new();
    let started = tokio::task::spawn_blocking(|| {
        OWN.get_or_init(|| match start_cluster() {
            Ok(cluster) => cluster,
            Err(error) => panic!("the tests need PostgreSQL: {error}"),
        })
        .url("postgres")
    });
    match started.await {
        Ok(url) => url,
        Err(error) => panic!("the tests' PostgreSQL did not start: {error}"),
    }
}

/// Starts a throwaway server for tests, in the build's folder for temporary files, after removing those of
/// runs that are over. Blocks for about a second.
///
/// # Errors
/// As [`Cluster::start`].
pub fn start_cluster() -> Result<Cluster, Error> {
    let base = temporary_folder();
    sweep::remove_leftovers(&base);
    let mut options = Options::new(base.join(format!("pg-{}", std::process::id())));
    options.durability = Durability::Disposable;
    options.settings = [("max_connections", "200"), ("autovacuum", "off"), ("max_wal_size", "4GB")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec();
    Cluster::start(options)
}

/// `tmp` in the folder that cargo builds into, which marks it; never the data of the service.
fn temporary_folder() -> PathBuf {
    let program = env::current_exe().unwrap_or_default();
    let target = program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file());
    target.map_or_else(|| env::temp_dir().join("attest-tests"), |target| target.join("tmp"))
}
