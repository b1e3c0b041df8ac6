//! The frames of one turn, numbered once, in memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use attest_agent::TurnSink;
use attest_domain::text::without_nul;
use attest_domain::{ConversationId, MessageId, TurnId};
use attest_protocol::frame::{Delta, Snapshot, Source, Step};
use attest_protocol::{Frame, Transcript};
use attest_tools::StepText;
use tokio::sync::{broadcast, watch};

/// Pieces of reasoning that a slow reader may be behind; older ones are lost to it, and that is fine.
const THOUGHTS: usize = 256;

/// A turn that can be followed: every frame so far, and a signal for each new one. The lock is held for moments
/// and never across an await; readers take what they miss at their own pace, so no reader slows a turn.
pub(crate) struct LiveTurn {
    state: Mutex<State>,
    newest: watch::Sender<u64>,
    thoughts: broadcast::Sender<Arc<str>>,
}

struct State {
    transcript: Transcript,
    frames: Vec<Arc<Frame>>,
}

impl State {
    fn push(&mut self, frame: Frame) -> Option<u64> {
        if self.transcript.ending().is_some() {
            return None;
        }
        let seq = self.transcript.seq() + 1;
        self.transcript.apply(seq, &frame);
        self.frames.push(Arc::new(frame));
        Some(seq)
    }
}

impl LiveTurn {
    /// A turn of which nothing has been said, and the one publisher of its frames.
    pub(crate) fn begin(
        conversation_id: ConversationId,
        question_id: MessageId,
        turn_id: TurnId,
    ) -> (Arc<Self>, Publisher) {
        let transcript = Transcript::new(conversation_id, question_id, turn_id);
        let state = Mutex::new(State { transcript, frames: Vec::new() });
        let live = Arc::new(Self {
            state,
            newest: watch::Sender::new(0),
            thoughts: broadcast::Sender::new(THOUGHTS),
        });
        (Arc::clone(&live), Publisher { live })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, make: impl FnOnce(&Transcript) -> Frame) {
        let newest = {
            let mut state = self.state();
            let frame = make(&state.transcript);
            state.push(frame)
        };
        if let Some(seq) = newest {
            self.newest.send_replace(seq);
        }
    }

    /// The frames after number `after`, at most `limit`, with the number of the first.
    pub(crate) fn frames_after(&self, after: u64, limit: usize) -> Vec<Arc<Frame>> {
        let state = self.state();
        let from = usize::try_from(after).unwrap_or(usize::MAX).min(state.frames.len());
        let to = state.frames.len().min(from.saturating_add(limit));
        state.frames[from..to].to_vec()
    }

    /// The number of the newest frame.
    pub(crate) fn newest(&self) -> u64 {
        *self.newest.borrow()
    }

    /// Wakes for each new frame.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.newest.subscribe()
    }

    /// Hears the model's reasoning from now on.
    pub(crate) fn hear_thoughts(&self) -> broadcast::Receiver<Arc<str>> {
        self.thoughts.subscribe()
    }

    /// Everything so far as one frame. Of a turn that has ended: everything before its terminal frame.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let state = self.state();
        let mut snapshot = state.transcript.snapshot();
        if state.transcript.ending().is_some() {
            snapshot.seq -= 1;
        }
        snapshot
    }

    /// True once the terminal frame is out.
    pub(crate) fn has_ended(&self) -> bool {
        self.state().transcript.ending().is_some()
    }

    /// What the frames so far add up to.
    pub(crate) fn transcript(&self) -> Transcript {
        self.state().transcript.clone()
    }

    pub(crate) fn turn_id(&self) -> TurnId {
        self.state().transcript.turn_id()
    }
}

/// The agent's way into a turn. What it says after the end is lost, by design.
pub(crate) struct Announcer(pub(crate) Arc<LiveTurn>);

impl TurnSink for Announcer {
    fn delta(&self, text: &str) {
        let text = without_nul(text);
        if !text.is_empty() {
            self.0.publish(|_| Frame::Delta(Delta { text: text.into_owned() }));
        }
    }

    fn step(&self, tool: &str, step: &StepText) {
        self.0.publish(|transcript| {
            Frame::Step(Step {
                kind: step.kind,
                tool: tool.to_owned(),
                label: step.label.clone(),
                detail: step.detail.clone(),
                at: transcript.content_utf16(),
                count: step.count,
            })
        });
    }

    fn reasoning(&self, text: &str) {
        // Nobody listening is the usual case, and no error.
        if self.0.thoughts.receiver_count() > 0 {
            let _ = self.0.thoughts.send(without_nul(text).into());
        }
    }

    fn sources(&self, sources: &[Source]) {
        self.0.publish(|_| Frame::Sources(sources.to_vec()));
    }
}

/// Publishes the frames of one turn. The terminal one consumes it, so that there is exactly one and it is last.
pub(crate) struct Publisher {
    live: Arc<LiveTurn>,
}

impl Publisher {
    /// Publishes a frame that is not terminal.
    pub(crate) fn publish(&self, frame: Frame) {
        debug_assert!(!frame.is_terminal(), "a terminal frame goes through finish");
        self.live.publish(|_| frame);
    }

    /// Publishes the terminal frame.
    pub(crate) fn finish(self, terminal: Frame) {
        debug_assert!(terminal.is_terminal(), "only a terminal frame ends a turn");
        self.live.publish(|_| terminal);
    }

    /// Where the agent announces what happens.
    pub(crate) fn announcer(&self) -> Announcer {
        Announcer(Arc::clone(&self.live))
    }

    /// What has been published.
    pub(crate) fn transcript(&self) -> Transcript {
        self.live.transcript()
    }
}

impl Drop for Publisher {
    /// A turn that is lost (a panic above) still ends for its readers.
    fn drop(&mut self) {
        if !self.live.has_ended() {
            self.live.publish(|_| crate::finish::lost_frame());
        }
    }
}
