//! What the client does when an endpoint refuses a request's shape or its history: one other try, and what it learns.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::sync::{Arc, Mutex};

use attest_llm::chat::{ChatBackend, ChatEvent, ChatMessage, ChatRequest, ReplyFinish, ToolCall};
use attest_llm::client::OpenAiClient;
use attest_llm::endpoint::{EndpointOptions, validate_base_url};
use attest_llm::failure::{FailureClass, ModelFailure};
use attest_llm::ladder::memory::ProcessCapabilities;
use attest_llm::ladder::{CapabilityKey, CapabilityMemory, Knowledge};
use attest_llm::learned::{Learned, Lesson, LessonMemory, ProcessMemory};
use attest_llm::retry::RetryPolicy;
use futures::StreamExt;
use serde_json::{Value, json};
use time::macros::datetime;
use time::{Duration, OffsetDateTime};
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

const HELLO: &str =
    "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// What an endpoint says to a request: a refusal's status and body, or nothing, and then it answers.
type Rule = fn(&Value) -> Option<(u16, String)>;

struct Endpoint {
    server: MockServer,
    client: OpenAiClient,
    memory: Arc<ProcessMemory>,
}

impl Endpoint {
    async fn with(rule: Rule) -> Self {
        let server = MockServer::start().await;
        let answer = move |request: &Request| {
            let body = serde_json::from_slice(&request.body).unwrap();
            match rule(&body) {
                Some((status, refusal)) => ResponseTemplate::new(status).set_body_string(refusal),
                None => ResponseTemplate::new(200).set_body_raw(HELLO, "text/event-stream"),
            }
        };
        Mock::given(method("POST")).respond_with(answer).mount(&server).await;
        let options = EndpointOptions::new(validate_base_url(&server.uri()).unwrap(), "m");
        let memory = Arc::new(ProcessMemory::default());
        let shared: Arc<dyn LessonMemory> = Arc::<ProcessMemory>::clone(&memory);
        Self { server, client: OpenAiClient::new(options).unwrap().with_memory(shared), memory }
    }

    async fn ask(&self, request: &ChatRequest) -> Result<Vec<ChatEvent>, ModelFailure> {
        self.client.chat(request.clone()).await?.collect::<Vec<_>>().await.into_iter().collect()
    }

    /// The roles of each request so far.
    async fn roles(&self) -> Vec<String> {
        self.bodies().await.iter().map(roles).collect()
    }

    async fn bodies(&self) -> Vec<Value> {
        let requests = self.server.received_requests().await.unwrap();
        requests.iter().map(|request| serde_json::from_slice(&request.body).unwrap()).collect()
    }
}

/// The first letters of a request's roles.
fn roles(body: &Value) -> String {
    body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| &message["role"].as_str().unwrap()[..1])
        .collect()
}

fn hello() -> Vec<ChatEvent> {
    let end = ChatEvent::End { finish: ReplyFinish::Stop, usage: None, continue_turn: None };
    vec![ChatEvent::Text("hi".into()), end]
}

fn system(text: &str) -> ChatMessage {
    ChatMessage::System { content: text.into() }
}

fn user(text: &str) -> ChatMessage {
    ChatMessage::User { content: text.into() }
}

/// A turn that called a tool, then a note and a question.
fn request() -> ChatRequest {
    let call = ToolCall { id: "a".into(), name: "f".into(), arguments: "{}".into() };
    let messages = vec![
        system("be brief"),
        user("q"),
        ChatMessage::Assistant { content: Some("I look.".into()), tool_calls: vec![call] },
        ChatMessage::Tool { tool_call_id: "a".into(), content: "r".into() },
        ChatMessage::Assistant { content: Some("answer".into()), tool_calls: vec![] },
        system("a note"),
        user("p"),
    ];
    ChatRequest { messages, ..ChatRequest::default() }
}

fn only_learned(lesson: Lesson) -> Learned {
    Learned::default().with(lesson)
}

#[tokio::test]
async fn a_strict_template_gets_its_order_from_the_second_request_on() {
    let endpoint = Endpoint::with(|body| {
        let strict = !roles(body)[1..].contains('s');
        let words = "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...";
        (!strict).then(|| (400, json!({"object": "error", "message": words, "code": 400}).to_string()))
    })
    .await;
    assert_eq!(endpoint.ask(&request()).await, Ok(hello()));
    assert_eq!(endpoint.ask(&request()).await, Ok(hello()));
    assert_eq!(endpoint.roles().await, ["suatasu", "suatau", "suatau"]);
    assert_eq!(endpoint.bodies().await[1]["messages"][0]["content"], "be brief\n\na note");
    assert_eq!(endpoint.memory.get().await.learned, only_learned(Lesson::StrictRoles));
}

#[tokio::test]
async fn an_endpoint_without_a_system_role_gets_instructions_in_the_persons_message() {
    let endpoint = Endpoint::with(|body| {
        roles(body)
            .contains('s')
            .then(|| (500, r#"{"error":{"message":"System role not supported"}}"#.into()))
    })
    .await;
    assert_eq!(endpoint.ask(&request()).await, Ok(hello()));
    assert_eq!(endpoint.roles().await, ["suatasu", "uatau"]);
    let sent = &endpoint.bodies().await[1]["messages"];
    assert_eq!((&sent[0]["content"], &sent[4]["content"]), (&json!("be brief\n\nq"), &json!("a note\n\np")));
    assert_eq!(endpoint.memory.get().await.learned, only_learned(Lesson::NoSystemRole));
}

#[tokio::test]
async fn words_and_calls_are_parted_only_where_that_is_asked_for() {
    let endpoint = Endpoint::with(|body| {
        let both = body["messages"].as_array().unwrap().iter().any(|message| {
            message["tool_calls"].is_array()
                && message["content"].as_str().is_some_and(|text| !text.is_empty())
        });
        both.then(|| {
            (
                400,
                r#"{"message":"Assistant message must have either content or tool_calls, but not both."}"#
                    .into(),
            )
        })
    })
    .await;
    assert_eq!(endpoint.ask(&request()).await, Ok(hello()));
    assert_eq!(endpoint.roles().await, ["suatasu", "suaatasu"]);
    assert_eq!(endpoint.memory.get().await.learned, only_learned(Lesson::CallsApart));
}

#[tokio::test]
async fn a_refusal_of_the_history_stands_after_one_healed_try() {
    // Refuses whatever comes, each time with words that ask for something else.
    let endpoint = Endpoint::with(|body| {
        let words = if roles(body).contains("as") {
            "System message must be at the beginning"
        } else {
            "System role not supported"
        };
        Some((400, json!({"error": {"message": words}}).to_string()))
    })
    .await;
    let client = endpoint.client;
    let memory = endpoint.memory;
    let client = client.with_retries(RetryPolicy::default());
    for sent in [2, 4] {
        let failure = client.chat(request()).await.err().unwrap();
        assert_eq!(failure.class, FailureClass::Rejected { status: 400 });
        assert_eq!(endpoint.server.received_requests().await.unwrap().len(), sent);
    }
    assert_eq!(memory.get().await.learned, Learned::default(), "what was never accepted is not kept");
}

#[tokio::test]
async fn a_refusal_that_no_other_shape_answers_is_told_at_once() {
    let endpoint =
        Endpoint::with(|_| Some((400, r#"{"error":{"message":"System role not supported"}}"#.into()))).await;
    let plain = ChatRequest { messages: vec![user("q")], ..ChatRequest::default() };
    let failure = endpoint.ask(&plain).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Rejected { status: 400 });
    assert_eq!(endpoint.roles().await, ["u"]);
}

#[tokio::test]
async fn words_of_another_refusal_teach_nothing() {
    // A validator that repeats the request, and so names a field that has nothing to do with it.
    let endpoint =
        Endpoint::with(|body| Some((400, json!({"detail": "bad temperature", "input": body}).to_string())))
            .await;
    endpoint.ask(&request()).await.unwrap_err();
    assert_eq!(endpoint.memory.get().await.learned, Learned::default());
    for status in [429, 503] {
        let busy: Rule = if status == 429 {
            |_| Some((429, "roles must alternate, stream_options".into()))
        } else {
            |_| Some((503, "roles must alternate, stream_options".into()))
        };
        let endpoint = Endpoint::with(busy).await;
        endpoint.ask(&request()).await.unwrap_err();
        assert_eq!(
            (endpoint.roles().await.len(), endpoint.memory.get().await.learned),
            (1, Learned::default())
        );
    }
}

#[tokio::test]
async fn two_refusals_of_different_kinds_are_both_obeyed_in_one_request() {
    let endpoint = Endpoint::with(|body| {
        if body.get("stream_options").is_some() {
            return Some((400, r#"{"error":{"message":"unknown field stream_options"}}"#.into()));
        }
        roles(body)
            .contains('s')
            .then(|| (400, r#"{"error":{"message":"System role not supported"}}"#.into()))
    })
    .await;
    assert_eq!(endpoint.ask(&request()).await, Ok(hello()));
    assert_eq!(endpoint.roles().await, ["suatasu", "suatasu", "uatau"]);
    assert_eq!(
        endpoint.memory.get().await.learned,
        [Lesson::NoStreamOptions, Lesson::NoSystemRole].into_iter().collect()
    );
}

#[tokio::test]
async fn a_memory_that_knows_already_saves_the_refused_request() {
    let endpoint = Endpoint::with(|_| None).await;
    endpoint.memory.set(Lesson::NoSystemRole, 400).await;
    assert_eq!(endpoint.ask(&request()).await, Ok(hello()));
    assert_eq!(endpoint.roles().await, ["uatau"]);
}

/// Instances of a service, with one database and one clock.
struct Service {
    database: Arc<ProcessCapabilities>,
    now: Arc<Mutex<OffsetDateTime>>,
}

impl Service {
    fn new() -> Self {
        let now = Arc::new(Mutex::new(datetime!(2026-12-01 10:00 UTC)));
        Self { database: Arc::default(), now }
    }

    /// A question through an instance that has just started; the roles and the status that each request came to.
    async fn asks(&self, rule: Rule) -> Vec<String> {
        let endpoint = Endpoint::with(rule).await;
        let url = validate_base_url("https://one.example/v1").unwrap();
        let now = Arc::clone(&self.now);
        let knowledge = Knowledge::new(
            CapabilityKey::new(&url, "m", None),
            Arc::clone(&self.database) as Arc<dyn CapabilityMemory>,
            Arc::new(move || *now.lock().unwrap()),
        );
        let bodies = endpoint.server;
        let client = endpoint.client.with_memory(Arc::new(knowledge));
        let accepted = client.chat(request()).await.is_ok();
        let requests = bodies.received_requests().await.unwrap();
        let mut lines: Vec<String> =
            requests.iter().map(|request| roles(&serde_json::from_slice(&request.body).unwrap())).collect();
        lines.push(if accepted { "accepted" } else { "refused" }.into());
        lines
    }

    fn later(&self, wait: Duration) {
        *self.now.lock().unwrap() += wait;
    }
}

fn no_system_role(body: &Value) -> Option<(u16, String)> {
    roles(body).contains('s').then(|| (400, r#"{"error":{"message":"System role not supported"}}"#.into()))
}

#[tokio::test]
async fn another_instance_obeys_at_once_and_after_a_day_one_request_tries_without() {
    let service = Service::new();
    assert_eq!(service.asks(no_system_role).await, ["suatasu", "uatau", "accepted"]);
    assert_eq!(service.asks(no_system_role).await, ["uatau", "accepted"]);
    service.later(Duration::hours(24));
    assert_eq!(service.asks(no_system_role).await, ["suatasu", "uatau", "accepted"], "still needed");
    assert_eq!(service.asks(no_system_role).await, ["uatau", "accepted"]);
    service.later(Duration::hours(24));
    assert_eq!(service.asks(|_| None).await, ["suatasu", "accepted"], "needed no more");
    assert_eq!(service.asks(|_| None).await, ["suatasu", "accepted"]);
}

#[tokio::test]
async fn what_no_accepted_request_proved_no_other_instance_hears_of() {
    let service = Service::new();
    let always: Rule = |_| Some((400, r#"{"error":{"message":"System role not supported"}}"#.into()));
    assert_eq!(service.asks(always).await, ["suatasu", "uatau", "refused"]);
    assert_eq!(service.asks(|_| None).await, ["suatasu", "accepted"]);
}

#[tokio::test]
async fn a_trial_that_is_refused_in_other_words_or_fails_costs_no_answer_and_leaves_the_entry() {
    let service = Service::new();
    service.asks(no_system_role).await;
    service.later(Duration::hours(24));
    let vague: Rule = |body| roles(body).contains('s').then(|| (400, r#"{"error":"bad request"}"#.into()));
    assert_eq!(service.asks(vague).await, ["suatasu", "uatau", "accepted"]);
    assert_eq!(service.asks(no_system_role).await, ["uatau", "accepted"]);
    service.later(Duration::minutes(6));
    assert_eq!(service.asks(|_| Some((503, "busy".into()))).await, ["suatasu", "refused"]);
    assert_eq!(service.asks(no_system_role).await, ["uatau", "accepted"]);
}
