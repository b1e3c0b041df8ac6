//! The database is away for a while.

use attest_protocol::ErrorCode;
use attest_protocol::frame::Finish;
use attest_testkit::{GatedModel, TestOptions, TestServer, question, until};
use reqwest::Method;

fn options(model: &GatedModel) -> TestOptions {
    TestOptions::gated(model).behind_proxy().with("database.acquire_timeout_seconds", "1")
}

/// Waits until requests that need the database work again.
async fn until_back(server: &TestServer) {
    until("the database to be back", async || {
        let answer = server.get("/conversations").await;
        (answer.status == 200).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_question_while_the_database_is_away_is_refused_and_works_when_it_is_back() {
    let model = GatedModel::start().await;
    let server = TestServer::start(options(&model)).await;
    server.proxy().cut();
    let refused = server.chat(server.chat_request(&question("Hello"))).await.err().unwrap();
    let body = refused.assert_refused(ErrorCode::StorageUnavailable, "database");
    assert!(refused.header("retry-after").is_some());
    for inner in ["sqlx", "pool", "127.0.0.1", "refused", "postgres"] {
        assert!(!body.error.to_lowercase().contains(inner), "{}", body.error);
    }
    for path in ["/conversations", "/documents", "/search?q=heron"] {
        server.get(path).await.assert_refused(ErrorCode::StorageUnavailable, "database");
    }
    assert_eq!(server.send(server.request(Method::GET, "/healthz")).await.status, 200);
    assert_eq!(server.send(server.request(Method::GET, "/readyz")).await.status, 503);

    server.proxy().mend();
    until_back(&server).await;
    let asker = server.begin("Hello").await;
    let mut reply = model.past_the_gate().await;
    reply.send_text("Hello.").await;
    reply.finish().await;
    assert_eq!(asker.turn().await.content(), "Hello.");
    until("the server to say that it is ready", async || {
        let ready = server.send(server.request(Method::GET, "/readyz")).await;
        (ready.status == 200).then_some(())
    })
    .await;
}

#[tokio::test]
async fn an_answer_that_is_finished_while_the_database_is_away_waits_and_is_saved_when_it_is_back() {
    let model = GatedModel::start().await;
    let server = TestServer::start(options(&model)).await;
    let mut asker = server.begin("Hello").await;
    let head = asker.conversation().await;
    let mut reply = model.past_the_gate().await;
    reply.send_text("The whole answer.").await;
    asker.until_text("answer.").await;
    server.proxy().cut();
    reply.finish().await;
    // It cannot be saved yet, and it is not said to be done.
    server.get("/conversations").await.assert_refused(ErrorCode::StorageUnavailable, "database");
    server.proxy().mend();
    let end = asker.collect_to_end().await;
    let attest_protocol::Frame::Done(done) = &end.last().unwrap().frame else { panic!("{end:#?}") };
    assert_eq!(done.finish, Finish::Complete);
    until_back(&server).await;
    let stored = server.conversation(head.id).await;
    assert_eq!(stored.messages[1].id, done.answer_id);
    assert_eq!(stored.messages[1].content, "The whole answer.");
}

#[tokio::test]
async fn a_look_up_that_fails_ends_the_turn_and_the_model_never_reads_of_it() {
    let model = GatedModel::start().await;
    let server = TestServer::start(options(&model)).await;
    server.add_document("herons.txt", "The grey heron eats fish.").await;
    let mut asker = server.begin("What does the grey heron eat?").await;
    asker.conversation().await;
    let mut first = model.next_request().await;
    server.proxy().cut();
    first.send_call("search_chunks", &serde_json::json!({"query": "grey heron"})).await;
    first.finish_calls().await;
    // The turn cannot be saved while the database is away; it is when it is back.
    until("the server to notice", async || {
        let ready = server.send(server.request(Method::GET, "/readyz")).await;
        (ready.status == 503).then_some(())
    })
    .await;
    server.get("/documents").await.assert_refused(ErrorCode::StorageUnavailable, "");
    server.proxy().mend();
    let end = asker.collect_to_end().await;
    let attest_protocol::Frame::Error(error) = &end.last().unwrap().frame else { panic!("{end:#?}") };
    assert_eq!((error.code, error.retryable), (ErrorCode::StorageUnavailable, true));
}
