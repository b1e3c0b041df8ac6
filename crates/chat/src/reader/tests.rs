use attest_agent::TurnSink;
use attest_domain::{ConversationId, MessageId, TurnId};
use attest_protocol::ErrorCode;
use attest_protocol::frame::{Delta, ErrorFrame, Snapshot};
use futures::FutureExt;

use super::*;
use crate::live::Publisher;

fn turn() -> (Arc<LiveTurn>, Publisher) {
    LiveTurn::begin(ConversationId::new(), MessageId::new(), TurnId::new())
}

fn delta(text: &str) -> Frame {
    Frame::Delta(Delta { text: text.to_owned() })
}

fn failed() -> Frame {
    Frame::Error(ErrorFrame {
        error: "The model went silent.".to_owned(),
        code: ErrorCode::Stalled,
        retryable: true,
        retry_after: None,
        answer_id: None,
    })
}

async fn all(reader: Reader) -> Vec<(u64, Frame)> {
    reader.map(|numbered| (numbered.id.seq, (*numbered.frame).clone())).collect().await
}

/// What is there without waiting.
fn ready(reader: &mut Reader) -> Vec<(u64, Frame)> {
    std::iter::from_fn(|| reader.next().now_or_never().flatten())
        .map(|numbered| (numbered.id.seq, (*numbered.frame).clone()))
        .collect()
}

fn live(seq: u64) -> (u64, Frame) {
    (seq, Frame::Live(LiveMark { seq }))
}

#[tokio::test]
async fn the_asker_gets_every_frame_once_with_numbers_from_one() {
    let (turn, publisher) = turn();
    let mut reader = Reader::from_beginning(turn);
    publisher.publish(delta("a"));
    assert_eq!(ready(&mut reader), [(1, delta("a"))]);
    publisher.publish(delta("b"));
    publisher.finish(failed());
    assert_eq!(all(reader).await, [(2, delta("b")), (3, failed())]);
}

#[tokio::test]
async fn a_cursor_gets_what_came_after_it_then_the_mark_then_the_tail() {
    let (turn, publisher) = turn();
    for text in ["a", "b", "c"] {
        publisher.publish(delta(text));
    }
    for cursor in 0..=3 {
        let mut reader = Reader::after(Arc::clone(&turn), cursor);
        let mut expected: Vec<_> =
            (1..).zip(["a", "b", "c"].map(delta)).filter(|(seq, _)| *seq > cursor).collect();
        expected.push(live(3));
        assert_eq!(ready(&mut reader), expected, "cursor {cursor}");
    }
    let reader = Reader::after(turn, 1);
    publisher.publish(delta("d"));
    publisher.finish(failed());
    assert_eq!(
        all(reader).await,
        [(2, delta("b")), (3, delta("c")), live(3), (4, delta("d")), (5, failed())]
    );
}

#[tokio::test]
async fn a_reader_without_a_cursor_gets_a_snapshot_that_carries_the_last_number() {
    let (turn, publisher) = turn();
    publisher.publish(delta("Hel"));
    publisher.publish(delta("lo"));
    let reader = Reader::from_snapshot(Arc::clone(&turn));
    publisher.publish(delta("!"));
    publisher.finish(failed());
    let snapshot = Snapshot {
        turn_id: turn.turn_id(),
        conversation_id: turn.transcript().conversation_id(),
        question_id: turn.transcript().question_id(),
        content: "Hello".to_owned(),
        steps: Vec::new(),
        sources: Vec::new(),
        seq: 2,
    };
    assert_eq!(all(reader).await, [(2, Frame::Snapshot(snapshot)), live(2), (3, delta("!")), (4, failed())]);
}

#[tokio::test]
async fn a_snapshot_of_a_turn_that_has_ended_leaves_the_terminal_to_come() {
    let (turn, publisher) = turn();
    publisher.publish(delta("a"));
    publisher.finish(failed());
    let frames = all(Reader::from_snapshot(turn)).await;
    assert_eq!(
        frames.iter().map(|(seq, frame)| (*seq, frame.event())).collect::<Vec<_>>(),
        [(1, "snapshot"), (1, "live"), (2, "error")]
    );
}

#[tokio::test]
async fn a_reader_that_falls_far_behind_gets_one_snapshot_and_loses_nothing() {
    let (turn, publisher) = turn();
    let mut reader = Reader::from_beginning(Arc::clone(&turn));
    publisher.publish(delta("x"));
    assert_eq!(ready(&mut reader).len(), 1);
    for _ in 0..FAR_BEHIND + 10 {
        publisher.publish(delta("y"));
    }
    let mut fold = Transcript::new(ConversationId::new(), MessageId::new(), TurnId::new());
    fold.apply(1, &delta("x"));
    let frames = ready(&mut reader);
    assert_eq!(frames.len(), 1);
    assert_eq!(frames[0].1.event(), "snapshot");
    publisher.publish(delta("z"));
    publisher.finish(failed());
    for (seq, frame) in frames.into_iter().chain(all(reader).await) {
        fold.apply(seq, &frame);
    }
    assert_eq!((fold.content(), fold.seq()), (turn.transcript().content(), turn.newest()));
}

#[tokio::test]
async fn nothing_is_said_after_the_terminal() {
    let (turn, publisher) = turn();
    let announcer = publisher.announcer();
    publisher.finish(failed());
    announcer.delta("late");
    assert_eq!(turn.newest(), 1);
}

#[tokio::test]
async fn a_publisher_that_is_lost_still_ends_its_turn() {
    let (turn, publisher) = turn();
    publisher.publish(delta("a"));
    drop(publisher);
    let frames = all(Reader::from_beginning(turn)).await;
    assert_eq!(frames.last().map(|(seq, frame)| (*seq, frame.event())), Some((2, "error")));
}

#[tokio::test]
async fn a_step_stands_at_the_length_in_utf16_units() {
    let (turn, publisher) = turn();
    let announcer = publisher.announcer();
    announcer.delta("😀 a\0b");
    announcer.step(
        "search_chunks",
        &attest_tools::StepText {
            kind: attest_protocol::frame::StepKind::Search,
            label: "Searched".to_owned(),
            detail: String::new(),
            count: None,
        },
    );
    let transcript = turn.transcript();
    assert_eq!((transcript.content(), transcript.steps()[0].at), ("😀 ab", 5));
}

#[tokio::test]
async fn reasoning_is_told_to_those_who_ask_and_counts_for_nothing() {
    let (turn, publisher) = turn();
    let announcer = publisher.announcer();
    let (curious, plain) =
        (Reader::from_beginning(Arc::clone(&turn)), Reader::from_beginning(Arc::clone(&turn)));
    let mut curious = curious.with_reasoning();
    announcer.reasoning("Look it up.");
    assert_eq!(curious.next().await, Some(Told::Reasoning("Look it up.".into())));
    announcer.delta("a");
    publisher.finish(failed());
    let rest: Vec<Told> = curious.collect().await;
    let events: Vec<&str> = rest
        .iter()
        .map(|told| match told {
            Told::Frame(numbered) => numbered.frame.event(),
            Told::Reasoning(_) => "reasoning",
        })
        .collect();
    assert_eq!(events, ["delta", "error"]);
    assert_eq!(all(plain).await, [(1, delta("a")), (2, failed())]);
}
