//! The connection pool and what concerns the database as a whole.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgSslMode};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, PgPool};

use crate::error::StoreError;

static MIGRATOR: Migrator = sqlx::migrate!("../../migrations");

/// Where the database is.
#[derive(Clone)]
pub enum Connection {
    /// A `postgres://` URL. What it leaves open is read from the `PG*` variables, as libpq does.
    Url(String),
    /// The unix socket of the private server. `PG*` variables do not interfere.
    Socket {
        /// The folder that holds the socket.
        dir: PathBuf,
        /// The database user.
        user: String,
        /// The database.
        database: String,
    },
}

/// How to connect.
#[derive(Clone)]
pub struct StoreOptions {
    /// Where the database is.
    pub connection: Connection,
    /// Connections held at most; listeners take one each.
    pub max_connections: u32,
    /// How long a call waits for a connection.
    pub acquire_timeout: Duration,
}

impl StoreOptions {
    /// At most 16 connections, and 5 s to get one.
    #[must_use]
    pub fn new(connection: Connection) -> Self {
        Self { connection, max_connections: 16, acquire_timeout: Duration::from_secs(5) }
    }
}

/// Everything that is kept. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) pool: PgPool,
}

impl Store {
    /// Connects, and fails at once with the real reason when that cannot be done.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when nothing answers, [`StoreError::Database`] for a malformed URL, a wrong
    /// password or a missing database.
    pub async fn connect(options: StoreOptions) -> Result<Self, StoreError> {
        let connect_options = connect_options(&options.connection)?;
        // The pool retries a refused connection until its timeout and then reports only that.
        probe(&connect_options, options.acquire_timeout).await?;
        let pool = PgPoolOptions::new()
            .max_connections(options.max_connections)
            .acquire_timeout(options.acquire_timeout)
            .after_connect(|connection, _| {
                Box::pin(async move {
                    // A frozen process must not keep a conversation or the index log locked for ever.
                    sqlx::query("set idle_in_transaction_session_timeout = '60s'")
                        .execute(connection)
                        .await?;
                    Ok(())
                })
            })
            .connect_lazy_with(connect_options);
        Ok(Self { pool })
    }

    /// Creates the database of `connection` on its server, when it is missing.
    ///
    /// # Errors
    /// As [`Store::connect`]; also when the user may not create databases.
    pub async fn create_database_if_missing(connection: &Connection) -> Result<(), StoreError> {
        let options = connect_options(connection)?;
        let name = options.get_database().unwrap_or("postgres").to_owned();
        let mut connection = PgConnection::connect_with(&options.database("postgres")).await?;
        let exists: bool = sqlx::query_scalar("select exists (select from pg_database where datname = $1)")
            .bind(&name)
            .fetch_one(&mut connection)
            .await?;
        if !exists {
            let statement = format!("create database \"{}\"", name.replace('"', "\"\""));
            let created = sqlx::query(AssertSqlSafe(statement)).execute(&mut connection).await;
            match created {
                Ok(_) => {}
                // Another process was quicker: 42P04, or a conflict in the catalogue.
                Err(sqlx::Error::Database(error))
                    if error.is_unique_violation() || error.code().is_some_and(|code| code == "42P04") => {}
                Err(error) => return Err(error.into()),
            }
        }
        connection.close().await?;
        Ok(())
    }

    /// Brings the schema up to date. Servers that start together wait for each other.
    ///
    /// # Errors
    /// [`StoreError::Migration`] when a migration fails, or the database is newer than this program.
    pub async fn migrate(&self) -> Result<(), StoreError> {
        Ok(MIGRATOR.run(&self.pool).await?)
    }

    /// Asks the database for a sign of life.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when there is none.
    pub async fn ping(&self) -> Result<(), StoreError> {
        sqlx::query("select 1").execute(&self.pool).await?;
        Ok(())
    }

    /// Which database this is, for people: `PostgreSQL 18.6 at db.example:5432/attest`. Holds no password.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn describe(&self) -> Result<String, StoreError> {
        let (version, database): (String, String) =
            sqlx::query_as("select current_setting('server_version'), current_database()::text")
                .fetch_one(&self.pool)
                .await?;
        let version = version.split_whitespace().next().unwrap_or_default();
        let options = self.pool.connect_options();
        let place = match options.get_socket() {
            Some(dir) => dir.display().to_string(),
            None => format!("{}:{}", options.get_host(), options.get_port()),
        };
        Ok(format!("PostgreSQL {version} at {place}/{database}"))
    }

    /// Closes every connection; calls that still come fail as unavailable.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

async fn probe(options: &PgConnectOptions, timeout: Duration) -> Result<(), StoreError> {
    let connection = tokio::time::timeout(timeout, PgConnection::connect_with(options))
        .await
        .map_err(|_| StoreError::Unavailable(sqlx::Error::PoolTimedOut))??;
    // The answer is known; how the goodbye went does not matter.
    drop(connection.close().await);
    Ok(())
}

fn connect_options(connection: &Connection) -> Result<PgConnectOptions, StoreError> {
    let options = match connection {
        Connection::Url(url) => PgConnectOptions::from_str(url)?,
        // The port is part of the socket's name and would be read from PGPORT; so would the rest.
        Connection::Socket { dir, user, database } => PgConnectOptions::new_without_pgpass()
            .port(5432)
            .socket(dir)
            .username(user)
            .password("")
            .database(database)
            .ssl_mode(PgSslMode::Disable),
    };
    Ok(match options.get_application_name() {
        Some(_) => options,
        None => options.application_name("attest"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_of_the_private_server_is_named_in_full() {
        let options = connect_options(&Connection::Socket {
            dir: PathBuf::from("/srv/attest/run"),
            user: "postgres".to_owned(),
            database: "attest".to_owned(),
        })
        .unwrap();
        assert_eq!(options.get_socket(), Some(&PathBuf::from("/srv/attest/run")));
        assert_eq!(options.get_port(), 5432);
        assert_eq!(options.get_username(), "postgres");
        assert_eq!(options.get_database(), Some("attest"));
        assert!(matches!(options.get_ssl_mode(), PgSslMode::Disable));
    }

    #[test]
    fn a_malformed_url_is_refused_without_its_password() {
        let Err(error) = connect_options(&Connection::Url("postgres://u:hunter2@host:port/db".to_owned()))
        else {
            panic!("accepted");
        };
        assert!(!format!("{error:?} {error}").contains("hunter2"));
    }
}
