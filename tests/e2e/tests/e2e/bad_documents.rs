//! Documents that are refused: an error that says what is wrong, and nothing half stored.

use attest_protocol::ErrorCode;
use attest_protocol::knowledge::DocumentPage;
use attest_testkit::{TestOptions, TestServer, soon};
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::documents::file;

async fn assert_nothing_stored(server: &TestServer) {
    let page: DocumentPage = server.read("/documents").await;
    assert!(page.documents.is_empty(), "{:#?}", page.documents);
    assert_eq!(
        server.send(server.request(Method::GET, "/readyz")).await.status,
        200,
        "the server is unharmed"
    );
}

#[tokio::test]
async fn a_file_that_is_not_what_its_name_says_is_named_for_what_it_is() {
    let server = TestServer::start(TestOptions::offline()).await;
    let pdf = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n".to_vec();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    let latin1 = b"Caf\xe9 au lait".to_vec();
    let gbk = vec![0xd4, 0xc6, 0xe1, 0xb6, 0xb5, 0xb5, 0xb0, 0xb8];
    let half_utf16 = vec![0xff, 0xfe, b'a', 0, 0x00, 0xd8];
    let binary: Vec<u8> = (0..2_000_u32).map(|n| (n % 31 + 1) as u8).collect();
    for (name, bytes, words) in [
        ("report.txt", pdf, "PDF"),
        ("picture.md", png, "PNG"),
        ("menu.txt", latin1, "UTF-8"),
        ("档案.txt", gbk, "UTF-8"),
        ("half.txt", half_utf16, "UTF-16"),
        ("dump.txt", binary, "control characters"),
        ("empty.txt", Vec::new(), "empty"),
        ("blank.md", b" \n\t\n".to_vec(), "empty or blank"),
        ("nul.txt", vec![0; 64], "nul.txt"),
        ("book.pdf", b"plain words".to_vec(), ".pdf"),
        ("song.mp3", b"plain words".to_vec(), ".mp3"),
    ] {
        let form =
            Form::new().part("files", file("good.txt", "A good one.")).part("files", file(name, bytes));
        let answer = server.send(server.kb(Method::POST, "/documents").multipart(form)).await;
        let body = answer.assert_refused(ErrorCode::InvalidDocument, words);
        assert!(body.error.contains(name), "{:?} names the file", body.error);
    }
    // The good file beside each of them was not stored either.
    assert_nothing_stored(&server).await;
}

#[tokio::test]
async fn names_and_dates_that_cannot_be_kept_are_refused() {
    let server = TestServer::start(TestOptions::offline()).await;
    let post =
        async |body: serde_json::Value| server.send(server.kb(Method::POST, "/documents").json(&body)).await;
    for name in ["", "  ", "..", "folder/", &"n".repeat(256)] {
        let answer = post(json!({"filename": name, "text": "Words."})).await;
        answer.assert_refused(ErrorCode::InvalidName, "file name");
    }
    for date in ["soon", "1931-13", "1931-02-30"] {
        let answer = post(json!({"filename": "a.txt", "text": "Words.", "date": date})).await;
        answer.assert_refused(ErrorCode::InvalidDocument, "date");
    }
    for (body, words) in [
        (json!({"text": "Words."}), "filename"),
        (json!({"filename": "a.txt"}), "text"),
        (json!({"filename": "a.txt", "text": 7}), "text"),
        (json!({"filename": "a.txt", "text": "x", "dat": "1931"}), "dat"),
        (json!([]), ""),
    ] {
        post(body).await.assert_refused(ErrorCode::InvalidRequest, words);
    }
    assert_nothing_stored(&server).await;
}

#[tokio::test]
async fn forms_that_are_none_are_refused() {
    let server = TestServer::start(TestOptions::offline()).await;
    let nothing = server.send(server.kb(Method::POST, "/documents").multipart(Form::new())).await;
    assert_eq!(nothing.status / 100, 4, "{}", nothing.text());
    let stray = Form::new().part("note", Part::text("no file"));
    let stray = server.send(server.kb(Method::POST, "/documents").multipart(stray)).await;
    stray.assert_refused(ErrorCode::InvalidRequest, "note");
    let cut = server
        .kb(Method::POST, "/documents")
        .header("content-type", "multipart/form-data; boundary=x")
        .body("--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\n\r\nhalf");
    server.send(cut).await.assert_refused(ErrorCode::InvalidRequest, "multipart");
    let unbound =
        server.kb(Method::POST, "/documents").header("content-type", "multipart/form-data").body("x");
    server.send(unbound).await.assert_refused(ErrorCode::InvalidRequest, "multipart");
    let typed = server.kb(Method::POST, "/documents").header("content-type", "text/plain").body("Words.");
    server.send(typed).await.assert_refused(ErrorCode::UnsupportedMediaType, "application/json");
    let untyped = server.kb(Method::POST, "/documents").body("Words.");
    server.send(untyped).await.assert_refused(ErrorCode::UnsupportedMediaType, "application/json");
    assert_nothing_stored(&server).await;
}

#[tokio::test]
async fn too_many_files_are_refused_together() {
    let server = TestServer::start(TestOptions::offline().with("documents.max_files", "3")).await;
    let form = (0..4).fold(Form::new(), |form, n| form.part("files", file(&format!("{n}.txt"), "Words.")));
    let answer = server.send(server.kb(Method::POST, "/documents").multipart(form)).await;
    answer.assert_refused(ErrorCode::InvalidDocument, "at most 3");
    assert_nothing_stored(&server).await;
}

#[tokio::test]
async fn a_document_over_the_limit_is_refused_with_its_size() {
    let server = TestServer::start(TestOptions::offline().with("documents.max_bytes", "2048")).await;
    let form = Form::new().part("files", file("long.txt", "x".repeat(2_049)));
    let answer = server.send(server.kb(Method::POST, "/documents").multipart(form)).await;
    let body = answer.assert_refused(ErrorCode::TooLarge, "2048");
    assert!(body.error.contains("2049") && body.error.contains("long.txt"), "{}", body.error);
    let text = json!({"filename": "long.txt", "text": "x".repeat(2_049)});
    let answer = server.send(server.kb(Method::POST, "/documents").json(&text)).await;
    answer.assert_refused(ErrorCode::TooLarge, "2048");
    let form = Form::new().part("files", file("fits.txt", "x ".repeat(1_024)));
    assert_eq!(server.send(server.kb(Method::POST, "/documents").multipart(form)).await.status, 202);
}

#[tokio::test]
async fn fifty_megabytes_are_refused_with_an_answer_that_the_client_gets_to_read() {
    let server = TestServer::start(TestOptions::offline()).await;
    let fifty = "heron ".repeat(50 * 1024 * 1024 / 6);
    let form = Form::new().part("files", file("herons.txt", fifty.clone()));
    let answer = server.send(server.kb(Method::POST, "/documents").multipart(form)).await;
    answer.assert_refused(ErrorCode::TooLarge, "20971520");
    let text = json!({"filename": "herons.txt", "text": fifty});
    let answer = server.send(server.kb(Method::POST, "/documents").json(&text)).await;
    answer.assert_refused(ErrorCode::TooLarge, "");
    assert_nothing_stored(&server).await;
}

#[tokio::test]
async fn a_client_that_announces_too_much_and_waits_is_told_before_it_sends() {
    let server = TestServer::start(TestOptions::offline()).await;
    let mut socket = tokio::net::TcpStream::connect(server.addr()).await.unwrap();
    let head = "POST /api/v1/kbs/default/documents HTTP/1.1\r\nhost: attest\r\nexpect: 100-continue\r\n\
        content-type: application/json\r\ncontent-length: 209715200\r\nconnection: close\r\n\r\n";
    socket.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    soon("an answer before the body", async {
        let mut bytes = [0_u8; 4_096];
        while let Ok(n) = socket.read(&mut bytes).await {
            answer.push_str(&String::from_utf8_lossy(&bytes[..n]));
            if n == 0 || answer.contains("too_large") {
                break;
            }
        }
    })
    .await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert_nothing_stored(&server).await;
}

#[tokio::test]
async fn a_document_that_does_not_exist_is_not_found() {
    let server = TestServer::start(TestOptions::offline()).await;
    let id = attest_domain::DocumentId::new();
    for path in [format!("/documents/{id}"), format!("/documents/{id}/text")] {
        server.get(&path).await.assert_refused(ErrorCode::NotFound, "document");
    }
    for path in ["/documents/seven", "/documents/seven/text"] {
        server.get(path).await.assert_refused(ErrorCode::NotFound, "UUID");
    }
    server.delete(&format!("/documents/{id}")).await.assert_refused(ErrorCode::NotFound, "document");
    server
        .delete(&format!("/documents/{id}?purge=true"))
        .await
        .assert_refused(ErrorCode::NotFound, "document");
    server
        .delete(&format!("/documents/{id}?purge=maybe"))
        .await
        .assert_refused(ErrorCode::InvalidRequest, "query");
}

#[tokio::test]
async fn searches_that_cannot_be_made_are_refused_and_odd_ones_find_nothing() {
    let server = TestServer::start(TestOptions::offline()).await;
    server.add_document("herons.txt", "The grey heron eats fish.").await;
    for (query, words) in [
        ("", "q"),
        ("q=", "q"),
        ("q=heron&limit=0", "limit"),
        ("q=heron&limit=51", "limit"),
        ("q=heron&as_of=soon", "as_of"),
    ] {
        server.get(&format!("/search?{query}")).await.assert_refused(ErrorCode::InvalidRequest, words);
    }
    let long = server.kb(Method::GET, "/search").query(&[("q", "heron ".repeat(400))]);
    server.send(long).await.assert_refused(ErrorCode::InvalidRequest, "2000");
    // The words of a query language are words here.
    for odd in ["\"", "heron AND (", "title:*", "+-!", "\u{0}", "🐦", "/regex/", "a^2~3", "   "] {
        let request = server.kb(Method::GET, "/search").query(&[("q", odd)]);
        let answer = server.send(request).await;
        assert_eq!(answer.status, 200, "{odd:?}: {}", answer.text());
    }
}
