//! A history in a form that endpoints accept, whatever the turns that made it left behind: a stop in the middle of a
//! tool, a turn without an answer, arguments that were cut off.
//!
//! One pure function, run on every request before it is written. It changes a history that is already right in nothing,
//! and healing twice is healing once.

use std::collections::HashSet;

use serde_json::Value;

use crate::chat::{ChatMessage, ToolCall};
use crate::learned::{Learned, Lesson};

mod roles;

#[cfg(test)]
mod tests;

/// What a result without a word says: several endpoints refuse empty content.
const NO_CONTENT: &str = "(no content)";

/// Where instructions may stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SystemPlace {
    /// In front, and notes wherever they are.
    #[default]
    Anywhere,
    /// In front only: a later note is added there, so that it never becomes the person's word.
    Front,
    /// Nowhere: everything becomes the head of the person's message.
    Nowhere,
}

/// What one endpoint accepts in a history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HistoryPolicy {
    /// Where instructions may stand.
    pub system: SystemPlace,
    /// The person and the model strictly in turn, the person first. Results count as no turn, so something must be said
    /// between them and the next question.
    pub strict_turns: bool,
    /// Words and calls of one reply become two messages.
    pub calls_apart: bool,
}

impl From<Learned> for HistoryPolicy {
    fn from(learned: Learned) -> Self {
        let (strict, nowhere) = (learned.has(Lesson::StrictRoles), learned.has(Lesson::NoSystemRole));
        Self {
            system: match (nowhere, strict) {
                (true, _) => SystemPlace::Nowhere,
                (false, true) => SystemPlace::Front,
                (false, false) => SystemPlace::Anywhere,
            },
            strict_turns: strict || nowhere,
            calls_apart: learned.has(Lesson::CallsApart),
        }
    }
}

/// Heals a history. The newest message of the person is always kept, whole and as the last of its role.
pub fn heal(messages: Vec<ChatMessage>, policy: HistoryPolicy) -> Vec<ChatMessage> {
    let paired = pair(messages);
    let said = drop_blank(paired);
    let placed = roles::place_system(said, policy.system);
    let merged = roles::merge_neighbours(placed);
    let ordered = if policy.strict_turns { roles::in_turn(merged) } else { merged };
    if policy.calls_apart { roles::calls_apart(ordered) } else { ordered }
}

/// Keeps a reply's calls only when each of them has its result, and puts the results right behind it in call order.
/// Words beside calls that are dropped stay. What is left of a pair is dropped.
fn pair(messages: Vec<ChatMessage>) -> Vec<ChatMessage> {
    let mut out = Vec::with_capacity(messages.len());
    let mut rest = messages.into_iter().peekable();
    while let Some(message) = rest.next() {
        match message {
            // A result that no call before it has taken.
            ChatMessage::Tool { tool_call_id, .. } => {
                tracing::debug!(
                    tool.call_id = tool_call_id,
                    "a result without its call was left out of the history"
                );
            }
            ChatMessage::Assistant { content, tool_calls } if !tool_calls.is_empty() => {
                // Notes may stand between a call and its result; the next turn of somebody ends the search.
                let (mut results, mut notes) = (Vec::new(), Vec::new());
                while let Some(next) =
                    rest.next_if(|next| matches!(next, ChatMessage::Tool { .. } | ChatMessage::System { .. }))
                {
                    match next {
                        ChatMessage::Tool { tool_call_id, content } => results.push((tool_call_id, content)),
                        note => notes.push(note),
                    }
                }
                match complete(&tool_calls, &mut results) {
                    Some(results) => {
                        let tool_calls = tool_calls.into_iter().map(with_whole_arguments).collect();
                        out.push(ChatMessage::Assistant {
                            content: content.filter(|text| said(text)),
                            tool_calls,
                        });
                        out.extend(results);
                    }
                    None => {
                        tracing::debug!("calls without all of their results were left out of the history");
                        out.push(ChatMessage::Assistant { content, tool_calls: Vec::new() });
                    }
                }
                out.extend(notes);
            }
            other => out.push(other),
        }
    }
    out
}

/// The results of these calls in call order; `None` unless every call has a name, an id of its own and a result.
fn complete(calls: &[ToolCall], results: &mut Vec<(String, String)>) -> Option<Vec<ChatMessage>> {
    let mut ids = HashSet::new();
    calls
        .iter()
        .map(|call| {
            let usable = said(&call.id) && said(&call.name) && ids.insert(call.id.as_str());
            let at = results.iter().position(|(id, _)| usable && *id == call.id)?;
            let (tool_call_id, content) = results.swap_remove(at);
            let content = if said(&content) { content } else { NO_CONTENT.to_owned() };
            Some(ChatMessage::Tool { tool_call_id, content })
        })
        .collect()
}

/// Several servers parse the arguments of the history and answer 500 to a cut-off string for the rest of the
/// conversation. What the model really wrote is told in the refusal that answers the call.
fn with_whole_arguments(call: ToolCall) -> ToolCall {
    let whole = serde_json::from_str::<serde_json::Map<String, Value>>(&call.arguments).is_ok();
    if whole { call } else { ToolCall { arguments: "{}".to_owned(), ..call } }
}

/// Leaves out what says nothing, but never the person's newest message: what to do about a blank one is the caller's.
fn drop_blank(messages: Vec<ChatMessage>) -> Vec<ChatMessage> {
    let newest = messages.iter().rposition(|message| matches!(message, ChatMessage::User { .. }));
    messages
        .into_iter()
        .enumerate()
        .filter(|(at, message)| match message {
            ChatMessage::System { content } => said(content),
            ChatMessage::User { content } => said(content) || Some(*at) == newest,
            ChatMessage::Assistant { content, tool_calls } => {
                !tool_calls.is_empty() || content.as_deref().is_some_and(said)
            }
            ChatMessage::Tool { .. } => true,
        })
        .map(|(_, message)| message)
        .collect()
}

fn said(text: &str) -> bool {
    !text.trim().is_empty()
}
