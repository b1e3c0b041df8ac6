//! What a turn did.

use attest_domain::TurnId;
use attest_protocol::view::TurnView;
use axum::extract::State;

use crate::error::ApiError;
use crate::http::body::Json;
use crate::http::extract::{Caller, Id, Kb};
use crate::state::AppState;

/// GET `/kbs/{kb}/turns/{turn}`
pub(crate) async fn show(
    State(state): State<AppState>,
    Caller(principal): Caller,
    Kb(kb): Kb,
    Id(id): Id<TurnId>,
) -> Result<Json<TurnView>, ApiError> {
    Ok(Json(state.chat.turn(&principal, kb.id, id).await?))
}
