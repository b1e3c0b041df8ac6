//! Documents of a base.

use attest_domain::text::without_nul;
use attest_domain::{Document, DocumentId, DocumentState};
use attest_ingest::Upload;
use attest_protocol::ErrorCode;
use attest_protocol::knowledge::{
    DocumentPage, DocumentStateView, DocumentTextView, DocumentView, DocumentsAccepted,
};
use attest_protocol::request::DocumentCreateRequest;
use axum::extract::{FromRequest as _, Request, State};
use axum::http::StatusCode;
use bytes::Bytes;
use serde::Deserialize;

use crate::error::ApiError;
use crate::http::body::{BodyLimit, Json, has_media_type};
use crate::http::extract::{Id, Kb};
use crate::http::query::{Query, page_size};
use crate::http::upload::read_files;
use crate::state::{AppState, Limits};

/// The most characters of a document's text in one answer, and how many come when nobody says.
const MAX_TEXT_CHARACTERS: u64 = 100_000;

/// POST `/kbs/{kb}/documents`
pub(crate) async fn create(
    State(state): State<AppState>,
    Kb(kb): Kb,
    request: Request,
) -> Result<(StatusCode, Json<DocumentsAccepted>), ApiError> {
    let uploads = read_uploads(request, state.limits).await?;
    let documents = state.intake.accept_all(kb.id, uploads).await?.into_iter().map(view).collect();
    Ok((StatusCode::ACCEPTED, Json(DocumentsAccepted { documents })))
}

/// The query of [`list`].
#[derive(Deserialize)]
pub(crate) struct ListQuery {
    limit: Option<u32>,
    cursor: Option<String>,
}

/// GET `/kbs/{kb}/documents`
pub(crate) async fn list(
    State(state): State<AppState>,
    Kb(kb): Kb,
    Query(query): Query<ListQuery>,
) -> Result<Json<DocumentPage>, ApiError> {
    let limit = page_size(query.limit, 50, 200)?;
    let before = query.cursor.as_deref().map(parse_cursor).transpose()?;
    let found = state.store.list_documents(kb.id, limit + 1, before).await?;
    Ok(Json(page(found, limit as usize)))
}

/// GET `/kbs/{kb}/documents/{document}`
pub(crate) async fn show(
    State(state): State<AppState>,
    Kb(kb): Kb,
    Id(id): Id<DocumentId>,
) -> Result<Json<DocumentView>, ApiError> {
    let found = state.store.find_document(kb.id, id).await?.filter(|document| document.deleted_at.is_none());
    found.map(|document| Json(view(document))).ok_or_else(|| ApiError::missing("document"))
}

/// The query of [`delete`].
#[derive(Deserialize)]
pub(crate) struct DeleteQuery {
    #[serde(default)]
    purge: bool,
}

/// DELETE `/kbs/{kb}/documents/{document}`
pub(crate) async fn delete(
    State(state): State<AppState>,
    Kb(kb): Kb,
    Id(id): Id<DocumentId>,
    Query(DeleteQuery { purge }): Query<DeleteQuery>,
) -> Result<StatusCode, ApiError> {
    let now = state.clock.now();
    let gone = if purge {
        state.store.purge_document(kb.id, id, now).await?
    } else {
        state.store.delete_document(kb.id, id, now).await?
    };
    state.search.nudge();
    if gone { Ok(StatusCode::NO_CONTENT) } else { Err(ApiError::missing("document")) }
}

/// The query of [`text`].
#[derive(Deserialize)]
pub(crate) struct TextQuery {
    from: Option<u64>,
    to: Option<u64>,
}

/// GET `/kbs/{kb}/documents/{document}/text`
pub(crate) async fn text(
    State(state): State<AppState>,
    Kb(kb): Kb,
    Id(document_id): Id<DocumentId>,
    Query(query): Query<TextQuery>,
) -> Result<Json<DocumentTextView>, ApiError> {
    let (from, to) = span(query.from, query.to)?;
    let found = state.store.find_document_text(kb.id, document_id, from, to).await?;
    let text = found.ok_or_else(|| {
        let sentence = "there is no document with this id here, or it has not been read yet";
        ApiError::new(ErrorCode::NotFound, sentence)
    })?;
    Ok(Json(DocumentTextView {
        document_id,
        filename: text.filename,
        from: text.from,
        to: text.to,
        characters: text.characters,
        text: text.text,
    }))
}

/// Files of a form, or one text as JSON.
async fn read_uploads(mut request: Request, limits: Limits) -> Result<Vec<Upload>, ApiError> {
    if has_media_type(request.headers(), "multipart/form-data") {
        return read_files(request, limits).await;
    }
    if !has_media_type(request.headers(), "application/json") {
        let sentence = "documents come as multipart/form-data with files, or as application/json with \
                        `filename` and `text`";
        return Err(ApiError::new(ErrorCode::UnsupportedMediaType, sentence));
    }
    // JSON may spell a character of a text with up to three times its bytes.
    let limit = limits.document_bytes.saturating_mul(3).saturating_add(4_096);
    request.extensions_mut().insert(BodyLimit(limit));
    let Json(DocumentCreateRequest { filename, text, date }) = Json::from_request(request, &()).await?;
    // Here NUL is a slip of whoever wrote the JSON; in the bytes of a file it would be a sign of what the file is.
    let (filename, text) = (without_nul(&filename).into_owned(), without_nul(&text).into_owned());
    Ok(vec![Upload { filename, bytes: Bytes::from(text), date }])
}

fn span(from: Option<u64>, to: Option<u64>) -> Result<(u64, u64), ApiError> {
    let from = from.unwrap_or(0);
    let to = to.unwrap_or_else(|| from.saturating_add(MAX_TEXT_CHARACTERS));
    match to.checked_sub(from) {
        None => {
            Err(ApiError::invalid(format!("`to` is {to}; it must not be less than `from`, which is {from}")))
        }
        Some(length) if length > MAX_TEXT_CHARACTERS => {
            let sentence =
                format!("{length} characters are asked for; at most {MAX_TEXT_CHARACTERS} come at once");
            Err(ApiError::invalid(sentence))
        }
        Some(_) => Ok((from, to)),
    }
}

fn parse_cursor(text: &str) -> Result<DocumentId, ApiError> {
    let sentence = "`cursor` is not one that this list has given out";
    text.parse().map_err(|_| ApiError::new(ErrorCode::InvalidCursor, sentence))
}

/// One more than a page holds was asked for: it tells whether there is a next page.
fn page(mut found: Vec<Document>, limit: usize) -> DocumentPage {
    let more = found.len() > limit;
    found.truncate(limit);
    let next_cursor = found.last().filter(|_| more).map(|last| last.id.to_string());
    DocumentPage { documents: found.into_iter().map(view).collect(), next_cursor }
}

fn view(document: Document) -> DocumentView {
    let (state, reason) = match document.state {
        DocumentState::Queued => (DocumentStateView::Queued, None),
        DocumentState::Reading => (DocumentStateView::Reading, None),
        DocumentState::Ready => (DocumentStateView::Ready, None),
        DocumentState::Failed { reason } => (DocumentStateView::Failed, Some(reason)),
    };
    DocumentView {
        id: document.id,
        filename: document.filename,
        media_type: document.media_type,
        date: document.dated,
        size_bytes: document.size_bytes,
        state,
        reason,
        chunks: document.chunk_count,
        characters: document.char_count,
        created_at: document.created_at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_bounded_and_runs_forward() {
        assert_eq!(span(None, None).unwrap(), (0, 100_000));
        assert_eq!(span(Some(5), Some(5)).unwrap(), (5, 5));
        assert_eq!(span(Some(7), None).unwrap(), (7, 100_007));
        assert_eq!(span(Some(u64::MAX), None).unwrap(), (u64::MAX, u64::MAX));
        assert!(span(Some(2), Some(1)).is_err());
        assert!(span(None, Some(100_001)).is_err());
    }
}
