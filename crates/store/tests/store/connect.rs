use attest_store::{Connection, Store, StoreError, StoreOptions};
use sqlx::AssertSqlSafe;
use time::Duration;
use uuid::Uuid;

use crate::setup::{connect, fixture, minute};

#[tokio::test]
async fn the_database_is_described_without_its_password() {
    let f = fixture().await;
    let text = f.store.describe().await.unwrap();
    assert!(text.starts_with("PostgreSQL 1"), "{text}");
    assert!(text.ends_with(&format!("/{}", f.db.name())), "{text}");
}

#[tokio::test]
async fn a_closed_store_is_unavailable() {
    let f = fixture().await;
    f.store.ping().await.unwrap();
    f.store.close().await;
    assert!(f.store.ping().await.unwrap_err().is_unavailable());
}

#[tokio::test]
async fn where_nothing_answers_the_start_says_so() {
    // Port 1 of this machine: refused at once.
    let options = StoreOptions::new(Connection::Url("postgres://nobody:secret@127.0.0.1:1/none".to_owned()));
    let error = Store::connect(options).await.unwrap_err();
    assert!(error.is_unavailable(), "{error:?}");
    assert!(!format!("{error:?}").contains("secret"));
}

#[tokio::test]
async fn a_missing_database_is_no_passing_fault() {
    let f = fixture().await;
    let options = f.db.connect_options().database("there_is_no_such_database");
    let url = sqlx::ConnectOptions::to_url_lossy(&options).to_string();
    let error = Store::connect(StoreOptions::new(Connection::Url(url))).await.unwrap_err();
    assert!(matches!(error, StoreError::Database(_)), "{error:?}");
}

#[tokio::test]
async fn a_missing_database_is_created_once() {
    let f = fixture().await;
    let name = format!("t_{}\"", Uuid::new_v4().simple());
    let url = sqlx::ConnectOptions::to_url_lossy(&f.db.connect_options().database(&name)).to_string();
    let connection = Connection::Url(url);
    for _ in 0..2 {
        Store::create_database_if_missing(&connection).await.unwrap();
    }
    let store = Store::connect(StoreOptions::new(connection)).await.unwrap();
    assert!(store.describe().await.unwrap().ends_with(&name));
    store.close().await;
    let drop = format!("drop database \"{}\" with (force)", name.replace('"', "\"\""));
    sqlx::query(AssertSqlSafe(drop)).execute(f.db.pool()).await.unwrap();
}

#[tokio::test]
async fn an_empty_database_is_brought_up_to_date_and_stays_so() {
    let db = attest_testkit_db::empty_database().await;
    let store = connect(&db).await;
    // Two servers that start together.
    let (one, other) = tokio::join!(store.migrate(), store.migrate());
    one.unwrap();
    other.unwrap();
    store.migrate().await.unwrap();
    assert_eq!(store.ensure_default_kb(minute(0)).await.unwrap().slug, "default");
}

#[tokio::test]
async fn a_schema_newer_than_the_program_is_refused() {
    let db = attest_testkit_db::empty_database().await;
    let store = connect(&db).await;
    store.migrate().await.unwrap();
    sqlx::query(
        "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
         values (99991231000000, 'from the future', true, '', 0)",
    )
    .execute(db.pool())
    .await
    .unwrap();
    let error = store.migrate().await.unwrap_err();
    assert!(matches!(error, StoreError::Migration(_)), "{error:?}");
}

#[tokio::test]
async fn the_epoch_of_a_database_stays_and_is_its_own() {
    let (one, other) = tokio::join!(fixture(), fixture());
    let epoch = one.store.index_epoch().await.unwrap();
    assert_eq!(one.store.index_epoch().await.unwrap(), epoch);
    assert_ne!(other.store.index_epoch().await.unwrap(), epoch);
}

#[tokio::test]
async fn a_seed_mark_is_set_by_the_first_and_kept() {
    let f = fixture().await;
    assert_eq!(f.store.find_seed_mark("sample").await.unwrap(), None);
    assert!(f.store.set_seed_mark("sample", minute(1)).await.unwrap());
    assert!(!f.store.set_seed_mark("sample", minute(1) + Duration::HOUR).await.unwrap());
    assert_eq!(f.store.find_seed_mark("sample").await.unwrap(), Some(minute(1)));
}

#[tokio::test]
async fn every_foreign_key_has_an_index_that_begins_with_it() {
    let f = fixture().await;
    let bare: Vec<String> = sqlx::query_scalar(
        "select conrelid::regclass || ' (' || conname || ')'
         from pg_constraint c
         where contype = 'f'
           and not exists (
               select from pg_index i
               where i.indrelid = c.conrelid
                 and (string_to_array(i.indkey::text, ' ')::smallint[])[1:array_length(c.conkey, 1)] = c.conkey
           )",
    )
    .fetch_all(f.db.pool())
    .await
    .unwrap();
    assert_eq!(bare, Vec::<String>::new());
}
