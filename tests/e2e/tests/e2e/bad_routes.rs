//! Paths and methods that do not exist, and the routes about the server itself.

use attest_protocol::ErrorCode;
use attest_testkit::{TestOptions, TestServer, until};
use reqwest::Method;
use serde_json::Value;

#[tokio::test]
async fn an_unknown_path_below_api_is_a_json_404() {
    let server = TestServer::start(TestOptions::offline()).await;
    for path in [
        "/api",
        "/api/",
        "/api/v1",
        "/api/v1/nothing",
        "/api/v2/kbs",
        "/api/v1/kbs/default/nothing",
        "/api/v1/kbs/",
    ] {
        for method in [Method::GET, Method::POST, Method::DELETE] {
            let answer = server.send(server.request(method, path).header("accept", "text/html")).await;
            answer.assert_refused(ErrorCode::NotFound, "");
        }
    }
}

#[tokio::test]
async fn a_wrong_method_is_a_json_405_that_names_the_right_ones() {
    let server = TestServer::start(TestOptions::offline()).await;
    for (method, path) in [
        (Method::GET, "/chat"),
        (Method::DELETE, "/chat"),
        (Method::POST, "/conversations"),
        (Method::PUT, "/documents"),
        (Method::POST, "/search"),
    ] {
        let answer = server.send(server.kb(method.clone(), path)).await;
        answer.assert_refused(ErrorCode::MethodNotAllowed, "");
        assert!(answer.header("allow").is_some_and(|allowed| !allowed.is_empty()), "{method} {path}");
    }
}

#[tokio::test]
async fn an_unknown_base_is_not_found_on_every_route() {
    let server = TestServer::start(TestOptions::offline()).await;
    for path in ["/conversations", "/documents", "/search?q=x", ""] {
        let answer = server.send(server.request(Method::GET, &format!("/api/v1/kbs/nowhere{path}"))).await;
        answer.assert_refused(ErrorCode::NotFound, "nowhere");
    }
    let odd = server.send(server.request(Method::GET, "/api/v1/kbs/%00%ff/documents")).await;
    odd.assert_refused(ErrorCode::NotFound, "");
}

#[tokio::test]
async fn every_answer_has_a_request_id_and_keeps_a_fit_one() {
    let server = TestServer::start(TestOptions::offline()).await;
    let made = server.get("/conversations").await;
    assert!(made.header("x-request-id").is_some_and(|id| uuid::Uuid::try_parse(id).is_ok()));
    let kept = server.kb(Method::GET, "/nothing").header("x-request-id", "mine-1");
    assert_eq!(server.send(kept).await.header("x-request-id"), Some("mine-1"));
}

#[tokio::test]
async fn the_server_says_that_it_lives_is_ready_and_which_version_it_is() {
    let server = TestServer::start(TestOptions::offline()).await;
    let get = async |path: &str| server.send(server.request(Method::GET, path)).await;
    assert_eq!(get("/healthz").await.status, 200);
    // Right after the start the index may still be catching up, and says so.
    let ready: Value = until("the server to say that it is ready", async || {
        let answer = get("/readyz").await;
        (answer.status == 200).then(|| answer.ok())
    })
    .await;
    assert_eq!(ready["status"], "ready", "{ready}");
    let version: Value = get("/version").await.ok();
    assert_eq!(version["name"], "attest", "{version}");
}
