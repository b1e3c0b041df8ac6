//! Conversations of the caller.

use attest_domain::ConversationId;
use attest_protocol::request::RenameRequest;
use attest_protocol::view::{ConversationPage, ConversationView};
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;

use crate::error::ApiError;
use crate::http::body::Json;
use crate::http::extract::{Caller, Id, Kb};
use crate::http::query::{Query, page_size};
use crate::state::AppState;

/// The query of [`list`].
#[derive(Deserialize)]
pub(crate) struct ListQuery {
    q: Option<String>,
    limit: Option<u32>,
    cursor: Option<String>,
}

/// GET `/kbs/{kb}/conversations`
pub(crate) async fn list(
    State(state): State<AppState>,
    Caller(principal): Caller,
    Kb(kb): Kb,
    Query(query): Query<ListQuery>,
) -> Result<Json<ConversationPage>, ApiError> {
    let limit = page_size(query.limit, 20, 100)?;
    let q = query.q.as_deref().map(str::trim).filter(|q| !q.is_empty());
    let cursor = query.cursor.as_deref();
    Ok(Json(state.chat.list_conversations(&principal, kb.id, q, limit, cursor).await?))
}

/// GET `/kbs/{kb}/conversations/{conversation}`
pub(crate) async fn show(
    State(state): State<AppState>,
    Caller(principal): Caller,
    Kb(kb): Kb,
    Id(id): Id<ConversationId>,
) -> Result<Json<ConversationView>, ApiError> {
    Ok(Json(state.chat.conversation(&principal, kb.id, id).await?))
}

/// PATCH `/kbs/{kb}/conversations/{conversation}`
pub(crate) async fn rename(
    State(state): State<AppState>,
    Caller(principal): Caller,
    Kb(kb): Kb,
    Id(id): Id<ConversationId>,
    Json(request): Json<RenameRequest>,
) -> Result<Json<ConversationView>, ApiError> {
    Ok(Json(state.chat.rename_conversation(&principal, kb.id, id, &request.title).await?))
}

/// DELETE `/kbs/{kb}/conversations/{conversation}`
pub(crate) async fn delete(
    State(state): State<AppState>,
    Caller(principal): Caller,
    Kb(kb): Kb,
    Id(id): Id<ConversationId>,
) -> Result<StatusCode, ApiError> {
    state.chat.delete_conversation(&principal, kb.id, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
