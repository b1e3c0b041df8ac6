//! What works at the configured endpoints, for the settings page.

use attest_llm::probe::{Limits, Report};
use attest_protocol::ErrorCode;
use axum::extract::State;

use crate::doctor::DoctorError;
use crate::error::ApiError;
use crate::http::body::Json;
use crate::http::extract::Caller;
use crate::state::AppState;

/// What a test takes at the usual speed, in seconds: when asking again is worth while.
const USUAL_SECONDS: u64 = 30;

/// GET `/doctor`: tries the endpoints now. It costs tokens and shows which model is used, so it belongs under the admin
/// right; today every caller is the one local person, who has every right.
pub(crate) async fn examine(
    State(state): State<AppState>,
    _caller: Caller,
) -> Result<Json<Report>, ApiError> {
    let report = tokio::select! {
        report = state.doctor.examine(Limits::default()) => report?,
        () = state.stopping.cancelled() => {
            return Err(ApiError::new(ErrorCode::Draining, "the server is shutting down; ask another one"));
        }
    };
    Ok(Json(report))
}

impl From<DoctorError> for ApiError {
    fn from(error: DoctorError) -> Self {
        match error {
            DoctorError::Busy => {
                Self::new(ErrorCode::AlreadyRunning, error.to_string()).again_in(USUAL_SECONDS)
            }
            DoctorError::Settings(error) => Self::internal(&error),
        }
    }
}
