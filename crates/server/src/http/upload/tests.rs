use axum::body::Body;
use axum::extract::DefaultBodyLimit;
use axum::routing::post;
use axum::{Router, response::IntoResponse};
use tower::ServiceExt as _;

use super::*;

const LIMITS: Limits = Limits { chat_body_bytes: 0, document_bytes: 10, upload_bytes: 25, upload_files: 3 };

fn part(disposition: &str, content: &str) -> String {
    format!("--b\r\nContent-Disposition: form-data; {disposition}\r\n\r\n{content}\r\n")
}

fn file(name: &str, content: &str) -> String {
    part(&format!("name=\"file\"; filename=\"{name}\""), content)
}

/// What becomes of a body: each file with its size and date, or the error.
async fn upload(body: String) -> String {
    async fn handler(request: Request) -> axum::response::Response {
        match read_files(request, LIMITS).await {
            Ok(files) => files
                .iter()
                .map(|f| format!("{} {} {:?}", f.filename, f.bytes.len(), f.date))
                .collect::<Vec<_>>()
                .join("; ")
                .into_response(),
            Err(error) => error.into_response(),
        }
    }
    let router = Router::new().route("/", post(handler)).layer(DefaultBodyLimit::disable());
    let request = Request::post("/")
        .header("content-type", "multipart/form-data; boundary=b")
        .body(Body::from(body))
        .unwrap();
    let response = router.oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
    format!("{status} {}", String::from_utf8_lossy(&body))
}

#[tokio::test]
async fn files_come_with_their_names_and_the_date_of_the_form() {
    let body = [file("a.md", "alpha"), file("b.txt", "beta"), part("name=\"date\"", " 1993-04 ")].concat();
    assert_eq!(upload(body + "--b--\r\n").await, "200 a.md 5 Some(\"1993-04\"); b.txt 4 Some(\"1993-04\")");
}

#[tokio::test]
async fn what_cannot_be_taken_is_refused_with_what_is_wrong() {
    let bodies = [
        file("a.md", "12345678901") + "--b--\r\n",
        [file("a", "1234567890"), file("b", "1234567890"), file("c", "123456")].concat() + "--b--\r\n",
        [file("a", "1"), file("b", "2"), file("c", "3"), file("d", "4"), file("e", "5")].concat()
            + "--b--\r\n",
        part("name=\"date\"", "1993") + "--b--\r\n",
        file("", "") + "--b--\r\n",
        part("name=\"title\"", "x") + "--b--\r\n",
        file("a.md", "cut"),
        "nothing of the kind".to_owned(),
    ];
    let mut answers = Vec::new();
    for body in bodies {
        answers.push(upload(body).await);
    }
    insta::assert_snapshot!(answers.join("\n"));
}
