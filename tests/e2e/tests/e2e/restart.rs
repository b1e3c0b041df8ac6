//! What outlives the server.

use attest_protocol::ErrorCode;
use attest_protocol::frame::Finish;
use attest_testkit::{GatedModel, TestOptions, TestServer};

use crate::corpus;

#[tokio::test]
async fn conversations_and_documents_outlive_a_restart() {
    let mut server = TestServer::start(TestOptions::offline()).await;
    corpus::load(&server).await;
    let first = server.ask("Who designed the bridge of Vexholm?").await;
    let before = server.conversation(first.conversation_id()).await;
    server.restart().await;
    assert_eq!(server.conversation(first.conversation_id()).await, before);
    let again = server.ask_in(first.conversation_id(), "How long is the bridge of Vexholm?").await;
    assert!(again.content().contains("417"), "{}", again.content());
    assert!(!again.cited_sources().is_empty());
}

#[tokio::test]
async fn a_turn_that_runs_when_the_server_stops_ends_as_interrupted_for_its_reader_and_in_the_store() {
    let model = GatedModel::start().await;
    let mut server = TestServer::start(TestOptions::gated(&model)).await;
    let mut asker = server.begin("Hello").await;
    let head = asker.conversation().await;
    let mut reply = model.past_the_gate().await;
    reply.send_text("The first half").await;
    asker.until_text("half").await;

    server.stop().await;
    let frames = asker.collect_to_end().await;
    let attest_protocol::Frame::Error(error) = &frames.last().unwrap().frame else { panic!("{frames:#?}") };
    assert_eq!((error.code, error.retryable), (ErrorCode::Interrupted, true));
    reply.closed().await;

    server.restart().await;
    let stored = server.conversation(head.id).await;
    assert_eq!(stored.running_turn_id, None);
    assert_eq!(stored.messages[1].finish, Some(Finish::Interrupted));
    assert_eq!(stored.messages[1].content, "The first half");
    assert_eq!(Some(stored.messages[1].id), error.answer_id);
    let retried = server.retry(head.id, head.question_id).await.unwrap();
    let mut reply = model.past_the_gate().await;
    reply.send_text("All of it.").await;
    reply.finish().await;
    assert_eq!(retried.turn().await.content(), "All of it.");
    let stored = server.conversation(head.id).await;
    assert_eq!(stored.messages.len(), 2, "the new answer took the place of the partial one");
    assert_eq!(stored.messages[1].content, "All of it.");
}
