use attest_domain::{ChunkId, ConversationId, DocumentId, EntityId, MessageId};
use attest_protocol::exchange::{
    CallKind, ExchangeCall, ExchangeFunction, ExchangeMessage, ResolvedEntity, ToolExchange,
};
use attest_protocol::frame::{Evidence, EvidenceKind, Finish, Source, Step, StepKind, Usage};
use attest_protocol::view::Role;
use attest_store::{NewAnswer, StoredMessage};

use crate::setup::{Fixture, broken_off, fixture, minute};

fn full_answer() -> NewAnswer {
    let call = ExchangeCall {
        id: "call_1".to_owned(),
        kind: CallKind::Function,
        function: ExchangeFunction {
            name: "search_chunks".to_owned(),
            arguments: r#"{"query":"图谱"}"#.to_owned(),
        },
    };
    NewAnswer {
        id: MessageId::new(),
        content: "It is so [1]. 😀".to_owned(),
        finish: Finish::Length,
        usage: Some(Usage { prompt_tokens: Some(u64::from(u32::MAX) + 1), completion_tokens: None }),
        evidence: Some(Evidence { kind: EvidenceKind::Cited, reason: None }),
        steps: vec![Step {
            kind: StepKind::Search,
            tool: "search_chunks".to_owned(),
            label: "Searched".to_owned(),
            detail: "6 passages".to_owned(),
            at: 7,
            count: Some(6),
        }],
        sources: vec![Source {
            n: 1,
            chunk_id: ChunkId::new(),
            document_id: DocumentId::new(),
            filename: "a.md".to_owned(),
            heading: Some("Part › Section".to_owned()),
            excerpt: "so".to_owned(),
            from: 3,
            to: 5,
            quotes: vec!["It is so.".to_owned()],
        }],
        resolved: vec![entity("Ada")],
        tool_exchange: ToolExchange {
            messages: vec![
                ExchangeMessage::Assistant { content: None, tool_calls: vec![call] },
                ExchangeMessage::Tool {
                    tool_call_id: "call_1".to_owned(),
                    content: "[1] so".to_owned(),
                    is_error: false,
                },
            ],
            aside: vec![],
        },
    }
}

fn entity(name: &str) -> ResolvedEntity {
    ResolvedEntity { id: EntityId::new(), name: name.to_owned(), kind: "person".to_owned() }
}

#[tokio::test]
async fn a_question_and_its_answer_are_read_back_whole_and_in_order() {
    let f = fixture().await;
    let begin = f.opening(minute(1));
    let begun = f.store.begin_turn(&begin).await.unwrap();
    let answer = full_answer();
    let mut end = f.answered(begin.turn_id, Finish::Length, minute(2));
    end.answer = Some(answer.clone());
    f.store.finish_turn(&end).await.unwrap();

    let question = StoredMessage {
        id: begun.question_id,
        conversation_id: begun.conversation_id,
        turn_id: begin.turn_id,
        role: Role::User,
        content: "Who?".to_owned(),
        finish: None,
        usage: None,
        evidence: None,
        steps: vec![],
        sources: vec![],
        resolved: vec![],
        tool_exchange: ToolExchange::default(),
        error: None,
        created_at: minute(1),
    };
    let answer = StoredMessage {
        id: answer.id,
        role: Role::Assistant,
        content: answer.content,
        finish: Some(answer.finish),
        usage: answer.usage,
        evidence: answer.evidence,
        steps: answer.steps,
        sources: answer.sources,
        resolved: answer.resolved,
        tool_exchange: answer.tool_exchange,
        created_at: minute(2),
        ..question.clone()
    };
    let messages = f.store.list_messages(begun.conversation_id).await.unwrap();
    assert_eq!(messages, [question, answer.clone()]);
    assert_eq!(f.store.find_message(answer.id).await.unwrap(), Some(answer));
    assert_eq!(f.store.find_message(MessageId::new()).await.unwrap(), None);
    assert_eq!(f.store.list_messages(ConversationId::new()).await.unwrap(), []);
}

#[tokio::test]
async fn the_error_of_a_turn_stands_on_its_partial_answer_else_on_its_question() {
    let f = fixture().await;
    let errors = |id| {
        let store = f.store.clone();
        async move {
            let messages = store.list_messages(id).await.unwrap();
            messages.into_iter().map(|message| message.error).collect::<Vec<_>>()
        }
    };
    let begin = f.opening(minute(1));
    let id = f.store.begin_turn(&begin).await.unwrap().conversation_id;
    assert_eq!(errors(id).await, [None]);
    f.store.finish_turn(&f.failed(begin.turn_id, minute(2))).await.unwrap();
    assert_eq!(errors(id).await, [Some(broken_off(None))]);

    let (begun, end) = f.conversation(Finish::Interrupted, minute(3)).await;
    let error = broken_off(Some(end.answer.unwrap().id));
    assert_eq!(errors(begun.conversation_id).await, [None, Some(error.clone())]);
    // A retry that fails before it says anything leaves the partial answer, and its own error on the question.
    let retry = f.retry(begun.conversation_id, begun.question_id, minute(4));
    f.store.begin_turn(&retry).await.unwrap();
    assert_eq!(errors(begun.conversation_id).await, [None, Some(error.clone())]);
    f.store.finish_turn(&f.failed(retry.turn_id, minute(5))).await.unwrap();
    assert_eq!(errors(begun.conversation_id).await, [Some(broken_off(None)), Some(error)]);
}

/// A conversation of this many further messages after its first question and answer.
async fn grow(f: &Fixture, id: ConversationId, messages: i32) {
    sqlx::query(
        "insert into messages (id, conversation_id, turn_id, role, content, finish, created_at)
         select gen_random_uuid(), $1, gen_random_uuid(), case n % 2 when 1 then 'user' else 'assistant' end,
                n::text, case n % 2 when 0 then 'complete' end, now()
         from generate_series(1, $2) as series (n) order by series.n",
    )
    .bind(id.as_uuid())
    .bind(messages)
    .execute(f.db.pool())
    .await
    .unwrap();
}

#[tokio::test]
async fn the_window_holds_the_last_messages_before_the_question_oldest_first() {
    let f = fixture().await;
    let id = f.conversation(Finish::Complete, minute(1)).await.0.conversation_id;
    grow(&f, id, 30).await;
    let next = f.next(id, minute(2));
    let question = f.store.begin_turn(&next).await.unwrap().question_id;
    let window = |before, limit| {
        let store = f.store.clone();
        async move {
            let recent = store.list_recent_messages(id, before, limit).await.unwrap();
            recent.into_iter().map(|message| message.content).collect::<Vec<_>>()
        }
    };
    assert_eq!(window(question, 20).await, (11..=30).map(|n| n.to_string()).collect::<Vec<_>>());
    assert_eq!(window(question, 0).await, Vec::<String>::new());
    assert_eq!(window(question, 100).await.len(), 32);
    assert_eq!(window(MessageId::new(), 20).await, Vec::<String>::new());
    // A message of another conversation is no place in this one.
    let other = f.conversation(Finish::Complete, minute(3)).await.0.question_id;
    assert_eq!(window(other, 20).await, Vec::<String>::new());
}

#[tokio::test]
async fn the_window_costs_the_same_in_a_long_conversation() {
    let f = fixture().await;
    let id = f.conversation(Finish::Complete, minute(1)).await.0.conversation_id;
    grow(&f, id, 5000).await;
    sqlx::query("analyze messages").execute(f.db.pool()).await.unwrap();
    let last: sqlx::types::Uuid = sqlx::query_scalar("select id from messages order by seq desc limit 1")
        .fetch_one(f.db.pool())
        .await
        .unwrap();
    let sql = concat!(
        "explain (analyze, format json) ",
        include_str!("../../src/sql/select_messages.sql"),
        include_str!("../../src/sql/where_recent.sql")
    );
    let plan: sqlx::types::Json<serde_json::Value> = sqlx::query_scalar(sql)
        .bind(id.as_uuid())
        .bind(last)
        .bind(20_i64)
        .fetch_one(f.db.pool())
        .await
        .unwrap();
    let mut most = 0.0_f64;
    let mut nodes = vec![&plan.0[0]["Plan"]];
    while let Some(node) = nodes.pop() {
        let touched =
            node["Actual Rows"].as_f64().unwrap() + node["Rows Removed by Filter"].as_f64().unwrap_or(0.0);
        most = most.max(touched * node["Actual Loops"].as_f64().unwrap());
        nodes.extend(node["Plans"].as_array().into_iter().flatten());
    }
    assert!(most <= 40.0, "{most} rows for a window of 20:\n{:#}", plan.0);
}

#[tokio::test]
async fn entities_are_listed_once_in_the_order_of_first_sight() {
    let f = fixture().await;
    let [ada, grace, alan] = ["Ada", "Grace", "Alan"].map(entity);
    let begin = f.opening(minute(1));
    let id = f.store.begin_turn(&begin).await.unwrap().conversation_id;
    let mut end = f.answered(begin.turn_id, Finish::Complete, minute(1));
    end.answer.as_mut().unwrap().resolved = vec![ada.clone(), grace.clone()];
    f.store.finish_turn(&end).await.unwrap();
    let renamed = ResolvedEntity { name: "Lovelace".to_owned(), ..ada.clone() };
    let next = f.next(id, minute(2));
    f.store.begin_turn(&next).await.unwrap();
    let mut end = f.answered(next.turn_id, Finish::Complete, minute(2));
    end.answer.as_mut().unwrap().resolved = vec![alan.clone(), renamed];
    f.store.finish_turn(&end).await.unwrap();

    assert_eq!(f.store.list_resolved(id, 20).await.unwrap(), [ada.clone(), grace, alan.clone()]);
    // With room for two, those that were last in use.
    assert_eq!(f.store.list_resolved(id, 2).await.unwrap(), [ada, alan]);
    assert_eq!(f.store.list_resolved(ConversationId::new(), 20).await.unwrap(), []);
}
