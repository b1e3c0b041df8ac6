//! What readers are told when the model's endpoint fails, and what is kept then.

use attest_protocol::ErrorCode;
use attest_protocol::frame::Finish;
use attest_testkit::{
    GatedModel, MODEL_KEY, Reply, ScriptedModel, TestOptions, TestServer, Turn, log_so_far, reply,
};

/// Fails before anything was shown: the question stays, with the error.
async fn assert_fails_with_nothing_shown(server: &TestServer, code: ErrorCode, retryable: bool) -> Turn {
    let turn = server.ask("Who designed the bridge of Vexholm?").await;
    let error = turn.error();
    assert_eq!((error.code, error.retryable), (code, retryable), "{error:?}");
    assert_eq!(error.answer_id, None);
    assert_eq!(turn.events(), ["conversation", "error"]);
    let stored = server.conversation(turn.conversation_id()).await;
    let [question] = stored.messages.as_slice() else { panic!("{stored:#?}") };
    assert_eq!(question.error.as_ref(), Some(&error));
    assert_eq!(stored.running_turn_id, None);
    assert_eq!(server.turn(turn.turn_id()).await.error, Some(error));
    turn
}

#[tokio::test]
async fn every_refusal_of_the_endpoint_has_its_code() {
    let echo = |status: u16| {
        // Endpoints do this: the key comes back in the error.
        let body = format!(r#"{{"error": {{"message": "Incorrect key provided: {MODEL_KEY}."}}}}"#);
        reply::status(status, body)
    };
    let table: Vec<(Reply, ErrorCode, bool)> = vec![
        (echo(401), ErrorCode::ModelUnauthorized, false),
        (echo(403), ErrorCode::ModelUnauthorized, false),
        (
            reply::status(402, r#"{"error": {"message": "Insufficient credits"}}"#),
            ErrorCode::ModelOutOfCredit,
            false,
        ),
        (
            reply::status(
                429,
                r#"{"error": {"code": "insufficient_quota", "message": "You exceeded your quota"}}"#,
            ),
            ErrorCode::ModelOutOfCredit,
            false,
        ),
        (echo(404), ErrorCode::ModelRejected, false),
        (echo(500), ErrorCode::ModelRejected, false),
        (reply::status(503, "Service Unavailable"), ErrorCode::ModelUnavailable, true),
        (reply::html("<html><title>Sign in</title></html>"), ErrorCode::ModelUnreachable, true),
        (
            reply::status(
                400,
                r#"{"error": {"message": "This model's maximum context length is 10 tokens."}}"#,
            ),
            ErrorCode::ContextTooLong,
            false,
        ),
    ];
    let rows = table.into_iter().map(|(reply, code, retryable)| async move {
        let model = ScriptedModel::always(reply).await;
        let server = TestServer::start(TestOptions::scripted(&model)).await;
        let turn = assert_fails_with_nothing_shown(&server, code, retryable).await;
        let data: String = turn.frames().iter().map(|received| received.data.as_str()).collect();
        assert!(!data.contains(MODEL_KEY), "{data}");
        assert!(!model.requests().is_empty());
    });
    futures::future::join_all(rows).await;
    let log = log_so_far();
    assert!(log.contains("Incorrect key provided"), "the log tells what the endpoint said");
    assert!(!log.contains(MODEL_KEY), "the key stands in the log");
}

#[tokio::test]
async fn a_rate_limit_says_how_long_to_wait() {
    let refusal =
        reply::status(429, r#"{"error": {"message": "Slow down"}}"#).with_header("retry-after", "120");
    let model = ScriptedModel::start([refusal]).await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    let turn = assert_fails_with_nothing_shown(&server, ErrorCode::ModelRateLimited, true).await;
    assert_eq!(turn.error().retry_after, Some(120));
}

#[tokio::test]
async fn a_passing_outage_is_ridden_out_before_anything_was_shown() {
    let model = ScriptedModel::start([
        reply::status(503, "down"),
        reply::no_evidence("A greeting."),
        reply::status(429, r#"{"error": {"message": "Slow down"}}"#).with_header("retry-after", "0"),
        reply::text("Hello."),
    ])
    .await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    let turn = server.ask("Hello").await;
    assert_eq!(turn.content(), "Hello.");
    turn.done();
}

#[tokio::test]
async fn a_request_that_is_refused_as_it_is_ends_the_turn_with_the_endpoints_words() {
    let refusal = reply::status(400, r#"{"error": {"message": "frequency_penalty must be a number"}}"#);
    let model = ScriptedModel::always(refusal).await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    let turn = assert_fails_with_nothing_shown(&server, ErrorCode::ModelRejected, false).await;
    assert!(turn.error().error.contains("frequency_penalty must be a number"), "{:?}", turn.error());
}

#[tokio::test]
async fn an_endpoint_that_is_not_there_is_unreachable() {
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let options = TestOptions::endpoint(format!("http://127.0.0.1:{port}/v1"));
    let server = TestServer::start(options).await;
    assert_fails_with_nothing_shown(&server, ErrorCode::ModelUnreachable, true).await;
}

#[tokio::test]
async fn a_stream_that_breaks_in_the_middle_leaves_a_partial_answer() {
    let model = ScriptedModel::start([
        reply::no_evidence("A greeting."),
        reply::text("The first half of an ans").broken_off(),
    ])
    .await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    let turn = server.ask("Hello").await;
    assert_partial(&server, &turn, ErrorCode::Interrupted, "The first half of an ans").await;
}

#[tokio::test]
async fn a_connection_that_breaks_in_the_middle_leaves_a_partial_answer() {
    let model = GatedModel::start().await;
    let server = TestServer::start(TestOptions::gated(&model)).await;
    let mut asker = server.begin("Hello").await;
    let mut frames = vec![asker.next().await.unwrap()];
    let mut reply = model.past_the_gate().await;
    reply.send_text("The first half").await;
    frames.extend(asker.until_text("half").await);
    reply.drop_connection();
    frames.extend(asker.collect_to_end().await);
    assert_partial(&server, &Turn::of(frames), ErrorCode::Interrupted, "The first half").await;
}

#[tokio::test]
async fn a_model_that_goes_silent_in_the_middle_is_given_up() {
    let model = GatedModel::start().await;
    let options = TestOptions::gated(&model).with("model.idle_timeout_seconds", "1");
    let server = TestServer::start(options).await;
    let asker = server.begin("Hello").await;
    let mut reply = model.past_the_gate().await;
    reply.send_text("The first half").await;
    // A comment says that the endpoint lives; it does not say that the model goes on.
    reply.send_comment().await;
    let turn = asker.turn().await;
    assert_partial(&server, &turn, ErrorCode::Stalled, "The first half").await;
    reply.closed().await;
}

#[tokio::test]
async fn a_model_that_never_begins_is_given_up() {
    let model = GatedModel::start().await;
    let options = TestOptions::gated(&model).with("model.first_event_timeout_seconds", "1");
    let server = TestServer::start(options).await;
    let asker = server.begin("Hello").await;
    let waiting = model.next_request().await;
    let turn = asker.turn().await;
    assert_eq!(turn.error().code, ErrorCode::Stalled);
    assert_eq!(turn.content(), "");
    waiting.closed().await;
}

#[tokio::test]
async fn an_answer_of_nothing_twice_is_an_error() {
    let model =
        ScriptedModel::start([reply::no_evidence("A greeting."), reply::text(""), reply::text(" \n")]).await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    let turn = server.ask("Hello").await;
    assert_eq!(turn.error().code, ErrorCode::AnswerEmpty);
    assert_eq!(server.conversation(turn.conversation_id()).await.messages.len(), 1);
}

#[tokio::test]
async fn a_reply_that_a_filter_withheld_is_an_error() {
    let model = ScriptedModel::start([reply::no_evidence("A greeting."), reply::text("").filtered()]).await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    assert_eq!(server.ask("Hello").await.error().code, ErrorCode::ModelFiltered);
}

#[tokio::test]
async fn a_reply_without_evidence_is_sent_back_once_and_nothing_of_it_is_shown() {
    let model = ScriptedModel::start([
        reply::text("One moment, I will look that up."),
        reply::search("Vexholm"),
        reply::text("I found nothing about it."),
    ])
    .await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    let turn = server.ask("Who designed the bridge of Vexholm?").await;
    assert_eq!(turn.content(), "I found nothing about it.");
    let requests = model.requests();
    assert_eq!(requests[0]["tool_choice"], "required");
    assert_eq!(requests[1]["tool_choice"], "required");
    assert_eq!(requests[2].get("tool_choice"), None, "once a tool has run the model is free");
    assert_eq!(server.turn(turn.turn_id()).await.record.nudges.len(), 1);
}

#[tokio::test]
async fn the_budget_ends_in_an_answer_without_tools() {
    let script = ["one", "two"].map(reply::search).into_iter().chain([reply::text("Nothing was found.")]);
    let model = ScriptedModel::start(script).await;
    let server = TestServer::start(TestOptions::scripted(&model).with("turn.calls", "2")).await;
    let turn = server.ask("Who designed the bridge of Vexholm?").await;
    assert_eq!(turn.content(), "Nothing was found.");
    turn.done();
    let last = &model.requests()[2];
    assert_eq!((last.get("tools"), last.get("tool_choice")), (None, None));
    assert_eq!(last["messages"].as_array().unwrap().len(), 2, "a fresh request");
}

async fn assert_partial(server: &TestServer, turn: &Turn, code: ErrorCode, content: &str) {
    let error = turn.error();
    assert_eq!((error.code, error.retryable), (code, true), "{error:?}");
    assert_eq!(turn.content(), content);
    let stored = server.conversation(turn.conversation_id()).await;
    let [_, answer] = stored.messages.as_slice() else { panic!("{stored:#?}") };
    assert_eq!(Some(answer.id), error.answer_id);
    assert_eq!((answer.content.as_str(), answer.finish), (content, Some(Finish::Interrupted)));
    assert_eq!(answer.error.as_ref(), Some(&error));
}
