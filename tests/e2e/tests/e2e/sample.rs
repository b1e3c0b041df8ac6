//! The sample base: put in once.

use attest_protocol::frame::EvidenceKind;
use attest_protocol::knowledge::DocumentPage;
use attest_testkit::{TestOptions, TestServer};

async fn documents(server: &TestServer) -> DocumentPage {
    server.read("/documents?limit=200").await
}

#[tokio::test]
async fn the_sample_is_put_in_once_and_not_again_after_a_person_removed_from_it() {
    let mut server = TestServer::start(TestOptions::offline().with("sample.seed", "true")).await;
    let seeded = documents(&server).await.documents;
    assert!(seeded.len() >= 12, "{} documents", seeded.len());
    for document in &seeded {
        server.until_found(document.id).await;
    }
    let turn = server.ask("When was CERN founded?").await;
    assert!(turn.content().contains("1954"), "{}", turn.content());
    assert_eq!(turn.done().evidence.kind, EvidenceKind::Cited);
    let turn = server.ask("万维网是谁发明的？").await;
    assert_eq!(turn.done().evidence.kind, EvidenceKind::Cited, "{}", turn.content());

    let removed = seeded[0].id;
    assert_eq!(server.delete(&format!("/documents/{removed}")).await.status, 204);
    server.restart().await;
    let kept = documents(&server).await.documents;
    assert_eq!(kept.len(), seeded.len() - 1);
    assert!(kept.iter().all(|document| document.id != removed));
}

#[tokio::test]
async fn without_the_sample_a_base_is_empty() {
    let server = TestServer::start(TestOptions::offline()).await;
    assert!(documents(&server).await.documents.is_empty());
}
