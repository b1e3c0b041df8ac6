//! The answer as one JSON object.

use attest_protocol::ErrorCode;
use attest_protocol::frame::Finish;
use attest_protocol::view::FoldedTurn;
use attest_testkit::{ScriptedModel, TestOptions, TestServer, question, reply};

use crate::corpus;

#[tokio::test]
async fn whoever_wants_json_gets_the_folded_turn_once_it_has_ended() {
    let server = TestServer::start(TestOptions::offline()).await;
    corpus::load(&server).await;
    let request = server.chat_request(&question("Who designed the bridge of Vexholm?"));
    let answer = server.send(request.header("accept", "application/json")).await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let folded: FoldedTurn = answer.ok();
    assert!(folded.content.contains("Ottilie Brandvorn"), "{folded:?}");
    assert!(!folded.sources.is_empty() && !folded.steps.is_empty());
    assert_eq!(
        (folded.done.as_ref().map(|done| done.finish), &folded.error),
        (Some(Finish::Complete), &None)
    );
    let stored = server.conversation(folded.conversation_id).await;
    assert_eq!(stored.messages[1].content, folded.content);
    assert_eq!(stored.messages[1].sources, folded.sources);
    assert_eq!(stored.messages[0].id, folded.question_id);
}

#[tokio::test]
async fn a_failed_turn_as_json_has_the_status_of_its_code() {
    let refusal = reply::status(401, r#"{"error": {"message": "no"}}"#);
    let model = ScriptedModel::start([refusal]).await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    let request = server.chat_request(&question("Hello")).header("accept", "application/json");
    let answer = server.send(request).await;
    assert_eq!(answer.status, ErrorCode::ModelUnauthorized.status());
    let folded: FoldedTurn = answer.json();
    assert_eq!(folded.error.map(|error| error.code), Some(ErrorCode::ModelUnauthorized));
    assert_eq!(folded.done, None);
}
