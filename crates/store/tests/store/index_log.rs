use std::time::Duration;

use attest_domain::DocumentId;
use attest_store::{Channel, IndexChange, IndexCursor, IndexEntry};
use tokio::time::timeout;

use crate::setup::{Fixture, fixture, minute, new_document};

async fn changes(f: &Fixture, after: IndexCursor) -> Vec<IndexChange> {
    f.store.list_index_changes(after, 100).await.unwrap()
}

fn documents(changes: &[IndexChange]) -> Vec<DocumentId> {
    changes.iter().map(|change| change.document_id).collect()
}

#[tokio::test]
async fn the_feed_tells_of_what_became_ready_was_deleted_or_purged() {
    let f = fixture().await;
    let (one, _) = f.ready_document(f.kb.id, &["a"], minute(1)).await;
    let (two, _) = f.ready_document(f.kb.id, &["b"], minute(2)).await;
    f.store.delete_document(f.kb.id, one, minute(3)).await.unwrap();
    f.store.purge_document(f.kb.id, two, minute(4)).await.unwrap();
    let all = changes(&f, IndexCursor::default()).await;
    assert_eq!(documents(&all), [one, two, one, two]);
    assert!(all.iter().all(|change| change.kb_id == f.kb.id));
    // In pages, through a cursor that was written down.
    let first = f.store.list_index_changes(IndexCursor::default(), 3).await.unwrap();
    assert_eq!(first, all[..3]);
    let cursor = serde_json::to_string(&first[2].cursor).unwrap();
    assert_eq!(changes(&f, serde_json::from_str(&cursor).unwrap()).await, all[3..]);
    assert_eq!(changes(&f, all[3].cursor).await, []);
}

#[tokio::test]
async fn the_index_is_given_whole_passages_and_when_they_left() {
    let f = fixture().await;
    let (id, chunks) = f.ready_document(f.kb.id, &["a", "b"], minute(1)).await;
    let entry = |n: usize, removed_at| IndexEntry {
        chunk_id: chunks[n].id,
        kb_id: f.kb.id,
        document_id: id,
        heading_path: chunks[n].heading_path.clone(),
        text: chunks[n].text.clone(),
        filename: "notes.txt".to_owned(),
        recorded_at: minute(1),
        removed_at,
    };
    assert_eq!(f.store.list_index_entries(id).await.unwrap(), [entry(0, None), entry(1, None)]);
    f.store.delete_document(f.kb.id, id, minute(2)).await.unwrap();
    let left = Some(minute(2));
    assert_eq!(f.store.list_index_entries(id).await.unwrap(), [entry(0, left), entry(1, left)]);
    f.store.purge_document(f.kb.id, id, minute(3)).await.unwrap();
    assert_eq!(f.store.list_index_entries(id).await.unwrap(), []);
}

/// Waits until this many sessions of the test's database wait for an advisory lock, or `done` is true.
async fn until_waiting(f: &Fixture, sessions: i64, done: impl Fn() -> bool) {
    let waiting = async {
        while !done() {
            let count: i64 = sqlx::query_scalar(
                "select count(*) from pg_locks
                 where locktype = 'advisory' and not granted
                   and database = (select oid from pg_database where datname = current_database())",
            )
            .fetch_one(f.db.pool())
            .await
            .unwrap();
            if count >= sessions {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(30), waiting).await.expect("nobody waits");
}

#[tokio::test]
async fn an_entry_that_commits_late_is_never_skipped() {
    let f = fixture().await;
    let (slow, _) = f.ready_document(f.kb.id, &["slow"], minute(1)).await;
    let (fast, _) = f.ready_document(f.kb.id, &["fast"], minute(2)).await;
    let cursor = changes(&f, IndexCursor::default()).await.last().unwrap().cursor;
    // The transaction that deletes the slow one stops right before its commit, while the test holds lock 1.
    sqlx::raw_sql(sqlx::AssertSqlSafe(format!(
        "create function stop_here() returns trigger language plpgsql as
             $$ begin perform pg_advisory_xact_lock(1); return null; end $$;
         create constraint trigger slow_commit after insert on index_log deferrable initially deferred
             for each row when (new.document_id = '{slow}') execute function stop_here();"
    )))
    .execute(f.db.pool())
    .await
    .unwrap();
    let mut gate = f.db.pool().begin().await.unwrap();
    sqlx::query("select pg_advisory_xact_lock(1)").execute(&mut *gate).await.unwrap();

    let delete = |id| {
        let (store, kb) = (f.store.clone(), f.kb.id);
        tokio::spawn(async move { store.delete_document(kb, id, minute(3)).await.unwrap() })
    };
    let slow_delete = delete(slow);
    until_waiting(&f, 1, || slow_delete.is_finished()).await;
    assert!(!slow_delete.is_finished());
    let fast_delete = delete(fast);
    until_waiting(&f, 2, || fast_delete.is_finished()).await;

    // A reader that comes now, and again when all is committed, has seen both.
    let early = changes(&f, cursor).await;
    gate.rollback().await.unwrap();
    assert!(slow_delete.await.unwrap() && fast_delete.await.unwrap());
    let late = changes(&f, early.last().map_or(cursor, |change| change.cursor)).await;
    let mut told = documents(&[early, late].concat());
    told.sort_unstable();
    assert_eq!(told, [slow, fast]);
}

#[tokio::test]
async fn a_long_transaction_of_somebody_else_does_not_hold_the_feed_back() {
    let f = fixture().await;
    let mut long = f.db.pool().begin().await.unwrap();
    sqlx::query("select pg_current_xact_id()").execute(&mut *long).await.unwrap();
    let (id, _) = f.ready_document(f.kb.id, &["a"], minute(1)).await;
    assert_eq!(documents(&changes(&f, IndexCursor::default()).await), [id]);
}

#[tokio::test]
async fn a_listener_is_told_after_the_commit_and_what_came_before_it_waited_counts_once() {
    let f = fixture().await;
    let mut index = f.store.listen(Channel::Index).await.unwrap();
    let mut documents = f.store.listen(Channel::Documents).await.unwrap();
    let (id, _) = f.ready_document(f.kb.id, &["a"], minute(1)).await;
    let patience = Duration::from_secs(30);
    timeout(patience, documents.changed()).await.expect("not told of the document").unwrap();
    timeout(patience, index.changed()).await.expect("not told of the passages").unwrap();
    f.store.delete_document(f.kb.id, id, minute(2)).await.unwrap();
    timeout(patience, index.changed()).await.expect("not told of the deletion").unwrap();
}

#[tokio::test]
async fn a_listener_that_lost_its_connection_reports_a_change_and_goes_on() {
    let f = fixture().await;
    let mut listener = f.store.listen(Channel::Documents).await.unwrap();
    sqlx::query(
        "select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and query like 'LISTEN%'",
    )
    .execute(f.db.pool())
    .await
    .unwrap();
    let patience = Duration::from_secs(30);
    // Lost: either told as a change, or as unavailable; after that it listens again.
    while timeout(patience, listener.changed()).await.expect("never told").is_err() {}
    f.store.insert_document(&new_document(f.kb.id, "a.txt", minute(1))).await.unwrap();
    timeout(patience, listener.changed()).await.expect("not told again").unwrap();
}
