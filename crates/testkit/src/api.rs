//! The routes, as a client calls them.

use attest_domain::{ConversationId, DocumentId, MessageId, TurnId};
use attest_protocol::ErrorCode;
use attest_protocol::knowledge::{DocumentStateView, DocumentView, DocumentsAccepted, SearchView};
use attest_protocol::request::{AskRequest, DocumentCreateRequest, StopRequest, StopResponse};
use attest_protocol::view::{ConversationView, ErrorBody, TurnView};
use reqwest::header::HeaderMap;
use reqwest::{Method, RequestBuilder};
use serde::de::DeserializeOwned;

use crate::sse::client::SseClient;
use crate::sse::turn::Turn;
use crate::wait::{soon, until};

/// Calls a server.
#[derive(Clone, Debug)]
pub struct Api {
    client: reqwest::Client,
    base: String,
}

/// A response that is no stream, read to its end.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

/// The answer to a reader that comes back.
pub enum Live {
    /// Frames.
    Stream(SseClient),
    /// 204.
    NothingMore,
    /// A refusal.
    Refused(Answer),
}

impl Api {
    /// Calls the server at this address, `http://127.0.0.1:8080` for example.
    pub(crate) fn new(base: String) -> Self {
        // A pool would keep connections to a server that restarts on another port, and hide who closed what.
        let client = reqwest::Client::builder().pool_max_idle_per_host(0).no_proxy().build();
        Self { client: client.expect("a client without special wishes"), base }
    }

    /// A request to a path that begins with `/`; in tests of what no method here says.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.base))
    }

    /// A request to a path below the default base, such as `/documents`.
    pub fn kb(&self, method: Method, path: &str) -> RequestBuilder {
        self.request(method, &format!("/api/v1/kbs/default{path}"))
    }

    /// Sends a request and reads the whole answer.
    pub async fn send(&self, request: RequestBuilder) -> Answer {
        let response = soon("an answer", request.send()).await.expect("the server answers");
        Answer::read(response).await
    }

    /// GET below the default base.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.kb(Method::GET, path)).await
    }

    /// GET below the default base, which has to work.
    pub async fn read<T: DeserializeOwned>(&self, path: &str) -> T {
        self.get(path).await.ok()
    }

    /// DELETE below the default base.
    pub async fn delete(&self, path: &str) -> Answer {
        self.send(self.kb(Method::DELETE, path)).await
    }

    /// Asks; the answer is an event stream or a refusal.
    pub async fn chat(&self, request: RequestBuilder) -> Result<SseClient, Answer> {
        let response = soon("an answer", request.send()).await.expect("the server answers");
        if response.status() == 200 {
            Ok(SseClient::new(response))
        } else {
            Err(Answer::read(response).await)
        }
    }

    /// The request that asks.
    pub fn chat_request(&self, ask: &AskRequest) -> RequestBuilder {
        self.kb(Method::POST, "/chat").json(ask)
    }

    /// Asks, which has to be admitted.
    pub async fn post_chat(&self, ask: &AskRequest) -> SseClient {
        match self.chat(self.chat_request(ask)).await {
            Ok(stream) => stream,
            Err(answer) => panic!("the question was refused: {answer:?}"),
        }
    }

    /// Asks in a new conversation and reads along.
    pub async fn begin(&self, message: &str) -> SseClient {
        self.post_chat(&question(message)).await
    }

    /// Asks in a new conversation and reads to the end.
    pub async fn ask(&self, message: &str) -> Turn {
        self.begin(message).await.turn().await
    }

    /// Goes on in a conversation and reads to the end.
    pub async fn ask_in(&self, conversation: ConversationId, message: &str) -> Turn {
        self.post_chat(&follow_up(conversation, message)).await.turn().await
    }

    /// Asks for another answer to a stored question.
    pub async fn retry(
        &self,
        conversation: ConversationId,
        question: MessageId,
    ) -> Result<SseClient, Answer> {
        let ask = AskRequest {
            message: String::new(),
            conversation_id: Some(conversation),
            retry_question_id: Some(question),
        };
        self.chat(self.chat_request(&ask)).await
    }

    /// Comes back to a conversation, with the text of a cursor in the header or without.
    pub async fn live(&self, conversation: ConversationId, cursor: Option<&str>) -> Live {
        let request = self.kb(Method::GET, &format!("/conversations/{conversation}/live"));
        let request = match cursor {
            Some(cursor) => request.header("last-event-id", cursor),
            None => request,
        };
        self.attach(request).await
    }

    /// Sends a request to the live route.
    pub async fn attach(&self, request: RequestBuilder) -> Live {
        let response = soon("an answer", request.send()).await.expect("the server answers");
        match response.status().as_u16() {
            200 => Live::Stream(SseClient::new(response)),
            204 => Live::NothingMore,
            _ => Live::Refused(Answer::read(response).await),
        }
    }

    /// Asks for a stop; true when that turn runs.
    pub async fn stop_turn(&self, conversation: ConversationId, turn_id: TurnId) -> bool {
        let request = self.kb(Method::POST, &format!("/conversations/{conversation}/stop"));
        let answer = self.send(request.json(&StopRequest { turn_id })).await;
        let StopResponse { stopping } = answer.json();
        assert_eq!(answer.status, if stopping { 202 } else { 200 }, "{answer:?}");
        stopping
    }

    /// The stored conversation.
    pub async fn conversation(&self, id: ConversationId) -> ConversationView {
        self.read(&format!("/conversations/{id}")).await
    }

    /// What a turn did.
    pub async fn turn(&self, id: TurnId) -> TurnView {
        self.read(&format!("/turns/{id}")).await
    }

    /// The passages that a question would find.
    pub async fn search(&self, q: &str) -> SearchView {
        let request = self.kb(Method::GET, "/search").query(&[("q", q)]);
        self.send(request).await.ok()
    }

    /// Puts a document in and waits until it is read and found.
    ///
    /// # Panics
    /// When it cannot be read.
    pub async fn add_document(&self, filename: &str, text: &str) -> DocumentView {
        let body = DocumentCreateRequest { filename: filename.to_owned(), text: text.to_owned(), date: None };
        let answer = self.send(self.kb(Method::POST, "/documents").json(&body)).await;
        assert_eq!(answer.status, 202, "{answer:?}");
        let DocumentsAccepted { documents } = answer.json();
        self.until_found(documents[0].id).await
    }

    /// Waits until a document is read and found by a search.
    ///
    /// # Panics
    /// When it cannot be read.
    pub async fn until_found(&self, id: DocumentId) -> DocumentView {
        let document = self.until_read(id).await;
        assert_eq!(document.state, DocumentStateView::Ready, "{document:?}");
        until(&format!("a search to find {}", document.filename), async || {
            let found = self.search(&document.filename).await;
            found.hits.iter().any(|hit| hit.document_id == id).then_some(())
        })
        .await;
        document
    }

    /// Waits until a document is read, or found unreadable.
    pub async fn until_read(&self, id: DocumentId) -> DocumentView {
        until("a document to be read", async || {
            let document: DocumentView = self.read(&format!("/documents/{id}")).await;
            let settled = matches!(document.state, DocumentStateView::Ready | DocumentStateView::Failed);
            settled.then_some(document)
        })
        .await
    }
}

/// A question in a new conversation.
#[must_use]
pub fn question(message: &str) -> AskRequest {
    AskRequest { message: message.to_owned(), conversation_id: None, retry_question_id: None }
}

/// A question in a conversation.
#[must_use]
pub fn follow_up(conversation: ConversationId, message: &str) -> AskRequest {
    AskRequest { conversation_id: Some(conversation), ..question(message) }
}

impl Answer {
    async fn read(response: reqwest::Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = soon("the body of an answer", response.bytes()).await.expect("the body comes whole");
        Self { status, headers, body: body.to_vec() }
    }

    /// A header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body.
    ///
    /// # Panics
    /// When it has another shape.
    #[must_use]
    pub fn json<T: DeserializeOwned>(&self) -> T {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error} in the answer {} {}", self.status, self.text()))
    }

    /// The body of an answer that has to be 200.
    ///
    /// # Panics
    /// When it is another.
    #[must_use]
    pub fn ok<T: DeserializeOwned>(&self) -> T {
        assert_eq!(self.status, 200, "{}", self.text());
        self.json()
    }

    /// Checks a refusal: its code, the status that belongs to the code, and words that its sentence has to contain.
    ///
    /// # Panics
    /// When it is another.
    pub fn assert_refused(&self, code: ErrorCode, words: &str) -> ErrorBody {
        let kind = self.header("content-type").unwrap_or_default();
        assert!(kind.starts_with("application/json"), "an error is JSON, not {kind:?}: {}", self.text());
        let body: ErrorBody = self.json();
        assert_eq!((self.status, body.code), (code.status(), code), "{body:?}");
        assert!(body.error.contains(words), "{:?} does not say {words:?}", body.error);
        assert!(!body.error.contains('\n'), "one sentence: {:?}", body.error);
        body
    }
}

impl Live {
    /// The frames.
    ///
    /// # Panics
    /// When there are none to come.
    #[must_use]
    pub fn stream(self) -> SseClient {
        match self {
            Self::Stream(stream) => stream,
            Self::NothingMore => panic!("expected frames, got 204"),
            Self::Refused(answer) => panic!("expected frames, got {answer:?}"),
        }
    }

    /// Checks for a 204.
    ///
    /// # Panics
    /// When it is another answer.
    pub fn assert_nothing_more(self) {
        match self {
            Self::NothingMore => {}
            Self::Stream(_) => panic!("expected 204, got a stream"),
            Self::Refused(answer) => panic!("expected 204, got {answer:?}"),
        }
    }

    /// The refusal.
    ///
    /// # Panics
    /// When it is none.
    #[must_use]
    pub fn refused(self) -> Answer {
        match self {
            Self::Refused(answer) => answer,
            Self::Stream(_) => panic!("expected a refusal, got a stream"),
            Self::NothingMore => panic!("expected a refusal, got 204"),
        }
    }
}
