//! Many tiny documents at once.

use attest_protocol::knowledge::DocumentsAccepted;
use attest_testkit::{TestOptions, TestServer};
use futures::StreamExt;
use reqwest::Method;
use reqwest::multipart::Form;

use crate::documents::file;

/// A fifth of the ten thousand of the promise: the queue and the server see the same crowd, and the tests stay quick.
const DOCUMENTS: usize = 2_000;
const PER_UPLOAD: usize = 50;

#[tokio::test]
async fn thousands_of_tiny_documents_are_taken_in_while_the_server_goes_on_answering() {
    let server = TestServer::start(TestOptions::offline()).await;
    let bridge = server.add_document("vexholm-bridge.md", crate::corpus::BRIDGE).await;
    let upload = async |first: usize| {
        let form = (first..first + PER_UPLOAD).fold(Form::new(), |form, n| {
            form.part("files", file(&format!("note-{n}.txt"), format!("Note {n} tells of heron h{n}.")))
        });
        let answer = server.send(server.kb(Method::POST, "/documents").multipart(form)).await;
        assert_eq!(answer.status, 202, "{}", answer.text());
        let DocumentsAccepted { documents } = answer.json();
        assert_eq!(documents.len(), PER_UPLOAD);
    };
    let uploads = futures::stream::iter((0..DOCUMENTS).step_by(PER_UPLOAD).map(upload));
    let taken_in = uploads.buffer_unordered(4).collect::<Vec<()>>();
    let asked = async {
        for _ in 0..5 {
            let turn = server.ask("Who designed the bridge of Vexholm?").await;
            assert!(turn.content().contains("Ottilie Brandvorn"), "{}", turn.content());
            assert_eq!(turn.cited_sources()[0].document_id, bridge.id);
        }
    };
    let ((), _) = tokio::join!(asked, taken_in);
    let ready = server.send(server.request(Method::GET, "/readyz")).await;
    assert_eq!(ready.status, 200, "{}", ready.text());
}
