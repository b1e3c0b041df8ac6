//! Query parameters.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::error::ApiError;

/// The parameters after the `?`.
pub(crate) struct Query<T>(pub(crate) T);

impl<S: Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        let axum::extract::Query(query) =
            axum::extract::Query::try_from_uri(&parts.uri).map_err(|rejection| {
                let text = rejection.body_text();
                let reason = text.split_once(": ").map_or(text.as_str(), |(_, reason)| reason);
                ApiError::invalid(format!("the query is not understood: {reason}"))
            })?;
        Ok(Self(query))
    }
}

/// How many things a page holds.
///
/// # Errors
/// For what is not from 1 to `most`.
pub(crate) fn page_size(asked: Option<u32>, usual: u32, most: u32) -> Result<u32, ApiError> {
    match asked.unwrap_or(usual) {
        size if (1..=most).contains(&size) => Ok(size),
        size => Err(ApiError::invalid(format!("`limit` is {size}; it must be from 1 to {most}"))),
    }
}
