use attest_domain::{ConversationId, TurnId};
use attest_protocol::frame::EvidenceKind;

use super::*;

const SHOWN: &str = "CERN was founded in";

fn transcript(content: &str) -> Transcript {
    let mut transcript = Transcript::new(ConversationId::new(), MessageId::new(), TurnId::new());
    if !content.is_empty() {
        transcript.apply(1, &Frame::Delta(Delta { text: content.to_owned() }));
    }
    transcript
}

fn of(outcome: Outcome, content: &str) -> (Plan, MessageId) {
    let id = MessageId::new();
    (plan(outcome, &transcript(content), &TurnWork::default(), id), id)
}

fn answered(held_text: &str) -> Outcome {
    Outcome::Agent(Ok(Answered {
        finish: Finish::Complete,
        evidence: Evidence { kind: EvidenceKind::Consulted, reason: None },
        held_text: held_text.to_owned(),
        sources: None,
    }))
}

fn stalled() -> Outcome {
    Outcome::Agent(Err(failure(ErrorCode::Stalled, "The model went silent.", true)))
}

#[test]
fn held_text_is_saved_with_the_answer_and_said_before_the_end() {
    let (plan, _) = of(answered(" 1954."), SHOWN);
    assert_eq!(plan.answer.map(|answer| answer.content), Some(format!("{SHOWN} 1954.")));
    assert_eq!(plan.tail, [Frame::Delta(Delta { text: " 1954.".to_owned() })]);
    assert!(matches!(plan.terminal, Frame::Done(Done { finish: Finish::Complete, stopped: false, .. })));
}

#[test]
fn a_turn_that_failed_before_anything_was_shown_stores_no_answer() {
    let (plan, _) = of(stalled(), "");
    assert_eq!(plan.answer, None);
    assert!(matches!(
        plan.terminal,
        Frame::Error(ErrorFrame { code: ErrorCode::Stalled, answer_id: None, .. })
    ));
}

#[test]
fn a_turn_that_failed_after_text_was_shown_stores_the_partial_as_interrupted() {
    let (plan, id) = of(stalled(), SHOWN);
    let answer = plan.answer.unwrap();
    assert_eq!((answer.content.as_str(), answer.finish, answer.evidence), (SHOWN, Finish::Interrupted, None));
    assert!(
        matches!(plan.terminal, Frame::Error(ErrorFrame { answer_id: Some(stored), .. }) if stored == id)
    );
}

#[test]
fn a_stop_stores_the_partial_even_an_empty_one() {
    for content in [SHOWN, ""] {
        let (plan, _) = of(Outcome::Stopped, content);
        assert_eq!(
            plan.answer.map(|answer| (answer.content, answer.finish)),
            Some((content.to_owned(), Finish::Stopped))
        );
        assert!(matches!(plan.terminal, Frame::Done(Done { finish: Finish::Stopped, stopped: true, .. })));
    }
}

#[test]
fn a_turn_whose_lease_was_lost_is_not_saved() {
    let (plan, _) = of(Outcome::LeaseLost, SHOWN);
    assert!(!plan.saved);
    assert!(matches!(plan.terminal, Frame::Error(ErrorFrame { code: ErrorCode::Interrupted, .. })));
}

#[test]
fn an_end_of_the_server_can_be_retried() {
    let (plan, _) = of(Outcome::ServerStopped, SHOWN);
    assert!(matches!(
        plan.terminal,
        Frame::Error(ErrorFrame { code: ErrorCode::Interrupted, retryable: true, .. })
    ));
}
