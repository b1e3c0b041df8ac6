//! JSON bodies, and reading no more of a body than is allowed.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use futures::StreamExt as _;
use serde::Serialize;
use serde::de::DeserializeOwned;

use attest_protocol::ErrorCode;

use crate::error::ApiError;

/// The largest JSON body where no [`BodyLimit`] is set.
const SMALL_BODY: usize = 64 * 1024;

/// What a client that sends too much is let to finish before it gets its answer; otherwise many clients see a
/// broken connection in its place.
const DISCARD_BYTES: usize = 256 * 1024 * 1024;
const DISCARD_TIME: Duration = Duration::from_secs(10);

/// The largest body of a route, as a request extension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyLimit(pub(crate) usize);

/// A JSON body, coming in or going out.
#[derive(Debug)]
pub(crate) struct Json<T>(pub(crate) T);

impl<S: Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _state: &S) -> Result<Self, ApiError> {
        if !has_media_type(request.headers(), "application/json") {
            let sentence = "the body must be JSON: send it with Content-Type: application/json";
            return Err(ApiError::new(ErrorCode::UnsupportedMediaType, sentence));
        }
        let limit = request.extensions().get::<BodyLimit>().map_or(SMALL_BODY, |limit| limit.0);
        let (parts, body) = request.into_parts();
        parse(&read(&parts.headers, body, limit).await?).map(Self)
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

/// Whether the body is announced as `wanted`, or as a `+json` type where JSON is wanted.
pub(crate) fn has_media_type(headers: &HeaderMap, wanted: &str) -> bool {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let given = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    given == wanted || (wanted == "application/json" && given.ends_with("+json"))
}

/// The size that a client announced.
pub(crate) fn announced_size(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Reads JSON.
///
/// # Errors
/// One that names the field and the place.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ApiError::invalid("the body is empty; a JSON object is expected"));
    }
    // serde would take a list for a struct, field by field, and name a type of ours for anything else.
    let found = match bytes.trim_ascii() {
        [b'[', ..] => Some("a list"),
        [b'"', ..] => Some("a string"),
        [b'0'..=b'9' | b'-', ..] => Some("a number"),
        b"true" | b"false" => Some("true or false"),
        b"null" => Some("null"),
        _ => None,
    };
    if let Some(found) = found {
        return Err(ApiError::invalid(format!("the body is {found}; a JSON object is expected")));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        let place = if matches!(path.as_str(), "." | "?") { String::new() } else { format!("`{path}`: ") };
        let kind = if inner.is_data() { "does not have the expected shape" } else { "is not valid JSON" };
        ApiError::invalid(format!("the body {kind}: {place}{inner}"))
    })?;
    deserializer
        .end()
        .map_err(|error| ApiError::invalid(format!("the body is not one JSON value: {error}")))?;
    Ok(value)
}

async fn read(headers: &HeaderMap, body: Body, limit: usize) -> Result<Bytes, ApiError> {
    let announced = announced_size(headers);
    if announced.is_some_and(|size| size > limit as u64) {
        discard(headers, body).await;
        return Err(ApiError::too_large(announced, limit));
    }
    let mut chunks = body.into_data_stream();
    let mut read = BytesMut::new();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| ApiError::invalid("the body broke off before its end"))?;
        if read.len() + chunk.len() > limit {
            discard_rest(chunks).await;
            return Err(ApiError::too_large(None, limit));
        }
        read.extend_from_slice(&chunk);
    }
    Ok(read.freeze())
}

/// Reads a body to its end, within bounds, and keeps nothing. A client that waits for `100 Continue` has sent
/// nothing yet and is told at once.
pub(crate) async fn discard(headers: &HeaderMap, body: Body) {
    if !headers.contains_key(header::EXPECT) {
        discard_rest(body.into_data_stream()).await;
    }
}

async fn discard_rest(mut chunks: BodyDataStream) {
    let mut left = DISCARD_BYTES;
    let all = async {
        while let Some(Ok(chunk)) = chunks.next().await {
            left = left.saturating_sub(chunk.len());
            if left == 0 {
                break;
            }
        }
    };
    within_discard_time(all).await;
}

/// Gives a client some time to finish sending what nobody keeps.
pub(crate) async fn within_discard_time(discarding: impl Future<Output = ()>) {
    if tokio::time::timeout(DISCARD_TIME, discarding).await.is_err() {
        tracing::debug!("A client did not finish sending a body that was refused");
    }
}

#[cfg(test)]
mod tests {
    use attest_protocol::request::{AskRequest, DocumentCreateRequest};

    use super::*;

    fn sentence<T: DeserializeOwned + std::fmt::Debug>(body: &str) -> String {
        format!("{:?}", parse::<T>(body.as_bytes()).unwrap_err())
            .split_once("sentence: ")
            .and_then(|(_, rest)| rest.rsplit_once(", turn_id"))
            .map(|(sentence, _)| sentence.replace("\\\"", "\""))
            .unwrap()
    }

    #[test]
    fn a_wrong_body_is_refused_with_its_field_and_its_place() {
        let sentences = [
            sentence::<AskRequest>(" "),
            sentence::<AskRequest>("{"),
            sentence::<AskRequest>("[1]"),
            sentence::<AskRequest>(r#""hello""#),
            sentence::<AskRequest>("null"),
            sentence::<AskRequest>(r#"{"message": 3}"#),
            sentence::<AskRequest>(r#"{"message": "x", "conversation_id": "seven"}"#),
            sentence::<AskRequest>(r#"{"mesage": "x"}"#),
            sentence::<AskRequest>(r#"{"message": "x"} y"#),
            sentence::<AskRequest>(r#"{"message": "\ud800"}"#),
            sentence::<DocumentCreateRequest>(r#"{"text": "x"}"#),
        ];
        insta::assert_snapshot!(sentences.join("\n"));
    }

    #[tokio::test]
    async fn a_body_over_its_limit_is_refused_with_both_sizes_or_the_one_that_is_known() {
        let mut headers = HeaderMap::new();
        let chunks = || {
            let chunks = ["12345", "67890", "1"].map(|chunk| Ok::<_, std::io::Error>(Bytes::from(chunk)));
            Body::from_stream(futures::stream::iter(chunks))
        };
        assert_eq!(read(&headers, chunks(), 11).await.unwrap(), "12345678901");
        let unknown = read(&headers, chunks(), 10).await.unwrap_err();
        headers.insert(header::CONTENT_LENGTH, "11".parse().unwrap());
        let known = read(&headers, chunks(), 10).await.unwrap_err();
        insta::assert_debug_snapshot!([unknown, known]);
    }

    #[test]
    fn json_is_told_by_its_media_type() {
        for (given, expected) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("application/ld+json", true),
            ("text/plain", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, given.parse().unwrap())]);
            assert_eq!(has_media_type(&headers, "application/json"), expected, "{given}");
        }
    }
}
