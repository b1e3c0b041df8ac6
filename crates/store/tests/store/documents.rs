use std::time::Duration;

use attest_domain::{Document, DocumentId, DocumentState, KbId};
use attest_store::{ClaimError, DocumentText, NewDocument, StoreError};
use tokio::time::timeout;
use uuid::Uuid;

use crate::setup::{LONG, OVER, chunks_of, fixture, minute, new_document};

#[tokio::test]
async fn an_accepted_document_is_queued_and_found_whole() {
    let f = fixture().await;
    let new = NewDocument {
        media_type: "text/markdown".to_owned(),
        dated: Some("1993-04".parse().unwrap()),
        original: vec![0, 1, 2, 255],
        ..new_document(f.kb.id, "年报.md", minute(1))
    };
    let inserted = f.store.insert_document(&new).await.unwrap();
    let expected = Document {
        id: new.id,
        kb_id: f.kb.id,
        filename: "年报.md".to_owned(),
        media_type: "text/markdown".to_owned(),
        dated: new.dated,
        size_bytes: 4,
        state: DocumentState::Queued,
        chunk_count: 0,
        char_count: 0,
        created_at: minute(1),
        deleted_at: None,
    };
    assert_eq!(inserted, expected);
    assert_eq!(f.store.find_document(f.kb.id, new.id).await.unwrap(), Some(expected));
    assert_eq!(f.store.find_document(KbId::new(), new.id).await.unwrap(), None);
    assert_eq!(f.store.find_document(f.kb.id, DocumentId::new()).await.unwrap(), None);
}

#[tokio::test]
async fn a_base_that_is_gone_accepts_nothing() {
    let f = fixture().await;
    let error = f.store.insert_document(&new_document(KbId::new(), "a.txt", minute(1))).await.unwrap_err();
    assert!(matches!(error, StoreError::Missing("knowledge base")), "{error:?}");
}

#[tokio::test]
async fn documents_are_listed_newest_first_in_pages_without_deleted_ones() {
    let f = fixture().await;
    let other = f.other_kb("other").await;
    f.store.insert_document(&new_document(other.id, "elsewhere.txt", minute(0))).await.unwrap();
    let mut ids = vec![];
    for n in 1..=4 {
        ids.push(f.store.insert_document(&new_document(f.kb.id, "a.txt", minute(n))).await.unwrap().id);
    }
    assert!(f.store.delete_document(f.kb.id, ids[2], minute(5)).await.unwrap());
    let page = |before| {
        let store = f.store.clone();
        async move {
            let page = store.list_documents(f.kb.id, 2, before).await.unwrap();
            page.into_iter().map(|document| document.id).collect::<Vec<_>>()
        }
    };
    assert_eq!(page(None).await, [ids[3], ids[1]]);
    assert_eq!(page(Some(ids[1])).await, [ids[0]]);
    assert_eq!(f.store.count_documents(f.kb.id).await.unwrap(), 3);
    assert_eq!(f.store.count_documents(KbId::new()).await.unwrap(), 0);
}

#[tokio::test]
async fn a_read_document_is_ready_with_its_counts() {
    let f = fixture().await;
    let (id, _) = f.ready_document(f.kb.id, &["图谱😀 ", "and more"], minute(1)).await;
    let document = f.store.find_document(f.kb.id, id).await.unwrap().unwrap();
    assert_eq!(document.state, DocumentState::Ready);
    assert_eq!((document.chunk_count, document.char_count), (2, 12));
}

#[tokio::test]
async fn a_document_of_thousands_of_passages_is_kept_whole() {
    let f = fixture().await;
    let texts = vec!["x"; 1201];
    let (id, chunks) = f.ready_document(f.kb.id, &texts, minute(1)).await;
    let passages = f.store.list_document_passages(f.kb.id, id, None).await.unwrap();
    assert_eq!(passages.into_iter().map(|passage| passage.chunk).collect::<Vec<_>>(), chunks);
}

#[tokio::test]
async fn a_document_that_cannot_be_read_says_why_and_is_claimed_no_more() {
    let f = fixture().await;
    let new = new_document(f.kb.id, "a.txt", minute(1));
    f.store.insert_document(&new).await.unwrap();
    f.store.claim_document(f.owner, OVER).await.unwrap().unwrap();
    f.store.fail_document(new.id, f.owner, "It is not text.").await.unwrap();
    let failed = f.store.find_document(f.kb.id, new.id).await.unwrap().unwrap();
    assert_eq!(failed.state, DocumentState::Failed { reason: "It is not text.".to_owned() });
    assert!(f.store.claim_document(f.owner, LONG).await.unwrap().is_none());
    assert_eq!(f.store.find_document_text(f.kb.id, new.id, 0, 10).await.unwrap(), None);
}

#[tokio::test]
async fn the_document_that_waited_longest_is_claimed_first_and_only_once() {
    let f = fixture().await;
    let later = f.store.insert_document(&new_document(f.kb.id, "b.txt", minute(2))).await.unwrap();
    let new = NewDocument { original: b"bytes".to_vec(), ..new_document(f.kb.id, "a.txt", minute(1)) };
    let earlier = f.store.insert_document(&new).await.unwrap();
    let first = f.store.claim_document(Uuid::new_v4(), LONG).await.unwrap().unwrap();
    assert_eq!(first.document, Document { state: DocumentState::Reading, ..earlier });
    assert_eq!((first.original.as_slice(), first.attempt), (b"bytes".as_slice(), 1));
    let second = f.store.claim_document(Uuid::new_v4(), LONG).await.unwrap().unwrap();
    assert_eq!(second.document.id, later.id);
    assert!(f.store.claim_document(Uuid::new_v4(), LONG).await.unwrap().is_none());
}

#[tokio::test]
async fn workers_do_not_wait_for_each_other() {
    let f = fixture().await;
    let one = f.store.insert_document(&new_document(f.kb.id, "a.txt", minute(1))).await.unwrap();
    let two = f.store.insert_document(&new_document(f.kb.id, "b.txt", minute(2))).await.unwrap();
    // Another worker is in the middle of claiming the first.
    let mut claiming = f.db.pool().begin().await.unwrap();
    sqlx::query("select from documents where id = $1 for update")
        .bind(one.id.as_uuid())
        .execute(&mut *claiming)
        .await
        .unwrap();
    let claimed = timeout(Duration::from_secs(20), f.store.claim_document(f.owner, LONG)).await;
    assert_eq!(claimed.expect("it waited").unwrap().unwrap().document.id, two.id);
}

#[tokio::test]
async fn many_workers_claim_every_document_once() {
    let f = fixture().await;
    for n in 0..12 {
        f.store.insert_document(&new_document(f.kb.id, "a.txt", minute(n))).await.unwrap();
    }
    let mut workers = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let store = f.store.clone();
        workers.spawn(async move {
            let mut claimed = vec![];
            while let Some(document) = store.claim_document(Uuid::new_v4(), LONG).await.unwrap() {
                claimed.push(document.document.id);
            }
            claimed
        });
    }
    let mut ids = workers.join_all().await.concat();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 12);
}

#[tokio::test]
async fn a_claim_that_expired_is_taken_over_and_its_first_reader_is_refused() {
    let f = fixture().await;
    let new = new_document(f.kb.id, "a.txt", minute(1));
    f.store.insert_document(&new).await.unwrap();
    let (slow, fast) = (Uuid::new_v4(), Uuid::new_v4());
    assert_eq!(f.store.claim_document(slow, OVER).await.unwrap().unwrap().attempt, 1);
    assert_eq!(f.store.claim_document(fast, LONG).await.unwrap().unwrap().attempt, 2);

    let chunks = chunks_of(new.id, &["slow"]);
    let late = f.store.finish_document(new.id, slow, "slow", &chunks, minute(2)).await;
    assert!(matches!(late, Err(ClaimError::ClaimLost)), "{late:?}");
    let late = f.store.fail_document(new.id, slow, "slow").await;
    assert!(matches!(late, Err(ClaimError::ClaimLost)), "{late:?}");
    assert_eq!((f.count("chunks").await, f.count("index_log").await), (0, 0));

    let chunks = chunks_of(new.id, &["fast"]);
    f.store.finish_document(new.id, fast, "fast", &chunks, minute(3)).await.unwrap();
    // What is ready stays as it is.
    let twice = f.store.finish_document(new.id, fast, "fast", &chunks, minute(4)).await;
    assert!(matches!(twice, Err(ClaimError::ClaimLost)), "{twice:?}");
    let text = f.store.find_document_text(f.kb.id, new.id, 0, 100).await.unwrap().unwrap();
    assert_eq!(text.text, "fast");
}

#[tokio::test]
async fn a_document_deleted_while_it_is_read_never_becomes_ready() {
    let f = fixture().await;
    let new = new_document(f.kb.id, "a.txt", minute(1));
    f.store.insert_document(&new).await.unwrap();
    f.store.claim_document(f.owner, OVER).await.unwrap().unwrap();
    assert!(f.store.delete_document(f.kb.id, new.id, minute(2)).await.unwrap());
    let late = f.store.finish_document(new.id, f.owner, "text", &[], minute(3)).await;
    assert!(matches!(late, Err(ClaimError::ClaimLost)), "{late:?}");
    assert!(f.store.claim_document(f.owner, LONG).await.unwrap().is_none());
}

#[tokio::test]
async fn a_span_is_counted_in_characters_and_clipped_to_the_text() {
    let f = fixture().await;
    let (id, _) = f.ready_document(f.kb.id, &["a😀图谱z"], minute(1)).await;
    let span = |from, to, text: &str, stands: (u64, u64)| {
        let expected = DocumentText {
            filename: "notes.txt".to_owned(),
            text: text.to_owned(),
            from: stands.0,
            to: stands.1,
            characters: 5,
        };
        let store = f.store.clone();
        async move {
            let found = store.find_document_text(f.kb.id, id, from, to).await.unwrap();
            assert_eq!(found, Some(expected), "{from}..{to}");
        }
    };
    span(0, 5, "a😀图谱z", (0, 5)).await;
    span(1, 3, "😀图", (1, 3)).await;
    span(3, u64::MAX, "谱z", (3, 5)).await;
    span(3, 2, "", (3, 3)).await;
    span(u64::MAX, u64::MAX, "", (5, 5)).await;
    assert_eq!(f.store.find_document_text(KbId::new(), id, 0, 5).await.unwrap(), None);
}

#[tokio::test]
async fn a_deleted_document_can_still_be_cited_and_a_purged_one_is_gone() {
    let f = fixture().await;
    let (id, _) = f.ready_document(f.kb.id, &["text"], minute(1)).await;
    assert!(!f.store.delete_document(KbId::new(), id, minute(2)).await.unwrap());
    assert!(f.store.delete_document(f.kb.id, id, minute(2)).await.unwrap());
    assert!(!f.store.delete_document(f.kb.id, id, minute(3)).await.unwrap());
    let found = f.store.find_document(f.kb.id, id).await.unwrap().unwrap();
    assert_eq!(found.deleted_at, Some(minute(2)));
    assert!(f.store.find_document_text(f.kb.id, id, 0, 4).await.unwrap().is_some());

    assert!(!f.store.purge_document(KbId::new(), id, minute(4)).await.unwrap());
    assert!(f.store.purge_document(f.kb.id, id, minute(4)).await.unwrap());
    assert!(!f.store.purge_document(f.kb.id, id, minute(4)).await.unwrap());
    assert_eq!(f.store.find_document(f.kb.id, id).await.unwrap(), None);
    assert_eq!(f.store.find_document_text(f.kb.id, id, 0, 4).await.unwrap(), None);
    assert_eq!(f.count("chunks").await, 0);
}
