//! The passages that a question would find.

use attest_domain::Moment;
use attest_protocol::knowledge::{SearchHitView, SearchView};
use attest_search::{SearchHit, SearchQuery};
use axum::extract::State;
use serde::Deserialize;

use crate::error::ApiError;
use crate::http::body::Json;
use crate::http::extract::Kb;
use crate::http::query::{Query, page_size};
use crate::state::AppState;

/// The longest text to search for, in characters.
const MAX_CHARACTERS: usize = 2_000;

/// The query of [`search`].
#[derive(Deserialize)]
pub(crate) struct SearchParameters {
    q: Option<String>,
    limit: Option<u32>,
    as_of: Option<String>,
}

/// GET `/kbs/{kb}/search`
pub(crate) async fn search(
    State(state): State<AppState>,
    Kb(kb): Kb,
    Query(parameters): Query<SearchParameters>,
) -> Result<Json<SearchView>, ApiError> {
    let query = SearchQuery {
        kb_id: kb.id,
        text: searched_text(parameters.q)?,
        limit: page_size(parameters.limit, 10, 50)? as usize,
        as_of: moment(parameters.as_of.as_deref())?,
    };
    let hits = state.search.search(query).await?.into_iter().map(view).collect();
    Ok(Json(SearchView { hits, arms: vec!["full_text".to_owned()] }))
}

fn searched_text(q: Option<String>) -> Result<String, ApiError> {
    let text = q.unwrap_or_default();
    match text.chars().count() {
        0 => Err(ApiError::invalid("`q` is missing; it holds the words to search for")),
        length if length > MAX_CHARACTERS => {
            let sentence = format!("`q` has {length} characters; at most {MAX_CHARACTERS} are searched for");
            Err(ApiError::invalid(sentence))
        }
        _ => Ok(text),
    }
}

fn moment(as_of: Option<&str>) -> Result<Option<Moment>, ApiError> {
    let parsed = as_of.map(str::parse::<Moment>).transpose();
    parsed.map_err(|error| ApiError::invalid(format!("`as_of` is wrong: {error}")))
}

fn view(hit: SearchHit) -> SearchHitView {
    let SearchHit { chunk, filename, score } = hit;
    SearchHitView {
        chunk_id: chunk.id,
        document_id: chunk.document_id,
        filename,
        heading_path: chunk.heading_path,
        from: chunk.span.start,
        to: chunk.span.end,
        text: chunk.text,
        score,
    }
}
