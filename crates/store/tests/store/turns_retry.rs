use attest_domain::{ConversationId, MessageId};
use attest_protocol::frame::Finish;
use attest_store::{BeginError, BeginTurn, BegunTurn, TurnConversation, TurnQuestion};

use crate::setup::{Fixture, OVER, fixture, minute};

async fn contents(f: &Fixture, id: ConversationId) -> Vec<MessageId> {
    f.store.list_messages(id).await.unwrap().into_iter().map(|message| message.id).collect()
}

#[tokio::test]
async fn a_question_without_an_answer_is_asked_again_and_not_stored_again() {
    let f = fixture().await;
    let begin = f.opening(minute(1));
    let begun = f.store.begin_turn(&begin).await.unwrap();
    f.store.finish_turn(&f.failed(begin.turn_id, minute(2))).await.unwrap();
    let retry = f.retry(begun.conversation_id, begun.question_id, minute(3));
    assert_eq!(f.store.begin_turn(&retry).await.unwrap(), begun);
    let messages = f.store.list_messages(begun.conversation_id).await.unwrap();
    assert_eq!(
        messages.iter().map(|m| (m.id, m.turn_id)).collect::<Vec<_>>(),
        [(begun.question_id, retry.turn_id)]
    );
}

#[tokio::test]
async fn a_partial_answer_is_replaced_when_the_new_one_is_saved_and_not_before() {
    let f = fixture().await;
    for finish in [Finish::Interrupted, Finish::Stopped] {
        let (begun, end) = f.conversation(finish, minute(1)).await;
        let (id, question, partial) = (begun.conversation_id, begun.question_id, end.answer.unwrap().id);

        // One retry that fails silently, one that answers.
        let failing = f.retry(id, question, minute(2));
        let expected = BegunTurn { replaces: Some(partial), ..begun };
        assert_eq!(f.store.begin_turn(&failing).await.unwrap(), expected);
        let mut failed = f.failed(failing.turn_id, minute(3));
        failed.replaces = Some(partial);
        f.store.finish_turn(&failed).await.unwrap();
        assert_eq!(contents(&f, id).await, [question, partial]);

        let retry = f.retry(id, question, minute(4));
        assert_eq!(f.store.begin_turn(&retry).await.unwrap(), expected);
        assert_eq!(contents(&f, id).await, [question, partial]);
        let mut whole = f.answered(retry.turn_id, Finish::Complete, minute(5));
        whole.replaces = Some(partial);
        f.store.finish_turn(&whole).await.unwrap();
        assert_eq!(contents(&f, id).await, [question, whole.answer.unwrap().id]);
        // The turn of the partial answer is still there, without it.
        let first = f.store.find_turn(f.kb.id, &f.me, end.turn_id).await.unwrap().unwrap();
        assert_eq!((first.answer_id, first.terminal), (None, Some(end.terminal)));
    }
}

#[tokio::test]
async fn a_question_with_a_whole_answer_is_not_asked_again() {
    let f = fixture().await;
    for finish in [Finish::Complete, Finish::Length, Finish::Filtered] {
        let (begun, _) = f.conversation(finish, minute(1)).await;
        let retry = f.retry(begun.conversation_id, begun.question_id, minute(2));
        let error = f.store.begin_turn(&retry).await.unwrap_err();
        assert!(matches!(error, BeginError::RetryAnswered), "{finish:?}: {error:?}");
    }
}

#[tokio::test]
async fn only_the_last_question_of_its_own_conversation_is_asked_again() {
    let f = fixture().await;
    let (begun, end) = f.conversation(Finish::Interrupted, minute(1)).await;
    let (elsewhere, _) = f.conversation(Finish::Interrupted, minute(1)).await;
    let id = begun.conversation_id;
    let refused = |question_id, at| {
        let (store, retry) = (f.store.clone(), f.retry(id, question_id, minute(at)));
        async move {
            let error = store.begin_turn(&retry).await.unwrap_err();
            assert!(matches!(error, BeginError::RetryNotQuestion), "{error:?}");
        }
    };
    refused(MessageId::new(), 2).await;
    refused(elsewhere.question_id, 2).await;
    refused(end.answer.unwrap().id, 2).await;
    let next = f.next(id, minute(3));
    f.store.begin_turn(&next).await.unwrap();
    f.store.finish_turn(&f.failed(next.turn_id, minute(4))).await.unwrap();
    refused(begun.question_id, 5).await;
    // A conversation that does not exist yet has no last question.
    let new = BeginTurn {
        conversation: TurnConversation::New { id: ConversationId::new(), title: String::new() },
        question: TurnQuestion::Retry(begun.question_id),
        ..f.opening(minute(6))
    };
    let error = f.store.begin_turn(&new).await.unwrap_err();
    assert!(matches!(error, BeginError::RetryNotQuestion), "{error:?}");
    assert_eq!(f.count("conversations").await, 2);
}

#[tokio::test]
async fn a_question_is_not_asked_again_while_its_turn_runs_but_is_once_its_server_is_gone() {
    let f = fixture().await;
    let begin = f.opening(minute(1));
    let begun = f.store.begin_turn(&begin).await.unwrap();
    let retry = f.retry(begun.conversation_id, begun.question_id, minute(2));
    let error = f.store.begin_turn(&retry).await.unwrap_err();
    assert!(matches!(error, BeginError::AnswerRunning(turn) if turn == begin.turn_id), "{error:?}");
    f.store.renew_leases(f.owner, &[begin.turn_id], OVER).await.unwrap();
    assert_eq!(f.store.begin_turn(&retry).await.unwrap(), begun);
}
