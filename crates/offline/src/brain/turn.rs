//! What a request asks, what was said before, and what has already been gathered for it.

use crate::brain::gathered;
use crate::brain::passages;
use crate::wire::request::{ChatRequest, FunctionCall, Message, Role};

/// One thing said earlier in the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) by_assistant: bool,
    pub(crate) text: String,
}

/// The turn that a request is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turn {
    /// What the person asked last; empty when nobody asked anything.
    pub(crate) question: String,
    /// What was said before it, oldest first, blank texts left out.
    pub(crate) earlier: Vec<Line>,
    /// Calls of earlier turns that the request replays.
    pub(crate) earlier_calls: Vec<FunctionCall>,
    /// Calls of this turn.
    pub(crate) calls: Vec<FunctionCall>,
    /// Results of this turn, as text.
    pub(crate) results: Vec<String>,
}

impl Turn {
    /// Reads the turn out of a request. Everything after the last question belongs to it. A request without tools
    /// may bring its results in other ways: as JSON in the user message, or as numbered passages in a system message.
    pub(crate) fn read(request: &ChatRequest) -> Self {
        let messages = &request.messages;
        let asked_at = asked_at(messages);
        let (before, now) = messages.split_at(asked_at.unwrap_or(0));
        let mut turn = Self {
            question: asked_at
                .and(now.first())
                .map(|message| without_nudge(&message.text()).to_owned())
                .unwrap_or_default(),
            earlier: before.iter().filter_map(spoken).collect(),
            earlier_calls: calls_of(before),
            calls: calls_of(now),
            results: now
                .iter()
                .filter(|message| message.role == Role::Tool)
                .map(|message| message.text().into_owned())
                .collect(),
        };
        if request.tools.is_empty() {
            turn.take_gathered(messages);
        }
        turn
    }

    fn take_gathered(&mut self, messages: &[Message]) {
        if let Some(gathered) = gathered::find(&self.question) {
            self.question = gathered.question;
            self.earlier.extend(gathered.conversation);
            self.calls.extend(gathered.calls);
            self.results.extend(gathered.results);
        }
        let context = messages.iter().filter(|message| message.role == Role::System).map(Message::text);
        self.results.extend(
            context
                .filter(|text| passages::parse(text).iter().any(|passage| passage.document_id.is_some()))
                .map(|text| text.into_owned()),
        );
    }

    /// The last thing that the assistant said before the question.
    pub(crate) fn last_answer(&self) -> Option<&str> {
        self.earlier.iter().rev().find(|line| line.by_assistant).map(|line| line.text.as_str())
    }
}

/// The place of the last question: the last user message that is no nudge.
pub(crate) fn asked_at(messages: &[Message]) -> Option<usize> {
    let by_user = |message: &Message| message.role == Role::User;
    messages
        .iter()
        .rposition(|message| by_user(message) && !is_nudge(&message.text()))
        .or_else(|| messages.iter().rposition(by_user))
}

/// Whether a user message is the client's word about the reply before it, and nothing that the person said: a
/// continuation such as `(next)`, a message all in round brackets, or an instruction to the model about its own reply.
pub(crate) fn is_nudge(text: &str) -> bool {
    let text = text.trim();
    let bracketed = text.starts_with("(next)") || (text.starts_with('(') && text.ends_with(')'));
    let about_reply = text.starts_with("You") && text.contains("reply");
    bracketed || (about_reply && (text.contains("tool") || text.contains("nswer")))
}

/// The question without a nudge below it: clients merge two user messages in a row.
fn without_nudge(text: &str) -> &str {
    match text.trim_end().rsplit_once("\n\n") {
        Some((question, last)) if is_nudge(last) && !question.trim().is_empty() => question,
        _ => text,
    }
}

fn spoken(message: &Message) -> Option<Line> {
    let by_assistant = match message.role {
        Role::Assistant => true,
        Role::User if is_nudge(&message.text()) => return None,
        Role::User => false,
        Role::System | Role::Tool => return None,
    };
    let text = message.text();
    (!text.trim().is_empty()).then(|| Line { by_assistant, text: text.into_owned() })
}

fn calls_of(messages: &[Message]) -> Vec<FunctionCall> {
    messages.iter().flat_map(|message| &message.tool_calls).map(|call| call.function.clone()).collect()
}
