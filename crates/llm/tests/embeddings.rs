//! Vectors over a live endpoint: batches, halving, what is no answer.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::time::Duration;

use attest_llm::embed::{Embedder, EmbeddingOptions, OpenAiEmbedder};
use attest_llm::endpoint::{EndpointOptions, validate_base_url};
use attest_llm::failure::{FailureClass, ModelFailure};
use attest_llm::retry::RetryPolicy;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

fn options(server: &MockServer) -> EmbeddingOptions {
    let endpoint = EndpointOptions::new(validate_base_url(&format!("{}/v1", server.uri())).unwrap(), "e");
    let retry = RetryPolicy { base_delay: Duration::from_millis(1), ..RetryPolicy::default() };
    EmbeddingOptions { retry, ..EmbeddingOptions::new(endpoint) }
}

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|number| number.to_string()).collect()
}

fn inputs(request: &Request) -> Vec<String> {
    let body: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(body["model"], "e");
    serde_json::from_value(body["input"].clone()).unwrap()
}

/// Answers each text, a number, with that number as a vector, the last text first; refuses more than `most` texts.
fn numbers(most: usize) -> impl Fn(&Request) -> ResponseTemplate + Send + Sync {
    move |request| {
        let inputs = inputs(request);
        if inputs.len() > most {
            return ResponseTemplate::new(413)
                .set_body_string(r#"{"code":20042,"message":"batch too large","data":null}"#);
        }
        let item = |(index, text): (usize, &String)| serde_json::json!({"index": index, "embedding": [text.parse::<f32>().unwrap(), 1.0]});
        let data: Vec<_> = inputs.iter().enumerate().rev().map(item).collect();
        ResponseTemplate::new(200).set_body_json(serde_json::json!({"data": data}))
    }
}

fn expected(count: u8) -> Vec<Vec<f32>> {
    (0..count).map(|number| vec![f32::from(number), 1.0]).collect()
}

async fn batch_sizes(server: &MockServer) -> Vec<usize> {
    server.received_requests().await.unwrap().iter().map(|request| inputs(request).len()).collect()
}

#[tokio::test]
async fn texts_go_out_in_batches_and_vectors_come_back_in_their_order() {
    let server = MockServer::start().await;
    Mock::given(method("POST")).and(path("/v1/embeddings")).respond_with(numbers(9)).mount(&server).await;
    let embedder =
        OpenAiEmbedder::new(EmbeddingOptions { batch_size: 2, dimensions: Some(2), ..options(&server) })
            .unwrap();
    assert_eq!(embedder.embed(&texts(5)).await, Ok(expected(5)));
    assert_eq!(embedder.embed(&[]).await, Ok(vec![]));
    assert_eq!(batch_sizes(&server).await, [2, 2, 1]);
}

#[tokio::test]
async fn a_batch_that_is_too_large_is_halved_and_the_size_is_remembered() {
    let server = MockServer::start().await;
    Mock::given(method("POST")).respond_with(numbers(3)).mount(&server).await;
    let embedder = OpenAiEmbedder::new(options(&server)).unwrap();
    assert_eq!(embedder.embed(&texts(8)).await, Ok(expected(8)));
    assert_eq!(embedder.embed(&texts(3)).await, Ok(expected(3)));
    assert_eq!(batch_sizes(&server).await, [8, 4, 2, 2, 2, 2, 2, 1]);
}

#[tokio::test]
async fn one_text_that_is_too_large_is_a_failure() {
    let server = MockServer::start().await;
    Mock::given(method("POST")).respond_with(numbers(0)).expect(1).mount(&server).await;
    let failure = ModelFailure::new(FailureClass::Rejected { status: 413 }, "batch too large");
    assert_eq!(OpenAiEmbedder::new(options(&server)).unwrap().embed(&texts(1)).await, Err(failure));
}

#[tokio::test]
async fn a_busy_endpoint_is_asked_again() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(429))
        .up_to_n_times(2)
        .with_priority(1)
        .mount(&server)
        .await;
    Mock::given(method("POST")).respond_with(numbers(9)).expect(1).mount(&server).await;
    assert_eq!(OpenAiEmbedder::new(options(&server)).unwrap().embed(&texts(2)).await, Ok(expected(2)));
}

#[tokio::test]
async fn an_answer_that_is_no_list_of_vectors_is_named() {
    let cases = [
        (
            r#"{"error":{"message":"no such model","code":"model_not_found"}}"#,
            FailureClass::Rejected { status: 200 },
        ),
        (r#"{"data":[{"index":0,"embedding":[1,2,3]}]}"#, FailureClass::Unreachable),
        ("<html></html>", FailureClass::Unreachable),
    ];
    for (body, class) in cases {
        let server = MockServer::start().await;
        Mock::given(method("POST"))
            .respond_with(ResponseTemplate::new(200).set_body_string(body))
            .expect(1)
            .mount(&server)
            .await;
        let embedder =
            OpenAiEmbedder::new(EmbeddingOptions { dimensions: Some(2), ..options(&server) }).unwrap();
        assert_eq!(embedder.embed(&texts(1)).await.map_err(|failure| failure.class), Err(class), "{body}");
    }
}
