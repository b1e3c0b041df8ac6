//! Questions that are refused: an error that says what is wrong, and nothing stored.

use attest_protocol::ErrorCode;
use attest_protocol::view::ConversationPage;
use attest_testkit::{ScriptedModel, TestOptions, TestServer, question, reply};
use reqwest::Method;
use serde_json::json;

async fn assert_nothing_stored(server: &TestServer) {
    let page: ConversationPage = server.read("/conversations").await;
    assert!(page.conversations.is_empty(), "{:#?}", page.conversations);
    server.ask("Hello").await.done();
}

#[tokio::test]
async fn a_message_that_asks_nothing_is_refused() {
    let server = TestServer::start(TestOptions::offline()).await;
    for message in ["", " ", "\n\t \u{3000}", "\0\0"] {
        let refused = server.chat(server.chat_request(&question(message))).await.err().unwrap();
        refused.assert_refused(ErrorCode::EmptyMessage, "message");
    }
    let refused = server.send(server.kb(Method::POST, "/chat").json(&json!({}))).await;
    refused.assert_refused(ErrorCode::EmptyMessage, "message");
    assert_nothing_stored(&server).await;
}

#[tokio::test]
async fn a_message_over_the_limit_is_refused_with_both_numbers() {
    let server = TestServer::start(TestOptions::offline()).await;
    let refused = server.chat(server.chat_request(&question(&"长".repeat(32_001)))).await.err().unwrap();
    let body = refused.assert_refused(ErrorCode::MessageTooLong, "32001");
    assert!(body.error.contains("32000"), "{}", body.error);
    let megabyte = server.chat(server.chat_request(&question(&"x".repeat(1024 * 1024)))).await.err().unwrap();
    megabyte.assert_refused(ErrorCode::TooLarge, "262144");
    assert_nothing_stored(&server).await;
}

#[tokio::test]
async fn a_message_of_exactly_the_limit_is_asked() {
    let model = ScriptedModel::start([reply::no_evidence("It is long."), reply::text("Long.")]).await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    let message = "长".repeat(32_000);
    let turn = server.ask(&message).await;
    turn.done();
    assert_eq!(server.conversation(turn.conversation_id()).await.messages[0].content, message);
}

#[tokio::test]
async fn a_body_of_another_shape_is_refused_with_the_field() {
    let server = TestServer::start(TestOptions::offline()).await;
    let post = async |body: &str| {
        let request = server.kb(Method::POST, "/chat").header("content-type", "application/json");
        server.send(request.body(body.to_owned())).await
    };
    for (body, words) in [
        ("", "empty"),
        ("{", "JSON"),
        ("nonsense", "JSON"),
        ("[]", "object"),
        ("\"Hello\"", "a string"),
        ("null", "null"),
        ("{\"message\": 7}", "message"),
        ("{\"message\": null}", "message"),
        ("{\"mesage\": \"Hello\"}", "mesage"),
        ("{\"message\": \"Hello\", \"conversation_id\": \"seven\"}", "conversation_id"),
        ("{\"message\": \"Hello\", \"retry_question_id\": 7}", "retry_question_id"),
        ("{\"message\": \"Hello\"} and more", "JSON"),
        ("{\"message\": \"\\ud800\"}", "JSON"),
    ] {
        post(body).await.assert_refused(ErrorCode::InvalidRequest, words);
    }
    let bytes = server.kb(Method::POST, "/chat").header("content-type", "application/json");
    let latin1 = server.send(bytes.body(b"{\"message\": \"Caf\xe9\"}".to_vec())).await;
    latin1.assert_refused(ErrorCode::InvalidRequest, "");
    let deep = "[".repeat(100_000);
    post(&format!("{{\"message\": {deep}")).await.assert_refused(ErrorCode::InvalidRequest, "");
    assert_nothing_stored(&server).await;
}

#[tokio::test]
async fn a_body_of_another_type_is_refused() {
    let server = TestServer::start(TestOptions::offline()).await;
    let body = "{\"message\": \"Hello\"}";
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        let request = server.kb(Method::POST, "/chat").header("content-type", kind).body(body);
        server.send(request).await.assert_refused(ErrorCode::UnsupportedMediaType, "application/json");
    }
    let untyped = server.kb(Method::POST, "/chat").body(body);
    server.send(untyped).await.assert_refused(ErrorCode::UnsupportedMediaType, "application/json");
    assert_nothing_stored(&server).await;
}

#[tokio::test]
async fn a_nul_in_a_question_is_removed_at_the_door() {
    let model = ScriptedModel::start([reply::no_evidence("A greeting."), reply::text("Hello.")]).await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    let turn = server.ask("Hel\0lo\0").await;
    turn.done();
    let stored = server.conversation(turn.conversation_id()).await;
    assert_eq!(stored.messages[0].content, "Hello");
    assert_eq!(stored.title, "Hello");
}

#[tokio::test]
async fn a_nul_in_the_arguments_of_a_tool_harms_nothing() {
    let model = ScriptedModel::start([
        reply::calls([("search_chunks", json!({"query": "Vex\0holm"}))]),
        reply::no_evidence("Vex\0holm"),
        reply::text("Nothing was found."),
    ])
    .await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    let turn = server.ask("Who drew the bridge?").await;
    turn.done();
    let stored = server.get(&format!("/conversations/{}", turn.conversation_id())).await;
    assert!(!stored.text().contains("\\u0000"), "{}", stored.text());
}
