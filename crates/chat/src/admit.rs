//! From a question to a running turn.

use std::sync::Arc;

use attest_agent::TurnLog;
use attest_domain::text::without_nul;
use attest_domain::{ConversationId, KbId, MessageId, Principal, TurnId};
use attest_protocol::frame::ConversationFrame;
use attest_protocol::request::AskRequest;
use attest_protocol::{EventId, Frame};
use attest_store::{BeginError, BeginTurn, BegunTurn, Idempotency, TurnConversation, TurnQuestion};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use crate::attach::Attachment;
use crate::drive::{Admitted, drive};
use crate::error::ChatError;
use crate::hub::Entry;
use crate::live::LiveTurn;
use crate::reader::Reader;
use crate::service::ChatService;

/// The most characters of a title that is made from a question.
const TITLE_CHARACTERS: usize = 80;

impl ChatService {
    /// Admits a question and starts its turn. The reader that comes back gets every frame from the first.
    /// With an idempotency key that was used before, it is attached to the first turn instead: from its beginning,
    /// or after `last_event_id`.
    ///
    /// # Errors
    /// [`ChatError`]; nothing has been stored then.
    pub async fn ask(
        &self,
        principal: &Principal,
        kb_id: KbId,
        request: AskRequest,
        idempotency_key: Option<String>,
        last_event_id: Option<EventId>,
    ) -> Result<Reader, ChatError> {
        if self.0.draining.is_cancelled() {
            return Err(ChatError::Draining);
        }
        let agent = self.0.agent.clone().ok_or(ChatError::NoChatModel)?;
        let begin = self.begin(principal, kb_id, &request, idempotency_key)?;
        let permit = Arc::clone(&self.0.permits).try_acquire_owned().map_err(|_| ChatError::TooManyTurns)?;
        // In a task of its own: an asker that leaves between the commit and the start would leave a turn that
        // nobody runs.
        let (service, principal) = (self.clone(), principal.clone());
        let admitted = tokio::spawn(async move {
            let begun = match service.0.store.begin_turn(&begin).await {
                Ok(begun) => begun,
                Err(BeginError::IdempotentRepeat(turn_id, conversation_id)) => {
                    drop(permit);
                    let cursor = last_event_id.filter(|id| id.turn_id == turn_id);
                    let cursor = cursor.unwrap_or(EventId { turn_id, seq: 0 });
                    let attachment = service.attach(&principal, kb_id, conversation_id, Some(cursor)).await?;
                    return Ok(match attachment {
                        Attachment::Stream(reader) => reader,
                        Attachment::NothingMore => Reader::fixed(turn_id, Vec::new()),
                    });
                }
                Err(error) => return Err(refusal(error)),
            };
            let (admitted, reader) = service.start(&begin, begun, principal, permit);
            tokio::spawn(drive(service, agent, admitted));
            Ok(reader)
        });
        admitted.await.map_err(|_| ChatError::Lost)?
    }

    /// Checks the request and names what is to be stored.
    fn begin(
        &self,
        principal: &Principal,
        kb_id: KbId,
        request: &AskRequest,
        idempotency_key: Option<String>,
    ) -> Result<BeginTurn, ChatError> {
        let (conversation, question) = match (request.conversation_id, request.retry_question_id) {
            (None, Some(_)) => return Err(ChatError::RetryNeedsConversation),
            (Some(id), Some(question)) => (TurnConversation::Existing(id), TurnQuestion::Retry(question)),
            (conversation, None) => {
                let content = self.checked_message(&request.message)?;
                let conversation = conversation.map_or_else(
                    || TurnConversation::New { id: ConversationId::new(), title: title_of(&content) },
                    TurnConversation::Existing,
                );
                (conversation, TurnQuestion::New { id: MessageId::new(), content })
            }
        };
        let idempotency = match idempotency_key {
            None => None,
            Some(key) => Some(Idempotency { body_hash: body_hash(request)?, key: checked_key(key)? }),
        };
        Ok(BeginTurn {
            turn_id: TurnId::new(),
            kb_id,
            principal_id: principal.id,
            conversation,
            question,
            owner: self.0.options.owner,
            lease: self.0.options.lease,
            idempotency,
            now: self.0.clock.now(),
        })
    }

    fn checked_message(&self, message: &str) -> Result<String, ChatError> {
        let content = without_nul(message);
        let content = content.trim();
        if content.is_empty() {
            return Err(ChatError::EmptyMessage);
        }
        let (length, limit) = (content.chars().count(), self.0.options.max_message_characters);
        if length > limit {
            return Err(ChatError::MessageTooLong { length, limit });
        }
        Ok(content.to_owned())
    }

    /// Makes the stored turn followable and says its first frame.
    fn start(
        &self,
        begin: &BeginTurn,
        begun: BegunTurn,
        principal: Principal,
        permit: tokio::sync::OwnedSemaphorePermit,
    ) -> (Admitted, Reader) {
        let (turn_id, conversation_id) = (begin.turn_id, begun.conversation_id);
        let (live, publisher) = LiveTurn::begin(conversation_id, begun.question_id, turn_id);
        publisher.publish(Frame::Conversation(ConversationFrame {
            id: conversation_id,
            question_id: begun.question_id,
            turn_id,
            title: Some(begun.title.clone()).filter(|title| !title.is_empty()),
        }));
        let entry = Entry {
            conversation_id,
            live: Arc::clone(&live),
            log: Arc::new(TurnLog::default()),
            stop: CancellationToken::new(),
            lost: CancellationToken::new(),
        };
        self.0.hub.insert(turn_id, entry.clone());
        let admitted = Admitted { turn_id, kb_id: begin.kb_id, principal, begun, entry, publisher, permit };
        (admitted, Reader::from_beginning(live))
    }
}

fn refusal(error: BeginError) -> ChatError {
    match error {
        BeginError::ConversationNotFound => ChatError::CONVERSATION,
        BeginError::AnswerRunning(turn_id) => ChatError::AnswerRunning { turn_id },
        BeginError::RetryAnswered => ChatError::RetryAnswered,
        BeginError::RetryNotQuestion => ChatError::RetryNotQuestion,
        BeginError::IdempotencyMismatch => ChatError::IdempotencyMismatch,
        BeginError::IdempotentRepeat(..) => ChatError::Lost,
        BeginError::Store(error) => ChatError::Store(error),
    }
}

fn checked_key(key: String) -> Result<String, ChatError> {
    let fits = (1..=200).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic() || b == b' ');
    if fits { Ok(key) } else { Err(ChatError::InvalidIdempotencyKey) }
}

/// Two requests are the same when they ask the same, however their JSON was spelt.
fn body_hash(request: &AskRequest) -> Result<[u8; 32], ChatError> {
    let body = serde_json::to_vec(request).map_err(|_| ChatError::Lost)?;
    Ok(Sha256::digest(body).into())
}

/// The first line of the question, at most 80 characters.
fn title_of(question: &str) -> String {
    let line = question.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let mut title: String = line.chars().take(TITLE_CHARACTERS).collect();
    if line.chars().nth(TITLE_CHARACTERS).is_some() {
        title.truncate(title.trim_end().len());
        title.push('…');
    }
    title
}

#[cfg(test)]
mod tests {
    use super::title_of;

    #[test]
    fn a_title_is_the_first_line_of_the_question() {
        assert_eq!(title_of("When was CERN founded?\nAnd by whom?"), "When was CERN founded?");
    }

    #[test]
    fn a_long_title_is_cut_between_characters() {
        assert_eq!(title_of(&"很".repeat(100)), format!("{}…", "很".repeat(80)));
    }
}
