//! What is left away when a request is too long.

use super::*;

fn turn() -> TurnPolicy {
    TurnPolicy::new(6, false)
}

fn user(content: &str) -> ChatMessage {
    ChatMessage::User { content: content.to_owned() }
}

fn assistant(content: &str) -> ChatMessage {
    ChatMessage::Assistant { content: Some(content.to_owned()), tool_calls: Vec::new() }
}

fn tool(content: &str) -> ChatMessage {
    ChatMessage::Tool { tool_call_id: "c".to_owned(), content: content.to_owned() }
}

/// Two pairs of which the second has a replayed result of about `replayed` tokens.
fn past(replayed: usize) -> (Vec<ChatMessage>, PastShape) {
    let words = "word ".repeat(80);
    let messages =
        vec![user(&words), assistant(&words), user("q2"), tool(&"word ".repeat(replayed)), assistant("a2")];
    (messages, PastShape { before_question: 5, replay: 3..4 })
}

fn kept(replayed: usize, window: Option<u64>) -> Option<Vec<ChatMessage>> {
    let (messages, shape) = past(replayed);
    let trim = turn().context_refused(&messages, &shape, &[user("q3")], window)?;
    Some(trimmed(&messages, &shape, trim))
}

#[test]
fn the_replayed_exchange_goes_first() {
    let (messages, _) = past(1000);
    let without_replay = [messages[..3].to_vec(), messages[4..].to_vec()].concat();
    assert_eq!(kept(1000, None), Some(without_replay));
}

#[test]
fn then_the_oldest_whole_pairs_until_the_stated_window_fits() {
    assert_eq!(kept(1000, Some(100)), Some(vec![user("q2"), assistant("a2")]));
    assert_eq!(kept(1000, Some(1)), Some(vec![]));
}

#[test]
fn it_is_tried_once_a_turn_and_only_when_there_is_something_to_leave_away() {
    let (messages, shape) = past(1);
    let mut policy = turn();
    assert!(policy.context_refused(&messages, &shape, &[], None).is_some());
    assert_eq!(policy.context_refused(&messages, &shape, &[], None), None);
    assert_eq!(turn().context_refused(&[], &PastShape::default(), &[user("q")], None), None);
}

#[test]
fn a_past_that_should_fit_by_our_count_still_loses_its_oldest_pair() {
    let messages = [user("q1"), assistant("a1"), user("q2"), assistant("a2")];
    let shape = PastShape { before_question: 4, replay: 0..0 };
    let trim = turn().context_refused(&messages, &shape, &[user("q3")], Some(1_000_000)).unwrap();
    assert_eq!(trimmed(&messages, &shape, trim), messages[2..]);
}
