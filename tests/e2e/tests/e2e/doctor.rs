//! Whether the configured model works, over HTTP.

use attest_protocol::ErrorCode;
use attest_testkit::{GatedModel, MODEL_KEY, TestOptions, TestServer, soon};
use reqwest::Method;
use serde_json::Value;

#[tokio::test]
async fn the_offline_model_passes_every_test() {
    let server = TestServer::start(TestOptions::offline()).await;
    let report: Value = server.send(server.request(Method::GET, "/api/v1/doctor")).await.ok();
    assert_eq!((&report["chat_works"], &report["level"]), (&Value::Bool(true), &Value::from("native")));
    let checks = report["checks"].as_array().expect("a list of checks");
    let odd: Vec<&Value> = checks.iter().filter(|check| check["verdict"] != "works").collect();
    assert!(odd.iter().all(|check| check["feature"].as_str().unwrap().starts_with("embedding")), "{odd:?}");
}

#[tokio::test]
async fn one_test_runs_at_a_time_and_its_report_holds_no_key() {
    let model = GatedModel::start().await;
    let server = TestServer::start(TestOptions::gated(&model)).await;
    let first = tokio::spawn(server.request(Method::GET, "/api/v1/doctor").send());
    let asked = model.next_request().await;
    let second = server.send(server.request(Method::GET, "/api/v1/doctor")).await;
    second.assert_refused(ErrorCode::AlreadyRunning, "already");
    assert_eq!(second.header("retry-after"), Some("30"));
    // Its connection breaks, and so does that of the one resend.
    asked.drop_connection();
    model.next_request().await.drop_connection();
    let report = soon("the report", first).await.unwrap().unwrap().text().await.unwrap();
    let told: Value = serde_json::from_str(&report).unwrap();
    assert_eq!((&told["chat_works"], &told["level"]), (&Value::Bool(false), &Value::Null));
    assert!(!report.contains(MODEL_KEY), "{report}");
    let third = server.send(server.request(Method::POST, "/api/v1/doctor")).await;
    third.assert_refused(ErrorCode::MethodNotAllowed, "");
}
