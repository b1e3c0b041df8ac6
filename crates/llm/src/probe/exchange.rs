//! One request of the test and everything that came back.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use tokio::time::Instant;

use crate::chat::{ChatBackend, ChatEvent, ChatRequest, ReplyFinish, TokenUsage, ToolCall};
use crate::client::no_answer;
use crate::failure::{FailureClass, ModelFailure};
use crate::learned::{Known, Learned, Lesson, LessonMemory};
use crate::quirks::lessons_of;

/// A whole reply.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Heard {
    pub(super) text: String,
    /// In how many pieces the text came.
    pub(super) pieces: usize,
    pub(super) has_thoughts: bool,
    pub(super) calls: Vec<ToolCall>,
    /// What is wrong with a call of text mode that cannot run.
    pub(super) fault: Option<String>,
    pub(super) finish: ReplyFinish,
    pub(super) usage: Option<TokenUsage>,
}

impl Default for Heard {
    fn default() -> Self {
        Self {
            text: String::new(),
            pieces: 0,
            has_thoughts: false,
            calls: Vec::new(),
            fault: None,
            finish: ReplyFinish::Stop,
            usage: None,
        }
    }
}

impl Heard {
    /// The token limit of the test ended it before it said or called anything.
    pub(super) fn was_cut_empty(&self) -> bool {
        self.text.trim().is_empty() && self.calls.is_empty() && self.finish == ReplyFinish::Length
    }
}

/// One request and its outcome.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Exchange {
    pub(super) reply: Result<Heard, ModelFailure>,
    /// Every lesson that the accepted request obeyed, and the refusal that taught it.
    pub(super) lessons: Vec<(Lesson, Option<String>)>,
    pub(super) took: Duration,
}

impl Exchange {
    /// The words behind one of these lessons, if the request obeyed one.
    pub(super) fn taught(&self, wanted: &[Lesson]) -> Option<Option<String>> {
        self.lessons.iter().find(|(lesson, _)| wanted.contains(lesson)).map(|(_, words)| words.clone())
    }
}

/// Sends a request and reads its reply to the end, within `limit`.
pub(super) async fn ask(
    backend: &dyn ChatBackend,
    memory: &ProbeMemory,
    endpoint: &str,
    request: ChatRequest,
    limit: Duration,
) -> Exchange {
    let started = Instant::now();
    let mut heard = Heard::default();
    let reply = match tokio::time::timeout(limit, read(backend, request, &mut heard)).await {
        Ok(Ok(())) => Ok(heard),
        Ok(Err(failure)) => Err(failure),
        Err(_) if heard == Heard::default() => Err(no_answer(endpoint, limit)),
        Err(_) => {
            let message = format!("{endpoint} had not ended its reply after {} s", limit.as_secs_f64());
            Err(ModelFailure::new(FailureClass::Stalled, message))
        }
    };
    Exchange { reply, lessons: memory.lessons(), took: started.elapsed() }
}

async fn read(
    backend: &dyn ChatBackend,
    request: ChatRequest,
    heard: &mut Heard,
) -> Result<(), ModelFailure> {
    let mut reply = backend.chat(request).await?;
    while let Some(event) = reply.next().await {
        match event? {
            ChatEvent::Text(text) => {
                heard.pieces += 1;
                heard.text.push_str(&text);
            }
            ChatEvent::Reasoning(_) => heard.has_thoughts = true,
            ChatEvent::KeepsFloor => {}
            ChatEvent::Call(call) => heard.calls.push(call),
            ChatEvent::FaultyCall { fault, .. } => heard.fault = Some(fault),
            ChatEvent::End { finish, usage, .. } => {
                heard.finish = finish;
                heard.usage = usage;
            }
        }
    }
    Ok(())
}

/// The memory of one test. It begins empty, so that the endpoint is asked the common way first, keeps the words of the
/// refusals, and passes what was proved on to the memory that turns ask.
#[derive(Debug)]
pub(super) struct ProbeMemory {
    shared: Option<Arc<dyn LessonMemory>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    refusals: Vec<ModelFailure>,
    lessons: Vec<(Lesson, Option<String>)>,
}

impl ProbeMemory {
    pub(super) fn new(shared: Option<Arc<dyn LessonMemory>>) -> Self {
        Self { shared, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lessons(&self) -> Vec<(Lesson, Option<String>)> {
        self.state().lessons.clone()
    }
}

#[async_trait]
impl LessonMemory for ProbeMemory {
    async fn get(&self) -> Known {
        self.state().lessons.iter().map(|(lesson, _)| *lesson).collect::<Learned>().into()
    }

    async fn set(&self, lesson: Lesson, status: u16) {
        if let Some(shared) = &self.shared {
            shared.set(lesson, status).await;
        }
        let mut state = self.state();
        let teaches = |failure: &&ModelFailure| {
            let FailureClass::Rejected { status } = failure.class else { return false };
            lessons_of(status, &failure.message).any(|taught| taught == lesson)
        };
        let refusal = state.refusals.iter().rev().find(teaches).or(state.refusals.last());
        let words = refusal.map(|failure| failure.message.clone());
        if !state.lessons.iter().any(|(known, _)| *known == lesson) {
            state.lessons.push((lesson, words));
        }
    }

    async fn was_needless(&self, _lesson: Lesson) {}

    fn saw_refusal(&self, refusal: &ModelFailure) {
        self.state().refusals.push(refusal.clone());
    }
}
