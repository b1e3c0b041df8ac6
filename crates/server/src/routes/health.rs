//! Whether it lives, whether it can answer, and which version it is.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;

use crate::http::body::Json;
use crate::state::AppState;

/// The answer to `/healthz`.
#[derive(Serialize)]
pub(crate) struct Alive {
    status: &'static str,
}

/// GET `/healthz`: the process runs.
pub(crate) async fn alive() -> Json<Alive> {
    Json(Alive { status: "alive" })
}

/// The answer to `/readyz`.
#[derive(Serialize)]
pub(crate) struct Readiness {
    status: &'static str,
    database: &'static str,
    index: &'static str,
    /// Changes that the index has yet to hear of, where the database can be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    index_lag: Option<usize>,
    /// Which model is asked. It is not required: one that is away ends a question with an error frame.
    model: String,
    running_turns: usize,
}

/// GET `/readyz`: questions can be answered.
pub(crate) async fn ready(State(state): State<AppState>) -> (StatusCode, Json<Readiness>) {
    let database = state.store.ping().await.is_ok();
    let index = state.search.is_ready();
    let index_lag = if database { state.search.document_lag().await.ok() } else { None };
    let stopping = state.stopping.is_cancelled();
    let ready = database && index && !stopping;
    let readiness = Readiness {
        status: match (ready, stopping) {
            (true, _) => "ready",
            (false, true) => "shutting_down",
            (false, false) => "not_ready",
        },
        database: if database { "ready" } else { "unavailable" },
        index: if index { "ready" } else { "catching_up" },
        index_lag,
        model: state.model.clone(),
        running_turns: state.chat.running_turns(),
    };
    (if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, Json(readiness))
}

/// The answer to `/version`.
#[derive(Serialize)]
pub(crate) struct Version {
    name: &'static str,
    version: &'static str,
}

/// GET `/version`
pub(crate) async fn version() -> Json<Version> {
    Json(Version { name: "attest", version: env!("CARGO_PKG_VERSION") })
}
