//! Stopping, and everything else that a running turn stands in the way of.

use attest_domain::{ConversationId, TurnId};
use attest_protocol::frame::Finish;
use attest_protocol::view::{ConversationPage, TurnState};
use attest_protocol::{ErrorCode, Frame};
use attest_testkit::{GatedModel, TestOptions, TestServer, follow_up};
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn a_stop_in_the_middle_closes_the_models_connection_and_keeps_the_words() {
    let model = GatedModel::start().await;
    let server = TestServer::start(TestOptions::gated(&model)).await;
    let mut asker = server.begin("Hello").await;
    let head = asker.conversation().await;
    let mut reply = model.past_the_gate().await;
    reply.send_text("The first half").await;
    asker.until_text("half").await;

    assert!(server.stop_turn(head.id, head.turn_id).await);
    reply.closed().await;
    let end = asker.collect_to_end().await;
    let Frame::Done(done) = &end.last().unwrap().frame else { panic!("{end:#?}") };
    assert_eq!((done.finish, done.stopped), (Finish::Stopped, true));
    let stored = server.conversation(head.id).await;
    assert_eq!(stored.messages.len(), 2);
    assert_eq!(stored.messages[1].id, done.answer_id);
    assert_eq!(stored.messages[1].content, "The first half");
    assert_eq!(stored.messages[1].finish, Some(Finish::Stopped));
    assert_eq!(server.turn(head.turn_id).await.state, TurnState::Ended);
}

#[tokio::test]
async fn a_stop_before_the_first_word_stores_an_empty_answer() {
    let model = GatedModel::start().await;
    let server = TestServer::start(TestOptions::gated(&model)).await;
    let mut asker = server.begin("Hello").await;
    let head = asker.conversation().await;
    let waiting = model.next_request().await;
    assert!(server.stop_turn(head.id, head.turn_id).await);
    waiting.closed().await;
    let end = asker.collect_to_end().await;
    assert!(matches!(&end.last().unwrap().frame, Frame::Done(done) if done.stopped), "{end:#?}");
    let stored = server.conversation(head.id).await;
    assert_eq!(stored.messages[1].content, "");
    assert_eq!(stored.messages[1].finish, Some(Finish::Stopped));

    // An empty answer says nothing to a model: the next request does not hold it.
    let next = server.post_chat(&follow_up(head.id, "And now?")).await;
    let mut first = model.next_request().await;
    let messages = first.request()["messages"].as_array().unwrap().clone();
    assert!(messages.iter().all(|message| message["role"] != "assistant"), "{messages:#?}");
    first.send_call("no_evidence_needed", &json!({"reason": "Small talk."})).await;
    first.finish_calls().await;
    let mut reply = model.next_request().await;
    reply.send_text("Now I answer.").await;
    reply.finish().await;
    assert_eq!(next.turn().await.content(), "Now I answer.");
}

#[tokio::test]
async fn a_late_stop_says_so_and_never_touches_the_next_turn() {
    let model = GatedModel::start().await;
    let server = TestServer::start(TestOptions::gated(&model)).await;
    let first = server.begin("One").await;
    let mut reply = model.past_the_gate().await;
    reply.send_text("First.").await;
    reply.finish().await;
    let first = first.turn().await;
    assert!(!server.stop_turn(first.conversation_id(), first.turn_id()).await);

    let second = server.post_chat(&follow_up(first.conversation_id(), "Two")).await;
    let mut reply = model.past_the_gate().await;
    reply.send_text("Sec").await;
    assert!(!server.stop_turn(first.conversation_id(), first.turn_id()).await);
    assert!(!server.stop_turn(first.conversation_id(), TurnId::new()).await);
    reply.send_text("ond.").await;
    reply.finish().await;
    let second = second.turn().await;
    assert_eq!((second.content().as_str(), second.done().finish), ("Second.", Finish::Complete));
}

#[tokio::test]
async fn a_turn_is_stopped_through_its_own_conversation_alone() {
    let model = GatedModel::start().await;
    let server = TestServer::start(TestOptions::gated(&model)).await;
    let mut one = server.begin("One").await;
    let one_head = one.conversation().await;
    let mut reply_one = model.past_the_gate().await;
    let mut two = server.begin("Two").await;
    let two_head = two.conversation().await;
    let reply_two = model.past_the_gate().await;

    assert!(!server.stop_turn(two_head.id, one_head.turn_id).await);
    let stop = |conversation: ConversationId, body: serde_json::Value| {
        server.kb(Method::POST, &format!("/conversations/{conversation}/stop")).json(&body)
    };
    let unknown = server.send(stop(ConversationId::new(), json!({"turn_id": one_head.turn_id}))).await;
    unknown.assert_refused(ErrorCode::NotFound, "conversation");
    let malformed = server.send(stop(one_head.id, json!({"turn_id": "the last one"}))).await;
    malformed.assert_refused(ErrorCode::InvalidRequest, "turn_id");
    let empty = server.send(stop(one_head.id, json!({}))).await;
    empty.assert_refused(ErrorCode::InvalidRequest, "turn_id");

    assert!(server.stop_turn(two_head.id, two_head.turn_id).await);
    reply_one.send_text("Still here.").await;
    reply_one.finish().await;
    let end = one.collect_to_end().await;
    assert!(matches!(&end.last().unwrap().frame, Frame::Done(done) if !done.stopped), "{end:#?}");
    two.collect_to_end().await;
    reply_two.request();
    reply_two.closed().await;
}

#[tokio::test]
async fn a_running_turn_keeps_questions_and_deletion_out_and_names_itself() {
    let model = GatedModel::start().await;
    let server = TestServer::start(TestOptions::gated(&model)).await;
    let mut asker = server.begin("One").await;
    let head = asker.conversation().await;
    let mut reply = model.past_the_gate().await;

    let refused = server.chat(server.chat_request(&follow_up(head.id, "Two"))).await.err().unwrap();
    let body = refused.assert_refused(ErrorCode::AnswerRunning, "being answered");
    assert_eq!(body.turn_id, Some(head.turn_id));
    let refused = server.retry(head.id, head.question_id).await.err().unwrap();
    assert_eq!(refused.assert_refused(ErrorCode::AnswerRunning, "").turn_id, Some(head.turn_id));
    let refused = server.delete(&format!("/conversations/{}", head.id)).await;
    assert_eq!(refused.assert_refused(ErrorCode::AnswerRunning, "").turn_id, Some(head.turn_id));

    let shown = server.conversation(head.id).await;
    assert_eq!(shown.running_turn_id, Some(head.turn_id));
    assert_eq!(shown.messages.len(), 1, "a refused question is not stored");
    let page: ConversationPage = server.read("/conversations").await;
    assert_eq!(page.conversations[0].running_turn_id, Some(head.turn_id));
    let details = server.turn(head.turn_id).await;
    assert_eq!(details.state, TurnState::Running);
    assert_eq!(details.record.requests[0].calls, 1, "what it has done so far can be read");

    reply.send_text("Done.").await;
    reply.finish().await;
    asker.collect_to_end().await;
    assert_eq!(server.delete(&format!("/conversations/{}", head.id)).await.status, 204);
    server
        .get(&format!("/conversations/{}", head.id))
        .await
        .assert_refused(ErrorCode::NotFound, "conversation");
}

#[tokio::test]
async fn of_two_questions_at_once_one_is_refused() {
    let model = GatedModel::start().await;
    let server = TestServer::start(TestOptions::gated(&model)).await;
    let first = server.begin("One").await;
    let mut reply = model.past_the_gate().await;
    reply.send_text("First.").await;
    reply.finish().await;
    let conversation = first.turn().await.conversation_id();

    let ask = || server.chat(server.chat_request(&follow_up(conversation, "Two")));
    let answers = tokio::join!(ask(), ask(), ask());
    let (admitted, refused): (Vec<_>, Vec<_>) =
        [answers.0, answers.1, answers.2].into_iter().partition(Result::is_ok);
    assert_eq!((admitted.len(), refused.len()), (1, 2));
    for answer in refused {
        answer.err().unwrap().assert_refused(ErrorCode::AnswerRunning, "");
    }
    let mut reply = model.past_the_gate().await;
    reply.send_text("Second.").await;
    reply.finish().await;
    for stream in admitted {
        assert_eq!(stream.unwrap().turn().await.content(), "Second.");
    }
    assert_eq!(server.conversation(conversation).await.messages.len(), 4);
}

#[tokio::test]
async fn no_more_turns_run_than_may() {
    let model = GatedModel::start().await;
    let server = TestServer::start(TestOptions::gated(&model).with("turn.max_running", "1")).await;
    let running = server.begin("One").await;
    let mut reply = model.past_the_gate().await;
    let refused = server.chat(server.chat_request(&attest_testkit::question("Two"))).await.err().unwrap();
    refused.assert_refused(ErrorCode::TooManyTurns, "too many");
    assert!(refused.header("retry-after").is_some_and(|seconds| seconds.parse::<u64>().is_ok()));
    reply.send_text("One.").await;
    reply.finish().await;
    running.turn().await.done();
    let page: ConversationPage = server.read("/conversations").await;
    assert_eq!(page.conversations.len(), 1, "a refused question is not stored");
}
