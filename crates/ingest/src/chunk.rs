//! A text becomes passages: stretches of it that one can read and cite alone.
//!
//! Each section (a heading and what stands under it) is cut on its own, so that a passage belongs to one heading path.
//! A passage holds at most `max_tokens` tokens, and at most four characters for each of them, so that 200 tokens stay
//! under the 800 characters a model is shown. A heading without text of its own joins the section after it, and a
//! heading that a cut would leave alone joins the passage after it: such a passage may be longer by the heading.

mod section;
mod tokens;

use std::ops::Range;

use attest_domain::{Chunk, ChunkId, ChunkSpan, DocumentId};
use text_splitter::{ChunkConfig, MarkdownSplitter, TextSplitter};

use crate::parse::{Markup, Parsed};
use section::Section;
use tokens::TokenSizer;

/// Loads the tokenizer, which takes a while, so that the first document does not wait for it. Blocks.
pub(crate) fn warm_up() {
    tokens::load();
}

/// The time was up before the text was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutOfTime;

/// Cuts a text. Slow for a large one (and for the first, which loads the tokenizer): runs on a worker thread.
///
/// # Errors
/// [`OutOfTime`] soon after `is_over` says so; it is asked every few kilobytes.
pub(crate) fn cut(
    parsed: &Parsed,
    document_id: DocumentId,
    max_tokens: usize,
    is_over: &dyn Fn() -> bool,
) -> Result<Vec<Chunk>, OutOfTime> {
    let cutter = Cutter::new(parsed.markup, max_tokens.max(1));
    let mut characters = CharacterCount { text: &parsed.text, byte: 0, character: 0 };
    let mut chunks = Vec::new();
    for section in section::divide(&parsed.text, &parsed.headings) {
        for range in cutter.cut_section(&parsed.text, &section, is_over)? {
            let Some(text) = parsed.text.get(range.clone()) else { continue };
            chunks.push(Chunk {
                id: ChunkId::new(),
                document_id,
                ordinal: u32::try_from(chunks.len()).unwrap_or(u32::MAX),
                heading_path: section.path_before(range.end),
                span: ChunkSpan { start: characters.up_to(range.start), end: characters.up_to(range.end) },
                text: text.to_owned(),
            });
        }
    }
    Ok(chunks)
}

/// Counts characters up to bytes that only grow.
struct CharacterCount<'t> {
    text: &'t str,
    byte: usize,
    character: u64,
}

impl CharacterCount<'_> {
    fn up_to(&mut self, byte: usize) -> u64 {
        self.character += self.text.get(self.byte..byte).map_or(0, |between| between.chars().count() as u64);
        self.byte = byte;
        self.character
    }
}

/// Bytes for each token of a passage that the splitter sees at once: room for several passages of any script. Its
/// work grows faster than the text, so a large section is shown to it piece by piece.
const WINDOW_BYTES_PER_TOKEN: usize = 32;

struct Cutter {
    splitter: Splitter,
    window_bytes: usize,
}

enum Splitter {
    Plain(TextSplitter<TokenSizer>),
    Markdown(MarkdownSplitter<TokenSizer>),
}

impl Cutter {
    fn new(markup: Markup, max_tokens: usize) -> Self {
        let config = ChunkConfig::new(max_tokens).with_sizer(TokenSizer::new(max_tokens));
        let splitter = match markup {
            Markup::Plain => Splitter::Plain(TextSplitter::new(config)),
            Markup::Markdown => Splitter::Markdown(MarkdownSplitter::new(config)),
        };
        Self { splitter, window_bytes: max_tokens.saturating_mul(WINDOW_BYTES_PER_TOKEN) }
    }

    /// The passages of a section as bytes of the text, in order.
    fn cut_section(
        &self,
        text: &str,
        section: &Section<'_>,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Vec<Range<usize>>, OutOfTime> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let mut start = section.bytes.start;
        while start < section.bytes.end {
            if is_over() {
                return Err(OutOfTime);
            }
            let end = section.bytes.end.min(text.ceil_char_boundary(start.saturating_add(self.window_bytes)));
            let mut passages = self.split(text, start..end);
            let mut next = end;
            // The last passage of a window was cut short by it: the next window begins there.
            if end < section.bytes.end
                && let Some(last) = passages.pop_if(|last| last.start > start)
            {
                next = last.start;
            }
            for passage in passages {
                match ranges.last_mut() {
                    Some(last) if section.is_heading_only(text, last) => last.end = passage.end,
                    _ => ranges.push(passage),
                }
            }
            start = next;
        }
        Ok(ranges)
    }

    fn split(&self, text: &str, window: Range<usize>) -> Vec<Range<usize>> {
        let to_range = |(at, passage): (usize, &str)| {
            let start = window.start + at;
            start..start + passage.len()
        };
        let part = text.get(window.clone()).unwrap_or("");
        match &self.splitter {
            Splitter::Plain(splitter) => splitter.chunk_indices(part).map(to_range).collect(),
            Splitter::Markdown(splitter) => splitter.chunk_indices(part).map(to_range).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
