//! What tests start from, and the shortest way to rows that are not the point of a test.

use std::time::Duration;

use attest_domain::{
    Chunk, ChunkId, ChunkSpan, ConversationId, DocumentId, KbId, KnowledgeBase, MessageId, Principal,
    PrincipalId, TurnId,
};
use attest_protocol::ErrorCode;
use attest_protocol::exchange::ToolExchange;
use attest_protocol::frame::{Done, ErrorFrame, Evidence, EvidenceKind, Finish, Frame};
use attest_protocol::view::TurnRecord;
use attest_store::{
    BeginTurn, BegunTurn, Connection, FinishTurn, NewAnswer, NewDocument, Store, StoreOptions,
    TurnConversation, TurnQuestion,
};
use attest_testkit_db::TestDatabase;
use time::OffsetDateTime;
use time::macros::datetime;
use uuid::Uuid;

pub(crate) const LONG: Duration = Duration::from_secs(600);
/// A lease that is over as soon as it is given.
pub(crate) const OVER: Duration = Duration::ZERO;

/// A base with nothing in it, in a database of its own.
pub(crate) struct Fixture {
    pub(crate) store: Store,
    pub(crate) kb: KnowledgeBase,
    pub(crate) me: Principal,
    pub(crate) owner: Uuid,
    // Last, so that it is dropped after the store's pool.
    pub(crate) db: TestDatabase,
}

/// The moment, this many minutes into the test's day.
pub(crate) fn minute(n: i64) -> OffsetDateTime {
    datetime!(2026-03-01 12:00 UTC) + time::Duration::minutes(n)
}

pub(crate) async fn connect(db: &TestDatabase) -> Store {
    let options = StoreOptions { max_connections: 5, ..StoreOptions::new(Connection::Url(db.url())) };
    Store::connect(options).await.unwrap()
}

pub(crate) async fn fixture() -> Fixture {
    let db = attest_testkit_db::fresh_database().await;
    let store = connect(&db).await;
    let kb = store.ensure_default_kb(minute(0)).await.unwrap();
    Fixture { store, kb, me: Principal::local(), owner: Uuid::new_v4(), db }
}

pub(crate) fn somebody_else() -> Principal {
    Principal { id: PrincipalId::new(), name: "somebody else".to_owned() }
}

pub(crate) fn new_document(kb_id: KbId, filename: &str, created_at: OffsetDateTime) -> NewDocument {
    NewDocument {
        id: DocumentId::new(),
        kb_id,
        filename: filename.to_owned(),
        media_type: "text/plain".to_owned(),
        dated: None,
        original: b"original".to_vec(),
        created_at,
    }
}

/// One passage for each text, the document's text being all of them in a row.
pub(crate) fn chunks_of(document_id: DocumentId, texts: &[&str]) -> Vec<Chunk> {
    let mut start = 0;
    let chunk = |(ordinal, text): (usize, &&str)| {
        let end = start + text.chars().count() as u64;
        let span = ChunkSpan { start, end };
        start = end;
        Chunk {
            id: ChunkId::new(),
            document_id,
            ordinal: u32::try_from(ordinal).unwrap(),
            heading_path: vec!["Part".to_owned(), format!("Section {ordinal}")],
            span,
            text: (*text).to_owned(),
        }
    };
    texts.iter().enumerate().map(chunk).collect()
}

impl Fixture {
    /// A document that became ready at `now`.
    pub(crate) async fn ready_document(
        &self,
        kb_id: KbId,
        texts: &[&str],
        now: OffsetDateTime,
    ) -> (DocumentId, Vec<Chunk>) {
        let new = new_document(kb_id, "notes.txt", now);
        self.store.insert_document(&new).await.unwrap();
        let claimed = self.store.claim_document(self.owner, LONG).await.unwrap().unwrap();
        assert_eq!(claimed.document.id, new.id);
        let chunks = chunks_of(new.id, texts);
        self.store.finish_document(new.id, self.owner, &texts.concat(), &chunks, now).await.unwrap();
        (new.id, chunks)
    }

    pub(crate) async fn other_kb(&self, slug: &str) -> KnowledgeBase {
        let kb = KnowledgeBase {
            id: KbId::new(),
            slug: slug.to_owned(),
            name: slug.to_owned(),
            created_at: minute(1),
        };
        self.store.create_kb(&kb).await.unwrap();
        kb
    }

    /// A new conversation with a new question.
    pub(crate) fn opening(&self, now: OffsetDateTime) -> BeginTurn {
        BeginTurn {
            turn_id: TurnId::new(),
            kb_id: self.kb.id,
            principal_id: self.me.id,
            conversation: TurnConversation::New { id: ConversationId::new(), title: "First".to_owned() },
            question: TurnQuestion::New { id: MessageId::new(), content: "Who?".to_owned() },
            owner: self.owner,
            lease: LONG,
            idempotency: None,
            now,
        }
    }

    /// A further question.
    pub(crate) fn next(&self, conversation_id: ConversationId, now: OffsetDateTime) -> BeginTurn {
        BeginTurn { conversation: TurnConversation::Existing(conversation_id), ..self.opening(now) }
    }

    /// The same question again.
    pub(crate) fn retry(
        &self,
        conversation_id: ConversationId,
        question_id: MessageId,
        now: OffsetDateTime,
    ) -> BeginTurn {
        BeginTurn { question: TurnQuestion::Retry(question_id), ..self.next(conversation_id, now) }
    }

    /// A turn that ends with an answer.
    pub(crate) fn answered(&self, turn_id: TurnId, finish: Finish, now: OffsetDateTime) -> FinishTurn {
        let id = MessageId::new();
        let evidence = Evidence { kind: EvidenceKind::None, reason: Some("a greeting".to_owned()) };
        let terminal = if finish == Finish::Interrupted {
            Frame::Error(broken_off(Some(id)))
        } else {
            let stopped = finish == Finish::Stopped;
            Frame::Done(Done { answer_id: id, finish, stopped, usage: None, evidence: evidence.clone() })
        };
        FinishTurn {
            turn_id,
            owner: self.owner,
            answer: Some(NewAnswer {
                id,
                content: "Nobody.".to_owned(),
                finish,
                usage: None,
                evidence: Some(evidence),
                steps: vec![],
                sources: vec![],
                resolved: vec![],
                tool_exchange: ToolExchange::default(),
            }),
            replaces: None,
            terminal,
            terminal_seq: 3,
            record: TurnRecord::default(),
            usage: None,
            numbers: vec![],
            now,
        }
    }

    /// A turn that fails before anything was shown.
    pub(crate) fn failed(&self, turn_id: TurnId, now: OffsetDateTime) -> FinishTurn {
        FinishTurn {
            answer: None,
            terminal: Frame::Error(broken_off(None)),
            terminal_seq: 2,
            ..self.answered(turn_id, Finish::Complete, now)
        }
    }

    /// A conversation whose first question has been answered so.
    pub(crate) async fn conversation(&self, finish: Finish, now: OffsetDateTime) -> (BegunTurn, FinishTurn) {
        let begin = self.opening(now);
        let begun = self.store.begin_turn(&begin).await.unwrap();
        let end = self.answered(begin.turn_id, finish, now);
        self.store.finish_turn(&end).await.unwrap();
        (begun, end)
    }

    pub(crate) async fn count(&self, table: &str) -> i64 {
        let sql = sqlx::AssertSqlSafe(format!("select count(*) from {table}"));
        sqlx::query_scalar(sql).fetch_one(self.db.pool()).await.unwrap()
    }
}

pub(crate) fn broken_off(answer_id: Option<MessageId>) -> ErrorFrame {
    ErrorFrame {
        error: "The model went silent.".to_owned(),
        code: ErrorCode::Stalled,
        retryable: true,
        retry_after: None,
        answer_id,
    }
}
