//! From the bytes of an answer to the events of a reply.
//!
//! bytes → `normalise` (line ends, BOM, caps, bodies that are no stream) → `eventsource-stream` (the only parser of
//! event streams) → `decode` (typed, lenient chunks; calls assembled) → [`ChatEvent`]s under two timers.

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use eventsource_stream::{Event, EventStream, EventStreamError};
use futures::Stream;
use tokio::time::{Instant, Sleep};

use crate::chat::{ChatEvent, ChatStream};
use crate::failure::{FailureClass, ModelFailure, presentable, root_cause};
use crate::secret::Secret;

mod calls;
mod channels;
mod chunk;
mod decode;
mod lenient;
mod normalise;
mod thoughts;

use decode::{Decoder, Ending, Progress};
use normalise::{Normaliser, WireError};

/// A poll that comes this long after its deadline was not waiting for the endpoint: we were busy elsewhere.
const OWN_PAUSE: Duration = Duration::from_secs(1);

/// What reading a reply needs to know of its endpoint.
#[derive(Clone, Debug)]
pub struct ReplyOptions {
    /// Host and port, for sentences.
    pub endpoint: String,
    /// How long to wait for the first data event, from the first poll that finds nothing.
    pub first_event_timeout: Duration,
    /// How long to wait between two data events; comments are not data.
    pub idle_timeout: Duration,
    /// Taken out of every sentence.
    pub key: Option<Secret>,
    /// The endpoint's replies may begin inside of a thought, with nothing but its closing tag in the text.
    pub starts_in_reasoning: bool,
}

/// Reads the body of a successful answer: an event stream, or one whole JSON completion.
///
/// The stream ends with [`ChatEvent::End`] or with one failure, and lets go of `bytes` at that moment. Text that was
/// handed out before a failure stays valid; calls come only after a good end.
pub fn read_reply<S, E>(bytes: S, options: ReplyOptions) -> ChatStream
where
    S: Stream<Item = Result<Bytes, E>> + Send + 'static,
    E: Error + Send + Sync + Unpin + 'static,
{
    let comments = Arc::new(AtomicBool::new(false));
    let normalised = Normaliser::new(Box::pin(bytes), Arc::clone(&comments));
    Box::pin(Reply {
        events: Some(Box::pin(EventStream::new(normalised))),
        decoder: Decoder::new(options.key.clone(), options.starts_in_reasoning),
        failure: None,
        patience: None,
        armed: false,
        started: false,
        comments,
        options,
    })
}

type Events<S, E> = EventStream<Normaliser<Pin<Box<S>>, E>>;

struct Reply<S, E> {
    /// `None` once the reply has ended: the connection is free then, whoever still holds this stream.
    events: Option<Pin<Box<Events<S, E>>>>,
    decoder: Decoder,
    /// Told after what was decoded before it.
    failure: Option<ModelFailure>,
    /// Made once and reset, not one a wait.
    patience: Option<Pin<Box<Sleep>>>,
    armed: bool,
    /// A data event has come.
    started: bool,
    comments: Arc<AtomicBool>,
    options: ReplyOptions,
}

impl<S, E> Stream for Reply<S, E>
where
    S: Stream<Item = Result<Bytes, E>> + Send,
    E: Error + Send + Sync + Unpin + 'static,
{
    type Item = Result<ChatEvent, ModelFailure>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(event) = this.decoder.pop() {
                return Poll::Ready(Some(Ok(event)));
            }
            let Some(events) = this.events.as_mut() else {
                return Poll::Ready(this.failure.take().map(Err));
            };
            let ending = match events.as_mut().poll_next(cx) {
                Poll::Ready(Some(Ok(event))) => {
                    this.armed = false;
                    this.started = true;
                    this.take(&event);
                    continue;
                }
                Poll::Ready(Some(Err(error))) => Ending::Broken(this.transport_failure(error)),
                Poll::Ready(None) => Ending::Eof,
                Poll::Pending if this.patience_ended(cx) => Ending::Broken(this.stalled()),
                Poll::Pending => return Poll::Pending,
            };
            this.end(ending);
        }
    }
}

impl<S, E: Error> Reply<S, E> {
    fn take(&mut self, event: &Event) {
        match self.decoder.take(event) {
            Ok(Progress::Open) => {}
            Ok(Progress::Done) => self.end(Ending::Done),
            Err(failure) => self.fail(failure),
        }
    }

    fn end(&mut self, ending: Ending) {
        match self.decoder.end(ending) {
            Ok(()) => self.events = None,
            Err(failure) => self.fail(failure),
        }
    }

    fn fail(&mut self, failure: ModelFailure) {
        self.decoder.release();
        self.failure = Some(failure);
        self.events = None;
    }

    /// Called with nothing to read. Arms the timer, or says that it ran out while somebody was waiting.
    fn patience_ended(&mut self, cx: &mut Context<'_>) -> bool {
        let limit = if self.started { self.options.idle_timeout } else { self.options.first_event_timeout };
        let sleep = self.patience.get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
        let slept_through = sleep.deadline() + OWN_PAUSE < Instant::now();
        if !self.armed || slept_through {
            sleep.as_mut().reset(Instant::now() + limit);
            self.armed = true;
        }
        sleep.as_mut().poll(cx).is_ready()
    }

    fn stalled(&self) -> ModelFailure {
        let (limit, what) = if self.started {
            (self.options.idle_timeout, "stopped in the middle of its reply and sent nothing more")
        } else {
            (self.options.first_event_timeout, "accepted the request and sent nothing")
        };
        let alive = if self.comments.load(Ordering::Relaxed) { " but keep-alive comments" } else { "" };
        let message = format!("{} {what}{alive} for {} s", self.options.endpoint, limit.as_secs_f64());
        ModelFailure { timed_out: !self.started, ..ModelFailure::new(FailureClass::Stalled, message) }
    }

    fn transport_failure(&self, error: EventStreamError<WireError<E>>) -> ModelFailure {
        let endpoint = &self.options.endpoint;
        let no_answer = if self.started { FailureClass::Interrupted } else { FailureClass::Unreachable };
        let (class, message) = match error {
            EventStreamError::Transport(WireError::Transport(error)) => {
                (no_answer, format!("the connection to {endpoint} broke: {}", root_cause(&error)))
            }
            EventStreamError::Transport(error) => (FailureClass::Unreachable, format!("{endpoint} {error}")),
            EventStreamError::Utf8(_) | EventStreamError::Parser(_) => {
                (no_answer, format!("{endpoint} sent an event stream that cannot be read: {error}"))
            }
        };
        ModelFailure::new(class, presentable(&message, self.options.key.as_ref()))
    }
}
