//! PostgreSQL refuses NUL in text and JSON. Every column that holds either is written here with one.

use std::collections::BTreeSet;

use attest_domain::{ChunkId, ConversationId, DocumentId, EntityId, KbId, KnowledgeBase, MessageId};
use attest_protocol::ErrorCode;
use attest_protocol::exchange::{AsideCall, ExchangeMessage, ResolvedEntity, ToolExchange};
use attest_protocol::frame::{
    ErrorFrame, Evidence, EvidenceKind, Finish, Frame, Source, Step, StepKind, Usage,
};
use attest_protocol::view::TurnRecord;
use attest_store::{
    BeginTurn, FinishTurn, Idempotency, ModelIdentity, NewAnswer, StoredCapability, TurnConversation,
    TurnQuestion,
};
use sqlx::AssertSqlSafe;

use crate::model_capabilities::text_mode;
use crate::setup::{LONG, chunks_of, fixture, minute, new_document};

const DIRTY: &str = "be\0fore";
const CLEAN: &str = "before";

fn dirty() -> String {
    DIRTY.to_owned()
}

fn dirty_answer() -> NewAnswer {
    NewAnswer {
        id: MessageId::new(),
        content: dirty(),
        finish: Finish::Interrupted,
        usage: Some(Usage::default()),
        evidence: Some(Evidence { kind: EvidenceKind::None, reason: Some(dirty()) }),
        steps: vec![Step {
            kind: StepKind::Refused,
            tool: dirty(),
            label: dirty(),
            detail: dirty(),
            at: 0,
            count: None,
        }],
        sources: vec![Source {
            n: 1,
            chunk_id: ChunkId::new(),
            document_id: DocumentId::new(),
            filename: dirty(),
            heading: Some(dirty()),
            excerpt: dirty(),
            from: 0,
            to: 1,
            quotes: vec![dirty()],
        }],
        resolved: vec![ResolvedEntity { id: EntityId::new(), name: dirty(), kind: dirty() }],
        tool_exchange: ToolExchange {
            messages: vec![ExchangeMessage::Tool { tool_call_id: dirty(), content: dirty(), is_error: true }],
            aside: vec![AsideCall { name: dirty(), arguments: dirty(), refusal: dirty() }],
        },
    }
}

#[tokio::test]
async fn nul_reaches_no_column_and_stops_no_statement() {
    let f = fixture().await;
    f.store.set_seed_mark(DIRTY, minute(0)).await.unwrap();
    assert!(f.store.find_seed_mark(DIRTY).await.unwrap().is_some());
    let kb = KnowledgeBase { id: KbId::new(), slug: dirty(), name: dirty(), created_at: minute(0) };
    f.store.create_kb(&kb).await.unwrap();
    assert!(f.store.rename_kb(kb.id, DIRTY).await.unwrap());

    let mut new = new_document(f.kb.id, DIRTY, minute(1));
    new.media_type = dirty();
    f.store.insert_document(&new).await.unwrap();
    f.store.claim_document(f.owner, LONG).await.unwrap().unwrap();
    let mut chunks = chunks_of(new.id, &[DIRTY]);
    chunks[0].heading_path = vec![dirty()];
    f.store.finish_document(new.id, f.owner, DIRTY, &chunks, minute(1)).await.unwrap();
    let unreadable = new_document(f.kb.id, "a.txt", minute(2));
    f.store.insert_document(&unreadable).await.unwrap();
    f.store.claim_document(f.owner, LONG).await.unwrap().unwrap();
    f.store.fail_document(unreadable.id, f.owner, DIRTY).await.unwrap();

    let id = ConversationId::new();
    let begin = BeginTurn {
        conversation: TurnConversation::New { id, title: dirty() },
        question: TurnQuestion::New { id: MessageId::new(), content: dirty() },
        idempotency: Some(Idempotency { key: dirty(), body_hash: [0; 32] }),
        ..f.opening(minute(3))
    };
    let begun = f.store.begin_turn(&begin).await.unwrap();
    assert_eq!((begun.title.as_str(), begun.question.as_str()), (CLEAN, CLEAN));
    let answer = dirty_answer();
    let terminal = ErrorFrame {
        error: dirty(),
        code: ErrorCode::Interrupted,
        retryable: true,
        retry_after: None,
        answer_id: Some(answer.id),
    };
    let end = FinishTurn {
        answer: Some(answer),
        terminal: Frame::Error(terminal),
        record: TurnRecord { model: dirty(), nudges: vec![dirty()], ..TurnRecord::default() },
        usage: Some(Usage::default()),
        ..f.answered(begin.turn_id, Finish::Interrupted, minute(4))
    };
    f.store.finish_turn(&end).await.unwrap();
    // What was kept clean is still recognised as the same end.
    f.store.finish_turn(&end).await.unwrap();
    assert!(f.store.rename_conversation(f.kb.id, &f.me, id, DIRTY).await.unwrap());
    let identity =
        ModelIdentity { base_url: dirty(), model: dirty(), credential: dirty(), adapter_version: 1 };
    let capability = StoredCapability {
        kind: dirty(),
        value: Some(dirty()),
        class: Some(dirty()),
        tool_set: Some(dirty()),
        ..text_mode()
    };
    assert!(f.store.save_model_capability(&identity, &capability).await.unwrap());

    let columns: Vec<(String, String)> = sqlx::query_as(
        "select table_name::text, column_name::text from information_schema.columns
         where table_schema = 'public' and data_type in ('text', 'jsonb', 'ARRAY') and table_name not like '\\_%'",
    )
    .fetch_all(f.db.pool())
    .await
    .unwrap();
    let mut without = BTreeSet::new();
    for (table, column) in columns {
        let sql = AssertSqlSafe(format!(
            "select exists (select from {table} where {column}::text like '%{CLEAN}%')"
        ));
        let found: bool = sqlx::query_scalar(sql).fetch_one(f.db.pool()).await.unwrap();
        if !found {
            without.insert(format!("{table}.{column}"));
        }
    }
    // Words and numbers of our own. Any other column must be written above.
    let ours = [
        "documents.dated_precision",
        "documents.state",
        "messages.finish",
        "messages.role",
        "messages.usage",
        "model_capabilities.proof",
        "turns.terminal_event",
        "turns.usage",
    ];
    assert_eq!(without, ours.map(str::to_owned).into());
}
