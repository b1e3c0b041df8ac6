//! A model that plays a script and remembers what it was asked.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use attest_llm::chat::{ChatBackend, ChatEvent, ChatRequest, ChatStream, ReplyFinish, TokenUsage, ToolCall};
use attest_llm::failure::{FailureClass, ModelFailure};
use futures::StreamExt;

/// One reply of the script.
pub(crate) enum Reply {
    /// These events.
    Events(Vec<ChatEvent>),
    /// These events, then a failure.
    Breaks(Vec<ChatEvent>, ModelFailure),
    /// These events, then nothing for ever.
    Hangs(Vec<ChatEvent>),
    /// These words, again and again.
    Endless(&'static str),
    /// The request is refused.
    Refused(ModelFailure),
}

/// The scripted model.
#[derive(Default)]
pub(crate) struct Script {
    replies: Mutex<VecDeque<Reply>>,
    requests: Mutex<Vec<ChatRequest>>,
    open: Arc<AtomicUsize>,
}

impl Script {
    pub(crate) fn new(replies: impl IntoIterator<Item = Reply>) -> Arc<Self> {
        Arc::new(Self { replies: Mutex::new(replies.into_iter().collect()), ..Self::default() })
    }

    /// What was asked since the last time, for scripts of several turns.
    pub(crate) fn take_requests(&self) -> Vec<ChatRequest> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }

    /// Streams that are open.
    pub(crate) fn open_streams(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }
}

struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl ChatBackend for Script {
    async fn chat(&self, request: ChatRequest) -> Result<ChatStream, ModelFailure> {
        self.requests.lock().unwrap().push(request);
        let reply =
            self.replies.lock().unwrap().pop_front().expect("the script has a reply for every request");
        let (events, failure, hangs) = match reply {
            Reply::Events(events) => (events, None, false),
            Reply::Breaks(events, failure) => (events, Some(failure), false),
            Reply::Hangs(events) => (events, None, true),
            Reply::Endless(words) => {
                return Ok(futures::stream::repeat_with(move || Ok(said(words))).boxed());
            }
            Reply::Refused(failure) => return Err(failure),
        };
        self.open.fetch_add(1, Ordering::SeqCst);
        let open = Open(Arc::clone(&self.open));
        let events = futures::stream::iter(events.into_iter().map(Ok).chain(failure.map(Err)));
        let tail = if hangs {
            futures::stream::pending().left_stream()
        } else {
            futures::stream::empty().right_stream()
        };
        let stream = events.chain(tail).map(move |event| {
            let _ = &open;
            event
        });
        Ok(stream.boxed())
    }

    fn model(&self) -> &str {
        "scripted"
    }
}

pub(crate) fn said(text: &str) -> ChatEvent {
    ChatEvent::Text(text.to_owned())
}

pub(crate) fn call(id: &str, name: &str, arguments: &str) -> ChatEvent {
    ChatEvent::Call(ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() })
}

pub(crate) fn end(finish: ReplyFinish) -> ChatEvent {
    let usage = TokenUsage { prompt_tokens: Some(100), completion_tokens: Some(10) };
    ChatEvent::End { finish, usage: Some(usage), continue_turn: None }
}

/// Text in pieces, to its end.
pub(crate) fn text(pieces: &[&str]) -> Reply {
    let mut events: Vec<ChatEvent> = pieces.iter().map(|piece| said(piece)).collect();
    events.push(end(ReplyFinish::Stop));
    Reply::Events(events)
}

/// Calls, with or without narration before them.
pub(crate) fn calls(narration: &str, calls: &[(&str, &str, &str)]) -> Reply {
    let mut events = Vec::new();
    if !narration.is_empty() {
        events.push(said(narration));
    }
    events.extend(calls.iter().map(|(id, name, arguments)| call(id, name, arguments)));
    events.push(end(ReplyFinish::ToolCalls));
    Reply::Events(events)
}

/// Words that keep the floor.
pub(crate) fn keeps_floor(words: &str) -> Reply {
    let end =
        ChatEvent::End { finish: ReplyFinish::Stop, usage: None, continue_turn: Some("(next)".to_owned()) };
    Reply::Events(if words.is_empty() { vec![end] } else { vec![said(words), end] })
}

/// One search.
pub(crate) fn search(id: &str, query: &str) -> Reply {
    calls("", &[(id, "search", &format!(r#"{{"query":"{query}"}}"#))])
}

pub(crate) fn failure(class: FailureClass) -> ModelFailure {
    ModelFailure::new(class, "its own words")
}
