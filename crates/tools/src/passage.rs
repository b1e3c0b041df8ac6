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

#[cfg(test)]
mod tests {
    use attest_domain::{ChunkId, ChunkSpan, DocumentId};

    use super::*;

    fn chunk(text: &str, headings: &[&str]) -> Chunk {
        Chunk {
            id: ChunkId::new(),
            document_id: "0192f0c1-2b3a-7c4d-8e5f-001122334455".parse().unwrap_or_else(|_| DocumentId::new()),
            ordinal: 0,
            heading_path: headings.iter().map(|h| (*h).to_owned()).collect(),
            span: ChunkSpan { start: 5, end: 5 + text.chars().count() as u64 },
            text: text.to_owned(),
        }
    }

    #[test]
    fn a_passage_reads_with_its_number_its_place_and_its_document() {
        let (mut out, mut numbers) = (String::new(), Numbering::resume([(4, ChunkId::new())]));
        let source = write_passage(
            &mut out,
            &mut numbers,
            &chunk("Founded in 1954.", &["CERN", "History"]),
            "cern.md",
            800,
        );
        let expected = "[5] cern.md › CERN › History (document 0192f0c1-2b3a-7c4d-8e5f-001122334455)\nFounded in 1954.\n";
        assert_eq!(out, expected);
        assert_eq!(
            (source.n, source.heading.as_deref(), source.from, source.to),
            (5, Some("CERN › History"), 5, 21)
        );
    }

    #[test]
    fn the_excerpt_is_exactly_what_the_model_read() {
        let (mut out, mut numbers) = (String::new(), Numbering::default());
        let source = write_passage(&mut out, &mut numbers, &chunk(&"年".repeat(900), &[]), "年.md", 800);
        assert_eq!(source.excerpt, format!("{}…", "年".repeat(800)));
        assert!(out.ends_with(&format!("{}\n", source.excerpt)));
    }
}
