use attest_domain::{ConversationId, KbId, MessageId};
use attest_protocol::frame::Finish;
use attest_store::{BeginError, BeginTurn, BegunTurn, Idempotency, TurnConversation, TurnQuestion};
use tokio::task::JoinSet;

use crate::setup::{Fixture, fixture, minute, somebody_else};

fn keyed(begin: BeginTurn, key: &str, body: u8) -> BeginTurn {
    BeginTurn { idempotency: Some(Idempotency { key: key.to_owned(), body_hash: [body; 32] }), ..begin }
}

async fn rows(f: &Fixture) -> (i64, i64, i64) {
    (f.count("conversations").await, f.count("messages").await, f.count("turns").await)
}

#[tokio::test]
async fn a_first_question_makes_its_conversation() {
    let f = fixture().await;
    let (id, question_id) = (ConversationId::new(), MessageId::new());
    let begin = BeginTurn {
        conversation: TurnConversation::New { id, title: "题".to_owned() },
        question: TurnQuestion::New { id: question_id, content: "谁?".to_owned() },
        ..f.opening(minute(1))
    };
    let expected = BegunTurn {
        conversation_id: id,
        title: "题".to_owned(),
        question_id,
        question: "谁?".to_owned(),
        replaces: None,
    };
    assert_eq!(f.store.begin_turn(&begin).await.unwrap(), expected);
    assert_eq!(rows(&f).await, (1, 1, 1));
}

#[tokio::test]
async fn a_further_question_keeps_the_title() {
    let f = fixture().await;
    let (begun, _) = f.conversation(Finish::Complete, minute(1)).await;
    let next = f.store.begin_turn(&f.next(begun.conversation_id, minute(2))).await.unwrap();
    assert_eq!((next.conversation_id, next.title.as_str()), (begun.conversation_id, "First"));
    assert_eq!(rows(&f).await, (1, 3, 2));
}

#[tokio::test]
async fn someone_elses_conversation_reads_as_not_found() {
    let f = fixture().await;
    let (begun, _) = f.conversation(Finish::Interrupted, minute(1)).await;
    let other = f.other_kb("other").await;
    let mine = f.next(begun.conversation_id, minute(2));
    for begin in [
        BeginTurn { principal_id: somebody_else().id, ..mine.clone() },
        BeginTurn { kb_id: other.id, ..mine.clone() },
        BeginTurn { conversation: TurnConversation::Existing(ConversationId::new()), ..mine.clone() },
        BeginTurn {
            principal_id: somebody_else().id,
            ..f.retry(begun.conversation_id, begun.question_id, minute(2))
        },
        // The base was deleted a moment ago.
        BeginTurn { kb_id: KbId::new(), ..f.opening(minute(2)) },
    ] {
        let error = f.store.begin_turn(&begin).await.unwrap_err();
        assert!(matches!(error, BeginError::ConversationNotFound), "{error:?}");
    }
    assert_eq!(rows(&f).await, (1, 2, 1));
}

#[tokio::test]
async fn of_many_questions_at_once_exactly_one_begins_and_the_others_learn_which() {
    let f = fixture().await;
    let (begun, _) = f.conversation(Finish::Complete, minute(1)).await;
    let mut asking = JoinSet::new();
    for _ in 0..8 {
        let (store, begin) = (f.store.clone(), f.next(begun.conversation_id, minute(2)));
        asking.spawn(async move { (begin.turn_id, store.begin_turn(&begin).await) });
    }
    let (won, lost): (Vec<_>, Vec<_>) =
        asking.join_all().await.into_iter().partition(|(_, begun)| begun.is_ok());
    assert_eq!(won.len(), 1);
    for (_, refused) in lost {
        let error = refused.unwrap_err();
        assert!(matches!(error, BeginError::AnswerRunning(turn) if turn == won[0].0), "{error:?}");
    }
    // The refused ones stored nothing.
    assert_eq!(rows(&f).await, (1, 3, 2));
}

#[tokio::test]
async fn the_same_request_again_leads_to_the_first_ones_turn() {
    let f = fixture().await;
    let first = keyed(f.opening(minute(1)), "key", 1);
    let begun = f.store.begin_turn(&first).await.unwrap();
    let repeat = || keyed(f.opening(minute(2)), "key", 1);
    let error = f.store.begin_turn(&repeat()).await.unwrap_err();
    assert!(
        matches!(error, BeginError::IdempotentRepeat(turn, conversation)
            if turn == first.turn_id && conversation == begun.conversation_id),
        "{error:?}"
    );
    // Also once that turn has ended, and also where the conversation would have refused.
    f.store.finish_turn(&f.answered(first.turn_id, Finish::Complete, minute(3))).await.unwrap();
    let error = f.store.begin_turn(&repeat()).await.unwrap_err();
    assert!(matches!(error, BeginError::IdempotentRepeat(turn, _) if turn == first.turn_id), "{error:?}");
    let error = f.store.begin_turn(&keyed(f.opening(minute(4)), "key", 2)).await.unwrap_err();
    assert!(matches!(error, BeginError::IdempotencyMismatch), "{error:?}");
    assert_eq!(rows(&f).await, (1, 2, 1));
}

#[tokio::test]
async fn of_many_same_requests_at_once_one_begins_and_the_others_lead_to_it() {
    let f = fixture().await;
    let mut asking = JoinSet::new();
    for _ in 0..8 {
        let (store, begin) = (f.store.clone(), keyed(f.opening(minute(1)), "key", 1));
        asking.spawn(async move { (begin.turn_id, store.begin_turn(&begin).await) });
    }
    let (won, lost): (Vec<_>, Vec<_>) =
        asking.join_all().await.into_iter().partition(|(_, begun)| begun.is_ok());
    assert_eq!(won.len(), 1);
    for (_, refused) in lost {
        let error = refused.unwrap_err();
        assert!(matches!(error, BeginError::IdempotentRepeat(turn, _) if turn == won[0].0), "{error:?}");
    }
    assert_eq!(rows(&f).await, (1, 1, 1));
}

#[tokio::test]
async fn a_key_belongs_to_its_asker_and_its_base() {
    let f = fixture().await;
    let other = f.other_kb("other").await;
    for begin in [
        f.opening(minute(1)),
        BeginTurn { principal_id: somebody_else().id, ..f.opening(minute(1)) },
        BeginTurn { kb_id: other.id, ..f.opening(minute(1)) },
    ] {
        f.store.begin_turn(&keyed(begin, "key", 1)).await.unwrap();
    }
    assert_eq!(rows(&f).await, (3, 3, 3));
}

#[tokio::test]
async fn a_key_may_be_used_again_after_a_day_and_not_before() {
    let f = fixture().await;
    let day = 24 * 60;
    let long = "k".repeat(10_000);
    let first = keyed(f.opening(minute(0)), &long, 1);
    f.store.begin_turn(&first).await.unwrap();
    let error = f.store.begin_turn(&keyed(f.opening(minute(day - 1)), &long, 1)).await.unwrap_err();
    assert!(matches!(error, BeginError::IdempotentRepeat(turn, _) if turn == first.turn_id), "{error:?}");
    let second = keyed(f.opening(minute(day)), &long, 2);
    f.store.begin_turn(&second).await.unwrap();
    let error = f.store.begin_turn(&keyed(f.opening(minute(day + 1)), &long, 2)).await.unwrap_err();
    assert!(matches!(error, BeginError::IdempotentRepeat(turn, _) if turn == second.turn_id), "{error:?}");
}

#[tokio::test]
async fn a_refused_request_does_not_use_its_key_up() {
    let f = fixture().await;
    let running = f.opening(minute(1));
    let id = f.store.begin_turn(&running).await.unwrap().conversation_id;
    let refused = keyed(f.next(id, minute(2)), "key", 1);
    let error = f.store.begin_turn(&refused).await.unwrap_err();
    assert!(matches!(error, BeginError::AnswerRunning(_)), "{error:?}");
    f.store.finish_turn(&f.answered(running.turn_id, Finish::Complete, minute(3))).await.unwrap();
    f.store.begin_turn(&refused).await.unwrap();
}
