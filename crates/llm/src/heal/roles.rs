//! Who speaks when: where instructions stand, and nobody twice in a row.

use super::{SystemPlace, said};
use crate::chat::ChatMessage;

/// Stands for the answer that a stopped turn never gave, where a strict template needs one.
const NO_ANSWER: &str = "(no answer was given)";

/// Puts the instructions where the endpoint takes them.
pub(super) fn place_system(messages: Vec<ChatMessage>, place: SystemPlace) -> Vec<ChatMessage> {
    match place {
        SystemPlace::Anywhere => messages,
        SystemPlace::Front => {
            let (notes, mut rest) = without_system(messages);
            if let Some(content) = notes {
                rest.insert(0, ChatMessage::System { content });
            }
            rest
        }
        SystemPlace::Nowhere => into_user(messages),
    }
}

/// All instructions as one text, and the other messages.
fn without_system(messages: Vec<ChatMessage>) -> (Option<String>, Vec<ChatMessage>) {
    let mut notes: Option<String> = None;
    let mut rest = Vec::with_capacity(messages.len() + 1);
    for message in messages {
        match message {
            ChatMessage::System { content } => notes = Some(joined(notes, content)),
            other => rest.push(other),
        }
    }
    (notes, rest)
}

/// Puts each instruction at the head of the person's next message, and what nobody's message follows at the head of the
/// newest one.
fn into_user(messages: Vec<ChatMessage>) -> Vec<ChatMessage> {
    let mut out = Vec::with_capacity(messages.len());
    let mut waiting: Option<String> = None;
    for message in messages {
        match message {
            ChatMessage::System { content } => waiting = Some(joined(waiting, content)),
            ChatMessage::User { content } => {
                out.push(ChatMessage::User { content: joined(waiting.take(), content) });
            }
            other => out.push(other),
        }
    }
    if let Some(notes) = waiting {
        let newest = out.iter_mut().rev().find_map(|message| match message {
            ChatMessage::User { content } => Some(content),
            _ => None,
        });
        match newest {
            Some(content) => *content = joined(Some(notes), std::mem::take(content)),
            None => out.insert(0, ChatMessage::User { content: notes }),
        }
    }
    out
}

/// Merges neighbours of one role with a blank line between them. Words before calls merge into the calling message;
/// calls never merge, because their results stand between.
pub(super) fn merge_neighbours(messages: Vec<ChatMessage>) -> Vec<ChatMessage> {
    let mut out: Vec<ChatMessage> = Vec::with_capacity(messages.len());
    for message in messages {
        let merged = match (out.last_mut(), message) {
            (Some(ChatMessage::System { content }), ChatMessage::System { content: next })
            | (Some(ChatMessage::User { content }), ChatMessage::User { content: next }) => {
                *content = joined(Some(std::mem::take(content)), next);
                None
            }
            (
                Some(ChatMessage::Assistant { content, tool_calls }),
                ChatMessage::Assistant { content: next, tool_calls: next_calls },
            ) if tool_calls.is_empty() => {
                *content = match (content.take(), next) {
                    (said, Some(next)) => Some(joined(said, next)),
                    (said, None) => said,
                };
                *tool_calls = next_calls;
                None
            }
            (_, other) => Some(other),
        };
        out.extend(merged);
    }
    out
}

/// The person first, and an answer before each next question.
pub(super) fn in_turn(messages: Vec<ChatMessage>) -> Vec<ChatMessage> {
    let is_user = |message: &ChatMessage| matches!(message, ChatMessage::User { .. });
    // What answers a question that is no longer there answers nothing.
    let start = messages.iter().position(is_user).unwrap_or(0);
    let mut out = Vec::with_capacity(messages.len() + 1);
    for (at, message) in messages.into_iter().enumerate() {
        let is_system = matches!(message, ChatMessage::System { .. });
        if at < start && !is_system {
            continue;
        }
        if is_user(&message) && matches!(out.last(), Some(ChatMessage::Tool { .. })) {
            out.push(ChatMessage::Assistant { content: Some(NO_ANSWER.to_owned()), tool_calls: Vec::new() });
        }
        out.push(message);
    }
    out
}

/// Makes two messages of words with calls.
pub(super) fn calls_apart(messages: Vec<ChatMessage>) -> Vec<ChatMessage> {
    let mut out = Vec::with_capacity(messages.len());
    for message in messages {
        match message {
            ChatMessage::Assistant { content: Some(content), tool_calls } if !tool_calls.is_empty() => {
                out.push(ChatMessage::Assistant { content: Some(content), tool_calls: Vec::new() });
                out.push(ChatMessage::Assistant { content: None, tool_calls });
            }
            other => out.push(other),
        }
    }
    out
}

fn joined(before: Option<String>, after: String) -> String {
    match before {
        Some(mut text) if said(&text) => {
            if said(&after) {
                text.push_str("\n\n");
            }
            text.push_str(&after);
            text
        }
        _ => after,
    }
}
