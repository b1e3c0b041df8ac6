//! Files that come in one multipart body: read piece by piece, and never more of them than may be kept.

use attest_ingest::{IntakeError, Upload};
use attest_protocol::ErrorCode;
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest, Multipart, Request};
use bytes::{Bytes, BytesMut};

use crate::error::ApiError;
use crate::http::body::{announced_size, discard, within_discard_time};
use crate::state::Limits;

/// What headers and boundaries may add to the files of an upload.
const OVERHEAD_BYTES: usize = 256 * 1024;

/// A date needs no more.
const DATE_BYTES: usize = 1_024;

/// Reads every file of a multipart body. The part `date`, wherever it stands, dates all of them.
///
/// # Errors
/// Over a limit (with the sizes), without a file, or malformed. Then nothing has been kept.
pub(crate) async fn read_files(request: Request, limits: Limits) -> Result<Vec<Upload>, ApiError> {
    let most = limits.upload_bytes.saturating_add(OVERHEAD_BYTES);
    let announced = announced_size(request.headers());
    if announced.is_some_and(|size| size > most as u64) {
        let (parts, body) = request.into_parts();
        discard(&parts.headers, body).await;
        return Err(ApiError::too_large(announced, limits.upload_bytes));
    }
    let mut multipart = Multipart::from_request(request, &()).await.map_err(|rejection| {
        ApiError::invalid(format!("the body is no multipart form: {}", rejection.body_text()))
    })?;
    match read_parts(&mut multipart, limits).await {
        Ok(files) => Ok(files),
        Err(error) => {
            within_discard_time(skip_rest(multipart)).await;
            Err(error)
        }
    }
}

async fn read_parts(multipart: &mut Multipart, limits: Limits) -> Result<Vec<Upload>, ApiError> {
    let mut files: Vec<(String, Bytes)> = Vec::new();
    let mut date = None;
    let (mut count, mut room) = (0, limits.upload_bytes);
    while let Some(field) = multipart.next_field().await.map_err(malformed)? {
        match (field.file_name().map(str::to_owned), field.name()) {
            (Some(filename), _) => {
                let file = read_file(field, &filename, limits, &mut room).await?;
                // A form whose file input was left empty sends a nameless part of no bytes.
                if !(filename.is_empty() && file.is_empty()) {
                    count += 1;
                    if count <= limits.upload_files {
                        files.push((filename, file));
                    }
                }
            }
            (None, Some("date")) => date = read_date(field).await?,
            (None, name) => {
                let name = name.unwrap_or_default();
                let sentence = format!("the part {name:?} is neither a file with its name nor `date`");
                return Err(ApiError::invalid(sentence));
            }
        }
    }
    if count > limits.upload_files {
        return Err(IntakeError::TooManyFiles { count, max: limits.upload_files }.into());
    }
    if files.is_empty() {
        return Err(IntakeError::NoFiles.into());
    }
    Ok(files.into_iter().map(|(filename, bytes)| Upload { filename, bytes, date: date.clone() }).collect())
}

/// Reads one file. One that is too large is counted to its end, so that the error can name its size.
async fn read_file(
    mut field: Field<'_>,
    filename: &str,
    limits: Limits,
    room: &mut usize,
) -> Result<Bytes, ApiError> {
    let (mut bytes, mut size) = (BytesMut::new(), 0_usize);
    while let Some(chunk) = field.chunk().await.map_err(malformed)? {
        size += chunk.len();
        *room = room.checked_sub(chunk.len()).ok_or_else(|| {
            let limit = limits.upload_bytes;
            let sentence =
                format!("the files have more than {limit} bytes together; send them in several uploads");
            ApiError::new(ErrorCode::TooLarge, sentence)
        })?;
        if size <= limits.document_bytes {
            bytes.extend_from_slice(&chunk);
        } else {
            bytes = BytesMut::new();
        }
    }
    if size > limits.document_bytes {
        let (size_bytes, max_bytes) = (size as u64, limits.document_bytes as u64);
        return Err(IntakeError::TooLarge { filename: filename.to_owned(), size_bytes, max_bytes }.into());
    }
    Ok(bytes.freeze())
}

async fn read_date(mut field: Field<'_>) -> Result<Option<String>, ApiError> {
    let mut bytes = BytesMut::new();
    while let Some(chunk) = field.chunk().await.map_err(malformed)? {
        if bytes.len() + chunk.len() > DATE_BYTES {
            return Err(ApiError::invalid("the part `date` is longer than a date"));
        }
        bytes.extend_from_slice(&chunk);
    }
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    Ok(Some(text).filter(|text| !text.is_empty()))
}

async fn skip_rest(mut multipart: Multipart) {
    while let Ok(Some(mut field)) = multipart.next_field().await {
        while let Ok(Some(_)) = field.chunk().await {}
    }
}

fn malformed(error: MultipartError) -> ApiError {
    ApiError::invalid(format!("the multipart body is malformed: {}", error.body_text()))
}

#[cfg(test)]
mod tests;
