use proptest::prelude::*;

use super::*;
use crate::code::ErrorCode;
use crate::frame::{Delta, StepKind};

fn fold(start: Transcript, frames: &[(u64, Frame)]) -> Transcript {
    frames.iter().fold(start, |mut transcript, (seq, frame)| {
        transcript.apply(*seq, frame);
        transcript
    })
}

fn frames() -> impl Strategy<Value = Vec<Frame>> {
    let step = ("[a-z]{1,8}", any::<u8>()).prop_map(|(tool, at)| {
        Frame::Step(Step {
            kind: StepKind::Search,
            label: format!("Used {tool}"),
            tool,
            detail: String::new(),
            at: u64::from(at),
            count: None,
        })
    });
    let sources = any::<bool>().prop_map(|_| Frame::Sources(Vec::new()));
    let delta = "\\PC{0,12}".prop_map(|text| Frame::Delta(Delta { text }));
    prop::collection::vec(prop_oneof![3 => delta, 1 => step, 1 => sources], 0..20).prop_map(|mut frames| {
        frames.push(Frame::Error(ErrorFrame {
            error: "The model went silent.".into(),
            code: ErrorCode::Stalled,
            retryable: true,
            retry_after: None,
            answer_id: None,
        }));
        frames
    })
}

proptest! {
    #[test]
    fn a_snapshot_at_any_cut_and_the_rest_are_the_whole(frames in frames()) {
        let numbered: Vec<(u64, Frame)> = (1..).zip(frames).collect();
        let new = || Transcript::new(ConversationId::new(), MessageId::new(), TurnId::new());
        let start = new();
        let whole = fold(start.clone(), &numbered);
        for cut in 0..numbered.len() {
            let head = fold(start.clone(), &numbered[..cut]);
            let mut reader = new();
            reader.apply(head.seq(), &Frame::Snapshot(head.snapshot()));
            prop_assert_eq!(fold(reader, &numbered[cut..]), whole.clone());
        }
    }

    #[test]
    fn the_length_is_counted_as_a_browser_counts(texts in prop::collection::vec("\\PC{0,8}", 0..6)) {
        let mut transcript = Transcript::new(ConversationId::new(), MessageId::new(), TurnId::new());
        for (seq, text) in (1..).zip(&texts) {
            transcript.apply(seq, &Frame::Delta(Delta { text: text.clone() }));
        }
        prop_assert_eq!(transcript.content_utf16(), texts.concat().encode_utf16().count() as u64);
    }
}
