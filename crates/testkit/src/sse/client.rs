//! A reader of one stream.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use attest_protocol::frame::ConversationFrame;
use attest_protocol::{EventId, Frame};
use eventsource_stream::{Event, Eventsource};
use futures::{Stream, StreamExt};
use reqwest::header::HeaderMap;

use super::comments::{Comments, LineState};
use super::turn::Turn;
use crate::wait::soon;

/// One frame as it came.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    /// Its id.
    pub id: EventId,
    /// Its data, to the byte.
    pub data: String,
    /// What it says.
    pub frame: Frame,
}

/// Reads frames. Dropping it in the middle leaves as a reader that closes its page does.
pub struct SseClient {
    headers: HeaderMap,
    events: Pin<Box<dyn Stream<Item = Result<Event, String>> + Send>>,
    comments: Arc<Comments>,
    /// Frames that were met while waiting for a comment.
    ahead: VecDeque<Received>,
}

impl SseClient {
    /// Reads a response that has to be an event stream.
    ///
    /// # Panics
    /// When it is none.
    pub(crate) fn new(response: reqwest::Response) -> Self {
        let headers = response.headers().clone();
        let kind = headers.get("content-type").map(|v| String::from_utf8_lossy(v.as_bytes()).into_owned());
        assert!(
            response.status() == 200 && kind.as_deref().is_some_and(|k| k.starts_with("text/event-stream")),
            "expected an event stream, got {} {kind:?}",
            response.status(),
        );
        let comments = Arc::new(Comments::default());
        let (seen, mut state) = (Arc::clone(&comments), LineState::default());
        let bytes = response.bytes_stream().inspect(move |bytes| {
            if let Ok(bytes) = bytes {
                seen.see(&mut state, bytes);
            }
        });
        let events = bytes.eventsource().map(|event| event.map_err(|error| error.to_string()));
        Self { headers, events: Box::pin(events), comments, ahead: VecDeque::new() }
    }

    /// A header of the response.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Comments so far.
    #[must_use]
    pub fn comments(&self) -> usize {
        self.comments.count()
    }

    /// The next frame; `None` at the end of the stream.
    ///
    /// # Panics
    /// When none comes, when the stream breaks, or when an event is no frame of ours.
    pub async fn next(&mut self) -> Option<Received> {
        if let Some(received) = self.ahead.pop_front() {
            return Some(received);
        }
        let event = soon("a frame", self.events.next()).await?;
        Some(read(event.unwrap_or_else(|error| panic!("the stream broke: {error}"))))
    }

    /// The next frame, which has to come.
    pub async fn next_frame(&mut self) -> Frame {
        self.next().await.expect("another frame before the end of the stream").frame
    }

    /// Waits for a comment that has not been seen yet.
    pub async fn next_comment(&mut self) {
        let before = self.comments.count();
        let (events, comments, ahead) = (&mut self.events, &self.comments, &mut self.ahead);
        let comment = poll_fn(|cx| {
            loop {
                if comments.count() > before {
                    return Poll::Ready(());
                }
                match events.as_mut().poll_next(cx) {
                    Poll::Pending if comments.count() > before => return Poll::Ready(()),
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(Some(Ok(event))) => ahead.push_back(read(event)),
                    Poll::Ready(end) => panic!("the stream ended before a comment came: {end:?}"),
                }
            }
        });
        soon("a comment", comment).await;
    }

    /// The first frame of a turn.
    ///
    /// # Panics
    /// When it is another one.
    pub async fn conversation(&mut self) -> ConversationFrame {
        match self.next_frame().await {
            Frame::Conversation(conversation) => conversation,
            other => panic!("a turn begins with `conversation`, not with {other:?}"),
        }
    }

    /// Reads until the words so far contain this, beginning now.
    pub async fn until_text(&mut self, text: &str) -> Vec<Received> {
        let (mut said, mut frames) = (String::new(), Vec::new());
        while !said.contains(text) {
            let received = self.next().await;
            let received =
                received.unwrap_or_else(|| panic!("the stream ended before {text:?}: {frames:#?}"));
            match &received.frame {
                Frame::Delta(delta) => said.push_str(&delta.text),
                Frame::Snapshot(snapshot) => said.clone_from(&snapshot.content),
                _ => {}
            }
            frames.push(received);
        }
        frames
    }

    /// Everything to the end of the stream.
    pub async fn collect_to_end(mut self) -> Vec<Received> {
        let mut frames = Vec::new();
        while let Some(received) = self.next().await {
            frames.push(received);
        }
        frames
    }

    /// Everything to the end, which has to be one whole turn.
    pub async fn turn(self) -> Turn {
        Turn::of(self.collect_to_end().await)
    }

    /// Reads on until the server is gone: to an end or to a break.
    pub async fn until_gone(mut self) -> Vec<Received> {
        let mut frames: Vec<Received> = self.ahead.drain(..).collect();
        while let Some(Ok(event)) = soon("the server to go", self.events.next()).await {
            frames.push(read(event));
        }
        frames
    }
}

fn read(event: Event) -> Received {
    let id = event.id.parse().unwrap_or_else(|error| panic!("{error}, in {event:?}"));
    let frame = Frame::parse(&event.event, &event.data)
        .unwrap_or_else(|error| panic!("an event that is no frame: {error}, in {event:?}"));
    Received { id, data: event.data, frame }
}
