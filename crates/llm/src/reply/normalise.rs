//! Tidies the bytes of an answer for `eventsource-stream`: one item is one whole event with LF line ends.
//!
//! What it adds to that parser: lone CR (also cut from its LF), one BOM in front, a cap, comments out of the way, an
//! `error:` field, an event that the end of the stream leaves open, and bodies that are no event stream.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::Stream;
use serde::de::IgnoredAny;

#[cfg(test)]
mod tests;

/// The most bytes of one event. The largest real ones carry the arguments of a call, some 100 kB.
const MAX_EVENT: usize = 4 * 1024 * 1024;

/// The most bytes of a body that is no event stream.
const MAX_BODY: usize = 16 * 1024 * 1024;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Why the bytes are no reply. The sentences follow the endpoint's name.
#[derive(Debug, thiserror::Error)]
pub(super) enum WireError<E> {
    /// The connection.
    #[error("broke the connection")]
    Transport(#[source] E),
    /// One event without an end.
    #[error("sent an event of more than {} MiB; is this a chat completion?", MAX_EVENT >> 20)]
    EventTooLong,
    /// A body that is no event stream, without an end.
    #[error("answered with a body of more than {} MiB; is this a chat completion?", MAX_BODY >> 20)]
    BodyTooLong,
    /// A page for people.
    #[error("answered with a web page instead of a completion; is the base URL complete? many end in /v1")]
    WebPage,
    /// Begins like JSON and is none.
    #[error("answered with JSON that is broken or cut off")]
    BrokenJson,
}

enum Mode {
    /// Nothing but a BOM and blanks so far.
    Start(Vec<u8>),
    /// An event stream.
    Lines,
    /// One JSON text or a page, read to its end.
    Whole(Vec<u8>),
}

pub(super) struct Normaliser<S, E> {
    inner: S,
    mode: Mode,
    /// The line that has not ended yet.
    line: Vec<u8>,
    /// The lines of the event that has not ended yet.
    event: Vec<u8>,
    after_cr: bool,
    ready: VecDeque<Bytes>,
    /// Told after what is ready.
    error: Option<WireError<E>>,
    ended: bool,
    comments: Arc<AtomicBool>,
}

impl<S, E> Normaliser<S, E> {
    /// `comments` becomes true with the first comment: the endpoint lives, though it says nothing.
    pub(super) fn new(inner: S, comments: Arc<AtomicBool>) -> Self {
        Self {
            inner,
            mode: Mode::Start(Vec::new()),
            line: Vec::new(),
            event: Vec::new(),
            after_cr: false,
            ready: VecDeque::new(),
            error: None,
            ended: false,
            comments,
        }
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), WireError<E>> {
        match &mut self.mode {
            Mode::Lines => self.feed_lines(bytes),
            Mode::Whole(body) => {
                if body.len() + bytes.len() > MAX_BODY {
                    return Err(WireError::BodyTooLong);
                }
                body.extend_from_slice(bytes);
                Ok(())
            }
            Mode::Start(head) => {
                head.extend_from_slice(bytes);
                if BOM.starts_with(head) && head.len() < BOM.len() {
                    return Ok(());
                }
                let text = head.strip_prefix(BOM).unwrap_or(head);
                let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
                if first.is_none() && head.len() < MAX_EVENT {
                    return Ok(());
                }
                let text = text.to_vec();
                if matches!(first, Some(b'{' | b'[' | b'<')) {
                    self.mode = Mode::Whole(text);
                    return Ok(());
                }
                self.mode = Mode::Lines;
                self.feed_lines(&text)
            }
        }
    }

    fn feed_lines(&mut self, bytes: &[u8]) -> Result<(), WireError<E>> {
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            if self.line.is_empty() {
                self.take_line(&rest[..at])?;
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(&rest[..at]);
                self.take_line(&line)?;
            }
            let cr = rest[at] == b'\r';
            rest = &rest[at + 1..];
            if cr {
                self.after_cr = rest.is_empty();
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
        }
        self.line.extend_from_slice(rest);
        if self.line.len() > MAX_EVENT { Err(WireError::EventTooLong) } else { Ok(()) }
    }

    fn take_line(&mut self, line: &[u8]) -> Result<(), WireError<E>> {
        if line.is_empty() {
            self.close_event();
        } else if line[0] == b':' {
            self.comments.store(true, Ordering::Relaxed);
        } else if let Some(error) = line.strip_prefix(b"error:") {
            // A server that writes its failure into a field of its own, which an event-stream parser ignores.
            self.close_event();
            self.event.extend_from_slice(b"event: error\ndata:");
            self.event.extend_from_slice(error);
            self.event.push(b'\n');
            self.close_event();
        } else {
            if self.event.len() + line.len() > MAX_EVENT {
                return Err(WireError::EventTooLong);
            }
            self.event.reserve(line.len() + 2);
            self.event.extend_from_slice(line);
            self.event.push(b'\n');
        }
        Ok(())
    }

    fn close_event(&mut self) {
        if self.event.is_empty() {
            return;
        }
        let mut event = std::mem::take(&mut self.event);
        event.push(b'\n');
        if event.starts_with(BOM) {
            // Only the first BOM is none of the text, and the parser behind must not meet another one at its start.
            event.insert(0, b'\n');
        }
        // Lines are whole here, so bad bytes are the endpoint's and not a cut of ours.
        if std::str::from_utf8(&event).is_err() {
            tracing::warn!("the endpoint sent an event that is not UTF-8; its bad bytes were replaced");
            event = String::from_utf8_lossy(&event).into_owned().into_bytes();
        }
        self.ready.push_back(Bytes::from(event));
    }

    fn finish(&mut self) -> Result<(), WireError<E>> {
        match std::mem::replace(&mut self.mode, Mode::Lines) {
            Mode::Lines => {
                let line = std::mem::take(&mut self.line);
                self.take_line(&line)?;
                self.close_event();
                Ok(())
            }
            // Blanks alone: an empty stream, as whoever reads it will find.
            Mode::Start(_) => Ok(()),
            Mode::Whole(body) if body.trim_ascii_start().first() == Some(&b'<') => Err(WireError::WebPage),
            Mode::Whole(body) => {
                if serde_json::from_slice::<IgnoredAny>(&body).is_err() {
                    return Err(WireError::BrokenJson);
                }
                // JSON needs no line ends, so the text becomes one line; being whole, it has ended well.
                let line = body
                    .trim_ascii()
                    .iter()
                    .map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte });
                self.event.extend(b"data: ".iter().copied().chain(line).chain([b'\n']));
                self.close_event();
                self.ready.push_back(Bytes::from_static(b"data: [DONE]\n\n"));
                Ok(())
            }
        }
    }
}

impl<S, E> Stream for Normaliser<S, E>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
    E: Unpin,
{
    type Item = Result<Bytes, WireError<E>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(event) = this.ready.pop_front() {
                return Poll::Ready(Some(Ok(event)));
            }
            if let Some(error) = this.error.take() {
                return Poll::Ready(Some(Err(error)));
            }
            if this.ended {
                return Poll::Ready(None);
            }
            let (outcome, ended) = match this.inner_poll(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(bytes))) => (this.feed(&bytes), false),
                Poll::Ready(Some(Err(error))) => {
                    // What came before the break may hold the finish reason.
                    if matches!(this.mode, Mode::Lines) && this.finish().is_err() {
                        tracing::debug!("the open event before the break was too long");
                    }
                    (Err(WireError::Transport(error)), true)
                }
                Poll::Ready(None) => (this.finish(), true),
            };
            this.ended = ended || outcome.is_err();
            this.error = outcome.err();
        }
    }
}

impl<S, E> Normaliser<S, E>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
{
    fn inner_poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, E>>> {
        Pin::new(&mut self.inner).poll_next(cx)
    }
}
