//! Documents: taken in, listed, opened, deleted.

use attest_protocol::ErrorCode;
use attest_protocol::knowledge::{
    DocumentPage, DocumentStateView, DocumentTextView, DocumentView, DocumentsAccepted,
};
use attest_testkit::{TestOptions, TestServer};
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::json;

use crate::corpus;

pub(crate) fn file(filename: &str, bytes: impl Into<Vec<u8>>) -> Part {
    Part::bytes(bytes.into()).file_name(filename.to_owned())
}

#[tokio::test]
async fn several_files_of_one_form_are_read_and_found() {
    let server = TestServer::start(TestOptions::offline()).await;
    let form = Form::new()
        .part("files", file("vexholm-bridge.md", corpus::BRIDGE))
        .part("files", file("云岫档案馆.txt", corpus::ARCHIVE))
        .text("date", "1958-03");
    let answer = server.send(server.kb(Method::POST, "/documents").multipart(form)).await;
    assert_eq!(answer.status, 202, "{}", answer.text());
    let DocumentsAccepted { documents } = answer.json();
    let names: Vec<&str> = documents.iter().map(|document| document.filename.as_str()).collect();
    assert_eq!(names, ["vexholm-bridge.md", "云岫档案馆.txt"]);
    for document in &documents {
        let read = server.until_found(document.id).await;
        assert_eq!((read.state, read.reason.as_deref()), (DocumentStateView::Ready, None));
        assert_eq!(read.date.map(|date| date.to_string()).as_deref(), Some("1958-03"));
        assert!(read.chunks >= 1);
    }
    let bridge = server.until_read(documents[0].id).await;
    assert_eq!(bridge.size_bytes, corpus::BRIDGE.len() as u64);
    let hits = server.search("首任馆长").await;
    assert_eq!(hits.hits[0].document_id, documents[1].id);
    assert!(hits.hits[0].text.contains("贺兰卿"));
    assert_eq!(hits.arms, ["full_text"]);
}

#[tokio::test]
async fn documents_are_listed_newest_first_in_pages() {
    let server = TestServer::start(TestOptions::offline()).await;
    let mut added = Vec::new();
    for n in 1..=5 {
        added.push(
            server.add_document(&format!("paper-{n}.txt"), &format!("Paper {n} is about herons.")).await,
        );
    }
    added.reverse();
    let whole: DocumentPage = server.read("/documents").await;
    assert_eq!((&whole.documents, &whole.next_cursor), (&added, &None));
    let mut walked: Vec<DocumentView> = Vec::new();
    let mut path = "/documents?limit=2".to_owned();
    loop {
        let page: DocumentPage = server.read(&path).await;
        walked.extend(page.documents);
        let Some(cursor) = page.next_cursor else { break };
        path = format!("/documents?limit=2&cursor={cursor}");
    }
    assert_eq!(walked, added);
    let one: DocumentView = server.read(&format!("/documents/{}", added[0].id)).await;
    assert_eq!(one, added[0]);
}

#[tokio::test]
async fn a_text_is_opened_at_any_span_in_characters() {
    let server = TestServer::start(TestOptions::offline()).await;
    let document = server.add_document("云岫档案馆.txt", corpus::ARCHIVE).await;
    let whole: DocumentTextView = server.read(&format!("/documents/{}/text", document.id)).await;
    assert_eq!((whole.from, whole.to), (0, whole.characters));
    assert_eq!(whole.characters, document.characters);
    let characters: Vec<char> = whole.text.chars().collect();
    let length = characters.len();
    assert_eq!(length as u64, whole.characters);
    for (from, to) in
        [(0, 1), (2, 7), (5, 5), (length - 1, length), (length - 2, length + 50), (length + 9, length + 10)]
    {
        let path = format!("/documents/{}/text?from={from}&to={to}", document.id);
        let part: DocumentTextView = server.read(&path).await;
        let expected: String = characters.iter().skip(from).take(to - from).collect();
        assert_eq!(part.text, expected, "{from}..{to}");
    }
    for query in ["from=5&to=4", "from=-1", "from=x", "to=99999999"] {
        let answer = server.get(&format!("/documents/{}/text?{query}", document.id)).await;
        answer.assert_refused(ErrorCode::InvalidRequest, "");
    }
}

#[tokio::test]
async fn every_passage_of_a_search_stands_in_the_text_at_its_span() {
    let server = TestServer::start(TestOptions::offline()).await;
    // Longer than a passage, with headings, tables and characters of every width.
    let mut text = String::from("# Herons 🐦\n\n");
    for n in 1..=60 {
        text.push_str(&format!(
            "## Chapter {n}\n\nHeron number {n} was seen at 鹭岛 on day {n}. It ate {n} fish.\n\n"
        ));
    }
    let document = server.add_document("herons.md", &text).await;
    assert!(document.chunks > 1, "{document:?}");
    let hits = server.search("heron 鹭岛 fish").await.hits;
    assert!(hits.len() > 1);
    for hit in hits {
        let path = format!("/documents/{}/text?from={}&to={}", hit.document_id, hit.from, hit.to);
        let part: DocumentTextView = server.read(&path).await;
        assert_eq!(part.text, hit.text);
    }
}

#[tokio::test]
async fn a_deleted_document_leaves_every_search_of_now_and_is_found_as_of_then() {
    let server = TestServer::start(TestOptions::offline()).await;
    let document = server.add_document("vexholm-bridge.md", corpus::BRIDGE).await;
    // Known at the latest when it was read; an instant after that and before its deletion is made by a second one.
    let then = server.add_document("marker.txt", "A marker in time.").await.created_at;
    let path = format!("/documents/{}", document.id);
    assert_eq!(server.delete(&path).await.status, 204);
    assert!(server.search("Vexholm bridge").await.hits.is_empty(), "at once");
    server.get(&path).await.assert_refused(ErrorCode::NotFound, "document");
    server.delete(&path).await.assert_refused(ErrorCode::NotFound, "document");
    let page: DocumentPage = server.read("/documents").await;
    assert_eq!(page.documents.len(), 1);
    let then = then.format(&time::format_description::well_known::Rfc3339).unwrap();
    let request = server.kb(Method::GET, "/search").query(&[("q", "Vexholm bridge"), ("as_of", &then)]);
    let found: attest_protocol::knowledge::SearchView = server.send(request).await.ok();
    assert!(!found.hits.is_empty());
    assert!(found.hits.iter().all(|hit| hit.document_id == document.id), "{:#?}", found.hits);
}

#[tokio::test]
async fn a_purged_document_is_gone_for_good_and_its_number_stays_taken() {
    let server = TestServer::start(TestOptions::offline()).await;
    let bridge = server.add_document("vexholm-bridge.md", corpus::BRIDGE).await;
    let first = server.ask("Who designed the bridge of Vexholm?").await;
    assert!(!first.cited().is_empty());
    let path = format!("/documents/{}", bridge.id);
    assert_eq!(server.delete(&format!("{path}?purge=true")).await.status, 204);
    server.get(&format!("{path}/text")).await.assert_refused(ErrorCode::NotFound, "document");
    assert!(server.search("Vexholm bridge").await.hits.is_empty());
    // The old answer still shows what it rested on, and a new passage takes no old number.
    let stored = server.conversation(first.conversation_id()).await;
    assert_eq!(stored.messages[1].sources, first.sources());
    server.add_document("kestrelmoor-observatory.md", corpus::OBSERVATORY).await;
    let second = server
        .ask_in(first.conversation_id(), "Who was the first director of Kestrelmoor observatory?")
        .await;
    let old: Vec<u32> = first.sources().iter().map(|source| source.n).collect();
    assert!(second.sources().iter().all(|source| !old.contains(&source.n)), "{:?}", second.sources());
}

#[tokio::test]
async fn a_nul_in_a_document_is_removed_at_the_door() {
    let server = TestServer::start(TestOptions::offline()).await;
    let document =
        server.add_document("herons.txt", "The grey her\0on eats fish, and it stands still for hours.").await;
    let whole: DocumentTextView = server.read(&format!("/documents/{}/text", document.id)).await;
    assert_eq!(whole.text.trim_end(), "The grey heron eats fish, and it stands still for hours.");
    let turn = server.ask("What does the grey heron eat?").await;
    assert!(turn.content().contains("heron eats fish"), "{}", turn.content());
}

#[tokio::test]
async fn texts_in_utf_16_with_a_mark_and_in_utf_8_with_one_are_read() {
    let server = TestServer::start(TestOptions::offline()).await;
    let text = "The heron of 鹭岛 eats fish.";
    let utf16: Vec<u16> = text.encode_utf16().collect();
    let little: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(utf16.iter().flat_map(|u| u.to_le_bytes())).collect();
    let big: Vec<u8> = [0xfe, 0xff].into_iter().chain(utf16.iter().flat_map(|u| u.to_be_bytes())).collect();
    let marked: Vec<u8> = [0xef, 0xbb, 0xbf].into_iter().chain(text.bytes()).collect();
    let form = Form::new()
        .part("files", file("little.txt", little))
        .part("files", file("big.txt", big))
        .part("files", file("marked.txt", marked));
    let answer = server.send(server.kb(Method::POST, "/documents").multipart(form)).await;
    assert_eq!(answer.status, 202, "{}", answer.text());
    let DocumentsAccepted { documents } = answer.json();
    for document in documents {
        server.until_read(document.id).await;
        let whole: DocumentTextView = server.read(&format!("/documents/{}/text", document.id)).await;
        assert_eq!(whole.text.trim_end(), text, "{}", document.filename);
    }
}

#[tokio::test]
async fn bases_are_made_listed_renamed_and_deleted_and_the_default_one_stays() {
    let server = TestServer::start(TestOptions::offline()).await;
    let send = async |method: Method, path: &str, body: serde_json::Value| {
        server.send(server.request(method, &format!("/api/v1{path}")).json(&body)).await
    };
    let created = send(Method::POST, "/kbs", json!({"name": "Herons of the North"})).await;
    assert_eq!(created.status, 201, "{}", created.text());
    let kb: attest_protocol::knowledge::KbView = created.json();
    assert_eq!(kb.slug, "herons-of-the-north");
    let taken = send(Method::POST, "/kbs", json!({"name": "Else", "slug": "herons-of-the-north"})).await;
    taken.assert_refused(ErrorCode::NameTaken, "slug");
    let wrong = send(Method::POST, "/kbs", json!({"name": "Else", "slug": "No Slug!"})).await;
    wrong.assert_refused(ErrorCode::InvalidName, "slug");
    let renamed = send(Method::PATCH, "/kbs/herons-of-the-north", json!({"name": "Herons"})).await;
    assert_eq!(renamed.ok::<attest_protocol::knowledge::KbView>().name, "Herons");
    // By its id as well.
    let by_id = send(Method::GET, &format!("/kbs/{}", kb.id), json!({})).await;
    assert_eq!(by_id.ok::<attest_protocol::knowledge::KbView>().name, "Herons");
    assert_eq!(send(Method::DELETE, "/kbs/herons-of-the-north", json!({})).await.status, 204);
    send(Method::GET, "/kbs/herons-of-the-north", json!({}))
        .await
        .assert_refused(ErrorCode::NotFound, "herons");
    let kept = send(Method::DELETE, "/kbs/default", json!({})).await;
    kept.assert_refused(ErrorCode::InvalidRequest, "default");
    let list: attest_protocol::knowledge::KbList = send(Method::GET, "/kbs", json!({})).await.ok();
    assert_eq!(list.kbs.iter().map(|kb| kb.slug.as_str()).collect::<Vec<_>>(), ["default"]);
}
