//! A reader as an HTTP answer: an event stream, or one JSON object once the turn has ended.

use attest_chat::{Numbered, Reader, Told};
use attest_protocol::ErrorCode;
use attest_protocol::frame::Delta;
use axum::http::{HeaderName, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::{Stream, StreamExt as _, stream};
use tokio_util::sync::CancellationToken;

use crate::error::ApiError;
use crate::http::body::Json;
use crate::state::AppState;

/// Asks a buffering proxy to pass every frame on as it comes.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Sends frames as they come, and the model's reasoning between them where the reader asked for it. A client that
/// leaves drops the reader, which changes nothing for the turn.
pub(crate) fn stream(reader: Reader, reasoning: bool, state: &AppState) -> Response {
    let told = if reasoning {
        reader.with_reasoning().left_stream()
    } else {
        reader.map(Told::Frame).right_stream()
    };
    let events = until_closed(told, state.closing.clone()).map(event);
    let keep_alive = KeepAlive::new().interval(state.keep_alive).text("keep-alive");
    let headers = [(header::CACHE_CONTROL, "no-cache, no-transform"), (X_ACCEL_BUFFERING, "no")];
    (headers, Sse::new(events).keep_alive(keep_alive)).into_response()
}

/// Reasoning carries no id: a reader that comes back asks for what came after the last frame.
fn event(told: Told) -> Result<Event, serde_json::Error> {
    match told {
        Told::Frame(Numbered { id, frame }) => {
            Ok(Event::default().event(frame.event()).id(id.to_string()).data(frame.data()?))
        }
        Told::Reasoning(text) => {
            let data = serde_json::to_string(&Delta { text: text.as_ref().to_owned() })?;
            Ok(Event::default().event("reasoning").data(data))
        }
    }
}

/// Waits for the end and sends the whole; the status is that of the ending.
pub(crate) async fn folded(reader: Reader, state: &AppState) -> Result<Response, ApiError> {
    let ended = tokio::select! {
        biased;
        folded = reader.fold() => Some(folded).filter(|turn| turn.done.is_some() || turn.error.is_some()),
        () = state.closing.cancelled() => None,
    };
    let Some(turn) = ended else {
        return Err(ApiError::new(ErrorCode::Draining, "the server is shutting down; read the answer later"));
    };
    let status = turn.error.as_ref().map_or(200, |error| error.code.status());
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    Ok((status, Json(turn)).into_response())
}

/// The frames of a reader; when the server closes, those that are there already and then the end.
fn until_closed<T: Send>(
    reader: impl Stream<Item = T> + Unpin + Send,
    closing: CancellationToken,
) -> impl Stream<Item = T> + Send {
    stream::unfold((reader, closing), |(mut reader, closing)| async move {
        let next = tokio::select! {
            biased;
            next = reader.next() => next,
            () = closing.cancelled() => None,
        };
        next.map(|told| (told, (reader, closing)))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use attest_domain::TurnId;
    use attest_protocol::{EventId, Frame};

    use super::*;

    #[tokio::test]
    async fn a_closing_server_still_sends_what_is_ready_and_then_ends_the_stream() {
        let turn_id = TurnId::new();
        let ready: Vec<Numbered> = (1..=3)
            .map(|seq| Numbered {
                id: EventId { turn_id, seq },
                frame: Arc::new(Frame::Delta(Delta { text: seq.to_string() })),
            })
            .collect();
        let closing = CancellationToken::new();
        closing.cancel();
        let frames = stream::iter(ready.clone()).chain(stream::pending());
        let sent: Vec<Numbered> = until_closed(Box::pin(frames), closing).collect().await;
        assert_eq!(sent, ready);
    }
}
