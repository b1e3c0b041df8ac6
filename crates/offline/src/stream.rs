//! A decision as the events of a streamed reply, or as one body.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Serialize;
use unicode_segmentation::UnicodeSegmentation;

use crate::behaviour::ReasoningPlace;
use crate::brain::Decision;
use crate::wire::reply::{
    CallFragment, Chunk, ChunkChoice, Completion, CompletionCall, CompletionChoice, CompletionMessage, Delta,
    FinishReason, FunctionFragment, Usage,
};

/// Replies carry no time: the same request gets the same bytes.
pub(crate) const CREATED: u64 = 0;

/// How many characters of a call's arguments one event carries.
const ARGUMENT_CHARACTERS: usize = 12;

/// What every event of a reply repeats.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) id: String,
    pub(crate) model: String,
    pub(crate) decision: Decision,
    pub(crate) finish: FinishReason,
    pub(crate) usage: Usage,
    /// Thoughts before the reply, and where they come.
    pub(crate) thoughts: Option<(ReasoningPlace, String)>,
}

/// How a stream is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Framing {
    /// Whether lines end with CR LF.
    pub(crate) crlf: bool,
    /// Whether `[DONE]` is sent.
    pub(crate) done: bool,
    /// Whether the finish reason, and what follows it, is sent.
    pub(crate) finish: bool,
}

impl Default for Framing {
    fn default() -> Self {
        Self { crlf: false, done: true, finish: true }
    }
}

impl Reply {
    /// The reply to the request that hashes to `hash`.
    pub(crate) fn new(hash: u64, model: &str, decision: Decision, cut: bool, usage: Usage) -> Self {
        let finish = match (&decision, cut) {
            (Decision::Call { .. }, _) => FinishReason::ToolCalls,
            (Decision::Say(_), true) => FinishReason::Length,
            (Decision::Say(_), false) => FinishReason::Stop,
        };
        Self { id: format!("{hash:016x}"), model: model.to_owned(), decision, finish, usage, thoughts: None }
    }

    /// The reply with thoughts before it.
    pub(crate) fn with_thoughts(self, thoughts: Option<(ReasoningPlace, String)>) -> Self {
        Self { thoughts, ..self }
    }

    /// How many words, of thoughts too, or fragments of a call it streams.
    pub(crate) fn piece_count(&self) -> usize {
        let thoughts = self.thoughts.as_ref().map_or(0, |(place, text)| words(&spelt(*place, text)).len());
        thoughts
            + match &self.decision {
                Decision::Say(text) => words(text).len(),
                Decision::Call { arguments, .. } => 1 + fragments(arguments).len(),
            }
    }

    fn completion_id(&self) -> String {
        format!("chatcmpl-{}", self.id)
    }

    fn call_id(&self) -> String {
        format!("call_{}", self.id)
    }

    /// Every event, the last one `[DONE]`: the role, the words or the fragments of the call, the finish, the usage when
    /// it was asked for.
    pub(crate) fn events(&self, include_usage: bool, framing: Framing) -> Vec<Bytes> {
        let (id, call_id) = (self.completion_id(), self.call_id());
        let thoughts = self.thoughts.as_ref().map(|(place, text)| (*place, spelt(*place, text)));
        let chunk = |choices, usage| {
            event(&Chunk {
                id: &id,
                object: "chat.completion.chunk",
                created: CREATED,
                model: &self.model,
                choices,
                usage: include_usage.then_some(usage),
            })
        };
        let delta = |delta, finish_reason| {
            let choice = ChunkChoice { index: 0, delta, finish_reason };
            chunk(vec![choice], None)
        };
        let role = |content| Delta { role: Some("assistant"), content: Some(content), ..Delta::default() };
        let mut events = Vec::new();
        let text_first = matches!(self.decision, Decision::Say(_));
        events.push(delta(role(text_first.then_some("")), None));
        if let Some((place, text)) = &thoughts {
            events.extend(words(text).into_iter().map(|word| delta(thought(*place, word), None)));
        }
        match &self.decision {
            Decision::Say(text) => {
                events.extend(words(text).into_iter().map(|word| {
                    let content = Some(Some(word));
                    delta(Delta { content, ..Delta::default() }, None)
                }));
            }
            Decision::Call { name, arguments } => {
                let opening = CallFragment {
                    index: 0,
                    id: Some(&call_id),
                    kind: Some("function"),
                    function: FunctionFragment { name: Some(name), arguments: "" },
                };
                let rest = fragments(arguments).into_iter().map(|arguments| CallFragment {
                    index: 0,
                    id: None,
                    kind: None,
                    function: FunctionFragment { name: None, arguments },
                });
                events.extend([opening].into_iter().chain(rest).map(|fragment| {
                    let tool_calls = vec![fragment];
                    delta(Delta { tool_calls, ..Delta::default() }, None)
                }));
            }
        }
        if framing.finish {
            events.push(delta(Delta::default(), Some(self.finish)));
            if include_usage {
                events.push(chunk(Vec::new(), Some(self.usage)));
            }
            if framing.done {
                events.push(Bytes::from_static(b"data: [DONE]\n\n"));
            }
        }
        if framing.crlf {
            events.iter_mut().for_each(|event| *event = with_crlf(event));
        }
        events
    }

    /// The whole reply as one JSON body.
    pub(crate) fn body(&self) -> Vec<u8> {
        let (id, call_id) = (self.completion_id(), self.call_id());
        let (content, tool_calls) = match &self.decision {
            Decision::Say(text) => (Some(text.as_str()), Vec::new()),
            Decision::Call { name, arguments } => {
                let function = FunctionFragment { name: Some(name), arguments };
                let call = CompletionCall { id: &call_id, kind: "function", function };
                (None, vec![call])
            }
        };
        let (mut reasoning_content, mut reasoning) = (None, None);
        let mut content = content.map(Cow::Borrowed);
        match &self.thoughts {
            Some((ReasoningPlace::ReasoningContent, text)) => reasoning_content = Some(text.as_str()),
            Some((ReasoningPlace::Reasoning, text)) => reasoning = Some(text.as_str()),
            Some((place @ ReasoningPlace::ThinkTags, text)) => {
                content = Some(Cow::Owned(
                    spelt(*place, text).into_owned() + content.as_deref().unwrap_or_default(),
                ));
            }
            None => {}
        }
        let content = content.as_deref();
        let message =
            CompletionMessage { role: "assistant", content, reasoning_content, reasoning, tool_calls };
        json(&Completion {
            id: &id,
            object: "chat.completion",
            created: CREATED,
            model: &self.model,
            choices: [CompletionChoice { index: 0, message, finish_reason: self.finish }],
            usage: self.usage,
        })
    }
}

/// Thoughts as they are written in their place.
fn spelt(place: ReasoningPlace, text: &str) -> Cow<'_, str> {
    match place {
        ReasoningPlace::ThinkTags => Cow::Owned(format!("<think>\n{text}\n</think>\n\n")),
        ReasoningPlace::ReasoningContent | ReasoningPlace::Reasoning => Cow::Borrowed(text),
    }
}

fn thought(place: ReasoningPlace, word: &str) -> Delta<'_> {
    match place {
        ReasoningPlace::ThinkTags => Delta { content: Some(Some(word)), ..Delta::default() },
        ReasoningPlace::ReasoningContent => Delta { reasoning_content: Some(word), ..Delta::default() },
        ReasoningPlace::Reasoning => Delta { reasoning: Some(word), ..Delta::default() },
    }
}

/// The event with its line ends, which stand at its end only, as CR LF.
fn with_crlf(event: &[u8]) -> Bytes {
    let line = event.strip_suffix(b"\n\n").unwrap_or(event);
    Bytes::from([line, b"\r\n\r\n"].concat())
}

/// JSON bytes. Our reply types hold nothing that cannot be written; if that ever changed, the reader would see an empty
/// object and the log would say why.
pub(crate) fn json<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_else(|error| {
        tracing::error!(error = %error, "a reply could not be written as JSON");
        b"{}".to_vec()
    })
}

fn event(chunk: &Chunk<'_>) -> Bytes {
    let json = json(chunk);
    let mut event = Vec::with_capacity(json.len() + 8);
    event.extend_from_slice(b"data: ");
    event.extend_from_slice(&json);
    event.extend_from_slice(b"\n\n");
    Bytes::from(event)
}

/// The text in the pieces in which it streams: a word with the space before it, two or three characters of a script
/// without spaces. No visible character is ever cut. Joined, they are the text.
pub(crate) fn words(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut from, mut wide, mut limit) = (0, 0, 2);
    let mut spaced = true;
    for (at, grapheme) in text.grapheme_indices(true) {
        let space = grapheme.chars().all(char::is_whitespace);
        let is_wide = grapheme.chars().next().is_some_and(|c| u32::from(c) >= 0x2E80);
        let full = is_wide && wide == limit;
        let script_changes = !space && is_wide != (wide > 0);
        let begins = at > from && (full || (!spaced && (space || script_changes)));
        if begins {
            pieces.extend(text.get(from..at));
            (from, limit) = (at, if wide == limit { 5 - limit } else { limit });
            wide = 0;
        }
        wide += usize::from(is_wide);
        spaced = space;
    }
    pieces.extend(text.get(from..).filter(|rest| !rest.is_empty()));
    pieces
}

/// The text cut to about so many tokens, at a border between two streamed pieces; whether anything was cut.
pub(crate) fn cut(text: &str, max_tokens: u64) -> (String, bool) {
    let mut tokens = 0;
    let mut end = 0;
    for piece in words(text) {
        tokens += crate::usage::estimate_tokens(piece);
        if tokens > max_tokens {
            return (text.get(..end).unwrap_or_default().to_owned(), true);
        }
        end += piece.len();
    }
    (text.to_owned(), false)
}

fn fragments(text: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = text.char_indices().map(|(at, _)| at).step_by(ARGUMENT_CHARACTERS).collect();
    starts.push(text.len());
    starts.windows(2).filter_map(|pair| text.get(*pair.first()?..*pair.last()?)).collect()
}

#[cfg(test)]
mod tests;
