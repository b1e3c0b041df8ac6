//! Later turns of a conversation: what is sent again, and in which order.

use attest_agent::{AgentOptions, PastMessage, PastRole, TurnRequest};
use attest_domain::EntityId;
use attest_llm::failure::FailureClass;
use attest_protocol::exchange::ResolvedEntity;
use uuid::Uuid;

use crate::backend::{Reply, calls, failure, search, text};
use crate::tools::{chunk, numbered_source};
use crate::world::{ask, question, run, written};

fn said(role: PastRole, content: &str) -> PastMessage {
    PastMessage { role, content: content.to_owned() }
}

/// A second turn, after one that found passage 1 as `[1]`.
async fn second_turn() -> TurnRequest {
    let first = ask([
        calls(
            "I will look.",
            &[("call_1", "search", r#"{ "query": "who" }"#), ("call_2", "search", r#"{"query":null}"#)],
        ),
        text(&["Ada [1]."]),
    ])
    .await;
    let mut request = question("Shorter");
    request.history = vec![
        said(PastRole::User, "Hello"),
        said(PastRole::Assistant, "Hello!"),
        said(PastRole::User, "A question that failed"),
        said(PastRole::User, "Who?"),
        said(PastRole::Assistant, "I will look.\n\nAda [1]."),
    ];
    request.replay = first.work.exchange;
    request.numbers = first.work.numbers;
    request.previous_sources = vec![numbered_source(1, 1)];
    request
}

fn exit() -> Reply {
    calls("", &[("call_1", "no_evidence_needed", r#"{"reason":"A rewording."}"#)])
}

#[tokio::test]
async fn the_second_turn_replays_the_exchange_right_before_its_answer() {
    let request = second_turn().await;
    let mut turn = run(request, AgentOptions::default(), [exit(), text(&["Ada [1]."])]).await;
    // The endpoint numbers its calls anew in every turn: the second `call_1` gets an id of its own.
    let id = turn.work.exchange.messages.iter().find_map(|message| match message {
        attest_protocol::exchange::ExchangeMessage::Tool { tool_call_id, .. } => Some(tool_call_id.clone()),
        attest_protocol::exchange::ExchangeMessage::Assistant { .. } => None,
    });
    let id = id.unwrap();
    assert_ne!(id, "call_1");
    turn.announced.push(format!("minted {}", id.len()));
    insta::assert_snapshot!(turn.to_string().replace(&id, "call_minted"));
}

#[tokio::test]
async fn entities_stand_in_one_system_message_right_before_the_question() {
    let mut request = second_turn().await;
    request.entities = vec![
        ResolvedEntity {
            id: EntityId::from_uuid(Uuid::from_u128(1)),
            name: "Ada".to_owned(),
            kind: "person".to_owned(),
        },
        ResolvedEntity {
            id: EntityId::from_uuid(Uuid::from_u128(2)),
            name: "RAND".to_owned(),
            kind: "institution".to_owned(),
        },
    ];
    let turn = run(
        request,
        AgentOptions::default(),
        [text(&["One moment."]), search("call_9", "second"), text(&["Ada [1]."])],
    )
    .await;
    insta::assert_snapshot!(written(&turn.requests[2]));
}

#[tokio::test]
async fn a_passage_keeps_its_number_and_a_new_one_gets_the_next() {
    let request = second_turn().await;
    let turn =
        run(request, AgentOptions::default(), [search("call_9", "second"), text(&["Bob [2], Eve [3]."])])
            .await;
    assert_eq!(turn.work.numbers, [(2, chunk(2)), (3, chunk(3))]);
    assert_eq!(turn.announced[1], "sources [2] 2.md, [3] 3.md");
}

#[tokio::test]
async fn blank_messages_are_left_out() {
    let mut request = question("Who?");
    request.history = vec![
        said(PastRole::User, "Stop this"),
        said(PastRole::Assistant, " "),
        said(PastRole::User, "And this"),
        said(PastRole::Assistant, ""),
    ];
    let turn = run(request, AgentOptions::default(), [search("call_1", "who"), text(&["Ada [1]."])]).await;
    insta::assert_snapshot!(written(&turn.requests[0]));
}

#[tokio::test]
async fn a_request_that_is_too_long_is_sent_once_more_without_the_oldest() {
    let mut request = second_turn().await;
    request.history[0].content = "long ".repeat(1000);
    let too_long = || Reply::Refused(failure(FailureClass::ContextTooLong { window: Some(800) }));
    let turn =
        run(request, AgentOptions::default(), [too_long(), search("call_9", "second"), text(&["Bob [2]."])])
            .await;
    insta::assert_snapshot!(written(&turn.requests[1]));
    assert!(written(&turn.requests[2]).starts_with("tools [search, no_evidence_needed] choice auto max_tokens -\n  system <system prompt>\n  user \"A question that failed\"\n"));
    let outcomes: Vec<&str> =
        turn.work.record.requests.iter().map(|request| request.outcome.as_str()).collect();
    assert_eq!(outcomes, ["context_too_long", "tool_calls", "stop"]);

    let request = second_turn().await;
    let turn = run(request, AgentOptions::default(), [too_long(), too_long()]).await;
    assert_eq!(turn.outcome.unwrap_err().code.as_str(), "context_too_long");
    assert_eq!(turn.requests.len(), 2);
}

#[tokio::test]
async fn an_interrupted_turn_goes_on_from_what_it_has() {
    let mut request = question("Who?");
    request.history = vec![said(PastRole::User, "Hello"), said(PastRole::Assistant, "Hello!")];
    let first = ask([
        search("call_1", "who"),
        calls(
            "",
            &[("call_2", "search", r#"{"query":"first"}"#), ("call_3", "search", r#"{"query":"second"}"#)],
        ),
        text(&["Ada"]),
    ])
    .await;
    request.resumed = first.work.exchange.clone();
    request.numbers = first.work.numbers;
    let turn =
        run(request, AgentOptions::default(), [search("call_4", "nothing"), text(&["Ada [1]."])]).await;
    assert_eq!(
        turn.work.exchange.messages[..first.work.exchange.messages.len()],
        first.work.exchange.messages
    );
    insta::assert_snapshot!(written(&turn.requests[1]));
}
