//! Endpoints that deviate: a question is still answered from evidence, or ends in the error that its failure is named
//! by, with what was shown kept.

use std::time::Duration;

use attest_offline::{Behaviour, Failing, Markup, OfflineOptions, ReasoningPlace, ToolRefusal};
use attest_protocol::ErrorCode;
use attest_protocol::frame::{EvidenceKind, Finish};
use attest_testkit::{TestOptions, TestServer, Turn};
use tokio::net::TcpListener;

use crate::corpus;

const QUESTION: &str = "Who designed the bridge of Vexholm?";
const SENTENCE: &str =
    "The bridge of Vexholm was designed by Ottilie Brandvorn, who had built two lighthouses before.";

/// The base URL of an offline model that behaves so. It lives as long as the test's runtime.
pub(crate) async fn odd_endpoint(behaviour: Behaviour) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    // Word by word: what is sent in one piece with the end of its connection may be lost with it.
    let options = OfflineOptions { pace: Duration::from_millis(2), behaviour, ..OfflineOptions::default() };
    tokio::spawn(attest_offline::serve(listener, options, std::future::pending()));
    base_url
}

/// A server that asks such an endpoint and knows one document.
pub(crate) async fn server_over(behaviour: Behaviour) -> TestServer {
    let options =
        TestOptions::endpoint(odd_endpoint(behaviour).await).with("model.idle_timeout_seconds", "1");
    let server = TestServer::start(options).await;
    server.add_document("vexholm-bridge.md", corpus::BRIDGE).await;
    server
}

fn assert_answered(turn: &Turn, what: &str) {
    assert!(turn.content().contains(SENTENCE), "{what}: {}", turn.content());
    assert_eq!(turn.done().evidence.kind, EvidenceKind::Cited, "{what}");
    assert!(!turn.steps().is_empty(), "{what}");
    let excerpts: Vec<String> = turn.cited_sources().into_iter().map(|source| source.excerpt).collect();
    assert!(excerpts.iter().any(|excerpt| excerpt.contains("Ottilie Brandvorn")), "{what}: {excerpts:?}");
}

#[tokio::test]
async fn a_question_is_answered_from_evidence_however_the_endpoint_deviates() {
    let well = Behaviour::default;
    let failing = |status, retry_after| Some(Failing { status, requests: Some(1), retry_after });
    let behaviours = [
        Behaviour { first_byte_after: Duration::from_millis(200), ..well() },
        Behaviour { fail: failing(503, None), ..well() },
        Behaviour { fail: failing(429, Some(1)), ..well() },
        Behaviour { reject_tool_choice: true, ..well() },
        Behaviour { reject_stream_options: true, ..well() },
        Behaviour { reject_second_system: true, ..well() },
        Behaviour { ignore_required: true, ..well() },
        Behaviour { repeat_call: true, ..well() },
        Behaviour { reasoning: Some(ReasoningPlace::ReasoningContent), ..well() },
        Behaviour { reasoning: Some(ReasoningPlace::Reasoning), ..well() },
        Behaviour { reasoning: Some(ReasoningPlace::ThinkTags), ..well() },
        Behaviour { crlf: true, ..well() },
        Behaviour { no_done: true, ..well() },
        Behaviour {
            crlf: true,
            no_done: true,
            reject_stream_options: true,
            reject_tool_choice: true,
            ..well()
        },
    ];
    for behaviour in behaviours {
        let what = format!("{behaviour:?}");
        let server = server_over(behaviour).await;
        assert_answered(&server.ask(QUESTION).await, &what);
    }
}

#[tokio::test]
async fn a_model_without_tools_is_asked_in_words_and_the_second_turn_so_at_once() {
    for refusal in ToolRefusal::ALL {
        for leak in [None, Some(Markup::Dsml)] {
            let behaviour = Behaviour { reject_tools: Some(refusal), leak, ..Behaviour::default() };
            let what = format!("{behaviour:?}");
            let server = server_over(behaviour).await;
            let first = server.ask(QUESTION).await;
            assert_answered(&first, &what);
            let second = server.ask_in(first.conversation_id(), "How long is the bridge of Vexholm?").await;
            assert!(second.content().contains("417 metres"), "{what}: {}", second.content());
            let record = server.turn(second.turn_id()).await.record;
            assert_eq!(record.level, "text", "{what}");
            // One request for the call and one for the answer: nothing is tried that was refused.
            let calls: Vec<u32> = record.requests.iter().map(|request| request.calls).collect();
            assert_eq!(calls, [1, 0], "{what}");
        }
    }
}

#[tokio::test]
async fn an_endpoint_that_ignores_required_is_sent_back_once_and_nothing_of_that_reply_is_shown() {
    let server = server_over(Behaviour { ignore_required: true, ..Behaviour::default() }).await;
    let turn = server.ask(QUESTION).await;
    assert_eq!(server.turn(turn.turn_id()).await.record.nudges, ["text_only_first_reply"]);
    assert!(turn.content().starts_with(SENTENCE), "{}", turn.content());
}

#[tokio::test]
async fn a_stream_that_ends_in_the_middle_ends_in_its_named_error_and_keeps_what_was_shown() {
    // The call has fewer pieces than that, the answer more.
    let pieces = Some(8);
    for (behaviour, code) in [
        (Behaviour { drop_after: pieces, ..Behaviour::default() }, ErrorCode::Interrupted),
        (Behaviour { stall_after: pieces, ..Behaviour::default() }, ErrorCode::Stalled),
    ] {
        let what = format!("{behaviour:?}");
        let server = server_over(behaviour).await;
        let turn = server.ask(QUESTION).await;
        let error = turn.error();
        assert_eq!(error.code, code, "{what}");
        let shown = turn.content();
        assert!(!shown.is_empty() && SENTENCE.starts_with(shown.trim_end()), "{what}: {shown}");
        let stored = server.conversation(turn.conversation_id()).await.messages.pop().unwrap();
        assert_eq!((Some(stored.id), stored.finish), (error.answer_id, Some(Finish::Interrupted)), "{what}");
        assert_eq!(stored.content, shown, "{what}");
    }
}

#[tokio::test]
async fn a_stream_without_any_end_never_runs_its_call() {
    let behaviour = Behaviour { no_done: true, no_finish: true, ..Behaviour::default() };
    let server = server_over(behaviour).await;
    let turn = server.ask(QUESTION).await;
    assert_eq!((turn.error().code, turn.error().answer_id), (ErrorCode::Interrupted, None));
    assert_eq!(turn.steps(), []);
}

#[tokio::test]
async fn a_window_that_is_too_small_is_named() {
    let server = server_over(Behaviour { context_window: Some(50), ..Behaviour::default() }).await;
    assert_eq!(server.ask(QUESTION).await.error().code, ErrorCode::ContextTooLong);
}
