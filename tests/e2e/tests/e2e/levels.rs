//! Endpoints that refuse tools: the question is answered all the same, and what was refused is asked only once.

use attest_protocol::frame::EvidenceKind;
use attest_testkit::{ScriptedModel, TestOptions, TestServer, Turn, reply};
use serde_json::Value;

use crate::corpus;

/// What three kinds of endpoints answer to a request with tools.
const REFUSALS: [(u16, &str); 3] = [
    (
        400,
        r#"{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools","type":"api_error"}}"#,
    ),
    (
        404,
        r#"{"error":{"message":"No endpoints found that support tool use. Try disabling \"search_chunks\".","code":404}}"#,
    ),
    (
        422,
        r#"{"detail":[{"type":"extra_forbidden","loc":["body","tools"],"msg":"Extra inputs are not permitted"}]}"#,
    ),
];

/// What a model that knows nothing of our protocol writes once it was told.
fn in_blocks() -> [reply::Reply; 3] {
    [
        reply::text("T Let me look that up."),
        reply::text("C search_chunks[Vexholm bridge]"),
        reply::text("E Ottilie Brandvorn designed it [1]."),
    ]
}

fn has_tools(request: &Value) -> bool {
    request.get("tools").is_some()
}

fn assert_answered(turn: &Turn) {
    assert_eq!(turn.content(), "Let me look that up.\n\nOttilie Brandvorn designed it [1].");
    assert_eq!(turn.done().evidence.kind, EvidenceKind::Cited);
    assert_eq!(turn.steps().len(), 1);
    let events = turn.events();
    let place = |event: &str| events.iter().position(|known| *known == event);
    assert!(place("delta") < place("step"), "what it says comes before what it does: {events:?}");
}

#[tokio::test]
async fn where_tools_are_refused_a_question_is_answered_in_blocks_and_the_next_turn_asks_so_at_once() {
    for (status, body) in REFUSALS {
        let model = ScriptedModel::start([reply::status(status, body)].into_iter().chain(in_blocks())).await;
        let server = TestServer::start(TestOptions::scripted(&model)).await;
        server.add_document("vexholm-bridge.md", corpus::BRIDGE).await;
        let turn = server.ask("Who designed the bridge of Vexholm?").await;
        assert_answered(&turn);
        let record = server.turn(turn.turn_id()).await.record;
        assert_eq!(record.level, "text");
        assert_eq!(record.degradations, [format!("native to text: tools refused with status {status}")]);

        model.queue([reply::text("C search_chunks[length of the bridge]"), reply::text("E 417 metres [1].")]);
        let second = server.ask_in(turn.conversation_id(), "And how long is it?").await;
        assert_eq!(second.content(), "417 metres [1].");
        let requests = model.requests();
        let with_tools: Vec<bool> = requests.iter().map(has_tools).collect();
        assert_eq!(
            with_tools,
            [true, false, false, false, false, false],
            "one request for each reply: {body}"
        );
    }
}

#[tokio::test]
async fn what_one_instance_was_refused_no_other_asks_for_and_a_new_start_neither() {
    let (status, body) = REFUSALS[0];
    let model = ScriptedModel::start([reply::status(status, body)].into_iter().chain(in_blocks())).await;
    let mut server = TestServer::start(TestOptions::scripted(&model)).await;
    let document = server.add_document("vexholm-bridge.md", corpus::BRIDGE).await;
    let question = "Who designed the bridge of Vexholm?";
    assert_answered(&server.ask(question).await);

    model.queue(in_blocks());
    let other = server.replica(TestOptions::scripted(&model)).await;
    other.until_found(document.id).await;
    assert_answered(&other.ask(question).await);
    model.queue(in_blocks());
    server.restart().await;
    server.until_found(document.id).await;
    assert_answered(&server.ask(question).await);
    assert_eq!(model.requests().iter().filter(|request| has_tools(request)).count(), 1);
}

#[tokio::test]
async fn a_field_that_one_instance_was_refused_no_other_sends_and_a_new_start_neither() {
    let refusal = r#"{"error":{"message":"unknown field stream_options"}}"#;
    let answer = || [reply::search("Vexholm bridge"), reply::text("Ottilie Brandvorn designed it [1].")];
    let model = ScriptedModel::start([reply::status(400, refusal)].into_iter().chain(answer())).await;
    let mut server = TestServer::start(TestOptions::scripted(&model)).await;
    let document = server.add_document("vexholm-bridge.md", corpus::BRIDGE).await;
    let question = "Who designed the bridge of Vexholm?";
    let answered = "Ottilie Brandvorn designed it [1].";
    assert_eq!(server.ask(question).await.content(), answered);

    model.queue(answer());
    let other = server.replica(TestOptions::scripted(&model)).await;
    other.until_found(document.id).await;
    assert_eq!(other.ask(question).await.content(), answered);
    model.queue(answer());
    server.restart().await;
    server.until_found(document.id).await;
    let turn = server.ask(question).await;
    assert_eq!(turn.content(), answered);
    assert_eq!(server.turn(turn.turn_id()).await.record.level, "native", "nothing of tools was given up");
    let sent: Vec<bool> =
        model.requests().iter().map(|request| request.get("stream_options").is_some()).collect();
    assert_eq!(sent, [true, false, false, false, false, false, false]);
}

#[tokio::test]
async fn a_rate_limit_or_a_failure_is_no_verdict_on_tools() {
    let model = ScriptedModel::start([
        reply::status(500, r#"{"error":{"message":"tools exploded"}}"#),
        reply::status(429, r#"{"error":{"message":"too many requests with tools"}}"#)
            .with_header("retry-after", "120"),
        reply::search("Vexholm bridge"),
        reply::text("Ottilie Brandvorn designed it [1]."),
    ])
    .await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    server.add_document("vexholm-bridge.md", corpus::BRIDGE).await;
    let question = "Who designed the bridge of Vexholm?";
    for _ in 0..2 {
        server.ask(question).await.error();
    }
    let turn = server.ask(question).await;
    assert_eq!(turn.content(), "Ottilie Brandvorn designed it [1].");
    assert_eq!(server.turn(turn.turn_id()).await.record.level, "native");
}

#[tokio::test]
async fn a_configured_level_wins_and_the_plainest_one_answers_from_one_look_up() {
    let model = ScriptedModel::start([reply::text("Ottilie Brandvorn designed it [1].")]).await;
    let server = TestServer::start(TestOptions::scripted(&model).with("model.level", "rag")).await;
    server.add_document("vexholm-bridge.md", corpus::BRIDGE).await;
    let turn = server.ask("Who designed the bridge of Vexholm?").await;
    assert_eq!(turn.content(), "Ottilie Brandvorn designed it [1].");
    assert_eq!(turn.done().evidence.kind, EvidenceKind::Cited);
    assert_eq!(turn.steps().len(), 1);
    assert_eq!(server.turn(turn.turn_id()).await.record.level, "retrieval");

    let model = ScriptedModel::start(in_blocks()).await;
    let server = TestServer::start(TestOptions::scripted(&model).with("model.level", "text")).await;
    server.add_document("vexholm-bridge.md", corpus::BRIDGE).await;
    assert_answered(&server.ask("Who designed the bridge of Vexholm?").await);
}
