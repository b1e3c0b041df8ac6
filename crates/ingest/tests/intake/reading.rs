//! What becomes of a document that was accepted.

use std::time::Duration;

use attest_domain::{DocumentId, DocumentState, Moment};
use attest_ingest::{IntakeOptions, Upload};
use attest_store::NewDocument;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::house::{House, upload};

#[tokio::test]
async fn an_accepted_document_is_read_and_found() {
    let house = House::new().await;
    let text = "\u{feff}# 实验室\r\n\r\n贝尔实验室成立于1925年。\0 😀\r\n";
    let upload = Upload { date: Some(" 1925-01 ".to_owned()), ..upload("lab/实验室.MD", text.as_bytes()) };
    let accepted = house.intake.accept(house.kb_id, upload).await.unwrap();
    assert_eq!(
        (accepted.filename.as_str(), accepted.media_type.as_str(), &accepted.state, accepted.size_bytes),
        ("实验室.MD", "text/markdown", &DocumentState::Queued, text.len() as u64)
    );
    assert_eq!(accepted.dated, Some("1925-01".parse::<Moment>().unwrap()));

    let ready = house.settle(accepted.id).await;
    let kept = "# 实验室\n\n贝尔实验室成立于1925年。 😀\n";
    assert_eq!(
        (ready.state, ready.chunk_count, ready.char_count),
        (DocumentState::Ready, 1, kept.chars().count() as u64)
    );
    let whole = house.store.find_document_text(house.kb_id, ready.id, 0, 1_000).await.unwrap().unwrap();
    assert_eq!(whole.text, kept);
    assert_eq!(house.find("实验室是哪一年成立的？").await, [kept.trim_end()]);
}

#[tokio::test]
async fn every_passage_is_the_stored_text_at_its_span() {
    let house = House::new().await;
    let text: String = (0..40)
        .map(|n| {
            format!("## Part {n} 😀\n\nThe gateway of part {n} was built in {}. 第{n}部分。\n\n", 1900 + n)
        })
        .collect();
    let accepted = house.accept("parts.md", text.as_bytes()).await.unwrap();
    let ready = house.settle(accepted.id).await;
    assert_eq!((&ready.state, ready.chunk_count), (&DocumentState::Ready, 40));
    for passage in house.store.list_document_passages(house.kb_id, ready.id, None).await.unwrap() {
        let span = passage.chunk.span;
        let stored =
            house.store.find_document_text(house.kb_id, ready.id, span.start, span.end).await.unwrap();
        assert_eq!(stored.unwrap().text, passage.chunk.text);
    }
}

#[tokio::test]
async fn many_documents_wake_the_workers_once_and_are_all_read() {
    let house = House::new().await;
    let mut last = None;
    for n in 0..50 {
        let text = format!("gateway {n}");
        last = Some(house.accept("small.txt", text.as_bytes()).await.unwrap().id);
    }
    house.settle(last.unwrap()).await;
    let mut ready = 0;
    for document in house.store.list_documents(house.kb_id, 100, None).await.unwrap() {
        ready += u32::from(house.settle(document.id).await.state == DocumentState::Ready);
    }
    assert_eq!(ready, 50);
}

#[tokio::test]
async fn what_takes_too_long_fails_with_a_reason() {
    let house = House::with(IntakeOptions { read_timeout: Duration::ZERO, ..IntakeOptions::default() }).await;
    let accepted = house.accept("slow.txt", b"text").await.unwrap();
    let reason = "the file took longer than 0 seconds to read: split it into smaller files".to_owned();
    assert_eq!(house.settle(accepted.id).await.state, DocumentState::Failed { reason });
}

#[tokio::test]
async fn a_document_that_passed_the_door_but_cannot_be_read_fails_with_a_reason() {
    let house = House::new().await;
    let id = insert(&house, "broken.txt", b"caf\xe9").await;
    let reason =
        "the file is not UTF-8 text: byte 3 (0xE9) does not belong there; convert it to UTF-8".to_owned();
    assert_eq!(house.settle(id).await.state, DocumentState::Failed { reason });
}

#[tokio::test]
async fn a_document_that_takes_its_readers_down_fails_after_three_of_them() {
    let house = House::new().await;
    let id = insert(&house, "deadly.txt", b"text").await;
    for attempt in 1..=3 {
        // A reader that died: its lease ran out at once.
        let claimed = house.store.claim_document(Uuid::new_v4(), Duration::ZERO).await.unwrap().unwrap();
        assert_eq!((claimed.document.id, claimed.attempt), (id, attempt));
    }
    let reason =
        "the server stopped 3 times while it read the file: delete it and split it into smaller files"
            .to_owned();
    assert_eq!(house.settle(id).await.state, DocumentState::Failed { reason });
}

async fn insert(house: &House, filename: &str, content: &[u8]) -> DocumentId {
    let new = NewDocument {
        id: DocumentId::new(),
        kb_id: house.kb_id,
        filename: filename.to_owned(),
        media_type: "text/plain".to_owned(),
        dated: None,
        original: content.to_vec(),
        created_at: OffsetDateTime::now_utc(),
    };
    house.store.insert_document(&new).await.unwrap().id
}
