//! Conversations and turns as clients see them.

use attest_domain::text::without_nul;
use attest_domain::{ConversationId, KbId, Principal, TurnId};
use attest_protocol::Frame;
use attest_protocol::view::{
    ConversationPage, ConversationSummary, ConversationView, MessageView, TurnState, TurnView,
};
use attest_store::{DeleteConversationError, StoredConversation, StoredMessage, StoredTurn};
use time::OffsetDateTime;

use crate::error::ChatError;
use crate::service::ChatService;

/// The most characters of a title.
const TITLE_LIMIT: usize = 200;

impl ChatService {
    /// A page of the caller's conversations, newest first; `q` is looked for in titles.
    ///
    /// # Errors
    /// [`ChatError::InvalidCursor`], [`ChatError::Store`].
    pub async fn list_conversations(
        &self,
        principal: &Principal,
        kb_id: KbId,
        q: Option<&str>,
        limit: u32,
        cursor: Option<&str>,
    ) -> Result<ConversationPage, ChatError> {
        let before = cursor.map(parse_cursor).transpose()?;
        let q = q.map(without_nul);
        let found =
            self.0.store.list_conversations(kb_id, principal, q.as_deref(), limit + 1, before).await?;
        let more = found.len() > limit as usize;
        let conversations: Vec<ConversationSummary> =
            found.into_iter().take(limit as usize).map(summary).collect();
        let next_cursor =
            conversations.last().filter(|_| more).map(|last| write_cursor(last.updated_at, last.id));
        Ok(ConversationPage { conversations, next_cursor })
    }

    /// One conversation with its messages.
    ///
    /// # Errors
    /// [`ChatError::NotFound`], [`ChatError::Store`].
    pub async fn conversation(
        &self,
        principal: &Principal,
        kb_id: KbId,
        id: ConversationId,
    ) -> Result<ConversationView, ChatError> {
        let store = &self.0.store;
        let found = store.find_conversation(kb_id, principal, id).await?.ok_or(ChatError::CONVERSATION)?;
        let messages = store.list_messages(id).await?.into_iter().map(message).collect();
        Ok(ConversationView { id, title: found.title, running_turn_id: found.running_turn_id, messages })
    }

    /// Gives a conversation another title.
    ///
    /// # Errors
    /// [`ChatError::InvalidTitle`], [`ChatError::NotFound`], [`ChatError::Store`].
    pub async fn rename_conversation(
        &self,
        principal: &Principal,
        kb_id: KbId,
        id: ConversationId,
        title: &str,
    ) -> Result<ConversationView, ChatError> {
        let title = without_nul(title);
        let title = title.trim();
        if title.is_empty() || title.chars().count() > TITLE_LIMIT {
            return Err(ChatError::InvalidTitle);
        }
        if !self.0.store.rename_conversation(kb_id, principal, id, title).await? {
            return Err(ChatError::CONVERSATION);
        }
        self.conversation(principal, kb_id, id).await
    }

    /// Deletes a conversation and everything in it.
    ///
    /// # Errors
    /// [`ChatError::AnswerRunning`], [`ChatError::NotFound`], [`ChatError::Store`].
    pub async fn delete_conversation(
        &self,
        principal: &Principal,
        kb_id: KbId,
        id: ConversationId,
    ) -> Result<(), ChatError> {
        match self.0.store.delete_conversation(kb_id, principal, id).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(ChatError::CONVERSATION),
            Err(DeleteConversationError::Running(turn_id)) => Err(ChatError::AnswerRunning { turn_id }),
            Err(DeleteConversationError::Store(error)) => Err(ChatError::Store(error)),
        }
    }

    /// What a turn did, or has done so far.
    ///
    /// # Errors
    /// [`ChatError::NotFound`], [`ChatError::Store`].
    pub async fn turn(&self, principal: &Principal, kb_id: KbId, id: TurnId) -> Result<TurnView, ChatError> {
        let turn = self.0.store.find_turn(kb_id, principal, id).await?.ok_or(ChatError::TURN)?;
        let work = self.0.hub.find(turn.conversation_id, id).map(|entry| entry.log.work());
        let (record, usage) = match (turn.record.clone(), work) {
            (Some(record), _) => (record, turn.usage),
            (None, Some(work)) => (work.record, work.usage),
            (None, None) => Default::default(),
        };
        let until = turn.ended_at.unwrap_or_else(|| self.0.clock.now());
        Ok(TurnView {
            record,
            usage,
            seconds: (until - turn.started_at).as_seconds_f64().max(0.0),
            ..view_of(turn)
        })
    }
}

fn view_of(turn: StoredTurn) -> TurnView {
    let (done, error) = match turn.terminal {
        Some(Frame::Done(done)) => (Some(done), None),
        Some(Frame::Error(error)) => (None, Some(error)),
        _ => (None, None),
    };
    TurnView {
        id: turn.id,
        conversation_id: turn.conversation_id,
        question_id: turn.question_id,
        answer_id: turn.answer_id,
        state: if turn.ended_at.is_some() { TurnState::Ended } else { TurnState::Running },
        record: Default::default(),
        seconds: 0.0,
        usage: None,
        done,
        error,
        started_at: turn.started_at,
    }
}

fn summary(found: StoredConversation) -> ConversationSummary {
    ConversationSummary {
        id: found.id,
        title: found.title,
        running_turn_id: found.running_turn_id,
        created_at: found.created_at,
        updated_at: found.updated_at,
    }
}

/// `resolved` and `tool_exchange` stay behind: they never leave the server.
fn message(stored: StoredMessage) -> MessageView {
    MessageView {
        id: stored.id,
        role: stored.role,
        content: stored.content,
        turn_id: stored.turn_id,
        finish: stored.finish,
        usage: stored.usage,
        evidence: stored.evidence,
        steps: stored.steps,
        sources: stored.sources,
        error: stored.error,
        created_at: stored.created_at,
    }
}

/// `<microseconds>-<id>`: where the next page begins, stable while conversations come and go.
fn write_cursor(at: OffsetDateTime, id: ConversationId) -> String {
    format!("{}-{id}", at.unix_timestamp_nanos() / 1_000)
}

fn parse_cursor(text: &str) -> Result<(OffsetDateTime, ConversationId), ChatError> {
    let (micros, id) = text.split_once('-').ok_or(ChatError::InvalidCursor)?;
    let micros: i128 = micros.parse().map_err(|_| ChatError::InvalidCursor)?;
    let nanos = micros.checked_mul(1_000).ok_or(ChatError::InvalidCursor)?;
    let at = OffsetDateTime::from_unix_timestamp_nanos(nanos).map_err(|_| ChatError::InvalidCursor)?;
    Ok((at, id.parse().map_err(|_| ChatError::InvalidCursor)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_survives_its_text() {
        let at = OffsetDateTime::from_unix_timestamp_nanos(1_796_083_200_123_456_000).unwrap();
        let id = ConversationId::new();
        assert_eq!(parse_cursor(&write_cursor(at, id)).unwrap(), (at, id));
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        for text in [
            "",
            "-",
            "1",
            "x-y",
            "1-2",
            "99999999999999999999999999999999999999999-0192f0c1-2b3a-7c4d-8e5f-001122334455",
        ] {
            assert!(matches!(parse_cursor(text), Err(ChatError::InvalidCursor)), "{text}");
        }
    }
}
