//! Request ids, a span for each request, and what becomes of a panic.

use std::any::Any;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::HeaderName;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer};
use tower_http::trace::TraceLayer;
use tracing::Span;

use crate::error::ApiError;

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Wraps the whole router.
pub(crate) fn traced(router: Router) -> Router {
    router.layer(
        ServiceBuilder::new()
            .layer(middleware::from_fn(drop_unfit_request_id))
            .layer(SetRequestIdLayer::new(X_REQUEST_ID, MakeRequestUuid))
            .layer(PropagateRequestIdLayer::new(X_REQUEST_ID))
            .layer(
                TraceLayer::new_for_http()
                    .make_span_with(span)
                    .on_request(())
                    .on_response(log_answer)
                    // An error is logged where it is made into an answer.
                    .on_failure(()),
            )
            .layer(CatchPanicLayer::custom(after_panic)),
    )
}

/// A client's own id is kept when it can stand in a log.
async fn drop_unfit_request_id(mut request: Request, next: Next) -> Response {
    let fits = |id: &[u8]| (1..=128).contains(&id.len()) && id.iter().all(u8::is_ascii_graphic);
    if request.headers().get(&X_REQUEST_ID).is_some_and(|id| !fits(id.as_bytes())) {
        request.headers_mut().remove(&X_REQUEST_ID);
    }
    next.run(request).await
}

/// The path without its query, which may hold a question.
fn span(request: &Request) -> Span {
    let id = request.headers().get(&X_REQUEST_ID).and_then(|id| id.to_str().ok()).unwrap_or_default();
    tracing::info_span!(
        "request",
        request.id = id,
        http.method = %request.method(),
        http.path = request.uri().path(),
    )
}

fn log_answer<B>(response: &axum::http::Response<B>, latency: Duration, _span: &Span) {
    let duration_ms = u64::try_from(latency.as_millis()).unwrap_or(u64::MAX);
    tracing::debug!(http.status = response.status().as_u16(), duration_ms, "Answered");
}

fn after_panic(panic: Box<dyn Any + Send>) -> Response {
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    tracing::error!(panic.message = message, "A handler panicked");
    ApiError::opaque().into_response()
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http::StatusCode;
    use axum::routing::get;
    use tower::ServiceExt as _;

    use super::*;

    async fn answer(path: &str, id: Option<&str>) -> (StatusCode, String, String) {
        async fn panics() -> StatusCode {
            panic!("secret");
        }
        let router = Router::new().route("/panic", get(panics)).route("/ok", get(|| async { "fine" }));
        let mut request = Request::get(path);
        if let Some(id) = id {
            request = request.header(X_REQUEST_ID, id);
        }
        let response = traced(router).oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let id = response.headers()[&X_REQUEST_ID].to_str().unwrap().to_owned();
        let status = response.status();
        let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
        (status, id, String::from_utf8(body.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn a_panic_becomes_a_json_error_that_tells_nothing() {
        let (status, _, body) = answer("/panic", None).await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(
            body,
            r#"{"error":"something broke on the server; its log says what, under this answer's x-request-id","code":"internal"}"#
        );
    }

    #[tokio::test]
    async fn a_request_keeps_its_id_unless_it_cannot_stand_in_a_log() {
        let kept = answer("/ok", Some("abc-1")).await;
        assert_eq!(kept, (StatusCode::OK, "abc-1".to_owned(), "fine".to_owned()));
        for unfit in ["", "with blank", &"x".repeat(129)] {
            let (_, id, _) = answer("/ok", Some(unfit)).await;
            assert!(id.parse::<uuid::Uuid>().is_ok(), "{id}");
        }
    }
}
