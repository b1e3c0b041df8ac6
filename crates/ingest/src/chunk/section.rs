//! The sections of a text: a heading, or several with nothing between them, and what stands under it.

use std::ops::Range;

use crate::parse::Heading;

/// A stretch of the text that is cut on its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section<'h> {
    /// Where it is.
    pub(super) bytes: Range<usize>,
    /// Its headings, with the path that each one opens.
    openings: Vec<Opening<'h>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Opening<'h> {
    start: usize,
    path: Vec<&'h str>,
}

impl Section<'_> {
    /// The headings above what ends at `end`, outermost first. Empty headings are left out.
    pub(super) fn path_before(&self, end: usize) -> Vec<String> {
        let opened = self.openings.partition_point(|opening| opening.start < end);
        let last = self.openings.get(opened.saturating_sub(1));
        last.map_or_else(Vec::new, |opening| opening.path.iter().map(|title| (*title).to_owned()).collect())
    }

    /// Whether a stretch of this section holds its last heading to the end and nothing after it.
    pub(super) fn is_heading_only(&self, text: &str, stretch: &Range<usize>) -> bool {
        let Some(last) = self.openings.last() else { return false };
        stretch.end > last.start
            && text.get(last.start..stretch.end).is_some_and(|words| !has_text_below(words))
    }
}

/// Divides a text at its headings.
pub(super) fn divide<'h>(text: &str, headings: &'h [Heading]) -> Vec<Section<'h>> {
    let mut sections: Vec<Section<'h>> = Vec::new();
    let mut current = Section { bytes: 0..0, openings: Vec::new() };
    let mut above: Vec<(u8, &'h str)> = Vec::new();
    for heading in headings {
        let before = text.get(current.bytes.start..heading.start).unwrap_or("");
        let joins = match current.openings.last() {
            Some(last) => text.get(last.start..heading.start).is_none_or(|words| !has_text_below(words)),
            None => before.trim().is_empty(),
        };
        if !joins {
            current.bytes.end = heading.start;
            sections.push(std::mem::replace(
                &mut current,
                Section { bytes: heading.start..heading.start, openings: Vec::new() },
            ));
        }
        above.retain(|(level, _)| *level < heading.level);
        above.push((heading.level, &heading.title));
        let path = above.iter().map(|(_, title)| *title).filter(|title| !title.is_empty()).collect();
        current.openings.push(Opening { start: heading.start, path });
    }
    current.bytes.end = text.len();
    sections.push(current);
    sections
}

/// Whether anything stands below the heading that `words` begins with: after its line, and for a heading that is
/// underlined after the line of `=` or `-`.
fn has_text_below(words: &str) -> bool {
    let mut lines = words.lines();
    let first = lines.next().unwrap_or("");
    let rest: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).take(2).collect();
    if first.trim_start().starts_with('#') {
        return !rest.is_empty();
    }
    match rest.as_slice() {
        [] => false,
        [only] => !is_underline(only),
        _ => true,
    }
}

fn is_underline(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && (line.chars().all(|c| c == '=') || line.chars().all(|c| c == '-'))
}
