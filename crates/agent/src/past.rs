//! What comes before the question in a request, exactly as the contract orders it: the past messages, the replayed
//! exchange right before the last answer; and the note on identified entities.

use attest_llm::chat::{ChatMessage, ToolCall};
use attest_protocol::exchange::{ExchangeMessage, ResolvedEntity, ToolExchange};

use crate::policy::window::PastShape;
use crate::turn::{PastMessage, PastRole};

/// The messages before the question, and where the replayed exchange stands among them. A blank message is left
/// out: endpoints refuse it, and it says nothing.
pub(crate) fn past_messages(history: &[PastMessage], replay: &ToolExchange) -> (Vec<ChatMessage>, PastShape) {
    let last_answer = history.iter().rposition(|message| message.role == PastRole::Assistant);
    let mut messages = Vec::with_capacity(history.len() + replay.messages.len());
    let mut shape = PastShape::default();
    for (at, message) in history.iter().enumerate() {
        if last_answer == Some(at) {
            let start = messages.len();
            messages.extend(exchange_messages(replay));
            shape.replay = start..messages.len();
        }
        if message.content.trim().is_empty() {
            continue;
        }
        let content = message.content.clone();
        messages.push(match message.role {
            PastRole::User => ChatMessage::User { content },
            PastRole::Assistant => ChatMessage::Assistant { content: Some(content), tool_calls: Vec::new() },
        });
    }
    shape.before_question = messages.len();
    (messages, shape)
}

/// A stored exchange as messages. That a result is an error is ours to know and never on the wire.
pub(crate) fn exchange_messages(exchange: &ToolExchange) -> Vec<ChatMessage> {
    let message = |message: &ExchangeMessage| match message {
        ExchangeMessage::Assistant { tool_calls, .. } => ChatMessage::Assistant {
            content: None,
            tool_calls: tool_calls
                .iter()
                .map(|call| ToolCall {
                    id: call.id.clone(),
                    name: call.function.name.clone(),
                    arguments: call.function.arguments.clone(),
                })
                .collect(),
        },
        ExchangeMessage::Tool { tool_call_id, content, .. } => {
            ChatMessage::Tool { tool_call_id: tool_call_id.clone(), content: content.clone() }
        }
    };
    exchange.messages.iter().map(message).collect()
}

/// The note that stands right before the question; `None` when no entity has been identified.
pub(crate) fn entities_note(entities: &[ResolvedEntity]) -> Option<String> {
    if entities.is_empty() {
        return None;
    }
    let lines: Vec<String> =
        entities.iter().map(|entity| format!("- {} ({}): {}", entity.name, entity.kind, entity.id)).collect();
    Some(format!("Entities already identified in this conversation, with their ids:\n{}", lines.join("\n")))
}
