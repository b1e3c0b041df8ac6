//! What the client does with a live endpoint: statuses, shapes it refuses, silence, early ends.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::time::Duration;

use attest_llm::chat::{ChatBackend, ChatEvent, ChatRequest, ChatStream, ReplyFinish, TokenUsage};
use attest_llm::client::OpenAiClient;
use attest_llm::endpoint::{EndpointOptions, validate_base_url};
use attest_llm::failure::{FailureClass, ModelFailure};
use attest_llm::retry::RetryPolicy;
use attest_llm::secret::Secret;
use futures::StreamExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use wiremock::matchers::{body_partial_json, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

const HELLO: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

fn options(base: &str) -> EndpointOptions {
    EndpointOptions::new(validate_base_url(base).unwrap(), "m")
}

fn client(base: &str) -> OpenAiClient {
    OpenAiClient::new(options(base)).unwrap()
}

/// No wait worth the name between resends.
fn quick() -> RetryPolicy {
    RetryPolicy { base_delay: Duration::from_millis(1), ..RetryPolicy::default() }
}

fn stream(body: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(body, "text/event-stream")
}

async fn seen(
    backend: &impl ChatBackend,
    request: ChatRequest,
) -> Result<Vec<Result<ChatEvent, ModelFailure>>, ModelFailure> {
    Ok(backend.chat(request).await?.collect().await)
}

fn hello() -> Vec<Result<ChatEvent, ModelFailure>> {
    vec![
        Ok(ChatEvent::Text("hi".into())),
        Ok(ChatEvent::End { finish: ReplyFinish::Stop, usage: None, continue_turn: None }),
    ]
}

async fn bodies(server: &MockServer) -> Vec<serde_json::Value> {
    let requests = server.received_requests().await.unwrap();
    requests.iter().map(|request| serde_json::from_slice(&request.body).unwrap()).collect()
}

/// The socket after its request was read; `answer` is sent as it is.
async fn answered(listener: &TcpListener, answer: &[u8]) -> TcpStream {
    let (mut socket, _) = listener.accept().await.unwrap();
    let mut request = Vec::new();
    // The request's body ends with the last brace of its JSON.
    while !request.ends_with(b"}") {
        let mut piece = [0; 4096];
        let read = socket.read(&mut piece).await.unwrap();
        assert_ne!(read, 0, "the client hung up before its request was whole");
        request.extend_from_slice(&piece[..read]);
    }
    socket.write_all(answer).await.unwrap();
    socket.flush().await.unwrap();
    socket
}

async fn raw_server() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    (listener, base)
}

#[tokio::test]
async fn a_question_goes_out_as_a_stream_with_the_key_and_its_reply_comes_back() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/v1/chat/completions"))
        .and(header("authorization", "Bearer sk-1"))
        .and(body_partial_json(serde_json::json!({"model": "m", "stream": true, "max_tokens": 9})))
        .respond_with(stream(HELLO))
        .expect(1)
        .mount(&server)
        .await;
    let client = OpenAiClient::new(EndpointOptions {
        api_key: Some(Secret::new("sk-1")),
        max_tokens: Some(9),
        ..options(&format!("{}/v1/", server.uri()))
    })
    .unwrap();
    assert_eq!(seen(&client, ChatRequest::default()).await, Ok(hello()));
    assert!(!format!("{client:?}").contains("sk-1"));
}

#[tokio::test]
async fn stream_options_are_left_out_for_good_once_they_were_refused() {
    let server = MockServer::start().await;
    Mock::given(body_partial_json(serde_json::json!({"stream_options": {"include_usage": true}})))
        .respond_with(
            ResponseTemplate::new(400).set_body_string(r#"{"error":"unknown field stream_options"}"#),
        )
        .with_priority(1)
        .expect(1)
        .mount(&server)
        .await;
    Mock::given(method("POST")).respond_with(stream(HELLO)).expect(2).mount(&server).await;
    let client = client(&server.uri());
    assert_eq!(seen(&client, ChatRequest::default()).await, Ok(hello()));
    assert_eq!(seen(&client, ChatRequest::default()).await, Ok(hello()));
    let asked: Vec<bool> =
        bodies(&server).await.iter().map(|body| body.get("stream_options").is_some()).collect();
    assert_eq!(asked, [true, false, false]);
}

#[tokio::test]
async fn the_limit_is_renamed_for_good_where_the_endpoint_asks_for_the_other_name() {
    let server = MockServer::start().await;
    let refusal = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    Mock::given(body_partial_json(serde_json::json!({"max_tokens": 9})))
        .respond_with(ResponseTemplate::new(400).set_body_string(refusal))
        .with_priority(1)
        .expect(1)
        .mount(&server)
        .await;
    Mock::given(body_partial_json(serde_json::json!({"max_completion_tokens": 9})))
        .respond_with(stream(HELLO))
        .expect(2)
        .mount(&server)
        .await;
    let client = client(&server.uri());
    let request = ChatRequest { max_tokens: Some(9), ..ChatRequest::default() };
    assert_eq!(seen(&client, request.clone()).await, Ok(hello()));
    assert_eq!(seen(&client, request).await, Ok(hello()));
}

#[tokio::test]
async fn a_402_that_names_an_affordable_limit_is_tried_once_with_it_and_no_more() {
    let server = MockServer::start().await;
    let refusal = r#"{"error":{"message":"This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 30104","code":402}}"#;
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(402).set_body_string(refusal))
        .up_to_n_times(1)
        .with_priority(1)
        .mount(&server)
        .await;
    let poorer = refusal.replace("30104", "20000");
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(402).set_body_string(poorer.clone()))
        .mount(&server)
        .await;
    let failure =
        seen(&client(&server.uri()).with_retries(quick()), ChatRequest::default()).await.unwrap_err();
    let message = "This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 20000";
    assert_eq!(failure, ModelFailure::new(FailureClass::OutOfCredit, message));
    let limits: Vec<_> = bodies(&server).await.iter().map(|body| body.get("max_tokens").cloned()).collect();
    assert_eq!(limits, [None, Some(30_104.into())]);
}

#[tokio::test]
async fn a_limit_that_does_not_fit_beside_the_prompt_is_lowered_to_what_is_left() {
    let server = MockServer::start().await;
    let refusal =
        "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000, decrease input length";
    Mock::given(body_partial_json(serde_json::json!({"max_tokens": 8192})))
        .respond_with(ResponseTemplate::new(400).set_body_string(refusal))
        .expect(1)
        .mount(&server)
        .await;
    Mock::given(body_partial_json(serde_json::json!({"max_tokens": 1000})))
        .respond_with(stream(HELLO))
        .expect(1)
        .mount(&server)
        .await;
    let request = ChatRequest { max_tokens: Some(8192), ..ChatRequest::default() };
    assert_eq!(seen(&client(&server.uri()), request).await, Ok(hello()));
}

#[tokio::test]
async fn an_unavailable_endpoint_and_an_empty_stream_are_asked_again() {
    for first in [
        ResponseTemplate::new(503),
        stream(""),
        stream("data: {\"error\":{\"code\":502,\"message\":\"x\"}}\n\n"),
    ] {
        let server = MockServer::start().await;
        Mock::given(method("POST"))
            .respond_with(first)
            .up_to_n_times(1)
            .with_priority(1)
            .mount(&server)
            .await;
        Mock::given(method("POST")).respond_with(stream(HELLO)).expect(1).mount(&server).await;
        let client = client(&server.uri()).with_retries(quick());
        assert_eq!(seen(&client, ChatRequest::default()).await, Ok(hello()));
    }
}

#[tokio::test]
async fn a_bad_key_is_told_once_with_the_endpoints_words_and_without_the_key() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(401).set_body_string(r#"{"error":{"message":"no key plain-1"}}"#))
        .expect(1)
        .mount(&server)
        .await;
    let options = EndpointOptions { api_key: Some(Secret::new("plain-1")), ..options(&server.uri()) };
    let client = OpenAiClient::new(options).unwrap().with_retries(quick());
    let failure = seen(&client, ChatRequest::default()).await.unwrap_err();
    assert_eq!(failure, ModelFailure::new(FailureClass::Unauthorized, "no key ***"));
}

#[tokio::test]
async fn nobody_listening_is_unreachable_and_names_the_host() {
    let (listener, base) = raw_server().await;
    let host = listener.local_addr().unwrap().to_string();
    drop(listener);
    let failure = seen(&client(&base), ChatRequest::default()).await.unwrap_err();
    assert_eq!((failure.class, failure.timed_out), (FailureClass::Unreachable, false));
    assert!(failure.message.starts_with(&format!("{host} cannot be reached: ")), "{}", failure.message);
}

#[tokio::test]
async fn an_endpoint_that_says_nothing_at_all_is_stalled_before_and_after_its_head() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n".as_slice();
    for (answer, said) in [
        (b"".as_slice(), "sent nothing"),
        (head, "sent nothing"),
        (&[head, b": busy\n\n"].concat(), "sent nothing but keep-alive comments"),
    ] {
        let (listener, base) = raw_server().await;
        let limit = Duration::from_millis(100);
        let client =
            OpenAiClient::new(EndpointOptions { first_event_timeout: limit, ..options(&base) }).unwrap();
        let asking = seen(&client, ChatRequest::default());
        let (outcome, _open) = tokio::join!(asking, answered(&listener, answer));
        let failure = match outcome {
            Ok(events) => events.into_iter().last().unwrap().unwrap_err(),
            Err(failure) => failure,
        };
        assert_eq!((failure.class, failure.timed_out), (FailureClass::Stalled, true));
        assert!(failure.message.contains(said), "{}", failure.message);
    }
}

#[tokio::test]
async fn silence_in_the_middle_keeps_the_words_and_lets_the_connection_go() {
    let (listener, base) = raw_server().await;
    let limit = Duration::from_millis(100);
    let client = OpenAiClient::new(EndpointOptions { idle_timeout: limit, ..options(&base) }).unwrap();
    let answer = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\r\n\r\n";
    let asking = seen(&client, ChatRequest::default());
    let (outcome, mut socket) = tokio::join!(asking, answered(&listener, answer));
    let host = listener.local_addr().unwrap();
    let message = format!("{host} stopped in the middle of its reply and sent nothing more for 0.1 s");
    let expected =
        vec![Ok(ChatEvent::Text("hi".into())), Err(ModelFailure::new(FailureClass::Stalled, message))];
    assert_eq!(outcome, Ok(expected));
    assert_eq!(hung_up(&mut socket).await, 0);
}

/// Bytes that still come until the other side hangs up; a reset is one way to do so.
async fn hung_up(socket: &mut TcpStream) -> usize {
    socket.read(&mut [0; 16]).await.unwrap_or(0)
}

#[tokio::test]
async fn dropping_the_reply_hangs_up_at_once() {
    let (listener, base) = raw_server().await;
    let client = client(&base);
    let answer = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n";
    let (outcome, mut socket) =
        tokio::join!(client.chat(ChatRequest::default()), answered(&listener, answer));
    let mut reply: ChatStream = outcome.unwrap();
    assert_eq!(reply.next().await, Some(Ok(ChatEvent::Text("hi".into()))));
    drop(reply);
    assert_eq!(hung_up(&mut socket).await, 0);
}

#[tokio::test]
async fn a_connection_that_breaks_is_unreachable_before_the_first_event_and_interrupted_after_it() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 9999\r\n\r\n";
    let words = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n";
    let finish =
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1}}";
    let hi = || Ok(ChatEvent::Text("hi".into()));
    let usage = Some(TokenUsage { prompt_tokens: Some(1), completion_tokens: None });
    let end = Ok(ChatEvent::End { finish: ReplyFinish::Stop, usage, continue_turn: None });
    let cases = [
        (head.to_owned(), vec![Err(FailureClass::Unreachable)]),
        (format!("{head}{words}"), vec![hi(), Err(FailureClass::Interrupted)]),
        // Broken after the finish reason, in an event without its closing line: nothing is missing.
        (format!("{head}{words}{finish}"), vec![hi(), end]),
    ];
    for (answer, expected) in cases {
        let (listener, base) = raw_server().await;
        let client = client(&base);
        let asking = seen(&client, ChatRequest::default());
        let (outcome, ()) =
            tokio::join!(asking, async { drop(answered(&listener, answer.as_bytes()).await) });
        let events: Vec<_> =
            outcome.unwrap().into_iter().map(|event| event.map_err(|failure| failure.class)).collect();
        assert_eq!(events, expected);
    }
}

#[tokio::test]
async fn an_endpoint_without_tls_is_told_from_one_that_is_down() {
    let (listener, base) = raw_server().await;
    let client = client(&base.replace("http://", "https://"));
    let asking = seen(&client, ChatRequest::default());
    let serving = async {
        let (mut socket, _) = listener.accept().await.unwrap();
        socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        socket
    };
    let (outcome, _socket) = tokio::join!(asking, serving);
    let failure = outcome.unwrap_err();
    assert_eq!(failure.class, FailureClass::Unreachable);
    let advice = "; it seems to speak no TLS, so write http:// in place of https://";
    assert!(failure.message.ends_with(advice), "{}", failure.message);
}
