//! What answers rest on. The offline model answers here, so nothing is canned: invented names and numbers come out
//! of documents that were put in a moment ago, or not at all.

use attest_protocol::frame::EvidenceKind;
use attest_testkit::{TestOptions, TestServer, Turn};

use crate::corpus;

fn assert_answers(turn: &Turn, fact: &str, filename: &str) {
    turn.assert_sources_before_citations();
    assert!(turn.content().contains(fact), "{:?} does not hold {fact}", turn.content());
    assert_eq!(turn.done().evidence.kind, EvidenceKind::Cited);
    let cited = turn.cited_sources();
    assert_eq!(cited.len(), turn.cited().len(), "every number is listed: {:?}", turn.content());
    let holder = cited.iter().find(|source| source.excerpt.contains(fact));
    let holder = holder.unwrap_or_else(|| panic!("no cited excerpt holds {fact}: {cited:#?}"));
    assert_eq!(holder.filename, filename);
}

#[tokio::test]
async fn questions_in_english_and_chinese_are_answered_from_documents_about_invented_things() {
    let server = TestServer::start(TestOptions::offline()).await;
    corpus::load(&server).await;
    for (question, fact, filename) in [
        ("Who designed the bridge of Vexholm?", "Ottilie Brandvorn", "vexholm-bridge.md"),
        ("How long is the bridge of Vexholm?", "417", "vexholm-bridge.md"),
        (
            "Who was the first director of Kestrelmoor observatory?",
            "Ilse Quandahl",
            "kestrelmoor-observatory.md",
        ),
        ("云岫档案馆的首任馆长是谁？", "贺兰卿", "云岫档案馆.md"),
        ("档案馆哪一年迁往青梧镇？", "1954", "云岫档案馆.md"),
    ] {
        let turn = server.ask(question).await;
        assert_answers(&turn, fact, filename);
    }
}

#[tokio::test]
async fn a_deleted_document_answers_nothing_any_more() {
    let server = TestServer::start(TestOptions::offline()).await;
    let [bridge, ..] = corpus::load(&server).await;
    let question = "Who designed the bridge of Vexholm?";
    assert_answers(&server.ask(question).await, "Ottilie Brandvorn", "vexholm-bridge.md");

    assert_eq!(server.delete(&format!("/documents/{}", bridge.id)).await.status, 204);
    let turn = server.ask(question).await;
    assert!(!turn.content().contains("Brandvorn"), "{:?}", turn.content());
    assert!(turn.cited().is_empty(), "{:?}", turn.content());
    assert_eq!(turn.done().evidence.kind, EvidenceKind::Consulted);
}

#[tokio::test]
async fn what_is_not_in_the_base_is_said_to_be_missing() {
    let server = TestServer::start(TestOptions::offline()).await;
    corpus::load(&server).await;
    for question in ["Who invented the paperclip in Norway?", "珠穆朗玛峰有多高？"] {
        let turn = server.ask(question).await;
        assert!(turn.cited().is_empty(), "{question}: {:?}", turn.content());
        assert_eq!(turn.done().evidence.kind, EvidenceKind::Consulted, "{:?}", turn.content());
        assert!(!turn.content().trim().is_empty());
    }
}

#[tokio::test]
async fn a_request_to_reword_keeps_the_sources_of_the_last_answer() {
    let server = TestServer::start(TestOptions::offline()).await;
    corpus::load(&server).await;
    let first = server.ask("Who designed the bridge of Vexholm, and how long is it?").await;
    assert_answers(&first, "Ottilie Brandvorn", "vexholm-bridge.md");
    let shorter = server.ask_in(first.conversation_id(), "shorter").await;
    assert_eq!(shorter.done().evidence.kind, EvidenceKind::Kept, "{:?}", shorter.content());
    assert!(!shorter.cited().is_empty(), "{:?}", shorter.content());
    assert!(shorter.cited().is_subset(&first.cited()));
    let listed = shorter.cited_sources();
    assert_eq!(listed.len(), shorter.cited().len(), "what is cited is listed: {:#?}", shorter.sources());
    assert!(listed.iter().all(|source| first.sources().contains(source)), "the same passages");
    let stored = server.conversation(first.conversation_id()).await;
    assert_eq!(stored.messages[3].sources, shorter.sources());
}

#[tokio::test]
async fn a_greeting_takes_the_honest_exit_and_says_why() {
    let server = TestServer::start(TestOptions::offline()).await;
    corpus::load(&server).await;
    for greeting in ["Hello!", "你好"] {
        let turn = server.ask(greeting).await;
        let evidence = turn.done().evidence;
        assert_eq!(evidence.kind, EvidenceKind::None, "{:?}", turn.content());
        assert!(evidence.reason.is_some_and(|reason| !reason.trim().is_empty()));
        assert_eq!((turn.steps().len(), turn.sources().len()), (0, 0));
    }
}

#[tokio::test]
async fn a_passage_keeps_its_number_for_the_whole_conversation() {
    let server = TestServer::start(TestOptions::offline()).await;
    corpus::load(&server).await;
    let first = server.ask("Who designed the bridge of Vexholm?").await;
    let second = server
        .ask_in(first.conversation_id(), "Who was the first director of Kestrelmoor observatory?")
        .await;
    let third = server.ask_in(first.conversation_id(), "How long is the bridge of Vexholm?").await;
    let mut numbers = std::collections::BTreeMap::new();
    for source in [first.sources(), second.sources(), third.sources()].concat() {
        let known = numbers.entry(source.n).or_insert(source.chunk_id);
        assert_eq!(*known, source.chunk_id, "number {} means two passages", source.n);
    }
    assert_answers(&third, "417", "vexholm-bridge.md");
}

#[tokio::test]
async fn an_excerpt_is_the_text_at_its_span() {
    let server = TestServer::start(TestOptions::offline()).await;
    corpus::load(&server).await;
    for question in ["Who designed the bridge of Vexholm?", "云岫档案馆的首任馆长是谁？"] {
        let turn = server.ask(question).await;
        let cited = turn.cited_sources();
        assert!(!cited.is_empty());
        for source in cited {
            let path =
                format!("/documents/{}/text?from={}&to={}", source.document_id, source.from, source.to);
            let opened: attest_protocol::knowledge::DocumentTextView = server.read(&path).await;
            assert_eq!((opened.from, opened.to), (source.from, source.to));
            assert_eq!(opened.text, source.excerpt);
            assert_eq!(opened.filename, source.filename);
        }
    }
}
