//! What is found.

use attest_domain::{KbId, KnowledgeBase, Moment};
use attest_search::{SearchHit, SearchQuery};
use time::{Duration, OffsetDateTime};

use crate::library::Library;

const ENGLISH: &str = "Mervin Kelly became president of the laboratory in 1951.";
const CHINESE: &str = "默文·凯利于一九五一年出任贝尔实验室总裁。";
const GRAPH: &str = "知识图谱把实体和关系存成三元组。";
const MEMORY: &str = "系统把对话写入长期记忆。";
const JAPANESE: &str = "ビル・ゲイツはマイクロソフトを設立した。";
const KOREAN: &str = "연구소는 서울에 있다.";
const MIXED: &str = "用PostgreSQL数据库时要防止SQL注入绕过。";
const LANGUAGE: &str = "Bjarne Stroustrup designed C++ at Bell Labs.";
const FULL_WIDTH: &str = "ＡＢＣ１２３型";
const RADICALS: &str = "\u{2f45}法论与\u{2ed3}城";

#[tokio::test]
async fn a_question_finds_its_sentence_in_every_language() {
    let library = Library::new().await;
    let index = library.open().await;
    let all = [ENGLISH, CHINESE, GRAPH, MEMORY, JAPANESE, KOREAN, MIXED, LANGUAGE, FULL_WIDTH, RADICALS];
    library.add("all.txt", &[], &all).await;
    index.catch_up().await.unwrap();
    for (question, best) in [
        ("Who was the president of the laboratory?", ENGLISH),
        ("presidents of laboratories", ENGLISH),
        ("谁是贝尔实验室的总裁？", CHINESE),
        ("凯利", CHINESE),
        ("图谱", GRAPH),
        ("记忆", MEMORY),
        ("记忆 系统", MEMORY),
        ("マイクロソフトは誰が設立しましたか", JAPANESE),
        ("서울", KOREAN),
        ("SQL注入", MIXED),
        ("postgresql", MIXED),
        ("who designed c++?", LANGUAGE),
        ("bell lab's", LANGUAGE),
        ("abc123型", FULL_WIDTH),
        ("方法论", RADICALS),
        ("长城", RADICALS),
        ("型", FULL_WIDTH),
    ] {
        let found = library.find(&index, question).await;
        assert_eq!(found.first().map(String::as_str), Some(best), "{question}");
    }
}

#[tokio::test]
async fn one_matching_word_is_enough() {
    let library = Library::new().await;
    let index = library.open().await;
    library.add("a.txt", &[], &["The gateway restarts at night."]).await;
    index.catch_up().await.unwrap();
    let found = library.find(&index, "what are the gateway scheduled tasks").await;
    assert_eq!(found, ["The gateway restarts at night."]);
}

#[tokio::test]
async fn a_question_without_words_finds_nothing_and_no_text_is_a_syntax_error() {
    let library = Library::new().await;
    let index = library.open().await;
    library.add("a.txt", &[], &["a quiet gateway"]).await;
    index.catch_up().await.unwrap();
    for question in ["", "  ", "?!", "\0", "body:", "(((", "\"", "AND OR NOT [x TO y} ^~*", "🚀"] {
        assert_eq!(library.find(&index, question).await, [""; 0], "{question}");
    }
}

#[tokio::test]
async fn headings_and_file_names_are_found_but_weigh_less_than_the_text() {
    let library = Library::new().await;
    let index = library.open().await;
    library.add("a.txt", &["Transistor"], &["It was shown in December."]).await;
    library.add("b.txt", &[], &["The transistor was shown."]).await;
    library.add("holmdel-site_history.md", &[], &["A building with a pond."]).await;
    index.catch_up().await.unwrap();
    assert_eq!(
        library.find(&index, "transistor").await,
        ["The transistor was shown.", "It was shown in December."]
    );
    assert_eq!(library.find(&index, "Holmdel history").await, ["A building with a pond."]);
}

#[tokio::test]
async fn a_hit_is_the_passage_of_the_store() {
    let library = Library::new().await;
    let index = library.open().await;
    let document_id = library.add("a.txt", &["One", "Two"], &["first", "second 文字"]).await;
    index.catch_up().await.unwrap();
    let query = SearchQuery { kb_id: library.kb_id, text: "文字".to_owned(), limit: 1, as_of: None };
    let hits = index.search(query).await.unwrap();
    let passages = library.store.list_document_passages(library.kb_id, document_id, None).await.unwrap();
    let [SearchHit { chunk, filename, score }] = hits.as_slice() else { panic!("{hits:?}") };
    assert_eq!((chunk, filename.as_str()), (&passages[1].chunk, "a.txt"));
    assert!(*score > 0.0);
}

#[tokio::test]
async fn a_base_never_shows_what_another_holds() {
    let library = Library::new().await;
    let index = library.open().await;
    let other = KnowledgeBase {
        id: KbId::new(),
        slug: "other".to_owned(),
        name: "Other".to_owned(),
        created_at: OffsetDateTime::now_utc(),
    };
    library.store.create_kb(&other).await.unwrap();
    library.add_to(other.id, "secret.txt", &[], &["the secret gateway"]).await;
    library.add("open.txt", &[], &["the open gateway"]).await;
    index.catch_up().await.unwrap();
    assert_eq!(library.find(&index, "gateway secret").await, ["the open gateway"]);
}

#[tokio::test]
async fn a_deleted_document_is_gone_at_once_and_still_there_as_of_before() {
    let library = Library::new().await;
    let index = library.open().await;
    let before = OffsetDateTime::now_utc();
    let id = library.add("a.txt", &[], &["the old gateway"]).await;
    let between = OffsetDateTime::now_utc();
    library.add("b.txt", &[], &["the new gateway"]).await;
    index.catch_up().await.unwrap();
    let after = OffsetDateTime::now_utc() + Duration::milliseconds(1);
    assert!(library.store.delete_document(library.kb_id, id, after).await.unwrap());

    // The index has not heard of it.
    assert_eq!(library.find(&index, "gateway").await, ["the new gateway"]);
    index.catch_up().await.unwrap();
    for (as_of, found) in [
        (None, vec!["the new gateway"]),
        (Some(before), vec![]),
        (Some(between), vec!["the old gateway"]),
        (Some(after + Duration::hours(1)), vec!["the new gateway"]),
    ] {
        let as_of = as_of.map(Moment::instant);
        assert_eq!(library.find_as_of(&index, "gateway", as_of).await, found, "{as_of:?}");
    }
    let this_year: Moment = before.year().to_string().parse().unwrap();
    assert_eq!(library.find_as_of(&index, "gateway", Some(this_year)).await, ["the new gateway"]);

    assert!(library.store.purge_document(library.kb_id, id, after).await.unwrap());
    index.catch_up().await.unwrap();
    let as_of = Some(Moment::instant(between));
    assert_eq!(library.find_as_of(&index, "gateway", as_of).await, [""; 0]);
}

#[tokio::test]
async fn many_hidden_passages_do_not_hide_a_visible_one() {
    let library = Library::new().await;
    let index = library.open().await;
    library.add("kept.txt", &[], &["a gateway among many other words that make it rank last of all"]).await;
    let id = library.add("gone.txt", &[], &["gateway gateway"; 200]).await;
    index.catch_up().await.unwrap();
    library.store.delete_document(library.kb_id, id, OffsetDateTime::now_utc()).await.unwrap();
    let found = library.find(&index, "gateway").await;
    assert_eq!(found, ["a gateway among many other words that make it rank last of all"]);
}
