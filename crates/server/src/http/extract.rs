//! Who asks, in which base, and about what.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt::Display;
use std::str::FromStr;

use attest_domain::{ConversationId, DocumentId, KnowledgeBase, Principal, TurnId};
use attest_protocol::ErrorCode;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;

use crate::error::ApiError;
use crate::state::AppState;

/// Whoever asks. The one place that says who that is: today always the local person.
pub(crate) struct Caller(pub(crate) Principal);

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(_parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        Ok(Self(Principal::local()))
    }
}

/// The base that `{kb}` in the path names by its id or its slug, when the caller may see it.
pub(crate) struct Kb(pub(crate) KnowledgeBase);

impl FromRequestParts<AppState> for Kb {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let name = path_parameter(parts, "kb").await?;
        let Ok(Caller(principal)) = Caller::from_request_parts(parts, state).await;
        match state.store.find_kb(&name, &principal).await? {
            Some(kb) => Ok(Self(kb)),
            None => {
                let name: String = name.chars().take(80).collect();
                let sentence =
                    format!("there is no knowledge base {name:?} here; GET /api/v1/kbs lists them");
                Err(ApiError::new(ErrorCode::NotFound, sentence))
            }
        }
    }
}

/// The id of a thing in the path.
pub(crate) struct Id<T>(pub(crate) T);

/// An id that stands in paths.
pub(crate) trait PathId: FromStr<Err: Display> {
    /// Its name in the route.
    const PARAMETER: &'static str;
}

impl PathId for ConversationId {
    const PARAMETER: &'static str = "conversation";
}

impl PathId for DocumentId {
    const PARAMETER: &'static str = "document";
}

impl PathId for TurnId {
    const PARAMETER: &'static str = "turn";
}

impl<S: Sync, T: PathId> FromRequestParts<S> for Id<T> {
    type Rejection = ApiError;

    /// What is no id names nothing, so it is as missing as an id of nothing.
    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        let text = path_parameter(parts, T::PARAMETER).await?;
        let id =
            text.parse().map_err(|error: T::Err| ApiError::new(ErrorCode::NotFound, error.to_string()))?;
        Ok(Self(id))
    }
}

async fn path_parameter(parts: &mut Parts, name: &str) -> Result<String, ApiError> {
    let missing = || ApiError::new(ErrorCode::NotFound, "the path is not UTF-8 text");
    let Path(mut parameters) =
        Path::<HashMap<String, String>>::from_request_parts(parts, &()).await.map_err(|_| missing())?;
    parameters.remove(name).ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::http::Request;
    use axum::routing::get;
    use serde::Deserialize;
    use tower::ServiceExt as _;

    use super::*;
    use crate::http::query::{Query, page_size};

    #[derive(Deserialize)]
    struct Parameters {
        limit: Option<u32>,
        #[serde(default)]
        purge: bool,
    }

    async fn handler(
        Id(id): Id<TurnId>,
        Query(Parameters { limit, purge }): Query<Parameters>,
    ) -> Result<String, ApiError> {
        Ok(format!("{id} {} {purge}", page_size(limit, 20, 100)?))
    }

    #[tokio::test]
    async fn ids_and_parameters_are_read_or_refused_with_what_is_wrong() {
        let id = "0192f0c1-2b3a-7c4d-8e5f-001122334455";
        let mut answers = Vec::new();
        for target in [
            format!("/{id}"),
            format!("/{id}?limit=100&purge=true&other=1"),
            "/seven".to_owned(),
            "/%ff".to_owned(),
            format!("/{id}?limit=0"),
            format!("/{id}?limit=101"),
            format!("/{id}?limit=-1"),
            format!("/{id}?purge=maybe"),
        ] {
            let router = Router::new().route("/{turn}", get(handler));
            let request = Request::get(&target).body(Body::empty()).unwrap();
            let response = router.oneshot(request).await.unwrap();
            let status = response.status().as_u16();
            let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
            answers.push(format!("{target}: {status} {}", String::from_utf8_lossy(&body)));
        }
        insta::assert_snapshot!(answers.join("\n"));
    }
}
