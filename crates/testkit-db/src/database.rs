//! One test's database.

use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use uuid::Uuid;

use crate::{server, template};

/// The most connections a test's pool opens: many tests share one server.
const POOL_SIZE: u32 = 5;

/// A database that only this test sees. Dropping it drops the database, open connections and all.
#[derive(Debug)]
pub struct TestDatabase {
    name: String,
    server: PgConnectOptions,
    pool: PgPool,
}

/// A database with the schema of `/migrations` and no rows.
///
/// # Panics
/// When there is no server and none can be started; the text says what to do.
pub async fn fresh_database() -> TestDatabase {
    let server = server::options().await;
    let template = template::ensure(&server).await;
    create(server, &format!("template {template} strategy file_copy")).await
}

/// A database without any schema: for tests of the migrations themselves.
///
/// # Panics
/// As [`fresh_database`].
pub async fn empty_database() -> TestDatabase {
    create(server::options().await, "template template0 strategy file_copy").await
}

impl TestDatabase {
    /// A pool of at most five connections that the test and the code under test may share.
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// For code under test that makes its own pool.
    pub fn connect_options(&self) -> PgConnectOptions {
        self.server.clone().database(&self.name)
    }

    /// The same as a URL, for a program under test.
    pub fn url(&self) -> String {
        self.connect_options().to_url_lossy().into()
    }

    /// The database's name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let (name, server) = (self.name.clone(), self.server.clone());
        // The test's runtime may be gone or busy being dropped, so the last statement gets a thread and a
        // runtime of its own. What fails here goes with the server.
        let _ = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let mut connection = PgConnection::connect_with(&server).await?;
                run(&mut connection, format!("drop database if exists {name} with (force)")).await?;
                connection.close().await
            })?;
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(())
        })
        .join();
    }
}

async fn create(server: PgConnectOptions, how: &str) -> TestDatabase {
    let name = format!("t_{}", Uuid::new_v4().simple());
    let made = async {
        let mut connection = PgConnection::connect_with(&server).await?;
        run(&mut connection, format!("create database {name} {how}")).await?;
        connection.close().await
    };
    if let Err(error) = made.await {
        panic!("a test's database could not be made: {error}");
    }
    let pool =
        PgPoolOptions::new().max_connections(POOL_SIZE).connect_lazy_with(server.clone().database(&name));
    TestDatabase { name, server, pool }
}

/// Runs one statement whose only variable part is a name made here.
pub(crate) async fn run(connection: &mut PgConnection, statement: String) -> sqlx::Result<()> {
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(connection).await.map(drop)
}
