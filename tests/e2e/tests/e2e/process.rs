//! The binary as people run it, with its private PostgreSQL: started, asked, stopped, killed, started again.

use attest_protocol::ErrorCode;
use attest_protocol::frame::Finish;
use attest_testkit::{AttestProcess, GatedModel, TestOptions, until};

use crate::corpus;

#[tokio::test]
async fn ctrl_c_leaves_nothing_running_and_the_next_start_reads_the_conversation() {
    let folder = AttestProcess::folder();
    let options = TestOptions::offline();
    let attest = AttestProcess::start(folder.path(), &options).await;
    attest.add_document("vexholm-bridge.md", corpus::BRIDGE).await;
    let turn = attest.ask("Who designed the bridge of Vexholm?").await;
    assert!(turn.content().contains("Ottilie Brandvorn"), "{}", turn.content());
    let before = attest.conversation(turn.conversation_id()).await;
    let postgres = AttestProcess::postgres_pid(folder.path()).expect("a private PostgreSQL runs");

    let status = attest.interrupt().await;
    assert!(status.success(), "{status}");
    AttestProcess::until_process_gone(postgres).await;

    let attest = AttestProcess::start(folder.path(), &options).await;
    assert_eq!(attest.conversation(turn.conversation_id()).await, before);
    let next = attest.ask_in(turn.conversation_id(), "How long is the bridge of Vexholm?").await;
    assert!(next.content().contains("417"), "{}", next.content());
    attest.interrupt().await;
}

#[tokio::test]
async fn a_turn_of_a_killed_server_ends_as_interrupted_and_its_question_can_be_retried() {
    let folder = AttestProcess::folder();
    let model = GatedModel::start().await;
    let options = TestOptions::gated(&model);
    let attest = AttestProcess::start(folder.path(), &options).await;
    let mut asker = attest.begin("Hello").await;
    let head = asker.conversation().await;
    let mut reply = model.past_the_gate().await;
    reply.send_text("The first half").await;
    asker.until_text("half").await;
    attest.kill().await;
    asker.until_gone().await;
    reply.closed().await;

    let attest = AttestProcess::start(folder.path(), &options).await;
    let stored = until("the turn to be ended", async || {
        let stored = attest.conversation(head.id).await;
        stored.running_turn_id.is_none().then_some(stored)
    })
    .await;
    assert_eq!(stored.messages[0].content, "Hello");
    let details = attest.turn(head.turn_id).await;
    let error = details.error.expect("the turn ended with an error");
    assert_eq!((error.code, error.retryable), (ErrorCode::Interrupted, true));

    let retried = attest.retry(head.id, head.question_id).await.unwrap();
    let mut reply = model.past_the_gate().await;
    reply.send_text("All of it.").await;
    reply.finish().await;
    assert_eq!(retried.turn().await.content(), "All of it.");
    let stored = attest.conversation(head.id).await;
    assert_eq!(stored.messages.len(), 2);
    assert_eq!(stored.messages[1].finish, Some(Finish::Complete));
    attest.interrupt().await;
}
