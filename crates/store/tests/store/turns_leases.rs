use attest_domain::TurnId;
use attest_protocol::ErrorCode;
use attest_protocol::frame::{Finish, Frame};
use attest_store::BeginTurn;
use uuid::Uuid;

use crate::setup::{Fixture, LONG, OVER, fixture, minute};

async fn lost_turn(f: &Fixture, at: i64) -> TurnId {
    let begin = BeginTurn { lease: OVER, owner: Uuid::new_v4(), ..f.opening(minute(at)) };
    f.store.begin_turn(&begin).await.unwrap();
    begin.turn_id
}

#[tokio::test]
async fn a_turn_whose_server_is_gone_is_ended_as_interrupted_and_can_be_retried() {
    let f = fixture().await;
    let lost = lost_turn(&f, 1).await;
    let turn = f.store.find_turn(f.kb.id, &f.me, lost).await.unwrap().unwrap();
    assert!(!turn.running && turn.ended_at.is_none());
    assert_eq!(f.store.end_expired_turns(minute(2), 10).await.unwrap(), [lost]);
    let turn = f.store.find_turn(f.kb.id, &f.me, lost).await.unwrap().unwrap();
    let Some(Frame::Error(error)) = &turn.terminal else { panic!("{turn:?}") };
    assert_eq!((error.code, error.retryable, error.answer_id), (ErrorCode::Interrupted, true, None));
    // Beyond every number that its owner can have sent.
    assert_eq!((turn.terminal_seq, turn.ended_at, turn.record), (1 << 24, Some(minute(2)), None));
    let question = f.store.find_message(turn.question_id).await.unwrap().unwrap();
    assert_eq!(question.error.as_ref(), Some(error));
    f.store.begin_turn(&f.retry(turn.conversation_id, turn.question_id, minute(3))).await.unwrap();
}

#[tokio::test]
async fn a_new_question_takes_over_from_a_server_that_is_gone() {
    let f = fixture().await;
    let lost = lost_turn(&f, 1).await;
    let id = f.store.find_turn(f.kb.id, &f.me, lost).await.unwrap().unwrap().conversation_id;
    let next = f.next(id, minute(2));
    f.store.begin_turn(&next).await.unwrap();
    let old = f.store.find_turn(f.kb.id, &f.me, lost).await.unwrap().unwrap();
    assert!(matches!(&old.terminal, Some(Frame::Error(error)) if error.code == ErrorCode::Interrupted));
    assert_eq!(old.ended_at, Some(minute(2)));
    assert!(f.store.find_turn(f.kb.id, &f.me, next.turn_id).await.unwrap().unwrap().running);
}

#[tokio::test]
async fn a_lease_is_renewed_by_its_owner_while_the_turn_runs() {
    let f = fixture().await;
    let begin = BeginTurn { lease: OVER, ..f.opening(minute(1)) };
    f.store.begin_turn(&begin).await.unwrap();
    let ended = f.opening(minute(1));
    f.store.begin_turn(&ended).await.unwrap();
    f.store.finish_turn(&f.answered(ended.turn_id, Finish::Complete, minute(2))).await.unwrap();
    let foreign = lost_turn(&f, 1).await;

    // One that expired and that nobody took is held again.
    let asked = [ended.turn_id, foreign, begin.turn_id, TurnId::new()];
    assert_eq!(f.store.renew_leases(f.owner, &asked, LONG).await.unwrap(), [begin.turn_id]);
    assert!(f.store.find_turn(f.kb.id, &f.me, begin.turn_id).await.unwrap().unwrap().running);
    assert_eq!(f.store.end_expired_turns(minute(3), 10).await.unwrap(), [foreign]);
    assert_eq!(f.store.renew_leases(f.owner, &[], LONG).await.unwrap(), []);
}

#[tokio::test]
async fn lost_turns_are_ended_a_few_at_a_time_longest_lost_first_and_once() {
    let f = fixture().await;
    let lost = [lost_turn(&f, 1).await, lost_turn(&f, 2).await, lost_turn(&f, 3).await];
    assert_eq!(f.store.end_expired_turns(minute(4), 2).await.unwrap(), lost[..2]);
    // Two servers look at the same time.
    let (one, other) =
        tokio::join!(f.store.end_expired_turns(minute(5), 10), f.store.end_expired_turns(minute(5), 10));
    assert_eq!([one.unwrap(), other.unwrap()].concat(), lost[2..]);
    assert_eq!(f.store.end_expired_turns(minute(6), 10).await.unwrap(), []);
}

#[tokio::test]
async fn a_server_alone_on_its_data_folder_ends_every_orphan() {
    let f = fixture().await;
    let begin = f.opening(minute(1));
    f.store.begin_turn(&begin).await.unwrap();
    let (_, whole) = f.conversation(Finish::Complete, minute(1)).await;
    assert_eq!(f.store.end_expired_turns(minute(2), 10).await.unwrap(), []);
    assert_eq!(f.store.end_all_running_turns(minute(2)).await.unwrap(), [begin.turn_id]);
    let kept = f.store.find_turn(f.kb.id, &f.me, whole.turn_id).await.unwrap().unwrap();
    assert_eq!(kept.terminal, Some(whole.terminal));
}
