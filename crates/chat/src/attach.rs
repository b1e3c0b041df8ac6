//! Coming back to a conversation: what runs, what was missed, or that there is nothing more.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use attest_domain::{ConversationId, KbId, Principal, TurnId};
use attest_protocol::frame::{Idle, LiveMark, Snapshot};
use attest_protocol::{EventId, Frame};
use attest_store::{StoreError, StoredMessage, StoredTurn};
use futures::StreamExt;

use crate::error::ChatError;
use crate::hub::Entry;
use crate::reader::{Numbered, Reader};
use crate::service::ChatService;

/// How often a turn that runs in another process is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// How long a turn of this process may be stored and not be followable yet: it is right after its commit.
const START: Duration = Duration::from_secs(1);

/// The answer to a reader that comes back.
pub enum Attachment {
    /// Frames.
    Stream(Reader),
    /// Nothing that the reader does not hold already, and nothing runs: 204, which tells a browser to stop asking.
    NothingMore,
}

impl ChatService {
    /// Attaches a reader to a conversation: with a cursor, to what came after it; without one, to what runs now.
    ///
    /// # Errors
    /// [`ChatError::NotFound`] for a conversation that is not the caller's; [`ChatError::Store`].
    pub async fn attach(
        &self,
        principal: &Principal,
        kb_id: KbId,
        conversation: ConversationId,
        cursor: Option<EventId>,
    ) -> Result<Attachment, ChatError> {
        let store = &self.0.store;
        store.find_conversation(kb_id, principal, conversation).await?.ok_or(ChatError::CONVERSATION)?;
        let Some(last) = store.find_last_turn(conversation).await? else {
            return Ok(Attachment::NothingMore);
        };
        let last = self.settled(last).await?;
        if let Some(entry) = self.find_entry(&last).await
            && !entry.live.has_ended()
        {
            return Ok(Attachment::Stream(follow(entry, cursor)));
        }
        if last.ended_at.is_none() {
            return Ok(Attachment::Stream(self.follow_elsewhere(last)));
        }
        match cursor {
            Some(cursor) if cursor.turn_id == last.id => self.after_the_end(last, cursor.seq).await,
            Some(cursor) => match self.ended_turn(principal, kb_id, conversation, cursor.turn_id).await? {
                Some(turn) => self.after_the_end(turn, cursor.seq).await,
                None => Ok(Attachment::Stream(idle(&last, self.stored_answer(&last).await?.as_ref()))),
            },
            None => Ok(Attachment::Stream(idle(&last, self.stored_answer(&last).await?.as_ref()))),
        }
    }

    /// Stops a turn, if it runs here. A turn that came after it is never touched.
    ///
    /// # Errors
    /// [`ChatError::NotFound`] for a conversation that is not the caller's; [`ChatError::Store`].
    pub async fn stop(
        &self,
        principal: &Principal,
        kb_id: KbId,
        conversation: ConversationId,
        turn_id: TurnId,
    ) -> Result<bool, ChatError> {
        let found = self.0.store.find_conversation(kb_id, principal, conversation).await?;
        found.ok_or(ChatError::CONVERSATION)?;
        match self.0.hub.find(conversation, turn_id) {
            Some(entry) if !entry.live.has_ended() => {
                entry.stop.cancel();
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// The turn's frames, if they are here. A turn that this process has stored and not started yet is waited for:
    /// taken for one of another process, its reader would get nothing before its end.
    async fn find_entry(&self, turn: &StoredTurn) -> Option<Entry> {
        let starting = turn.ended_at.is_none() && turn.owner == self.0.options.owner;
        let give_up_at = tokio::time::Instant::now() + START;
        loop {
            match self.0.hub.find(turn.conversation_id, turn.id) {
                None if starting && tokio::time::Instant::now() < give_up_at => {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                found => return found,
            }
        }
    }

    /// Ends a turn that nobody runs any more, and reads it again.
    async fn settled(&self, turn: StoredTurn) -> Result<StoredTurn, ChatError> {
        if turn.ended_at.is_some() || turn.running {
            return Ok(turn);
        }
        self.0.store.end_expired_turns(self.0.clock.now(), 100).await?;
        Ok(self.0.store.find_last_turn(turn.conversation_id).await?.unwrap_or(turn))
    }

    async fn ended_turn(
        &self,
        principal: &Principal,
        kb_id: KbId,
        conversation: ConversationId,
        turn_id: TurnId,
    ) -> Result<Option<StoredTurn>, StoreError> {
        let turn = self.0.store.find_turn(kb_id, principal, turn_id).await?;
        Ok(turn.filter(|turn| turn.conversation_id == conversation && turn.ended_at.is_some()))
    }

    /// What a reader misses of a turn that has ended, through its terminal.
    async fn after_the_end(&self, turn: StoredTurn, seq: u64) -> Result<Attachment, ChatError> {
        if seq == turn.terminal_seq {
            return Ok(Attachment::NothingMore);
        }
        if let Some(entry) = self.0.hub.find(turn.conversation_id, turn.id)
            && entry.live.has_ended()
            && seq < turn.terminal_seq
        {
            return Ok(Attachment::Stream(Reader::after(entry.live, seq)));
        }
        let answer = self.stored_answer(&turn).await?;
        Ok(Attachment::Stream(Reader::fixed(turn.id, from_store(&turn, answer))))
    }

    async fn stored_answer(&self, turn: &StoredTurn) -> Result<Option<StoredMessage>, StoreError> {
        match turn.answer_id {
            Some(id) => self.0.store.find_message(id).await,
            None => Ok(None),
        }
    }

    /// A turn of another process: its frames are not here, so its end is waited for and given whole.
    fn follow_elsewhere(&self, turn: StoredTurn) -> Reader {
        let (service, turn_id) = (self.clone(), turn.id);
        let reader = futures::stream::once(async move { service.wait_for_the_end(turn).await });
        Reader::later(turn_id, reader.flatten())
    }

    async fn wait_for_the_end(&self, mut turn: StoredTurn) -> Reader {
        let nothing = Reader::fixed(turn.id, Vec::new());
        loop {
            // A turn that begins here is in the database a moment before it can be followed.
            if let Some(entry) = self.0.hub.find(turn.conversation_id, turn.id) {
                return Reader::from_snapshot(entry.live);
            }
            if turn.ended_at.is_some() {
                match self.stored_answer(&turn).await {
                    Ok(answer) => return Reader::fixed(turn.id, from_store(&turn, answer)),
                    Err(error) => {
                        tracing::debug!(error = &error as &dyn Error, "An answer cannot be read yet")
                    }
                }
            }
            tokio::select! {
                () = self.0.draining.cancelled() => return nothing,
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            match self.0.store.find_last_turn(turn.conversation_id).await {
                Ok(Some(last)) if last.id == turn.id => {
                    turn = self.settled(last.clone()).await.unwrap_or(last);
                }
                Ok(_) => return nothing,
                Err(error) => tracing::debug!(error = &error as &dyn Error, "A turn cannot be looked at yet"),
            }
        }
    }
}

/// A cursor of another turn while one runs is no cursor, and neither is one that this turn has not come to.
fn follow(entry: Entry, cursor: Option<EventId>) -> Reader {
    let live = Arc::clone(&entry.live);
    match cursor {
        Some(cursor) if cursor.turn_id == live.turn_id() && cursor.seq <= live.newest() => {
            Reader::after(live, cursor.seq)
        }
        _ => Reader::from_snapshot(live),
    }
}

/// Nothing runs. The id is that of the last turn's terminal, so that a browser that asks again gets its 204.
fn idle(last: &StoredTurn, answer: Option<&StoredMessage>) -> Reader {
    let id = EventId { turn_id: last.id, seq: last.terminal_seq };
    let frame = Frame::Idle(Idle { turn_id: Some(last.id), finish: answer.and_then(|a| a.finish) });
    Reader::fixed(last.id, vec![Numbered { id, frame: frame.into() }])
}

/// A turn whose frames are gone: everything before the terminal as one snapshot, the mark, then the terminal.
fn from_store(turn: &StoredTurn, answer: Option<StoredMessage>) -> Vec<Numbered> {
    let seq = turn.terminal_seq.saturating_sub(1);
    let (content, steps, sources) = answer.map(|a| (a.content, a.steps, a.sources)).unwrap_or_default();
    let snapshot = Snapshot {
        turn_id: turn.id,
        conversation_id: turn.conversation_id,
        question_id: turn.question_id,
        content,
        steps,
        sources,
        seq,
    };
    let before = EventId { turn_id: turn.id, seq };
    let numbered = |id, frame: Frame| Numbered { id, frame: frame.into() };
    let mut frames =
        vec![numbered(before, Frame::Snapshot(snapshot)), numbered(before, Frame::Live(LiveMark { seq }))];
    if let Some(terminal) = &turn.terminal {
        frames.push(numbered(EventId { turn_id: turn.id, seq: turn.terminal_seq }, terminal.clone()));
    }
    frames
}
