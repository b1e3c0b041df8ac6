use attest_domain::{ConversationId, KbId};
use attest_protocol::frame::Finish;
use attest_store::{BeginTurn, DeleteConversationError, StoredConversation, TurnConversation};

use crate::setup::{Fixture, OVER, fixture, minute, somebody_else};

async fn titled(f: &Fixture, title: &str, at: i64) -> ConversationId {
    let id = ConversationId::new();
    let conversation = TurnConversation::New { id, title: title.to_owned() };
    let begin = BeginTurn { conversation, ..f.opening(minute(at)) };
    f.store.begin_turn(&begin).await.unwrap();
    f.store.finish_turn(&f.answered(begin.turn_id, Finish::Complete, minute(at))).await.unwrap();
    id
}

async fn titles(f: &Fixture, q: Option<&str>) -> Vec<String> {
    let found = f.store.list_conversations(f.kb.id, &f.me, q, 100, None).await.unwrap();
    found.into_iter().map(|conversation| conversation.title).collect()
}

#[tokio::test]
async fn a_conversation_is_found_by_its_owner_in_its_base_alone() {
    let f = fixture().await;
    let begin = f.opening(minute(1));
    let id = f.store.begin_turn(&begin).await.unwrap().conversation_id;
    let expected = StoredConversation {
        id,
        kb_id: f.kb.id,
        principal_id: f.me.id,
        title: "First".to_owned(),
        running_turn_id: Some(begin.turn_id),
        created_at: minute(1),
        updated_at: minute(1),
    };
    assert_eq!(f.store.find_conversation(f.kb.id, &f.me, id).await.unwrap(), Some(expected.clone()));
    f.store.finish_turn(&f.answered(begin.turn_id, Finish::Complete, minute(2))).await.unwrap();
    let ended = StoredConversation { running_turn_id: None, updated_at: minute(2), ..expected };
    assert_eq!(f.store.find_conversation(f.kb.id, &f.me, id).await.unwrap(), Some(ended));

    let other = f.other_kb("other").await;
    assert_eq!(f.store.find_conversation(f.kb.id, &somebody_else(), id).await.unwrap(), None);
    assert_eq!(f.store.find_conversation(other.id, &f.me, id).await.unwrap(), None);
    assert_eq!(f.store.find_conversation(f.kb.id, &f.me, ConversationId::new()).await.unwrap(), None);
    assert_eq!(f.store.list_conversations(f.kb.id, &somebody_else(), None, 9, None).await.unwrap(), []);
    assert_eq!(f.store.list_conversations(other.id, &f.me, None, 9, None).await.unwrap(), []);
}

#[tokio::test]
async fn a_turn_whose_server_is_gone_is_not_shown_as_running() {
    let f = fixture().await;
    let begin = BeginTurn { lease: OVER, ..f.opening(minute(1)) };
    let id = f.store.begin_turn(&begin).await.unwrap().conversation_id;
    let found = f.store.find_conversation(f.kb.id, &f.me, id).await.unwrap().unwrap();
    assert_eq!(found.running_turn_id, None);
    assert_eq!(f.store.list_conversations(f.kb.id, &f.me, None, 9, None).await.unwrap(), [found]);
}

#[tokio::test]
async fn conversations_are_listed_by_their_last_turn_in_pages_that_miss_none() {
    let f = fixture().await;
    // Three of the same instant, one older that is asked something again.
    let old = titled(&f, "old", 1).await;
    for title in ["a", "b", "c"] {
        titled(&f, title, 2).await;
    }
    let again = f.next(old, minute(3));
    f.store.begin_turn(&again).await.unwrap();
    let mut seen = vec![];
    let mut before = None;
    loop {
        let page = f.store.list_conversations(f.kb.id, &f.me, None, 2, before).await.unwrap();
        let Some(last) = page.last() else { break };
        before = Some((last.updated_at, last.id));
        seen.extend(page);
    }
    assert_eq!(seen.iter().map(|c| c.title.as_str()).collect::<Vec<_>>(), ["old", "c", "b", "a"]);
    assert_eq!(seen[0].running_turn_id, Some(again.turn_id));
}

#[tokio::test]
async fn titles_are_searched_in_either_case_and_wildcards_stand_for_themselves() {
    let f = fixture().await;
    for (n, title) in
        ["100% Sure", "1000 sure", "a_b", "axb", r"back\slash", "知识图谱", "ÄRGER"].iter().enumerate()
    {
        titled(&f, title, i64::try_from(n).unwrap()).await;
    }
    assert_eq!(titles(&f, Some("sUrE")).await, ["1000 sure", "100% Sure"]);
    assert_eq!(titles(&f, Some("0%")).await, ["100% Sure"]);
    assert_eq!(titles(&f, Some("a_b")).await, ["a_b"]);
    assert_eq!(titles(&f, Some(r"k\s")).await, [r"back\slash"]);
    assert_eq!(titles(&f, Some("图谱")).await, ["知识图谱"]);
    assert_eq!(titles(&f, Some("ärger")).await, ["ÄRGER"]);
    assert_eq!(titles(&f, Some("su\0re")).await, ["1000 sure", "100% Sure"]);
    assert_eq!(titles(&f, Some("none")).await, Vec::<String>::new());
    assert_eq!(titles(&f, Some("")).await.len(), 7);
}

#[tokio::test]
async fn a_conversation_is_renamed_by_its_owner_and_keeps_its_place() {
    let f = fixture().await;
    let id = titled(&f, "old", 1).await;
    titled(&f, "newer", 2).await;
    assert!(f.store.rename_conversation(f.kb.id, &f.me, id, "新").await.unwrap());
    assert!(!f.store.rename_conversation(f.kb.id, &somebody_else(), id, "theirs").await.unwrap());
    assert!(!f.store.rename_conversation(KbId::new(), &f.me, id, "elsewhere").await.unwrap());
    assert_eq!(titles(&f, None).await, ["newer", "新"]);
}

#[tokio::test]
async fn a_deleted_conversation_leaves_nothing_behind() {
    let f = fixture().await;
    let (begun, _) = f.conversation(Finish::Interrupted, minute(1)).await;
    let id = begun.conversation_id;
    let retry = f.retry(id, begun.question_id, minute(2));
    f.store.begin_turn(&retry).await.unwrap();
    let mut end = f.answered(retry.turn_id, Finish::Complete, minute(2));
    end.numbers = vec![(1, attest_domain::ChunkId::new())];
    f.store.finish_turn(&end).await.unwrap();

    assert!(!f.store.delete_conversation(f.kb.id, &somebody_else(), id).await.unwrap());
    assert!(!f.store.delete_conversation(KbId::new(), &f.me, id).await.unwrap());
    assert!(f.store.delete_conversation(f.kb.id, &f.me, id).await.unwrap());
    assert!(!f.store.delete_conversation(f.kb.id, &f.me, id).await.unwrap());
    for table in ["conversations", "messages", "turns", "issued_numbers"] {
        assert_eq!(f.count(table).await, 0, "{table}");
    }
}

#[tokio::test]
async fn a_conversation_is_not_deleted_while_a_turn_runs_unless_its_server_is_gone() {
    let f = fixture().await;
    let begin = f.opening(minute(1));
    let id = f.store.begin_turn(&begin).await.unwrap().conversation_id;
    let error = f.store.delete_conversation(f.kb.id, &f.me, id).await.unwrap_err();
    assert!(matches!(error, DeleteConversationError::Running(turn) if turn == begin.turn_id), "{error:?}");
    // The server stops renewing.
    f.store.renew_leases(f.owner, &[begin.turn_id], OVER).await.unwrap();
    assert!(f.store.delete_conversation(f.kb.id, &f.me, id).await.unwrap());
}
