//! How a numbered passage reads, for the model and as a source.

use std::fmt::Write;

use attest_domain::Chunk;
use attest_protocol::frame::Source;

use crate::numbering::Numbering;

/// The most characters of a passage that a search shows.
pub(crate) const PASSAGE_CHARACTERS: usize = 800;

/// Writes `[n] file › heading (document id)` and the text below it, and gives the source that `[n]` points to.
pub(crate) fn write_passage(
    out: &mut String,
    numbers: &mut Numbering,
    chunk: &Chunk,
    filename: &str,
    limit: usize,
) -> Source {
    let n = numbers.number(chunk.id);
    let excerpt = cut(&chunk.text, limit);
    let heading = (!chunk.heading_path.is_empty()).then(|| chunk.heading_path.join(" › "));
    let under = heading.as_deref().map(|h| format!(" › {h}")).unwrap_or_default();
    // Writing to a String cannot fail.
    let _ = write!(out, "[{n}] {filename}{under} (document {})\n{excerpt}\n", chunk.document_id);
    Source {
        n,
        chunk_id: chunk.id,
        document_id: chunk.document_id,
        filename: filename.to_owned(),
        heading,
        excerpt,
        from: chunk.span.start,
        to: chunk.span.end,
        quotes: Vec::new(),
    }
}

/// The first `limit` characters, with a mark where something was cut off.
fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}

/// A text in quotation marks, shortened for a step's label.
pub(crate) fn quoted(text: &str) -> String {
    format!("“{}”", cut(text.trim(), 80))
}
