//! A request that does not fit into the model's window: what of the past is left away, once a turn.

use std::ops::Range;

use attest_llm::chat::ChatMessage;

use super::TurnPolicy;

/// Where the parts of the past stand in a request, counted from behind the system prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PastShape {
    /// How many messages come before the question, without the system prompt and the note before the question.
    pub(crate) before_question: usize,
    /// The replayed exchange among them.
    pub(crate) replay: Range<usize>,
}

/// What is left away: the replayed exchange, and that many of the oldest messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trim {
    oldest: usize,
}

impl TurnPolicy {
    /// The endpoint refused `past` plus `rest` (both in the order of the request) as too long. Gives what to leave
    /// away: the replayed exchange first, then the oldest whole pairs, until the rest fits the stated window, or
    /// half of what was sent where none was stated. `None` when nothing can be left away, or this was tried.
    pub(crate) fn context_refused(
        &mut self,
        past: &[ChatMessage],
        shape: &PastShape,
        rest: &[ChatMessage],
        window: Option<u64>,
    ) -> Option<Trim> {
        if self.trimmed || past.is_empty() {
            return None;
        }
        self.trimmed = true;
        let fixed: u64 = rest.iter().map(tokens).sum();
        let size = |oldest: usize| fixed + kept(past, shape, oldest).map(tokens).sum::<u64>();
        let sent = fixed + past.iter().map(tokens).sum::<u64>();
        // A fifth stays free: our count is an estimate, and the reply needs room.
        let goal = window.map_or(sent / 2, |window| window / 5 * 4);
        let mut oldest = 0;
        while size(oldest) > goal && oldest < past.len() {
            oldest = next_pair(past, shape, oldest);
        }
        if oldest == 0 && shape.replay.is_empty() {
            // Our estimate says that it fits, the endpoint that it does not: believe the endpoint.
            oldest = next_pair(past, shape, 0);
        }
        Some(Trim { oldest })
    }
}

/// The past without what `trim` leaves away.
pub(crate) fn trimmed(past: &[ChatMessage], shape: &PastShape, trim: Trim) -> Vec<ChatMessage> {
    kept(past, shape, trim.oldest).cloned().collect()
}

fn kept<'a>(
    past: &'a [ChatMessage],
    shape: &'a PastShape,
    oldest: usize,
) -> impl Iterator<Item = &'a ChatMessage> {
    past.iter()
        .enumerate()
        .filter(move |(at, _)| *at >= oldest && !shape.replay.contains(at))
        .map(|(_, message)| message)
}

/// The place behind the pair that begins at `from`: a question and all that follows up to the next question.
fn next_pair(past: &[ChatMessage], shape: &PastShape, from: usize) -> usize {
    (from + 1..past.len())
        .find(|at| matches!(past[*at], ChatMessage::User { .. }) && !shape.replay.contains(at))
        .unwrap_or(past.len())
}

/// A rough count that errs on the high side: four ASCII characters, or one other, make a token.
fn tokens(message: &ChatMessage) -> u64 {
    let count = |text: &str| {
        let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
        let other = text.chars().filter(|c| !c.is_ascii()).count() as u64;
        ascii.div_ceil(4) + other + 4
    };
    match message {
        ChatMessage::System { content }
        | ChatMessage::User { content }
        | ChatMessage::Tool { content, .. } => count(content),
        ChatMessage::Assistant { content, tool_calls } => {
            count(content.as_deref().unwrap_or_default())
                + tool_calls.iter().map(|call| count(&call.name) + count(&call.arguments)).sum::<u64>()
        }
    }
}

#[cfg(test)]
mod tests;
