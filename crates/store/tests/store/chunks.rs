use attest_domain::{Chunk, ChunkId, KbId};
use attest_store::Passage;

use crate::setup::{Fixture, chunks_of, fixture, minute, new_document};

fn passages(chunks: &[Chunk]) -> Vec<Passage> {
    chunks.iter().map(|chunk| Passage { chunk: chunk.clone(), filename: "notes.txt".to_owned() }).collect()
}

/// How many of the two passages of a document are seen, by their ids and by their document.
async fn seen(f: &Fixture, chunks: &[Chunk], as_of: Option<i64>) -> (usize, usize) {
    let ids: Vec<_> = chunks.iter().map(|chunk| chunk.id).collect();
    let as_of = as_of.map(minute);
    let by_id = f.store.list_passages(f.kb.id, &ids, as_of).await.unwrap();
    let by_document = f.store.list_document_passages(f.kb.id, chunks[0].document_id, as_of).await.unwrap();
    (by_id.len(), by_document.len())
}

#[tokio::test]
async fn passages_come_whole_and_in_the_order_they_were_asked_for() {
    let f = fixture().await;
    let (_, one) = f.ready_document(f.kb.id, &["a", "b"], minute(1)).await;
    let (id, two) = f.ready_document(f.kb.id, &["c😀", "d"], minute(2)).await;
    let wanted = [two[1].clone(), one[0].clone(), two[0].clone()];
    let ids = [wanted[0].id, ChunkId::new(), wanted[1].id, wanted[2].id];
    assert_eq!(f.store.list_passages(f.kb.id, &ids, None).await.unwrap(), passages(&wanted));
    assert_eq!(f.store.list_document_passages(f.kb.id, id, None).await.unwrap(), passages(&two));
    assert_eq!(f.store.list_passages(f.kb.id, &[], None).await.unwrap(), []);
}

#[tokio::test]
async fn passages_of_another_base_are_not_seen() {
    let f = fixture().await;
    let other = f.other_kb("other").await;
    let (id, chunks) = f.ready_document(other.id, &["a", "b"], minute(1)).await;
    for kb in [f.kb.id, KbId::new()] {
        assert_eq!(f.store.list_passages(kb, &[chunks[0].id], None).await.unwrap(), []);
        assert_eq!(f.store.list_document_passages(kb, id, None).await.unwrap(), []);
    }
    assert_eq!(f.store.list_passages(other.id, &[chunks[0].id], None).await.unwrap(), passages(&chunks[..1]));
}

#[tokio::test]
async fn a_passage_is_seen_from_the_moment_it_was_known_until_it_was_deleted() {
    let f = fixture().await;
    let (id, chunks) = f.ready_document(f.kb.id, &["a", "b"], minute(10)).await;
    assert_eq!(seen(&f, &chunks, None).await, (2, 2));
    f.store.delete_document(f.kb.id, id, minute(20)).await.unwrap();
    for (as_of, count) in
        [(Some(9), 0), (Some(10), 2), (Some(19), 2), (Some(20), 0), (Some(30), 0), (None, 0)]
    {
        assert_eq!(seen(&f, &chunks, as_of).await, (count, count), "{as_of:?}");
    }
    f.store.purge_document(f.kb.id, id, minute(30)).await.unwrap();
    assert_eq!(seen(&f, &chunks, Some(15)).await, (0, 0));
}

#[tokio::test]
async fn what_was_accepted_but_not_read_yet_is_not_seen_as_of_then() {
    let f = fixture().await;
    let new = new_document(f.kb.id, "notes.txt", minute(1));
    f.store.insert_document(&new).await.unwrap();
    f.store.claim_document(f.owner, crate::setup::LONG).await.unwrap().unwrap();
    let chunks = chunks_of(new.id, &["a", "b"]);
    f.store.finish_document(new.id, f.owner, "ab", &chunks, minute(5)).await.unwrap();
    assert_eq!(seen(&f, &chunks, Some(4)).await, (0, 0));
    assert_eq!(seen(&f, &chunks, Some(5)).await, (2, 2));
}
