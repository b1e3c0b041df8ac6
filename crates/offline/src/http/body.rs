//! Sending a reply: at its pace, and as wrongly as asked for.

use std::io;
use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::Response;
use bytes::Bytes;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};

use super::watch::Watch;
use crate::behaviour::Behaviour;
use crate::stream::{Framing, Reply};

/// Before a connection is dropped, what was sent must have left.
const BEFORE_DROP: Duration = Duration::from_millis(20);

/// A streamed reply.
pub(super) fn streamed(
    reply: &Reply,
    include_usage: bool,
    pace: Duration,
    behaviour: &Behaviour,
    watch: Watch,
) -> Response {
    let framing = Framing { crlf: behaviour.crlf, done: !behaviour.no_done, finish: !behaviour.no_finish };
    let pieces = reply.piece_count();
    let events = reply.events(include_usage, framing);
    // The role comes first. A reply that is shorter ends well: so a call comes through and the answer breaks.
    let limit = |words: Option<usize>| words.filter(|words| *words <= pieces).map(|words| 1 + words);
    respond(
        events,
        limit(behaviour.stall_after),
        limit(behaviour.drop_after),
        pace,
        watch,
        "text/event-stream; charset=utf-8",
    )
}

/// A reply in one body; where a streamed one would stall or be dropped, half of it is sent.
pub(super) fn whole(body: Vec<u8>, behaviour: &Behaviour, mut watch: Watch) -> Response {
    if behaviour.stall_after.is_none() && behaviour.drop_after.is_none() {
        watch.note_complete();
        return super::json_body(body);
    }
    let body = Bytes::from(body);
    let half = body.len() / 2;
    let parts = vec![body.slice(..half), body.slice(half..)];
    let limit = |words: Option<usize>| words.map(|_| 1);
    let (stall, drop) = (limit(behaviour.stall_after), limit(behaviour.drop_after));
    respond(parts, stall, drop, Duration::ZERO, watch, "application/json")
}

fn respond(
    parts: Vec<Bytes>,
    stall: Option<usize>,
    drop: Option<usize>,
    pace: Duration,
    mut watch: Watch,
    content_type: &'static str,
) -> Response {
    let sent = parts.len().min(stall.unwrap_or(usize::MAX)).min(drop.unwrap_or(usize::MAX));
    let ending = match (stall, drop) {
        (None, None) => Ending::Complete,
        (Some(stall), drop) if drop.is_none_or(|drop| stall <= drop) => Ending::Stall,
        _ => Ending::Drop,
    };
    let last = sent.saturating_sub(1);
    let parts = stream::iter(parts.into_iter().take(sent)).enumerate().then(move |(at, part)| async move {
        // The first event leaves at once, like the head of a reply.
        if at > 0 && !pace.is_zero() {
            tokio::time::sleep(pace).await;
        }
        (at, part)
    });
    let parts = parts.map(|(at, part)| Ok((at, part))).chain(ending.stream());
    // Outermost, so that it lives as long as the whole body, a stall included.
    let parts = parts.map(move |part: Result<_, io::Error>| {
        let (at, part) = part?;
        watch.note_event();
        if at == last && ending == Ending::Complete {
            watch.note_complete();
        }
        Ok::<_, io::Error>(part)
    });
    let mut response = Response::new(Body::from_stream(parts));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// What follows the parts that are sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Complete,
    Stall,
    Drop,
}

impl Ending {
    fn stream(self) -> BoxStream<'static, Result<(usize, Bytes), io::Error>> {
        match self {
            Self::Complete => stream::empty().boxed(),
            Self::Stall => stream::pending().boxed(),
            Self::Drop => stream::once(async {
                tokio::time::sleep(BEFORE_DROP).await;
                Err(io::Error::other("the connection is dropped on purpose"))
            })
            .boxed(),
        }
    }
}
