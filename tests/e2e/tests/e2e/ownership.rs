//! What belongs to somebody else is as missing as what does not exist.

use attest_domain::{ConversationId, MessageId, Principal, PrincipalId, TurnId};
use attest_protocol::ErrorCode;
use attest_protocol::knowledge::KbView;
use attest_protocol::view::ConversationPage;
use attest_store::{BeginTurn, TurnConversation, TurnQuestion};
use attest_testkit::{Answer, TestOptions, TestServer, follow_up, question};
use reqwest::Method;
use serde_json::json;

/// Stores a conversation with a running turn of another person in the default base.
async fn somebody_elses(server: &TestServer) -> (ConversationId, MessageId, TurnId) {
    let kb: KbView = server.read("").await;
    let (conversation, asked, turn_id) = (ConversationId::new(), MessageId::new(), TurnId::new());
    let stranger = PrincipalId::new();
    assert_ne!(stranger, Principal::local().id);
    let begin = BeginTurn {
        turn_id,
        kb_id: kb.id,
        principal_id: stranger,
        conversation: TurnConversation::New { id: conversation, title: "Private".to_owned() },
        question: TurnQuestion::New { id: asked, content: "A secret question".to_owned() },
        owner: uuid::Uuid::now_v7(),
        lease: std::time::Duration::from_secs(600),
        idempotency: None,
        now: kb.created_at,
    };
    server.store().await.begin_turn(&begin).await.unwrap();
    (conversation, asked, turn_id)
}

#[tokio::test]
async fn somebody_elses_conversation_is_missing_on_every_route() {
    let server = TestServer::start(TestOptions::offline()).await;
    let (conversation, asked, turn_id) = somebody_elses(&server).await;
    let path = format!("/conversations/{conversation}");
    let mut answers: Vec<(&str, Answer)> = vec![
        ("show", server.get(&path).await),
        ("rename", server.send(server.kb(Method::PATCH, &path).json(&json!({"title": "Mine"}))).await),
        ("delete", server.delete(&path).await),
        ("live", server.live(conversation, None).await.refused()),
        ("live after", server.live(conversation, Some(&format!("{turn_id}:0"))).await.refused()),
        ("turn", server.get(&format!("/turns/{turn_id}")).await),
        ("retry", server.retry(conversation, asked).await.err().unwrap()),
        ("ask", server.chat(server.chat_request(&follow_up(conversation, "Hi"))).await.err().unwrap()),
    ];
    let stop = server.kb(Method::POST, &format!("{path}/stop")).json(&json!({"turn_id": turn_id}));
    answers.push(("stop", server.send(stop).await));
    for (route, answer) in answers {
        let body = answer.assert_refused(ErrorCode::NotFound, "there is no");
        assert_eq!(body.turn_id, None, "{route} tells nothing");
    }
    // The words are those for an id that does not exist.
    let missing = server.get(&format!("/conversations/{}", ConversationId::new())).await;
    assert_eq!(missing.text(), server.get(&path).await.text());

    let page: ConversationPage = server.read("/conversations").await;
    assert!(page.conversations.is_empty());
    let request = server.kb(Method::GET, "/conversations").query(&[("q", "Private")]);
    let page: ConversationPage = server.send(request).await.ok();
    assert!(page.conversations.is_empty());
    let stored = server.store().await.list_messages(conversation).await.unwrap();
    assert_eq!(stored.len(), 1, "nothing was added, nothing deleted");
}

#[tokio::test]
async fn a_cursor_of_somebody_elses_turn_shows_nothing_of_it() {
    let server = TestServer::start(TestOptions::offline()).await;
    let (_, _, turn_id) = somebody_elses(&server).await;
    let mine = server.ask("Hello").await;
    let cursor = format!("{turn_id}:0");
    let frames = server.live(mine.conversation_id(), Some(&cursor)).await.stream().collect_to_end().await;
    let events: Vec<&str> = frames.iter().map(|received| received.frame.event()).collect();
    assert_eq!(events, ["idle"], "a foreign cursor is no cursor");
    assert_eq!(frames[0].id, mine.last_id());
}

#[tokio::test]
async fn a_conversation_stays_in_its_base() {
    let server = TestServer::start(TestOptions::offline()).await;
    let created = server.request(Method::POST, "/api/v1/kbs").json(&json!({"name": "Other"}));
    let created = server.send(created).await;
    assert_eq!(created.status, 201, "{}", created.text());
    let mine = server.ask("Hello").await;
    let id = mine.conversation_id();
    for path in [
        format!("conversations/{id}"),
        format!("conversations/{id}/live"),
        format!("turns/{}", mine.turn_id()),
    ] {
        let answer = server.send(server.request(Method::GET, &format!("/api/v1/kbs/other/{path}"))).await;
        answer.assert_refused(ErrorCode::NotFound, "there is no");
    }
    let ask = server.request(Method::POST, "/api/v1/kbs/other/chat").json(&follow_up(id, "Hello"));
    server.chat(ask).await.err().unwrap().assert_refused(ErrorCode::NotFound, "conversation");
}

#[tokio::test]
async fn a_question_searches_its_own_base_alone() {
    let server = TestServer::start(TestOptions::offline()).await;
    server.add_document("vexholm-bridge.md", crate::corpus::BRIDGE).await;
    let created = server.request(Method::POST, "/api/v1/kbs").json(&json!({"name": "Other"}));
    assert_eq!(server.send(created).await.status, 201);
    let ask = server.request(Method::POST, "/api/v1/kbs/other/chat");
    let turn =
        server.chat(ask.json(&question("Who designed the bridge of Vexholm?"))).await.unwrap().turn().await;
    assert!(!turn.content().contains("Brandvorn"), "{}", turn.content());
    assert!(turn.sources().is_empty());
}
