//! The formats that are read: one file each, and a table.
//!
//! To add one: a file here with a `check` (cheap, before anything is stored) and a `parse`, and a row in [`FORMATS`].

mod decode;
mod markdown;
mod plain;
mod signature;

use crate::error::Refusal;
use crate::filename;

/// A document once it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parsed {
    /// The text; passages are stretches of it.
    pub(crate) text: String,
    /// Its headings, in order.
    pub(crate) headings: Vec<Heading>,
    /// How the text is best split.
    pub(crate) markup: Markup,
}

/// A heading of the document itself, not of a quotation in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    /// 1 is the outermost.
    pub(crate) level: u8,
    /// Its words without markup; empty for an empty heading.
    pub(crate) title: String,
    /// Its first byte in the text.
    pub(crate) start: usize,
}

/// Where a text may be split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Markup {
    /// At blank lines, lines and sentences.
    Plain,
    /// Also at lists, tables and code blocks.
    Markdown,
}

/// One format.
#[derive(Debug)]
pub(crate) struct Format {
    /// Its endings, lower case.
    pub(crate) endings: &'static [&'static str],
    /// Its media type.
    pub(crate) media_type: &'static str,
    /// Refuses what certainly cannot be read. Runs before the document is accepted, in time linear in its size.
    pub(crate) check: fn(&[u8]) -> Result<(), Refusal>,
    /// Reads the document. May be slow; runs on a worker thread and may panic: the document then fails.
    pub(crate) parse: fn(&[u8]) -> Result<Parsed, Refusal>,
}

/// Every format. The first one also reads names without an ending.
pub(crate) const FORMATS: &[Format] = &[plain::FORMAT, markdown::FORMAT];

/// The endings that are read, as they stand in errors and in the documentation: `.txt, .text, …`.
#[must_use]
pub fn supported_endings() -> String {
    let endings: Vec<String> =
        FORMATS.iter().flat_map(|format| format.endings).map(|ending| format!(".{ending}")).collect();
    endings.join(", ")
}

/// The format of a file with this name.
pub(crate) fn find_format(name: &str) -> Result<&'static Format, Refusal> {
    let ending = filename::ending(name);
    let format = match &ending {
        None => FORMATS.first(),
        Some(ending) => FORMATS.iter().find(|format| format.endings.contains(&ending.as_str())),
    };
    format.ok_or_else(|| Refusal::UnsupportedEnding {
        ending: ending.unwrap_or_default(),
        supported: supported_endings(),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_ending_belongs_to_two_formats() {
        let mut seen = HashSet::new();
        for ending in FORMATS.iter().flat_map(|format| format.endings) {
            assert!(seen.insert(ending), "{ending}");
            assert_eq!(filename::ending(&format!("a.{ending}")).as_deref(), Some(*ending));
        }
    }

    #[test]
    fn the_ending_decides_the_format() {
        let media_type = |name| find_format(name).map(|format| format.media_type);
        assert_eq!(media_type("a.MD"), Ok("text/markdown"));
        assert_eq!(media_type("a.log"), Ok("text/plain"));
        assert_eq!(media_type("README"), Ok("text/plain"));
        assert_eq!(
            media_type("a.xlsx").unwrap_err().to_string(),
            "has the ending .xlsx, which is not read here: the endings that are read are .txt, .text, .log, .md, .markdown"
        );
    }
}
