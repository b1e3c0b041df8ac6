//! Lists, titles, deletion.

use std::collections::BTreeSet;

use attest_domain::{ConversationId, TurnId};
use attest_protocol::ErrorCode;
use attest_protocol::view::{ConversationPage, ConversationView};
use attest_testkit::{TestOptions, TestServer};
use reqwest::Method;
use serde_json::json;

fn ids(page: &ConversationPage) -> Vec<ConversationId> {
    page.conversations.iter().map(|conversation| conversation.id).collect()
}

#[tokio::test]
async fn conversations_are_listed_newest_first_in_pages() {
    let server = TestServer::start(TestOptions::offline()).await;
    let mut asked = Vec::new();
    for n in 1..=5 {
        asked.push(server.ask(&format!("Hello number {n}")).await.conversation_id());
    }
    // An old conversation that goes on is new again.
    server.ask_in(asked[0], "Hello once more").await.done();
    let expected = [asked[0], asked[4], asked[3], asked[2], asked[1]];
    let whole: ConversationPage = server.read("/conversations").await;
    assert_eq!((ids(&whole), &whole.next_cursor), (expected.to_vec(), &None));
    assert_eq!(whole.conversations[1].title, "Hello number 5");

    let mut walked = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut request = server.kb(Method::GET, "/conversations").query(&[("limit", "2")]);
        if let Some(cursor) = &cursor {
            request = request.query(&[("cursor", cursor)]);
        }
        let page: ConversationPage = server.send(request).await.ok();
        assert!(page.conversations.len() <= 2);
        walked.extend(ids(&page));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(walked, expected);
}

#[tokio::test]
async fn titles_are_searched_as_they_are_written() {
    let server = TestServer::start(TestOptions::offline()).await;
    for title in ["Hello 100% sure", "Hello 1000 times", "Hello_there", "你好，世界", "HELLO loud"] {
        server.ask(title).await;
    }
    let found = async |q: &str| {
        let request = server.kb(Method::GET, "/conversations").query(&[("q", q)]);
        let page: ConversationPage = server.send(request).await.ok();
        page.conversations.into_iter().map(|conversation| conversation.title).collect::<BTreeSet<_>>()
    };
    let set = |titles: &[&str]| titles.iter().map(|title| (*title).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(found("100%").await, set(&["Hello 100% sure"]));
    assert_eq!(found("lo_th").await, set(&["Hello_there"]));
    assert_eq!(found("loud").await, set(&["HELLO loud"]));
    assert_eq!(found("hello l").await, set(&["HELLO loud"]));
    assert_eq!(found("世界").await, set(&["你好，世界"]));
    assert_eq!(found("nowhere").await, set(&[]));
    assert_eq!(found("\\").await, set(&[]));
}

#[tokio::test]
async fn a_conversation_is_renamed_read_and_deleted() {
    let server = TestServer::start(TestOptions::offline()).await;
    let turn = server.ask("Hello").await;
    let path = format!("/conversations/{}", turn.conversation_id());
    let rename =
        async |title: &str| server.send(server.kb(Method::PATCH, &path).json(&json!({"title": title}))).await;
    let renamed: ConversationView = rename("  Zwei\0 Wörter 🌍 ").await.ok();
    assert_eq!(renamed.title, "Zwei Wörter 🌍");
    assert_eq!(server.conversation(turn.conversation_id()).await.title, "Zwei Wörter 🌍");
    for wrong in ["", "  ", "\0", "x".repeat(201).as_str()] {
        rename(wrong).await.assert_refused(ErrorCode::InvalidName, "1 to 200 characters");
    }
    assert_eq!(server.conversation(turn.conversation_id()).await.title, "Zwei Wörter 🌍");

    assert_eq!(server.delete(&path).await.status, 204);
    server.get(&path).await.assert_refused(ErrorCode::NotFound, "conversation");
    server.delete(&path).await.assert_refused(ErrorCode::NotFound, "conversation");
    rename("again").await.assert_refused(ErrorCode::NotFound, "conversation");
    server.get(&format!("/turns/{}", turn.turn_id())).await.assert_refused(ErrorCode::NotFound, "turn");
    let page: ConversationPage = server.read("/conversations").await;
    assert!(page.conversations.is_empty());
}

#[tokio::test]
async fn a_long_question_gives_a_short_title() {
    let server = TestServer::start(TestOptions::offline()).await;
    let turn = server.ask(&format!("\n\n Hello {}\nand more", "很".repeat(100))).await;
    let title = server.conversation(turn.conversation_id()).await.title;
    assert_eq!(title, format!("Hello {}…", "很".repeat(74)));
    assert_eq!(turn.title(), Some(title.as_str()));
}

#[tokio::test]
async fn wrong_queries_of_lists_are_refused() {
    let server = TestServer::start(TestOptions::offline()).await;
    for (query, code, words) in [
        ("limit=0", ErrorCode::InvalidRequest, "from 1 to 100"),
        ("limit=101", ErrorCode::InvalidRequest, "from 1 to 100"),
        ("limit=many", ErrorCode::InvalidRequest, "query"),
        ("limit=-1", ErrorCode::InvalidRequest, "query"),
        ("cursor=nonsense", ErrorCode::InvalidCursor, "cursor"),
        ("cursor=", ErrorCode::InvalidCursor, "cursor"),
    ] {
        let answer = server.get(&format!("/conversations?{query}")).await;
        answer.assert_refused(code, words);
    }
}

#[tokio::test]
async fn what_does_not_exist_is_not_found() {
    let server = TestServer::start(TestOptions::offline()).await;
    let (conversation, turn) = (ConversationId::new(), TurnId::new());
    server
        .get(&format!("/conversations/{conversation}"))
        .await
        .assert_refused(ErrorCode::NotFound, "conversation");
    server.get("/conversations/seven").await.assert_refused(ErrorCode::NotFound, "UUID");
    server.get(&format!("/turns/{turn}")).await.assert_refused(ErrorCode::NotFound, "turn");
    server.get("/turns/%00").await.assert_refused(ErrorCode::NotFound, "");
    let ask = attest_testkit::follow_up(conversation, "Hello");
    let refused = server.chat(server.chat_request(&ask)).await.err().unwrap();
    refused.assert_refused(ErrorCode::NotFound, "conversation");
    let nowhere = server.request(Method::GET, "/api/v1/kbs/nowhere/conversations");
    server.send(nowhere).await.assert_refused(ErrorCode::NotFound, "nowhere");
    let page: ConversationPage = server.read("/conversations").await;
    assert!(page.conversations.is_empty(), "nothing was stored");
}

#[tokio::test]
async fn the_inner_record_of_a_turn_never_leaves_the_server() {
    let server = TestServer::start(TestOptions::offline()).await;
    let turn = server.ask("Who designed the bridge of Vexholm?").await;
    let shown = server.get(&format!("/conversations/{}", turn.conversation_id())).await.text();
    for inner in ["tool_exchange", "tool_call_id", "resolved", "function"] {
        assert!(!shown.contains(inner), "{inner} stands in {shown}");
    }
}
