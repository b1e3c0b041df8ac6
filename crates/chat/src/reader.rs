//! Following a turn.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use attest_domain::{ConversationId, MessageId, TurnId};
use attest_protocol::frame::LiveMark;
use attest_protocol::view::FoldedTurn;
use attest_protocol::{EventId, Frame, Transcript};
use futures::{Stream, StreamExt};
use tokio::sync::{broadcast, watch};

use crate::live::LiveTurn;

/// Frames taken from the turn at once.
const BATCH: usize = 64;
/// A reader this many frames behind is given a snapshot instead of them.
const FAR_BEHIND: u64 = 8_192;

/// A frame and the id under which a reader can ask to go on after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbered {
    /// The event id.
    pub id: EventId,
    /// The frame.
    pub frame: Arc<Frame>,
}

/// What a reader that asked for reasoning is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// A frame, numbered and kept.
    Frame(Numbered),
    /// A piece of the model's reasoning: without a number, kept nowhere, and lost to a reader that is slow or away.
    Reasoning(Arc<str>),
}

/// A stream of frames. It ends after the terminal frame, or after `idle`. Dropping it changes nothing for the turn.
pub struct Reader {
    turn_id: TurnId,
    frames: Pin<Box<dyn Stream<Item = Numbered> + Send>>,
    thoughts: Option<broadcast::Receiver<Arc<str>>>,
}

impl Reader {
    /// Frames that are known already.
    pub(crate) fn fixed(turn_id: TurnId, frames: Vec<Numbered>) -> Self {
        Self { turn_id, frames: Box::pin(futures::stream::iter(frames)), thoughts: None }
    }

    /// Frames that become known later.
    pub(crate) fn later(turn_id: TurnId, frames: impl Stream<Item = Numbered> + Send + 'static) -> Self {
        Self { turn_id, frames: Box::pin(frames), thoughts: None }
    }

    /// The frames of a turn from its first, as the asker gets them.
    pub(crate) fn from_beginning(live: Arc<LiveTurn>) -> Self {
        Self::following(Follower::new(live, 0, None))
    }

    /// The frames after a cursor, the mark where replay ends, then the tail.
    pub(crate) fn after(live: Arc<LiveTurn>, seq: u64) -> Self {
        let mark = live.newest();
        Self::following(Follower::new(live, seq, Some(mark)))
    }

    /// A snapshot, the mark, then the tail.
    pub(crate) fn from_snapshot(live: Arc<LiveTurn>) -> Self {
        let snapshot = live.snapshot();
        let seq = snapshot.seq;
        let mut follower = Follower::new(live, seq, Some(seq));
        follower.ready.push_back(Frame::Snapshot(snapshot).into());
        follower.ready_seq = Some(seq);
        Self::following(follower)
    }

    fn following(follower: Follower) -> Self {
        let turn_id = follower.turn_id;
        let thoughts = Some(follower.live.hear_thoughts());
        let frames = futures::stream::unfold(follower, |mut follower| async move {
            follower.next().await.map(|numbered| (numbered, follower))
        });
        Self { turn_id, frames: Box::pin(frames), thoughts }
    }

    /// The frames, and between them the model's reasoning as far as it is heard: only on the server that runs the
    /// turn. It ends with the frames.
    pub fn with_reasoning(mut self) -> impl Stream<Item = Told> + Send + Unpin {
        let thoughts = self.thoughts.take();
        Box::pin(futures::stream::unfold((self, thoughts), |(mut frames, mut thoughts)| async move {
            loop {
                // Frames first: reasoning never holds one up.
                let thought = tokio::select! {
                    biased;
                    frame = frames.next() => return frame.map(|frame| (Told::Frame(frame), (frames, thoughts))),
                    thought = next_thought(&mut thoughts) => thought,
                };
                match thought {
                    Some(text) => return Some((Told::Reasoning(text), (frames, thoughts))),
                    None => thoughts = None,
                }
            }
        }))
    }

    /// The turn that is followed.
    #[must_use]
    pub const fn turn_id(&self) -> TurnId {
        self.turn_id
    }

    /// Waits for the end and folds the frames into one answer.
    pub async fn fold(mut self) -> FoldedTurn {
        let mut transcript = Transcript::new(
            ConversationId::from_uuid(uuid::Uuid::nil()),
            MessageId::from_uuid(uuid::Uuid::nil()),
            self.turn_id,
        );
        while let Some(Numbered { id, frame }) = self.next().await {
            transcript.apply(id.seq, &frame);
        }
        transcript.into_folded()
    }
}

impl Stream for Reader {
    type Item = Numbered;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Numbered>> {
        self.frames.as_mut().poll_next(cx)
    }
}

/// The next piece of reasoning; `None` when there will be no more, and never when nobody listens.
async fn next_thought(thoughts: &mut Option<broadcast::Receiver<Arc<str>>>) -> Option<Arc<str>> {
    let Some(receiver) = thoughts else { return std::future::pending().await };
    loop {
        match receiver.recv().await {
            Ok(text) => return Some(text),
            Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => return None,
        }
    }
}

/// Where one reader stands in one turn.
struct Follower {
    live: Arc<LiveTurn>,
    turn_id: TurnId,
    changes: watch::Receiver<u64>,
    ready: VecDeque<Arc<Frame>>,
    /// The number of a snapshot that stands first in `ready`.
    ready_seq: Option<u64>,
    /// The number of the last frame that went out.
    seq: u64,
    /// Where replay ends, until the mark has gone out.
    mark: Option<u64>,
    ended: bool,
}

impl Follower {
    fn new(live: Arc<LiveTurn>, seq: u64, mark: Option<u64>) -> Self {
        let (turn_id, changes) = (live.turn_id(), live.subscribe());
        Self { live, turn_id, changes, ready: VecDeque::new(), ready_seq: None, seq, mark, ended: false }
    }

    async fn next(&mut self) -> Option<Numbered> {
        if self.ended {
            return None;
        }
        loop {
            if let Some(seq) = self.ready_seq.take()
                && let Some(snapshot) = self.ready.pop_front()
            {
                self.seq = seq;
                return Some(self.numbered(snapshot));
            }
            if self.mark.is_some_and(|mark| self.seq >= mark) {
                self.mark = None;
                return Some(self.numbered(Arc::new(Frame::Live(LiveMark { seq: self.seq }))));
            }
            if let Some(frame) = self.ready.pop_front() {
                self.seq += 1;
                self.ended = frame.is_terminal();
                return Some(self.numbered(frame));
            }
            let newest = *self.changes.borrow_and_update();
            if newest.saturating_sub(self.seq) > FAR_BEHIND {
                let snapshot = self.live.snapshot();
                self.ready_seq = Some(snapshot.seq);
                self.ready.push_back(Frame::Snapshot(snapshot).into());
            } else if newest > self.seq {
                self.ready.extend(self.live.frames_after(self.seq, BATCH));
            } else if self.changes.changed().await.is_err() {
                return None;
            }
        }
    }

    fn numbered(&self, frame: Arc<Frame>) -> Numbered {
        Numbered { id: EventId { turn_id: self.turn_id, seq: self.seq }, frame }
    }
}

#[cfg(test)]
mod tests;
