//! Answering the last question again.

use attest_domain::MessageId;
use attest_protocol::ErrorCode;
use attest_protocol::frame::Finish;
use attest_protocol::request::AskRequest;
use attest_testkit::{GatedModel, ScriptedModel, TestOptions, TestServer, follow_up, reply};

#[tokio::test]
async fn after_a_failure_the_question_is_asked_again_and_stored_once() {
    let model = ScriptedModel::start([
        reply::status(401, r#"{"error": {"message": "no"}}"#),
        reply::no_evidence("A greeting."),
        reply::text("Hello."),
    ])
    .await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    let failed = server.ask("Hello there").await;
    let error = failed.error();
    assert_eq!((error.code, error.answer_id), (ErrorCode::ModelUnauthorized, None));
    let stored = server.conversation(failed.conversation_id()).await;
    assert_eq!(stored.messages.len(), 1, "no answer is stored when nothing was shown");
    assert_eq!(stored.messages[0].error, Some(error));

    let turn = server.retry(failed.conversation_id(), failed.question_id()).await.unwrap().turn().await;
    assert_eq!(turn.conversation_id(), failed.conversation_id());
    assert_eq!(turn.question_id(), failed.question_id());
    assert_ne!(turn.turn_id(), failed.turn_id());
    assert_eq!(turn.content(), "Hello.");
    let stored = server.conversation(failed.conversation_id()).await;
    let contents: Vec<&str> = stored.messages.iter().map(|message| message.content.as_str()).collect();
    assert_eq!(contents, ["Hello there", "Hello."]);
    assert_eq!(stored.messages[0].error, None, "the question has been answered since");
    let request = model.requests()[1].to_string();
    assert_eq!(request.matches("Hello there").count(), 1, "the model reads the question once");
}

#[tokio::test]
async fn the_new_answer_takes_the_place_of_a_stopped_one_when_it_is_saved_and_not_before() {
    let model = GatedModel::start().await;
    let server = TestServer::start(TestOptions::gated(&model)).await;
    let mut asker = server.begin("Hello").await;
    let head = asker.conversation().await;
    let mut reply = model.past_the_gate().await;
    reply.send_text("The old half").await;
    asker.until_text("half").await;
    server.stop_turn(head.id, head.turn_id).await;
    asker.collect_to_end().await;

    let mut retried = server.retry(head.id, head.question_id).await.unwrap();
    let first = model.next_request().await;
    assert!(!first.request().to_string().contains("The old half"), "what is replaced is not replayed");
    let stored = server.conversation(head.id).await;
    assert_eq!(stored.messages[1].content, "The old half", "nothing is lost while the new answer is written");
    first.drop_connection();
    // The connection broke before anything was shown, so the request is sent again.
    let mut reply = model.past_the_gate().await;
    reply.send_text("The new whole.").await;
    reply.finish().await;
    retried.until_text("The new whole.").await;
    retried.collect_to_end().await;
    let stored = server.conversation(head.id).await;
    assert_eq!(stored.messages.len(), 2);
    assert_eq!(stored.messages[1].content, "The new whole.");
    assert_eq!(stored.messages[1].finish, Some(Finish::Complete));
}

#[tokio::test]
async fn a_retry_that_fails_keeps_what_was_there() {
    let model = ScriptedModel::start([
        reply::no_evidence("A greeting."),
        reply::text("Half an ans").broken_off(),
        reply::status(401, r#"{"error": {"message": "no"}}"#),
    ])
    .await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    let broken = server.ask("Hello").await;
    assert_eq!(broken.error().code, ErrorCode::Interrupted);
    let retried = server.retry(broken.conversation_id(), broken.question_id()).await.unwrap().turn().await;
    assert_eq!(retried.error().code, ErrorCode::ModelUnauthorized);
    let stored = server.conversation(broken.conversation_id()).await;
    assert_eq!(stored.messages.len(), 2);
    assert_eq!(stored.messages[1].content, "Half an ans");
    assert_eq!(stored.messages[1].finish, Some(Finish::Interrupted));
}

#[tokio::test]
async fn what_cannot_be_retried_is_refused_with_its_reason() {
    let script = ["One.", "Two."]
        .into_iter()
        .flat_map(|answer| [reply::no_evidence("Small talk."), reply::text(answer)])
        .chain([reply::status(401, "{}")]);
    let model = ScriptedModel::start(script).await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    let first = server.ask("First").await;
    let conversation = first.conversation_id();
    let refused = async |question: MessageId| server.retry(conversation, question).await.err().unwrap();

    refused(first.question_id()).await.assert_refused(ErrorCode::RetryAnswered, "complete answer");
    let second = server.ask_in(conversation, "Second").await;
    let not_last = refused(first.question_id()).await;
    not_last.assert_refused(ErrorCode::RetryNotQuestion, "not the last question");
    refused(second.done().answer_id).await.assert_refused(ErrorCode::RetryNotQuestion, "");
    refused(MessageId::new()).await.assert_refused(ErrorCode::RetryNotQuestion, "");

    let ask = AskRequest {
        message: String::new(),
        conversation_id: None,
        retry_question_id: Some(first.question_id()),
    };
    let homeless = server.chat(server.chat_request(&ask)).await.err().unwrap();
    homeless.assert_refused(ErrorCode::RetryNeedsConversation, "conversation_id");

    // A question of another conversation is none of this one.
    let other = server.ask("Elsewhere").await;
    refused(other.question_id()).await.assert_refused(ErrorCode::RetryNotQuestion, "");
    assert_eq!(server.conversation(conversation).await.messages.len(), 4, "nothing was stored");
}

#[tokio::test]
async fn after_a_failed_turn_the_conversation_goes_on() {
    let model = ScriptedModel::start([
        reply::status(402, r#"{"error": {"message": "Insufficient credits"}}"#),
        reply::no_evidence("A greeting."),
        reply::text("Hello."),
    ])
    .await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    let failed = server.ask("Hello").await;
    assert_eq!(failed.error().code, ErrorCode::ModelOutOfCredit);
    let next = server.post_chat(&follow_up(failed.conversation_id(), "Still there?")).await.turn().await;
    assert_eq!(next.content(), "Hello.");
    let stored = server.conversation(failed.conversation_id()).await;
    assert_eq!(stored.messages.len(), 3);
}
