//! What a test gets from the kit.

#![expect(clippy::unwrap_used, reason = "what the tests share; clippy.toml excuses the test functions alone")]

use std::process::Command;

use attest_testkit_db::{empty_database, fresh_database};
use sqlx::{Connection, PgConnection};

async fn tables(pool: &sqlx::PgPool) -> i64 {
    sqlx::query_scalar("select count(*) from pg_tables where schemaname = 'public'")
        .fetch_one(pool)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_fresh_database_has_the_schema_and_an_empty_one_has_none() {
    let (fresh, empty) = tokio::join!(fresh_database(), empty_database());
    assert!(tables(fresh.pool()).await > 1);
    assert_eq!(tables(empty.pool()).await, 0);
}

#[tokio::test]
async fn two_tests_do_not_see_each_other() {
    let (one, other) = tokio::join!(fresh_database(), fresh_database());
    sqlx::query("create table seen (n int)").execute(one.pool()).await.unwrap();
    assert_eq!(tables(one.pool()).await, tables(other.pool()).await + 1);
}

#[tokio::test]
async fn the_url_and_the_options_lead_to_the_same_database_as_the_pool() {
    let db = fresh_database().await;
    let ask = "select current_database()::text";
    let by_pool: String = sqlx::query_scalar(ask).fetch_one(db.pool()).await.unwrap();
    let mut by_url = PgConnection::connect(&db.url()).await.unwrap();
    let by_url: String = sqlx::query_scalar(ask).fetch_one(&mut by_url).await.unwrap();
    let mut by_options = PgConnection::connect_with(&db.connect_options()).await.unwrap();
    let by_options: String = sqlx::query_scalar(ask).fetch_one(&mut by_options).await.unwrap();
    assert_eq!([by_pool, by_url, by_options], [db.name(); 3]);
}

#[tokio::test]
async fn a_dropped_database_is_gone_even_while_somebody_is_connected() {
    let db = fresh_database().await;
    let watch = empty_database().await;
    let _connected = db.pool().acquire().await.unwrap();
    let name = db.name().to_owned();
    drop(db);
    let left: i64 = sqlx::query_scalar("select count(*) from pg_database where datname = $1")
        .bind(name)
        .fetch_one(watch.pool())
        .await
        .unwrap();
    assert_eq!(left, 0);
}

#[test]
fn with_test_cluster_hands_over_the_server_and_the_exit_code() {
    let run = |script: &str| {
        Command::new(env!("CARGO_BIN_EXE_with-test-cluster"))
            .args(["sh", "-c", script])
            .env_remove("TEST_DATABASE_URL")
            .output()
            .unwrap()
    };
    let ran = run("echo $TEST_DATABASE_URL; exit 7");
    assert_eq!(ran.status.code(), Some(7), "{}", String::from_utf8_lossy(&ran.stderr));
    let url = String::from_utf8(ran.stdout).unwrap();
    assert!(url.starts_with("postgres:///postgres?user=postgres&"), "{url}");
}
