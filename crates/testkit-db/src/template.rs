//! The database that tests' databases are cloned from, made once for each state of the migrations.

use std::{
    fmt::Write,
    hash::{DefaultHasher, Hash, Hasher},
};

use sqlx::{Connection, PgConnection, migrate::Migrator, postgres::PgConnectOptions};
use tokio::sync::OnceCell;

use crate::database::run;

static MIGRATOR: Migrator = sqlx::migrate!("../../migrations");

/// Any number, as long as nobody else locks it: test binaries of one run share a server.
const LOCK: i64 = 0x0061_7474_6573_7400;

/// The template's name; the first caller makes it.
pub(crate) async fn ensure(server: &PgConnectOptions) -> &'static str {
    static MADE: OnceCell<String> = OnceCell::const_new();
    MADE.get_or_init(|| async {
        let name = name();
        if let Err(error) = make(server, &name).await {
            panic!("the tests' template database could not be made: {error}");
        }
        name
    })
    .await
}

fn name() -> String {
    // The hash need only be the same within one run: the server is not kept longer.
    let mut hasher = DefaultHasher::new();
    for migration in MIGRATOR.iter() {
        (migration.version, &migration.checksum).hash(&mut hasher);
    }
    let mut name = "tpl_".to_owned();
    // Writing to a String cannot fail.
    let _ = write!(name, "{:016x}", hasher.finish());
    name
}

async fn make(server: &PgConnectOptions, name: &str) -> Result<(), Box<dyn std::error::Error>> {
    let mut connection = PgConnection::connect_with(server).await?;
    sqlx::query("select pg_advisory_lock($1)").bind(LOCK).execute(&mut connection).await?;
    let made: bool = sqlx::query_scalar("select exists (select from pg_database where datname = $1)")
        .bind(name)
        .fetch_one(&mut connection)
        .await?;
    if !made {
        // Under another name until it is whole: a test run may be stopped at any moment.
        let unfinished = format!("{name}_unfinished");
        run(&mut connection, format!("drop database if exists {unfinished} with (force)")).await?;
        run(&mut connection, format!("create database {unfinished} template template0")).await?;
        let mut inside = PgConnection::connect_with(&server.clone().database(&unfinished)).await?;
        MIGRATOR.run(&mut inside).await?;
        inside.close().await?;
        run(&mut connection, format!("alter database {unfinished} rename to {name}")).await?;
        // A template that somebody is connected to cannot be cloned.
        run(&mut connection, format!("alter database {name} allow_connections false")).await?;
    }
    // Closing gives the lock back.
    connection.close().await?;
    Ok(())
}
