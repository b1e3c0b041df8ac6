//! The table of contents of the service. No other origin may read answers: there is no CORS layer.

use attest_protocol::ErrorCode;
use axum::extract::DefaultBodyLimit;
use axum::http::{Method, Uri};
use axum::routing::{get, post};
use axum::{Extension, Router};

use crate::error::ApiError;
use crate::http::body::BodyLimit;
use crate::http::trace::traced;
use crate::routes::{chat, conversations, doctor, documents, health, kbs, page, search, turns};
use crate::state::AppState;

/// Every route.
pub(crate) fn router(state: AppState) -> Router {
    let chat_body = Extension(BodyLimit(state.limits.chat_body_bytes));
    let api = Router::new()
        .route("/doctor", get(doctor::examine))
        .route("/kbs", get(kbs::list).post(kbs::create))
        .route("/kbs/{kb}", get(kbs::show).patch(kbs::rename).delete(kbs::delete))
        .route("/kbs/{kb}/documents", get(documents::list).post(documents::create))
        .route("/kbs/{kb}/documents/{document}", get(documents::show).delete(documents::delete))
        .route("/kbs/{kb}/documents/{document}/text", get(documents::text))
        .route("/kbs/{kb}/search", get(search::search))
        .route("/kbs/{kb}/chat", post(chat::ask).layer(chat_body))
        .route("/kbs/{kb}/conversations", get(conversations::list))
        .route(
            "/kbs/{kb}/conversations/{conversation}",
            get(conversations::show).patch(conversations::rename).delete(conversations::delete),
        )
        .route("/kbs/{kb}/conversations/{conversation}/live", get(chat::live))
        .route("/kbs/{kb}/conversations/{conversation}/stop", post(chat::stop))
        .route("/kbs/{kb}/turns/{turn}", get(turns::show));
    let router = Router::new()
        .nest("/api/v1", api)
        .route("/", get(page::index))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/version", get(health::version))
        .fallback(nothing_here)
        .method_not_allowed_fallback(wrong_method)
        // Bodies are bounded where they are read, with sentences that name the sizes.
        .layer(DefaultBodyLimit::disable())
        .with_state(state);
    traced(router)
}

async fn nothing_here(uri: Uri) -> ApiError {
    let path: String = uri.path().chars().take(200).collect();
    ApiError::new(ErrorCode::NotFound, format!("there is nothing at {path}"))
}

async fn wrong_method(method: Method, uri: Uri) -> ApiError {
    let path: String = uri.path().chars().take(200).collect();
    let sentence = format!("{path} cannot be asked with {method}; the header Allow names what it can");
    ApiError::new(ErrorCode::MethodNotAllowed, sentence)
}
