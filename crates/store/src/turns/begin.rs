//! Beginning a turn: everything that can refuse it is checked, and the question is stored, in one transaction under the
//! conversation's row lock. A refusal stores nothing.

use std::time::Duration;

use attest_domain::{ConversationId, KbId, MessageId, PrincipalId, TurnId};
use attest_protocol::view::Role;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::leases::{Grip, end_as_interrupted};
use crate::clean::text;
use crate::columns::{to_role, to_seconds};
use crate::connect::Store;
use crate::conversations::lock_conversation;
use crate::error::{StoreError, carries_database_errors};

/// How long an idempotency key is remembered.
const KEY_LIFE: time::Duration = time::Duration::hours(24);

/// What is to begin.
#[derive(Clone, Debug)]
pub struct BeginTurn {
    /// The new turn.
    pub turn_id: TurnId,
    /// The base.
    pub kb_id: KbId,
    /// Who asks.
    pub principal_id: PrincipalId,
    /// Where.
    pub conversation: TurnConversation,
    /// What.
    pub question: TurnQuestion,
    /// The server process that will run it.
    pub owner: Uuid,
    /// How long it is taken to be alive without renewing.
    pub lease: Duration,
    /// Set when the asker may send the same request again.
    pub idempotency: Option<Idempotency>,
    /// Now.
    pub now: OffsetDateTime,
}

/// The conversation of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnConversation {
    /// One that begins with it.
    New {
        /// Its id.
        id: ConversationId,
        /// Its title.
        title: String,
    },
    /// One of the asker's.
    Existing(ConversationId),
}

/// The question of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnQuestion {
    /// A new one.
    New {
        /// Its id.
        id: MessageId,
        /// Its text.
        content: String,
    },
    /// The last stored one, again.
    Retry(MessageId),
}

/// How a repeated request is recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idempotency {
    /// The asker's key.
    pub key: String,
    /// A hash of the request.
    pub body_hash: [u8; 32],
}

/// A turn that has begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BegunTurn {
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// The conversation's title.
    pub title: String,
    /// The stored question.
    pub question_id: MessageId,
    /// Its text.
    pub question: String,
    /// The partial answer that the new answer is to replace.
    pub replaces: Option<MessageId>,
}

/// Why a turn did not begin. Nothing was stored.
#[derive(Debug, thiserror::Error)]
pub enum BeginError {
    /// The asker has no such conversation in this base.
    #[error("there is no such conversation")]
    ConversationNotFound,
    /// The conversation runs this turn.
    #[error("the conversation is running another turn")]
    AnswerRunning(TurnId),
    /// The question to retry has an answer that is neither interrupted nor stopped.
    #[error("the question has an answer")]
    RetryAnswered,
    /// What is to be retried is not the last question of the conversation.
    #[error("this is not the last question of the conversation")]
    RetryNotQuestion,
    /// The same request began this turn of this conversation before.
    #[error("this request came before")]
    IdempotentRepeat(TurnId, ConversationId),
    /// The key came before with another request.
    #[error("the idempotency key came with another request before")]
    IdempotencyMismatch,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
carries_database_errors!(BeginError);

impl Store {
    /// Begins a turn. A turn of the conversation whose owner is gone is ended as interrupted on the way.
    ///
    /// # Errors
    /// [`BeginError`]; someone else's conversation reads as not found.
    pub async fn begin_turn(&self, begin: &BeginTurn) -> Result<BegunTurn, BeginError> {
        match self.try_begin_turn(begin).await {
            // The same key at the same moment: the other one has committed by now, so it is found this time.
            Err(BeginError::Store(error)) if error.is_conflict_on("turns_idempotency") => {
                self.try_begin_turn(begin).await
            }
            // The base was deleted under our feet.
            Err(BeginError::Store(error)) if error.is_dangling() => Err(BeginError::ConversationNotFound),
            other => other,
        }
    }

    async fn try_begin_turn(&self, begin: &BeginTurn) -> Result<BegunTurn, BeginError> {
        let mut tx = self.pool.begin().await?;
        let expired_key_of = match &begin.idempotency {
            Some(idempotency) => check_idempotency(&mut tx, begin, idempotency).await?,
            None => None,
        };
        let (conversation_id, title) = enter_conversation(&mut tx, begin).await?;
        end_lost_turn(&mut tx, conversation_id, begin.now).await?;
        let question = match &begin.question {
            TurnQuestion::New { id, content } => {
                insert_question(&mut tx, begin, conversation_id, *id, content).await?
            }
            TurnQuestion::Retry(id) => reopen_question(&mut tx, begin, conversation_id, *id).await?,
        };
        if let Some(turn_id) = expired_key_of {
            sqlx::query(
                "update turns set idempotency_key_sha256 = null, idempotency_body_sha256 = null where id = $1",
            )
            .bind(turn_id)
            .execute(&mut *tx)
            .await?;
        }
        insert_turn(&mut tx, begin, conversation_id, question.id).await?;
        sqlx::query("update conversations set updated_at = greatest(updated_at, $2) where id = $1")
            .bind(conversation_id.as_uuid())
            .bind(begin.now)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(BegunTurn {
            conversation_id,
            title,
            question_id: question.id,
            question: question.content,
            replaces: question.replaces,
        })
    }
}

struct Question {
    id: MessageId,
    content: String,
    replaces: Option<MessageId>,
}

/// Refuses a repeat. Gives the turn that still holds the key although its time is over.
async fn check_idempotency(
    connection: &mut PgConnection,
    begin: &BeginTurn,
    idempotency: &Idempotency,
) -> Result<Option<Uuid>, BeginError> {
    let earlier: Option<(Uuid, Uuid, Vec<u8>, OffsetDateTime)> = sqlx::query_as(
        "select id, conversation_id, idempotency_body_sha256, started_at
         from turns
         where kb_id = $1 and principal_id = $2 and idempotency_key_sha256 = sha256(convert_to($3, 'UTF8'))",
    )
    .bind(begin.kb_id.as_uuid())
    .bind(begin.principal_id.as_uuid())
    .bind(text(&idempotency.key))
    .fetch_optional(connection)
    .await?;
    let Some((turn_id, conversation_id, body_hash, started_at)) = earlier else {
        return Ok(None);
    };
    if started_at <= begin.now - KEY_LIFE {
        return Ok(Some(turn_id));
    }
    if body_hash != idempotency.body_hash {
        return Err(BeginError::IdempotencyMismatch);
    }
    Err(BeginError::IdempotentRepeat(TurnId::from_uuid(turn_id), ConversationId::from_uuid(conversation_id)))
}

/// Makes or locks the conversation.
async fn enter_conversation(
    connection: &mut PgConnection,
    begin: &BeginTurn,
) -> Result<(ConversationId, String), BeginError> {
    match &begin.conversation {
        TurnConversation::New { id, title } => {
            let title = text(title);
            sqlx::query(
                "insert into conversations (id, kb_id, principal_id, title, created_at, updated_at)
                 values ($1, $2, $3, $4, $5, $5)",
            )
            .bind(id.as_uuid())
            .bind(begin.kb_id.as_uuid())
            .bind(begin.principal_id.as_uuid())
            .bind(&title)
            .bind(begin.now)
            .execute(connection)
            .await?;
            Ok((*id, title.into_owned()))
        }
        TurnConversation::Existing(id) => {
            let title = lock_conversation(connection, begin.kb_id, begin.principal_id, *id).await?;
            Ok((*id, title.ok_or(BeginError::ConversationNotFound)?))
        }
    }
}

/// Refuses when a turn runs; ends one whose owner is gone.
async fn end_lost_turn(
    connection: &mut PgConnection,
    conversation_id: ConversationId,
    now: OffsetDateTime,
) -> Result<(), BeginError> {
    let running: Option<Uuid> =
        sqlx::query_scalar("select id from turns where conversation_id = $1 and ended_at is null")
            .bind(conversation_id.as_uuid())
            .fetch_optional(&mut *connection)
            .await?;
    if let Some(turn_id) = running {
        // The row may have been renewed since it was read; the update looks again.
        if !end_as_interrupted(connection, turn_id, Grip::Expired, now).await? {
            return Err(BeginError::AnswerRunning(TurnId::from_uuid(turn_id)));
        }
    }
    Ok(())
}

async fn insert_question(
    connection: &mut PgConnection,
    begin: &BeginTurn,
    conversation_id: ConversationId,
    id: MessageId,
    content: &str,
) -> Result<Question, BeginError> {
    let content = text(content).into_owned();
    sqlx::query(
        "insert into messages (id, conversation_id, turn_id, role, content, created_at)
         values ($1, $2, $3, 'user', $4, $5)",
    )
    .bind(id.as_uuid())
    .bind(conversation_id.as_uuid())
    .bind(begin.turn_id.as_uuid())
    .bind(&content)
    .bind(begin.now)
    .execute(connection)
    .await?;
    Ok(Question { id, content, replaces: None })
}

/// Only the last question may be asked again, and only when it has no whole answer. The partial answer stays
/// until the new one is saved.
async fn reopen_question(
    connection: &mut PgConnection,
    begin: &BeginTurn,
    conversation_id: ConversationId,
    id: MessageId,
) -> Result<Question, BeginError> {
    // An answer directly follows its question, so the last two messages hold the last question.
    let last: Vec<(Uuid, String, String, Option<String>)> = sqlx::query_as(
        "select id, role, content, finish from messages where conversation_id = $1 order by seq desc limit 2",
    )
    .bind(conversation_id.as_uuid())
    .fetch_all(&mut *connection)
    .await?;
    let mut question = None;
    let mut answer = None;
    for (message_id, role, content, finish) in last {
        match to_role(&role)? {
            Role::Assistant if answer.is_none() => answer = Some((MessageId::from_uuid(message_id), finish)),
            Role::Assistant => break,
            Role::User => {
                question = Some((MessageId::from_uuid(message_id), content));
                break;
            }
        }
    }
    let Some((_, content)) = question.filter(|(question_id, _)| *question_id == id) else {
        return Err(BeginError::RetryNotQuestion);
    };
    let replaces = match answer {
        None => None,
        Some((answer_id, finish)) if matches!(finish.as_deref(), Some("interrupted" | "stopped")) => {
            Some(answer_id)
        }
        Some(_) => return Err(BeginError::RetryAnswered),
    };
    sqlx::query("update messages set turn_id = $2 where id = $1")
        .bind(id.as_uuid())
        .bind(begin.turn_id.as_uuid())
        .execute(connection)
        .await?;
    Ok(Question { id, content, replaces })
}

async fn insert_turn(
    connection: &mut PgConnection,
    begin: &BeginTurn,
    conversation_id: ConversationId,
    question_id: MessageId,
) -> Result<(), BeginError> {
    let idempotency = begin.idempotency.as_ref();
    sqlx::query(include_str!("../sql/insert_turn.sql"))
        .bind(begin.turn_id.as_uuid())
        .bind(conversation_id.as_uuid())
        .bind(begin.kb_id.as_uuid())
        .bind(begin.principal_id.as_uuid())
        .bind(question_id.as_uuid())
        .bind(begin.owner)
        .bind(to_seconds(begin.lease))
        .bind(begin.now)
        .bind(idempotency.map(|i| text(&i.key)))
        .bind(idempotency.map(|i| i.body_hash.as_slice()))
        .execute(connection)
        .await?;
    Ok(())
}
