//! What of the running turn a reply depends on. It is read from the request each time: text mode keeps no state.

use super::outcome::is_note;
use crate::chat::ChatMessage;

/// The longest announcement, in characters.
const ANNOUNCEMENT_LIMIT: usize = 160;
/// The longest `T` that is compared with a later one, in bytes.
const REPEAT_LIMIT: usize = 2_048;

/// The turn so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnSoFar {
    /// What the model said since the question, blanks at the ends removed.
    said: Vec<String>,
    /// A call of this turn was answered.
    tool_ran: bool,
}

impl TurnSoFar {
    /// Reads what came after the newest message of the person.
    #[must_use]
    pub fn of(messages: &[ChatMessage]) -> Self {
        let question = messages
            .iter()
            .rposition(|message| matches!(message, ChatMessage::User { content } if !is_note(content)))
            .map_or(0, |at| at + 1);
        let mut turn = Self::default();
        for message in messages.iter().skip(question) {
            match message {
                ChatMessage::Assistant { content: Some(text), .. } if !text.trim().is_empty() => {
                    turn.said.push(text.trim().to_owned());
                }
                ChatMessage::Tool { .. } => turn.tool_ran = true,
                _ => {}
            }
        }
        turn
    }

    /// Whether the reader has seen words of this turn.
    pub(super) fn has_shown(&self) -> bool {
        !self.said.is_empty()
    }

    /// Whether words only announce what they should do; once a turn, and not once a tool has run.
    pub(super) fn is_announcement(&self, words: &str) -> bool {
        !self.tool_ran && announces(words) && !self.said.iter().any(|said| announces(said))
    }

    /// Whether words are a beginning of something that was said before.
    pub(super) fn may_repeat(&self, words: &str) -> bool {
        let words = words.trim();
        self.said.iter().any(|said| said.len() <= REPEAT_LIMIT && said.starts_with(words))
    }

    /// Whether words were said before.
    pub(super) fn repeats(&self, words: &str) -> bool {
        self.said.iter().any(|said| said.len() <= REPEAT_LIMIT && said == words.trim())
    }
}

fn announces(words: &str) -> bool {
    let words = words.trim_end();
    [":", "：", "…", "..."].iter().any(|end| words.ends_with(end))
        && words.chars().take(ANNOUNCEMENT_LIMIT + 1).count() <= ANNOUNCEMENT_LIMIT
}
