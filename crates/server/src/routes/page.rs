//! What a browser sees at `/`.

use axum::extract::State;
use axum::http::header;
use axum::response::{Html, IntoResponse};

use crate::state::AppState;

/// A page without scripts; `{example}` is replaced.
const PAGE: &str = include_str!("page.html");

/// GET `/`
pub(crate) async fn index(State(state): State<AppState>) -> impl IntoResponse {
    let policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
    let headers = [(header::CONTENT_SECURITY_POLICY, policy)];
    (headers, Html(PAGE.replace("{example}", &escaped(&state.example))))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
