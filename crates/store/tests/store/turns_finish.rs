use attest_domain::{ChunkId, ConversationId, KbId, TurnId};
use attest_protocol::frame::{Delta, Finish, Frame, Usage};
use attest_protocol::view::{ModelRequestRecord, RequestPurpose, TurnRecord};
use attest_store::{FinishError, FinishTurn, StoredTurn};
use uuid::Uuid;

use crate::setup::{OVER, fixture, minute, somebody_else};

fn record() -> TurnRecord {
    TurnRecord {
        model: "m".to_owned(),
        level: "native".to_owned(),
        degradations: vec!["native to text: tools refused with status 400".into()],
        requests: vec![ModelRequestRecord {
            purpose: RequestPurpose::Work,
            outcome: "stop".to_owned(),
            calls: 1,
            usage: None,
            duration_ms: 12,
        }],
        nudges: vec!["evidence".to_owned()],
        refusals: vec!["unknown tool".to_owned()],
        tools: vec!["search_chunks".to_owned()],
        unissued_numbers: 1,
    }
}

#[tokio::test]
async fn a_turn_is_found_running_and_then_with_everything_it_came_to() {
    let f = fixture().await;
    let begin = f.opening(minute(1));
    let begun = f.store.begin_turn(&begin).await.unwrap();
    let running = StoredTurn {
        id: begin.turn_id,
        conversation_id: begun.conversation_id,
        question_id: begun.question_id,
        answer_id: None,
        owner: f.owner,
        running: true,
        record: None,
        usage: None,
        terminal: None,
        terminal_seq: 0,
        started_at: minute(1),
        ended_at: None,
    };
    assert_eq!(f.store.find_turn(f.kb.id, &f.me, begin.turn_id).await.unwrap(), Some(running.clone()));

    let usage = Some(Usage { prompt_tokens: Some(10), completion_tokens: Some(2) });
    let end = FinishTurn {
        record: record(),
        usage,
        terminal_seq: 17,
        ..f.answered(begin.turn_id, Finish::Complete, minute(2))
    };
    f.store.finish_turn(&end).await.unwrap();
    let ended = StoredTurn {
        answer_id: Some(end.answer.unwrap().id),
        running: false,
        record: Some(record()),
        usage,
        terminal: Some(end.terminal),
        terminal_seq: 17,
        ended_at: Some(minute(2)),
        ..running
    };
    assert_eq!(f.store.find_turn(f.kb.id, &f.me, begin.turn_id).await.unwrap(), Some(ended.clone()));
    assert_eq!(f.store.find_last_turn(begun.conversation_id).await.unwrap(), Some(ended));

    assert_eq!(f.store.find_turn(f.kb.id, &somebody_else(), begin.turn_id).await.unwrap(), None);
    assert_eq!(f.store.find_turn(KbId::new(), &f.me, begin.turn_id).await.unwrap(), None);
    assert_eq!(f.store.find_turn(f.kb.id, &f.me, TurnId::new()).await.unwrap(), None);
    assert_eq!(f.store.find_last_turn(ConversationId::new()).await.unwrap(), None);
}

#[tokio::test]
async fn the_last_turn_is_the_one_that_began_last() {
    let f = fixture().await;
    let (begun, _) = f.conversation(Finish::Complete, minute(5)).await;
    // By a server whose clock is behind.
    let next = f.next(begun.conversation_id, minute(1));
    f.store.begin_turn(&next).await.unwrap();
    let last = f.store.find_last_turn(begun.conversation_id).await.unwrap().unwrap();
    assert_eq!(last.id, next.turn_id);
}

#[tokio::test]
async fn nobody_but_the_owner_ends_a_turn() {
    let f = fixture().await;
    let begin = f.opening(minute(1));
    f.store.begin_turn(&begin).await.unwrap();
    let end = f.answered(begin.turn_id, Finish::Complete, minute(2));
    for stranger in [
        FinishTurn { owner: Uuid::new_v4(), ..end.clone() },
        FinishTurn { turn_id: TurnId::new(), ..end.clone() },
    ] {
        let error = f.store.finish_turn(&stranger).await.unwrap_err();
        assert!(matches!(error, FinishError::LeaseLost), "{error:?}");
    }
    assert_eq!(f.count("messages").await, 1);
    f.store.finish_turn(&end).await.unwrap();
}

#[tokio::test]
async fn an_owner_that_was_given_up_cannot_save_its_answer_any_more() {
    let f = fixture().await;
    let begin = f.opening(minute(1));
    let begun = f.store.begin_turn(&begin).await.unwrap();
    f.store.renew_leases(f.owner, &[begin.turn_id], OVER).await.unwrap();
    assert_eq!(f.store.end_expired_turns(minute(2), 10).await.unwrap(), [begin.turn_id]);
    let mut late = f.answered(begin.turn_id, Finish::Complete, minute(3));
    late.numbers = vec![(1, ChunkId::new())];
    let error = f.store.finish_turn(&late).await.unwrap_err();
    assert!(matches!(error, FinishError::LeaseLost), "{error:?}");
    assert_eq!(f.store.list_messages(begun.conversation_id).await.unwrap().len(), 1);
    assert_eq!(f.store.list_numbers(begun.conversation_id).await.unwrap(), []);
}

#[tokio::test]
async fn an_owner_whose_lease_ran_out_unnoticed_still_saves_its_answer() {
    let f = fixture().await;
    let begin = attest_store::BeginTurn { lease: OVER, ..f.opening(minute(1)) };
    f.store.begin_turn(&begin).await.unwrap();
    f.store.finish_turn(&f.answered(begin.turn_id, Finish::Complete, minute(2))).await.unwrap();
}

#[tokio::test]
async fn the_same_end_again_is_no_error_and_changes_nothing_but_another_end_is() {
    let f = fixture().await;
    let begin = f.opening(minute(1));
    let begun = f.store.begin_turn(&begin).await.unwrap();
    let end = f.answered(begin.turn_id, Finish::Complete, minute(2));
    f.store.finish_turn(&end).await.unwrap();
    // The answer to the commit was lost, so the owner tries again.
    f.store.finish_turn(&end).await.unwrap();
    assert_eq!(f.store.list_messages(begun.conversation_id).await.unwrap().len(), 2);
    for other in [f.failed(begin.turn_id, minute(3)), FinishTurn { terminal_seq: 99, ..end.clone() }] {
        let error = f.store.finish_turn(&other).await.unwrap_err();
        assert!(matches!(error, FinishError::LeaseLost), "{error:?}");
    }
}

#[tokio::test]
async fn a_turn_that_failed_in_silence_stores_no_answer() {
    let f = fixture().await;
    let begin = f.opening(minute(1));
    let begun = f.store.begin_turn(&begin).await.unwrap();
    let end = f.failed(begin.turn_id, minute(2));
    f.store.finish_turn(&end).await.unwrap();
    let turn = f.store.find_last_turn(begun.conversation_id).await.unwrap().unwrap();
    assert_eq!((turn.answer_id, turn.terminal, turn.terminal_seq), (None, Some(end.terminal), 2));
}

#[tokio::test]
async fn a_turn_ends_with_done_or_error_and_nothing_else() {
    let f = fixture().await;
    let begin = f.opening(minute(1));
    f.store.begin_turn(&begin).await.unwrap();
    let delta = Frame::Delta(Delta { text: "…".to_owned() });
    let end = FinishTurn { terminal: delta, ..f.answered(begin.turn_id, Finish::Complete, minute(2)) };
    let error = f.store.finish_turn(&end).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "stored data does not have its shape: a turn cannot end with the frame \"delta\""
    );
}

#[tokio::test]
async fn a_deleted_base_takes_its_running_turns_with_it() {
    let f = fixture().await;
    let begin = f.opening(minute(1));
    f.store.begin_turn(&begin).await.unwrap();
    f.store.delete_kb(f.kb.id, minute(2)).await.unwrap();
    let error =
        f.store.finish_turn(&f.answered(begin.turn_id, Finish::Complete, minute(3))).await.unwrap_err();
    assert!(matches!(error, FinishError::LeaseLost), "{error:?}");
}

#[tokio::test]
async fn a_number_means_one_passage_and_a_passage_has_one_number_for_good() {
    let f = fixture().await;
    let [a, b, c] = [ChunkId::new(), ChunkId::new(), ChunkId::new()];
    let begin = f.opening(minute(1));
    let id = f.store.begin_turn(&begin).await.unwrap().conversation_id;
    let mut end = f.answered(begin.turn_id, Finish::Complete, minute(1));
    end.numbers = vec![(2, b), (1, a)];
    f.store.finish_turn(&end).await.unwrap();
    assert_eq!(f.store.list_numbers(id).await.unwrap(), [(1, a), (2, b)]);

    // Repeated, contradicting, and new: only the new one is kept, and so is the answer.
    let next = f.next(id, minute(2));
    f.store.begin_turn(&next).await.unwrap();
    let mut end = f.answered(next.turn_id, Finish::Complete, minute(2));
    end.numbers = vec![(1, a), (1, c), (4, b), (0, c), (3, c)];
    f.store.finish_turn(&end).await.unwrap();
    assert_eq!(f.store.list_numbers(id).await.unwrap(), [(1, a), (2, b), (3, c)]);

    // Another conversation counts for itself.
    let (other, _) = f.conversation(Finish::Complete, minute(3)).await;
    assert_eq!(f.store.list_numbers(other.conversation_id).await.unwrap(), []);
}
