//! A whole turn as a reader got it, and the rules that every turn keeps.

use std::collections::BTreeSet;

use attest_domain::text::utf16_len;
use attest_domain::{ConversationId, MessageId, TurnId};
use attest_protocol::frame::{ConversationFrame, Done, ErrorFrame, Source, Step};
use attest_protocol::{EventId, Frame, Transcript};

use super::client::Received;

/// The frames of one turn, from the first to the terminal.
#[derive(Clone, Debug)]
pub struct Turn {
    frames: Vec<Received>,
    head: ConversationFrame,
}

impl Turn {
    /// Checks what every turn keeps: `conversation` first, ids from 1 without gaps, exactly one terminal frame and it
    /// last, no empty delta, and `at` the length of the words so far.
    ///
    /// # Panics
    /// When a rule is broken.
    #[must_use]
    pub fn of(frames: Vec<Received>) -> Self {
        let Some(Frame::Conversation(head)) = frames.first().map(|first| first.frame.clone()) else {
            panic!("a turn begins with `conversation`: {frames:#?}");
        };
        let expected: Vec<EventId> =
            (1..).take(frames.len()).map(|seq| EventId { turn_id: head.turn_id, seq }).collect();
        let ids: Vec<EventId> = frames.iter().map(|received| received.id).collect();
        assert_eq!(ids, expected, "ids count from 1 without gaps");
        let terminals: Vec<usize> = (0..frames.len()).filter(|n| frames[*n].frame.is_terminal()).collect();
        assert_eq!(terminals, [frames.len() - 1], "exactly one terminal frame, and it is last: {frames:#?}");
        let turn = Self { frames, head };
        let mut content = String::new();
        for received in &turn.frames {
            match &received.frame {
                Frame::Delta(delta) => {
                    assert!(!delta.text.is_empty(), "an empty delta: {:?}", received.id);
                    content.push_str(&delta.text);
                }
                Frame::Step(step) => assert_eq!(step.at, utf16_len(&content), "`at` of {step:?}"),
                _ => {}
            }
        }
        turn
    }

    /// Checks that every number is listed in `sources` before the words cite it. (An answer that keeps the sources of
    /// the last one gets them after its words: only they tell that it does.)
    ///
    /// # Panics
    /// When one is cited first.
    pub fn assert_sources_before_citations(&self) {
        let (mut content, mut listed) = (String::new(), BTreeSet::new());
        for received in &self.frames {
            match &received.frame {
                Frame::Delta(delta) => {
                    content.push_str(&delta.text);
                    let early: Vec<u32> =
                        cited(&content).into_iter().filter(|n| !listed.contains(n)).collect();
                    assert!(early.is_empty(), "{early:?} are cited before `sources` lists them: {content:?}");
                }
                Frame::Sources(sources) => listed = sources.iter().map(|source| source.n).collect(),
                _ => {}
            }
        }
    }

    /// All frames.
    #[must_use]
    pub fn frames(&self) -> &[Received] {
        &self.frames
    }

    /// The conversation.
    #[must_use]
    pub const fn conversation_id(&self) -> ConversationId {
        self.head.id
    }

    /// The question.
    #[must_use]
    pub const fn question_id(&self) -> MessageId {
        self.head.question_id
    }

    /// The turn.
    #[must_use]
    pub const fn turn_id(&self) -> TurnId {
        self.head.turn_id
    }

    /// The title, where the turn named one.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.head.title.as_deref()
    }

    /// The id of the terminal frame.
    #[must_use]
    pub fn last_id(&self) -> EventId {
        EventId { turn_id: self.head.turn_id, seq: self.frames.len() as u64 }
    }

    /// What the frames add up to.
    #[must_use]
    pub fn transcript(&self) -> Transcript {
        fold(&self.frames)
    }

    /// The words.
    #[must_use]
    pub fn content(&self) -> String {
        self.transcript().content().to_owned()
    }

    /// The last list of sources.
    #[must_use]
    pub fn sources(&self) -> Vec<Source> {
        self.transcript().sources().to_vec()
    }

    /// The steps.
    #[must_use]
    pub fn steps(&self) -> Vec<Step> {
        self.transcript().steps().to_vec()
    }

    /// The numbers that the words cite.
    #[must_use]
    pub fn cited(&self) -> BTreeSet<u32> {
        cited(&self.content())
    }

    /// The sources that the words cite.
    #[must_use]
    pub fn cited_sources(&self) -> Vec<Source> {
        let cited = self.cited();
        self.sources().into_iter().filter(|source| cited.contains(&source.n)).collect()
    }

    /// How it ended well.
    ///
    /// # Panics
    /// When it failed.
    pub fn done(&self) -> Done {
        match &self.frames[self.frames.len() - 1].frame {
            Frame::Done(done) => done.clone(),
            other => panic!("the turn failed: {other:?}"),
        }
    }

    /// How it failed.
    ///
    /// # Panics
    /// When it did not.
    pub fn error(&self) -> ErrorFrame {
        match &self.frames[self.frames.len() - 1].frame {
            Frame::Error(error) => error.clone(),
            other => panic!("the turn did not fail: {other:?}, {:?}", self.content()),
        }
    }

    /// The names of the frames in order, repeated ones once.
    #[must_use]
    pub fn events(&self) -> Vec<&'static str> {
        let mut events: Vec<&'static str> = self.frames.iter().map(|r| r.frame.event()).collect();
        events.dedup();
        events
    }
}

/// What frames add up to, whatever the first of them is.
#[must_use]
pub fn fold(frames: &[Received]) -> Transcript {
    let nobody = |turn_id| {
        let nil = uuid::Uuid::nil();
        Transcript::new(ConversationId::from_uuid(nil), MessageId::from_uuid(nil), turn_id)
    };
    let turn_id = frames.first().map_or(TurnId::from_uuid(uuid::Uuid::nil()), |first| first.id.turn_id);
    frames.iter().fold(nobody(turn_id), |mut transcript, received| {
        transcript.apply(received.id.seq, &received.frame);
        transcript
    })
}

/// Every `[n]` of a text.
fn cited(text: &str) -> BTreeSet<u32> {
    text.split('[')
        .skip(1)
        .filter_map(|rest| rest.split_once(']'))
        .filter_map(|(number, _)| number.parse().ok())
        .collect()
}
