//! The same request twice.

use attest_protocol::ErrorCode;
use attest_protocol::request::AskRequest;
use attest_protocol::view::ConversationPage;
use attest_testkit::{Answer, GatedModel, SseClient, TestOptions, TestServer, question};

async fn ask(server: &TestServer, key: &str, ask: &AskRequest) -> Result<SseClient, Answer> {
    server.chat(server.chat_request(ask).header("idempotency-key", key)).await
}

#[tokio::test]
async fn a_repeat_attaches_to_the_first_turn_while_it_runs_and_after_its_end() {
    let model = GatedModel::start().await;
    let server = TestServer::start(TestOptions::gated(&model)).await;
    let mut first = ask(&server, "key-1", &question("Hello")).await.unwrap();
    let mut frames = vec![first.next().await.unwrap()];
    let mut reply = model.past_the_gate().await;
    reply.send_text("Half ").await;
    frames.extend(first.until_text("Half").await);

    let while_running = ask(&server, "key-1", &question("Hello")).await.unwrap();
    let request = server.chat_request(&question("Hello")).header("idempotency-key", "key-1");
    let after_cursor = server.chat(request.header("last-event-id", frames[1].id.to_string())).await.unwrap();
    reply.send_text("whole.").await;
    reply.finish().await;
    frames.extend(first.collect_to_end().await);
    let without_marks = async |stream: SseClient| {
        let frames = stream.collect_to_end().await;
        frames.into_iter().filter(|received| received.frame.event() != "live").collect::<Vec<_>>()
    };
    assert_eq!(without_marks(while_running).await, frames);
    assert_eq!(without_marks(after_cursor).await, frames[2..]);
    let after_the_end = ask(&server, "key-1", &question("Hello")).await.unwrap();
    assert_eq!(without_marks(after_the_end).await, frames);

    let page: ConversationPage = server.read("/conversations").await;
    assert_eq!(page.conversations.len(), 1, "one question was asked");
}

#[tokio::test]
async fn a_key_that_comes_with_another_body_is_refused() {
    let model = GatedModel::start().await;
    let server = TestServer::start(TestOptions::gated(&model)).await;
    let first = ask(&server, "key-1", &question("Hello")).await.unwrap();
    let refused = ask(&server, "key-1", &question("Goodbye")).await.err().unwrap();
    refused.assert_refused(ErrorCode::IdempotencyMismatch, "Idempotency-Key");
    let mut reply = model.past_the_gate().await;
    reply.send_text("Hello.").await;
    reply.finish().await;
    first.turn().await.done();
}

#[tokio::test]
async fn a_key_that_cannot_be_one_is_refused_and_nothing_is_stored() {
    let server = TestServer::start(TestOptions::offline()).await;
    let long = "k".repeat(201);
    for key in ["", "with blank?\u{e9}", long.as_str()] {
        let refused = ask(&server, key, &question("Hello")).await;
        let Err(refused) = refused else { panic!("{key:?} was taken") };
        refused.assert_refused(ErrorCode::InvalidRequest, "Idempotency-Key");
    }
    let page: ConversationPage = server.read("/conversations").await;
    assert!(page.conversations.is_empty());
}

#[tokio::test]
async fn two_repeats_at_once_ask_one_question_and_both_get_every_frame() {
    let server = TestServer::start(TestOptions::offline()).await;
    // The second may come at any point of the first one's start.
    for round in 1..=10 {
        let (key, hello) = (format!("key-{round}"), question("Hello"));
        let (one, two) = tokio::join!(ask(&server, &key, &hello), ask(&server, &key, &hello));
        let (one, two) = tokio::join!(one.unwrap().collect_to_end(), two.unwrap().collect_to_end());
        let of_a_turn = |frames: Vec<attest_testkit::Received>| {
            frames.into_iter().filter(|received| received.frame.event() != "live").collect::<Vec<_>>()
        };
        assert_eq!(of_a_turn(one), of_a_turn(two));
        let page: ConversationPage = server.read("/conversations").await;
        assert_eq!(page.conversations.len(), round, "one question each");
    }
}
