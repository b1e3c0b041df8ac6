//! A reply in blocks as the events of a reply with tools.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::Stream;
use uuid::Uuid;

use super::FIRST_OF_SEVERAL;
use super::catalogue::Catalogue;
use super::outcome::{Emptiness, Floor, Outcome, WrittenCall};
use super::reader::{Piece, ReplyReader};
use crate::chat::{ChatEvent, ChatStream, ReplyFinish, TokenUsage, ToolCall};
use crate::failure::ModelFailure;

/// Reads the events of one reply.
pub(super) struct TextReply {
    /// `None` once the reply has ended: the connection is free then.
    inner: Option<ChatStream>,
    reader: Option<ReplyReader>,
    catalogue: std::sync::Arc<Catalogue>,
    /// What the model thought, while it has said nothing.
    thought: Option<String>,
    /// Calls that the endpoint wrote as calls although it was offered no tools.
    structured: Vec<ToolCall>,
    /// The reply is a `T`, and whether that was handed out.
    keeps_floor: bool,
    floor_told: bool,
    out: VecDeque<Result<ChatEvent, ModelFailure>>,
}

impl TextReply {
    pub(super) fn new(inner: ChatStream, reader: ReplyReader, catalogue: std::sync::Arc<Catalogue>) -> Self {
        Self {
            inner: Some(inner),
            reader: Some(reader),
            catalogue,
            thought: Some(String::new()),
            structured: Vec::new(),
            keeps_floor: false,
            floor_told: false,
            out: VecDeque::new(),
        }
    }

    fn take(&mut self, event: Result<ChatEvent, ModelFailure>) {
        match event {
            Ok(ChatEvent::Text(text)) => self.take_text(&text),
            Ok(ChatEvent::Reasoning(words)) => {
                if let Some(thought) = &mut self.thought {
                    thought.push_str(&words);
                }
                self.out.push_back(Ok(ChatEvent::Reasoning(words)));
            }
            Ok(ChatEvent::Call(call)) => self.structured.push(call),
            Ok(event @ (ChatEvent::FaultyCall { .. } | ChatEvent::KeepsFloor)) => {
                self.out.push_back(Ok(event))
            }
            Ok(ChatEvent::End { finish, usage, .. }) => self.end(finish, usage),
            Err(failure) => {
                // Words that were held back are words; a call of a broken reply is none.
                self.say_the_rest();
                self.out.push_back(Err(failure));
                self.inner = None;
            }
        }
    }

    fn take_text(&mut self, text: &str) {
        let thought = self.thought.take().unwrap_or_default();
        if !thought.trim().is_empty() && thought.trim() == text.trim() {
            // The wire repeats a thought that was never closed as words. Here it is a thought and no reply.
            return;
        }
        let Some(reader) = &mut self.reader else { return };
        let mut pieces = Vec::new();
        reader.take(text, &mut pieces);
        let complete = reader.is_complete();
        self.keeps_floor |= reader.keeps_floor();
        self.hand_out(pieces);
        if complete {
            // What it would have cost is unknown: the endpoint says so at the end only.
            tracing::debug!(
                llm.model_reply = "left early",
                "the reply was whole before the endpoint was done with it"
            );
            self.end(ReplyFinish::Stop, None);
        }
    }

    fn hand_out(&mut self, pieces: Vec<Piece>) {
        for piece in pieces {
            let event = match piece {
                Piece::Text(words) => {
                    if self.keeps_floor && !std::mem::replace(&mut self.floor_told, true) {
                        self.out.push_back(Ok(ChatEvent::KeepsFloor));
                    }
                    ChatEvent::Text(words)
                }
                Piece::Reasoning(words) => ChatEvent::Reasoning(words),
            };
            self.out.push_back(Ok(event));
        }
    }

    fn say_the_rest(&mut self) {
        if let Some(reader) = self.reader.take() {
            let mut pieces = Vec::new();
            reader.finish(true, &mut pieces);
            self.hand_out(pieces);
        }
    }

    fn end(&mut self, finish: ReplyFinish, usage: Option<TokenUsage>) {
        self.inner = None;
        let Some(reader) = self.reader.take() else { return };
        let overflown = reader.is_overflown();
        let finish = if overflown && finish == ReplyFinish::Stop { ReplyFinish::Length } else { finish };
        let mut pieces = Vec::new();
        let outcome = reader.finish(finish == ReplyFinish::Length, &mut pieces);
        self.hand_out(pieces);
        let outcome = self.with_structured(outcome);
        tracing::debug!(reply.outcome = outcome.name(), "a reply in text mode was read");
        let continue_turn = outcome.nudge().filter(|_| finish != ReplyFinish::Filtered).map(str::to_owned);
        let finish = match (&outcome, finish) {
            (Outcome::Call(_) | Outcome::CallError { .. }, ReplyFinish::Stop) => ReplyFinish::ToolCalls,
            // The limit cut what is not shown anyway.
            (
                Outcome::Say(Floor::SecondCall | Floor::ForeignMarkup | Floor::FabricatedResult),
                ReplyFinish::Length,
            )
            | (_, ReplyFinish::ToolCalls)
                if !matches!(outcome, Outcome::Call(_) | Outcome::CallError { .. }) =>
            {
                ReplyFinish::Stop
            }
            (_, finish) => finish,
        };
        match outcome {
            Outcome::Call(call) => self.out.push_back(Ok(ChatEvent::Call(with_id(call)))),
            Outcome::CallError { call, sentence, .. } => {
                self.out.push_back(Ok(ChatEvent::FaultyCall { call: with_id(call), fault: sentence }));
            }
            Outcome::Done { .. } | Outcome::Say(_) | Outcome::Empty(_) => {}
        }
        self.out.push_back(Ok(ChatEvent::End { finish, usage, continue_turn }));
    }

    /// A call that came as a call is what the reply comes to: the first one of an offered tool.
    fn with_structured(&mut self, outcome: Outcome) -> Outcome {
        let structured = std::mem::take(&mut self.structured);
        let tail_dropped = structured.len() > 1;
        let written = |name: &str, arguments: &str| WrittenCall {
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            foreign: true,
            tail_dropped,
        };
        let known = structured.iter().find_map(|call| Some((self.catalogue.resolve(&call.name)?, call)));
        match (known, structured.first()) {
            (Some((tool, call)), _) => Outcome::Call(written(&tool.name, &call.arguments)),
            (None, Some(call)) if matches!(outcome, Outcome::Empty(Emptiness::Blank)) => {
                let fault = self.catalogue.unknown(&call.name);
                let sentence = fault.to_string();
                Outcome::CallError { call: written(&call.name, &call.arguments), fault, sentence }
            }
            _ => outcome,
        }
    }
}

/// A call with an id of its own, which tells whether it was the first of several: the rendered result says so.
fn with_id(call: WrittenCall) -> ToolCall {
    let kind = if call.tail_dropped { FIRST_OF_SEVERAL } else { "call_" };
    ToolCall { id: format!("{kind}{}", Uuid::new_v4().simple()), name: call.name, arguments: call.arguments }
}

impl Stream for TextReply {
    type Item = Result<ChatEvent, ModelFailure>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(event) = this.out.pop_front() {
                return Poll::Ready(Some(event));
            }
            let Some(inner) = this.inner.as_mut() else { return Poll::Ready(None) };
            match inner.as_mut().poll_next(cx) {
                Poll::Ready(Some(event)) => this.take(event),
                // A reply without an end: the words come, the end does not.
                Poll::Ready(None) => {
                    this.say_the_rest();
                    this.inner = None;
                }
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}
