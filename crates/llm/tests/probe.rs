//! The whole test against endpoints that behave in known ways.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::time::Duration;

use attest_llm::embed::EmbeddingOptions;
use attest_llm::endpoint::{EndpointError, EndpointOptions, validate_base_url};
use attest_llm::ladder::memory::{CapabilityKey, TOOLS};
use attest_llm::ladder::{Knowledge, Level};
use attest_llm::probe::{Examination, Feature, Limits, Report, Verdict};
use attest_llm::secret::Secret;
use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

/// Looks like no key of a known kind, so only the exact replacement hides it.
const KEY: &str = "quiet-river-4711";
const EMBEDDING_KEY: &str = "loud-forest-0815";

/// An endpoint that does everything right but what is set here.
#[derive(Clone, Default)]
struct Odd {
    refuses_tools: Option<(u16, &'static str)>,
    refuses_choice: bool,
    ignores_choice: bool,
    refuses_stream_options: bool,
    refuses_late_system: bool,
    refuses_protocol: bool,
    counts_nothing: bool,
    window: Option<usize>,
    one_piece: bool,
}

const TOOLS_IN_VAIN: &str =
    r#"{"error":{"message":"m does not support tools (asked with quiet-river-4711)","type":"api_error"}}"#;
const CHOICE_IN_VAIN: &str = r#"{"error":{"message":"Thinking mode does not support this tool_choice","type":"invalid_request_error"}}"#;

impl Odd {
    fn refusal(&self, body: &Value, text: &str) -> Option<(u16, String)> {
        let messages = body["messages"].as_array().unwrap();
        let late = messages.iter().skip(1).any(|message| message["role"] == "system");
        if let Some(window) = self.window.filter(|window| text.len() / 4 > *window) {
            let words = format!("This model's maximum context length is {window} tokens.");
            return Some((400, json!({"error": {"message": words}}).to_string()));
        }
        if body.get("tools").is_some()
            && let Some((status, words)) = self.refuses_tools
        {
            return Some((status, words.to_owned()));
        }
        if body.get("tool_choice").is_some() && self.refuses_choice {
            return Some((400, CHOICE_IN_VAIN.to_owned()));
        }
        if body.get("stream_options").is_some() && self.refuses_stream_options {
            return Some((400, r#"{"error":"unknown field stream_options"}"#.to_owned()));
        }
        if late && self.refuses_late_system {
            return Some((400, r#"{"error":"Conversation roles must alternate user/assistant"}"#.to_owned()));
        }
        if text.contains("[How to reply]") && self.refuses_protocol {
            return Some((422, r#"{"error":"no"}"#.to_owned()));
        }
        None
    }

    /// The deltas of the reply.
    fn reply(&self, body: &Value, text: &str) -> Vec<Value> {
        let call = |name: &str, arguments: &str| {
            let function = json!({"name": name, "arguments": arguments});
            vec![
                json!({"tool_calls": [{"index": 0, "id": "call_a", "type": "function", "function": function}]}),
            ]
        };
        let say = |words: &str| -> Vec<Value> {
            let pieces: Vec<&str> =
                if self.one_piece { vec![words] } else { words.split_inclusive(' ').collect() };
            pieces.into_iter().map(|piece| json!({"content": piece})).collect()
        };
        let answered = body["messages"].as_array().unwrap().iter().any(|message| message["role"] == "tool");
        let choice = body.get("tool_choice").filter(|_| !self.ignores_choice);
        if answered {
            say("It was first lit in 1862 [1].")
        } else if let Some(named) = choice.and_then(|choice| choice["function"]["name"].as_str()) {
            call(named, r#"{"reason":"because"}"#)
        } else if choice.is_some() {
            call("no_evidence_needed", r#"{"reason":"a greeting"}"#)
        } else if body.get("tools").is_some() && text.contains("Search the knowledge base") {
            call("search_chunks", r#"{"query":"lighthouse of Varnholt"}"#)
        } else if text.contains("[How to reply]") {
            say("C search_chunks[lighthouse of Varnholt]")
        } else if text.contains("code word") {
            say("The code word is larkspur.")
        } else {
            say("one two three four")
        }
    }
}

impl Respond for Odd {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let messages = body["messages"].as_array().unwrap();
        let texts: Vec<&str> = messages.iter().filter_map(|message| message["content"].as_str()).collect();
        let text = texts.join("\n");
        if let Some((status, words)) = self.refusal(&body, &text) {
            return ResponseTemplate::new(status).set_body_string(words);
        }
        let mut events = String::new();
        let deltas = self.reply(&body, &text);
        let finish = if deltas[0].get("tool_calls").is_some() { "tool_calls" } else { "stop" };
        for delta in deltas {
            events += &format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta}]}));
        }
        let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]});
        events += &format!("data: {end}\n\n");
        if !self.counts_nothing && body.get("stream_options").is_some() {
            let usage = json!({"prompt_tokens": text.len() / 4, "completion_tokens": 5});
            events += &format!("data: {}\n\n", json!({"choices": [], "usage": usage}));
        }
        events += "data: [DONE]\n\n";
        ResponseTemplate::new(200).set_body_raw(events, "text/event-stream")
    }
}

/// A vector that tells texts apart.
fn vectors(request: &Request) -> ResponseTemplate {
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let texts = body["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().len());
    let data: Vec<Value> = texts
        .enumerate()
        .map(|(index, length)| json!({"index": index, "embedding": [1.0, length as f32, 3.0]}))
        .collect();
    ResponseTemplate::new(200).set_body_json(json!({"data": data}))
}

async fn serving(chat: impl Respond + 'static) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST")).and(path("/v1/chat/completions")).respond_with(chat).mount(&server).await;
    Mock::given(method("POST")).and(path("/v1/embeddings")).respond_with(vectors).mount(&server).await;
    server
}

fn examination(server: &MockServer) -> Examination {
    let base_url = validate_base_url(&format!("{}/v1", server.uri())).unwrap();
    let options = EndpointOptions { api_key: Some(Secret::new(KEY)), ..EndpointOptions::new(base_url, "m") };
    let embeddings = EmbeddingOptions::new(EndpointOptions {
        api_key: Some(Secret::new(EMBEDDING_KEY)),
        model: "e".to_owned(),
        ..options.clone()
    });
    Examination { embeddings: Some(embeddings), ..Examination::new(options) }
}

async fn report(chat: impl Respond + 'static) -> Report {
    let report = examination(&serving(chat).await).run(None).await.unwrap();
    let all = format!("{report:?}{}", serde_json::to_string(&report).unwrap());
    assert!(!all.contains(KEY) && !all.contains(EMBEDDING_KEY), "a key is in the report: {all}");
    let features: Vec<Feature> = report.checks.iter().map(|check| check.feature).collect();
    assert_eq!(features, Feature::ALL, "each feature has one check, in order");
    report
}

/// The verdicts that are not `works`, the level, and what to change.
fn told(report: &Report) -> String {
    let odd = report.checks.iter().filter(|check| check.verdict != Verdict::Works).map(|check| {
        let words = check.refusal.as_deref().map(|words| format!(" | {words}")).unwrap_or_default();
        format!("{}: {}, {}{words}\n", check.feature.in_words(), check.verdict.in_words(), check.seen)
    });
    let level = report.level.map_or("does not work", Level::name);
    let host = &report.chat.endpoint;
    let advice = report.advice.as_deref().unwrap_or("-");
    format!("{}{level}\n{advice}", odd.collect::<String>()).replace(host.as_str(), "HOST")
}

fn plainly(status: u16, body: &'static str, media_type: &'static str) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_raw(body, media_type)
}

#[tokio::test]
async fn where_everything_works_the_report_says_so_for_programs() {
    let mut report = report(Odd::default()).await;
    report.duration_ms = 0;
    report.chat.endpoint = "HOST".to_owned();
    report.embeddings.as_mut().unwrap().endpoint = "HOST".to_owned();
    for check in &mut report.checks {
        check.duration_ms = check.duration_ms.map(|_| 0);
    }
    insta::assert_json_snapshot!(report);
}

#[tokio::test]
async fn an_endpoint_without_tools_leaves_text_mode() {
    let report = report(Odd { refuses_tools: Some((400, TOOLS_IN_VAIN)), ..Odd::default() }).await;
    insta::assert_snapshot!(told(&report));
}

#[tokio::test]
async fn an_endpoint_without_tools_and_without_the_protocol_leaves_one_search() {
    let odd = Odd { refuses_tools: Some((404, "")), refuses_protocol: true, ..Odd::default() };
    insta::assert_snapshot!(told(&report(odd).await));
}

#[tokio::test]
async fn an_endpoint_that_refuses_tool_choice_leaves_native_tools_without_it() {
    let report = report(Odd { refuses_choice: true, ..Odd::default() }).await;
    insta::assert_snapshot!(told(&report));
}

#[tokio::test]
async fn an_endpoint_that_ignores_required_is_told_from_one_that_obeys() {
    let report = report(Odd { ignores_choice: true, ..Odd::default() }).await;
    insta::assert_snapshot!(told(&report));
}

#[tokio::test]
async fn smaller_differences_are_told_and_change_no_level() {
    let odd = Odd {
        refuses_stream_options: true,
        refuses_late_system: true,
        one_piece: true,
        window: Some(4_096),
        ..Odd::default()
    };
    let report = report(odd).await;
    assert_eq!(report.window_tokens, Some(4_096));
    insta::assert_snapshot!(told(&report));
    let counts = self::report(Odd { counts_nothing: true, ..Odd::default() }).await;
    insta::assert_snapshot!(told(&counts));
}

#[tokio::test]
async fn what_makes_chat_fail_is_told_with_what_to_change() {
    let key_refused =
        r#"{"error":{"message":"Incorrect API key provided: quiet-river-4711","code":"invalid_api_key"}}"#;
    let no_model = r#"{"error":{"message":"The model `m` does not exist","code":"model_not_found"}}"#;
    let page = "<!doctype html><title>Welcome</title>";
    let answers = [
        plainly(200, page, "text/html"),
        plainly(401, key_refused, "application/json"),
        plainly(404, no_model, "application/json"),
        plainly(404, page, "text/html"),
        plainly(402, r#"{"error":{"message":"Insufficient Balance"}}"#, "application/json"),
        plainly(500, r#"{"error":"boom"}"#, "application/json"),
        plainly(308, "", "text/plain").insert_header("location", "https://other.example/v1/chat/completions"),
    ];
    let mut all = String::new();
    for answer in answers {
        let report = report(answer).await;
        assert!(!report.chat_works);
        let skipped = report.checks.iter().filter(|check| check.verdict == Verdict::Skipped).count();
        let lines: Vec<String> = told(&report)
            .lines()
            .filter(|line| !line.contains("skipped, because a plain"))
            .map(str::to_owned)
            .collect();
        all += &format!("{}\n({skipped} skipped)\n\n", lines.join("\n"));
    }
    insta::assert_snapshot!(all);
}

#[tokio::test]
async fn a_rate_limit_in_the_middle_is_no_verdict_and_moves_no_level() {
    struct Busy(Odd);
    impl Respond for Busy {
        fn respond(&self, request: &Request) -> ResponseTemplate {
            let body: Value = serde_json::from_slice(&request.body).unwrap();
            if body.get("tools").is_some() {
                return ResponseTemplate::new(429).insert_header("retry-after", "3600");
            }
            self.0.respond(request)
        }
    }
    let server = serving(Busy(Odd::default())).await;
    let examination = examination(&server);
    let knowledge = knowledge_of(&examination);
    let report = examination.run(Some(&knowledge)).await.unwrap();
    insta::assert_snapshot!(told(&report));
    assert_eq!(knowledge.remembered(TOOLS, "any", false).await.entry, None);
}

fn knowledge_of(examination: &Examination) -> Knowledge {
    let chat = &examination.chat;
    Knowledge::of_the_process(CapabilityKey::new(&chat.base_url, &chat.model, chat.api_key.as_ref()))
}

#[tokio::test]
async fn turns_hear_from_the_test_at_which_level_they_can_run() {
    let server = serving(Odd { refuses_tools: Some((400, TOOLS_IN_VAIN)), ..Odd::default() }).await;
    let examination = examination(&server);
    let knowledge = knowledge_of(&examination);
    examination.run(Some(&knowledge)).await.unwrap();
    let entry = knowledge.remembered(TOOLS, "any", false).await.entry.unwrap();
    assert_eq!((entry.value.as_deref(), entry.class.as_deref()), (Some("text"), Some("tools")));
}

#[tokio::test]
async fn nothing_goes_over_its_time() {
    let slow = Odd::default();
    let server = serving(slow).await;
    let limits = Limits { all: Duration::ZERO, ..Limits::default() };
    let report = Examination { limits, ..examination(&server) }.run(None).await.unwrap();
    assert!(report.checks.iter().all(|check| check.verdict == Verdict::Skipped), "{report:?}");
    assert!(!report.chat_works);
    assert_eq!(server.received_requests().await.unwrap().len(), 0);

    let silent = serving(ResponseTemplate::new(200).set_delay(Duration::from_secs(600))).await;
    let limits = Limits { each: Duration::from_millis(50), ..Limits::default() };
    let report = Examination { limits, ..examination(&silent) }.run(None).await.unwrap();
    insta::assert_snapshot!(told(&report));
}

#[tokio::test]
async fn a_key_that_no_header_can_hold_is_a_mistake_of_the_settings() {
    let server = serving(Odd::default()).await;
    let mut examination = examination(&server);
    examination.chat.api_key = Some(Secret::new("quiet\nriver"));
    let error = examination.run(None).await.unwrap_err();
    assert!(matches!(error, EndpointError::UnusableKey { .. }));
    assert_eq!(error.to_string(), "the API key contains a line break; paste the key alone, in one line");
}
