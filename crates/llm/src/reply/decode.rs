//! From data events to the events of a reply, and the rule by which a reply is complete.

use std::borrow::Cow;
use std::collections::VecDeque;

use eventsource_stream::Event;

use super::calls::CallAssembler;
use super::chunk::{Choice, Chunk, Content, Delta, FinishWord, Piece, Usage};
use super::lenient::{Count, Maybe};
use super::thoughts::ThoughtSplitter;
use crate::chat::{ChatEvent, ReplyFinish, TokenUsage};
use crate::failure::{FailureClass, ModelFailure, classify_in_stream, presentable, says_error};
use crate::secret::Secret;

#[cfg(test)]
mod tests;

/// Whether more is to be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// Yes.
    Open,
    /// The end mark came.
    Done,
}

/// How the bytes ended.
#[derive(Debug)]
pub(super) enum Ending {
    /// With `[DONE]`.
    Done,
    /// Without it.
    Eof,
    /// Not at all: the connection broke or fell silent.
    Broken(ModelFailure),
}

/// The fields of a delta in which thoughts come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ThoughtField {
    ReasoningContent,
    Reasoning,
}

/// The state of one reply.
#[derive(Debug)]
pub(super) struct Decoder {
    out: VecDeque<ChatEvent>,
    thoughts: ThoughtSplitter,
    /// The field of a delta in which this reply's thoughts come.
    thought_field: Option<ThoughtField>,
    calls: CallAssembler,
    finish: FinishWord,
    usage: Option<TokenUsage>,
    /// Data events other than the end mark.
    events: u64,
    /// One event at least was a chunk of a completion.
    is_completion: bool,
    /// The first event that was none, for a sentence.
    stranger: Option<String>,
    warned: bool,
    key: Option<Secret>,
}

impl Decoder {
    /// A reply without events. The key is taken out of every sentence. `starts_in_reasoning`: see the reply's options.
    pub(super) fn new(key: Option<Secret>, starts_in_reasoning: bool) -> Self {
        Self {
            out: VecDeque::new(),
            thoughts: ThoughtSplitter::new(starts_in_reasoning),
            thought_field: None,
            calls: CallAssembler::default(),
            finish: FinishWord::Open,
            usage: None,
            events: 0,
            is_completion: false,
            stranger: None,
            warned: false,
            key,
        }
    }

    /// The next event that is ready to go out.
    pub(super) fn pop(&mut self) -> Option<ChatEvent> {
        self.out.pop_front()
    }

    /// Reads one data event.
    ///
    /// # Errors
    /// The failure that the event tells of, whatever follows it.
    pub(super) fn take(&mut self, event: &Event) -> Result<Progress, ModelFailure> {
        let data = event.data.trim();
        if data == "[DONE]" {
            return Ok(Progress::Done);
        }
        self.events += 1;
        // The name decides before the shape.
        if event.event == "error" {
            return Err(self.told(data));
        }
        let chunk = match serde_json::from_str::<Chunk>(data) {
            Ok(chunk) => chunk,
            Err(error) => match serde_json::from_str::<Chunk>(&finite(data)) {
                Ok(chunk) => {
                    self.warn_once("the endpoint sends numbers that are not finite; they were read as null");
                    chunk
                }
                Err(_) => {
                    self.warn_once(&format!("the endpoint sent an event that is no JSON, left out: {error}"));
                    self.note_stranger(data);
                    return Ok(Progress::Open);
                }
            },
        };
        if chunk.error.0 {
            return Err(self.told(data));
        }
        self.note_usage(&chunk.usage);
        self.note_usage(&chunk.x_groq.0.unwrap_or_default().usage);
        match chunk.choices {
            Some(choices) => {
                self.is_completion = true;
                // One reply was asked for, so the others are none of ours.
                match choices.0.into_iter().next() {
                    Some(choice) => self.take_choice(choice, data)?,
                    None => tracing::trace!("a chunk without choices"),
                }
            }
            None if says_error(data) => return Err(self.told(data)),
            None => self.note_stranger(data),
        }
        Ok(Progress::Open)
    }

    fn take_choice(&mut self, choice: Choice, data: &str) -> Result<(), ModelFailure> {
        self.note_usage(&choice.usage);
        // Some send the whole message so far beside each delta: that one is read only where there is no delta.
        let spoke = !self.out.is_empty() || self.events > 1;
        match (choice.delta.0, choice.message.0) {
            (Some(delta), _) => self.take_delta(delta),
            (None, Some(message)) if !spoke => self.take_delta(message),
            (None, _) => {}
        }
        if choice.finish_reason == FinishWord::Failed {
            return Err(self.told(data));
        }
        // Sent on every chunk by some, so a weaker word never undoes a stronger one.
        self.finish = self.finish.max(choice.finish_reason);
        Ok(())
    }

    fn take_delta(&mut self, delta: Delta) {
        // Relays send the same thought under both names, in one chunk or in two: one field is read in a reply.
        for (field, thought) in [
            (ThoughtField::ReasoningContent, delta.reasoning_content.into_text()),
            (ThoughtField::Reasoning, delta.reasoning.into_text()),
        ] {
            if !thought.is_empty() && *self.thought_field.get_or_insert(field) == field {
                self.think(thought);
            }
        }
        match delta.content {
            Content::Nothing => {}
            Content::Text(text) => self.say(text),
            Content::Parts(pieces) => {
                for piece in pieces {
                    match piece {
                        Piece::Text(text) => self.say(text),
                        Piece::Reasoning(text) => self.think(text),
                    }
                }
            }
        }
        if let Some(refusal) = delta.refusal.filled() {
            self.say(refusal);
        }
        for fragment in delta.tool_calls.0 {
            self.calls.take(fragment);
        }
    }

    /// Every word for the reader passes here, because thoughts may arrive inside of the text.
    fn say(&mut self, text: String) {
        self.thoughts.take(text, &mut self.out);
    }

    /// Puts out what was held back, before a failure is told.
    pub(super) fn release(&mut self) {
        self.thoughts.finish(false, &mut self.out);
    }

    fn think(&mut self, text: String) {
        if !text.is_empty() {
            self.out.push_back(ChatEvent::Reasoning(text));
        }
    }

    /// Ends the reply: it is complete with an end mark or a finish reason, and only then its calls go out.
    ///
    /// # Errors
    /// The failure as which a reply without them ends.
    pub(super) fn end(&mut self, ending: Ending) -> Result<(), ModelFailure> {
        let finished = self.finish != FinishWord::Open;
        match ending {
            Ending::Broken(failure) if !finished => return Err(failure),
            Ending::Broken(failure) => {
                tracing::debug!(
                    error.class = failure.class.name(),
                    "the connection broke after the reply had ended"
                );
            }
            Ending::Done | Ending::Eof if self.events == 0 => {
                return Err(ModelFailure::new(
                    FailureClass::EmptyStream,
                    "the endpoint answered 200 and closed the stream without a single event",
                ));
            }
            Ending::Done | Ending::Eof if !self.is_completion => return Err(self.no_completion()),
            Ending::Eof if !finished => {
                return Err(ModelFailure::new(
                    FailureClass::Interrupted,
                    "the stream ended without an end mark and without a finish reason",
                ));
            }
            Ending::Done | Ending::Eof => {}
        }
        let calls = if self.finish == FinishWord::Filtered { Vec::new() } else { self.calls.finish() };
        let finish = match self.finish {
            FinishWord::Filtered => ReplyFinish::Filtered,
            FinishWord::Length => ReplyFinish::Length,
            _ if !calls.is_empty() => ReplyFinish::ToolCalls,
            _ => ReplyFinish::Stop,
        };
        let unanswered = finish == ReplyFinish::Stop && calls.is_empty();
        self.thoughts.finish(unanswered, &mut self.out);
        self.out.extend(calls.into_iter().map(ChatEvent::Call));
        self.out.push_back(ChatEvent::End { finish, usage: self.usage, continue_turn: None });
        Ok(())
    }

    fn told(&self, data: &str) -> ModelFailure {
        classify_in_stream(data, self.key.as_ref())
    }

    fn no_completion(&self) -> ModelFailure {
        let what = self.stranger.as_deref().unwrap_or("usage alone");
        let message = format!("the endpoint answered 200 with something that is no completion: {what}");
        ModelFailure::new(FailureClass::Unreachable, presentable(&message, self.key.as_ref()))
    }

    fn note_stranger(&mut self, data: &str) {
        if self.stranger.is_none() {
            self.stranger = Some(data.chars().take(200).collect());
        }
    }

    /// Counts may come in any chunk and in pieces; an empty object says nothing.
    fn note_usage(&mut self, usage: &Maybe<Usage>) {
        let Some(Usage { prompt_tokens: Count(prompt), completion_tokens: Count(completion) }) = usage.0
        else {
            return;
        };
        if prompt.is_none() && completion.is_none() {
            return;
        }
        let known = self.usage.get_or_insert_default();
        known.prompt_tokens = prompt.or(known.prompt_tokens);
        known.completion_tokens = completion.or(known.completion_tokens);
    }

    fn warn_once(&mut self, sentence: &str) {
        if !self.warned {
            self.warned = true;
            tracing::warn!("{sentence}");
        }
    }
}

/// The same text with `NaN` and `Infinity` outside of strings as `null`: a log probability must not cost an answer.
fn finite(json: &str) -> Cow<'_, str> {
    const WORDS: [&str; 3] = ["NaN", "-Infinity", "Infinity"];
    if !WORDS.iter().any(|word| json.contains(word)) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    let (mut in_string, mut escaped) = (false, false);
    let mut rest = json;
    while let Some(c) = rest.chars().next() {
        if !in_string && let Some(word) = WORDS.iter().find(|word| rest.starts_with(**word)) {
            out.push_str("null");
            rest = &rest[word.len()..];
            continue;
        }
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            _ => {}
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    Cow::Owned(out)
}
