//! Asking, following, stopping.

use attest_chat::Attachment;
use attest_domain::ConversationId;
use attest_protocol::request::{AskRequest, StopRequest, StopResponse};
use attest_protocol::{ErrorCode, EventId};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use crate::error::ApiError;
use crate::http::accept::prefers_json;
use crate::http::body::Json;
use crate::http::extract::{Caller, Id, Kb};
use crate::http::query::Query;
use crate::http::sse;
use crate::state::AppState;

/// The query of [`ask`].
#[derive(Deserialize)]
pub(crate) struct AskQuery {
    #[serde(default)]
    reasoning: bool,
}

/// POST `/kbs/{kb}/chat`
pub(crate) async fn ask(
    State(state): State<AppState>,
    Caller(principal): Caller,
    Kb(kb): Kb,
    Query(query): Query<AskQuery>,
    headers: HeaderMap,
    Json(request): Json<AskRequest>,
) -> Result<Response, ApiError> {
    let key = idempotency_key(&headers)?;
    let json = prefers_json(&headers);
    // The folded answer is the whole one, wherever an earlier reader stopped.
    let cursor = last_event_id(&headers).filter(|_| !json);
    let reader = state.chat.ask(&principal, kb.id, request, key, cursor).await?;
    if json { sse::folded(reader, &state).await } else { Ok(sse::stream(reader, query.reasoning, &state)) }
}

/// The query of [`live`].
#[derive(Deserialize)]
pub(crate) struct LiveQuery {
    after: Option<String>,
    #[serde(default)]
    reasoning: bool,
}

/// GET `/kbs/{kb}/conversations/{conversation}/live`
pub(crate) async fn live(
    State(state): State<AppState>,
    Caller(principal): Caller,
    Kb(kb): Kb,
    Id(conversation): Id<ConversationId>,
    Query(query): Query<LiveQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let cursor = cursor(&headers, query.after.as_deref())?;
    match state.chat.attach(&principal, kb.id, conversation, cursor).await? {
        Attachment::Stream(reader) => Ok(sse::stream(reader, query.reasoning, &state)),
        Attachment::NothingMore => Ok(StatusCode::NO_CONTENT.into_response()),
    }
}

/// POST `/kbs/{kb}/conversations/{conversation}/stop`
pub(crate) async fn stop(
    State(state): State<AppState>,
    Caller(principal): Caller,
    Kb(kb): Kb,
    Id(conversation): Id<ConversationId>,
    Json(request): Json<StopRequest>,
) -> Result<(StatusCode, Json<StopResponse>), ApiError> {
    let stopping = state.chat.stop(&principal, kb.id, conversation, request.turn_id).await?;
    let status = if stopping { StatusCode::ACCEPTED } else { StatusCode::OK };
    Ok((status, Json(StopResponse { stopping })))
}

/// What is not text is left for the service to refuse, like every other key that cannot be one.
fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let mut keys = headers.get_all("idempotency-key").iter();
    let key = keys.next().map(|key| String::from_utf8_lossy(key.as_bytes()).into_owned());
    match keys.next() {
        None => Ok(key),
        Some(_) => Err(ApiError::invalid("there are two Idempotency-Key headers; send one")),
    }
}

/// A malformed header counts as none: a browser sends it by itself and could not do better.
fn last_event_id(headers: &HeaderMap) -> Option<EventId> {
    headers.get("last-event-id")?.to_str().ok()?.parse().ok()
}

/// Where a reader stopped. The header wins: a browser that reconnects sends it beside the old address.
fn cursor(headers: &HeaderMap, after: Option<&str>) -> Result<Option<EventId>, ApiError> {
    let after = match after.map(str::parse::<EventId>) {
        None => None,
        Some(Ok(id)) => Some(id),
        Some(Err(error)) => {
            return Err(ApiError::new(ErrorCode::InvalidCursor, format!("`after` is wrong: {error}")));
        }
    };
    Ok(last_event_id(headers).or(after))
}

#[cfg(test)]
mod tests {
    use attest_domain::TurnId;

    use super::*;

    #[test]
    fn the_header_wins_over_after_and_a_malformed_one_counts_as_none() {
        let (one, two) =
            (EventId { turn_id: TurnId::new(), seq: 1 }, EventId { turn_id: TurnId::new(), seq: 2 });
        let with =
            |value: &str| HeaderMap::from_iter([("last-event-id".parse().unwrap(), value.parse().unwrap())]);
        let none = HeaderMap::new();
        let after = two.to_string();
        assert_eq!(cursor(&none, None).unwrap(), None);
        assert_eq!(cursor(&none, Some(&after)).unwrap(), Some(two));
        assert_eq!(cursor(&with(&one.to_string()), Some(&after)).unwrap(), Some(one));
        assert_eq!(cursor(&with("nonsense"), Some(&after)).unwrap(), Some(two));
        assert_eq!(cursor(&with(""), None).unwrap(), None);
        let wrong = cursor(&none, Some("7")).unwrap_err();
        assert!(format!("{wrong:?}").contains("InvalidCursor"), "{wrong:?}");
    }
}
