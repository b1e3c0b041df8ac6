//! The shapes of a call and of a result, as far as they can be told from a beginning.

use std::ops::Range;

use super::catalogue::{Catalogue, NAME_LIMIT, is_name_char};
use super::marks::beginning;

/// How many bytes of blanks may stand between the parts of a call.
pub(super) const BLANKS_LIMIT: usize = 64;
const PREFIXES: &[&str] = &["functions.", "function:", "call:", "tool:"];
const STATUSES: &[&str] = &["ok", "error", "denied", "timeout", "skipped"];

/// An answer that may need more text. One that is given stands whatever follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Read<T> {
    Yes(T),
    No,
    Undecided,
}

/// A call behind its letter: the place of the name, and whether a bracket opens behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) name: Range<usize>,
    /// Where what follows the name begins.
    pub(super) after: usize,
    pub(super) opened: bool,
}

/// Reads the shape of a call: a name, then a bracket; or the name of an offered tool alone on its line. A known name
/// with anything else behind it is the shape of a call too, of one that cannot be read.
pub(super) fn shape(text: &str, end: bool, catalogue: &Catalogue) -> Read<Shape> {
    let more = |rest: &str| rest.is_empty() && !end;
    let blanks = text.len() - text.trim_start().len();
    let mut start = blanks;
    if blanks > BLANKS_LIMIT {
        return Read::No;
    }
    for prefix in PREFIXES {
        if text[start..].starts_with(prefix) {
            start += prefix.len();
            break;
        }
        if !end && prefix.starts_with(&text[start..]) {
            return Read::Undecided;
        }
    }
    let rest = &text[start..];
    if !rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return if more(rest) { Read::Undecided } else { Read::No };
    }
    let length = rest.find(|c: char| !is_name_char(c)).unwrap_or(rest.len());
    if length > NAME_LIMIT {
        return Read::No;
    }
    if more(&rest[length..]) {
        return Read::Undecided;
    }
    let name = start..start + rest[..length].trim_end_matches('.').len();
    let mut after = start + length;
    if let Some(suffix) = text[after..].strip_prefix(':') {
        let digits = suffix.len() - suffix.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 6 {
            return Read::No;
        }
        if more(&suffix[digits..]) {
            return Read::Undecided;
        }
        if digits > 0 {
            after += 1 + digits;
        }
    }
    let known = catalogue.exact(&text[name.clone()]).is_some();
    let found = |opened| Read::Yes(Shape { name: name.clone(), after, opened });
    let unreadable = || if known { found(false) } else { Read::No };
    let rest = &text[after..];
    let line = rest.trim_start_matches(|c: char| c.is_whitespace() && c != '\n');
    let next = line.trim_start();
    if rest.len() - line.len() > BLANKS_LIMIT {
        return unreadable();
    }
    if line.starts_with(['[', '［', '{', '｛']) {
        return found(true);
    }
    if let Some(inner) = line.strip_prefix('(') {
        let inner = beginning(inner, BLANKS_LIMIT).trim_start();
        return match inner.chars().next() {
            Some('{' | '｛') => found(true),
            None if !end && line.len() <= BLANKS_LIMIT => Read::Undecided,
            _ => unreadable(),
        };
    }
    if known && (line.starts_with('\n') || (line.is_empty() && end)) {
        return found(false);
    }
    if rest.len() - next.len() <= BLANKS_LIMIT {
        if next.starts_with(['{', '｛']) {
            return found(true);
        }
        if more(next) {
            return Read::Undecided;
        }
    }
    unreadable()
}

/// Whether a text begins as a result does: `R`, an offered tool, a status.
pub(super) fn result(text: &str, end: bool, catalogue: &Catalogue) -> Read<()> {
    let known = |word: &str| catalogue.exact(word).is_some();
    let status = |word: &str| STATUSES.contains(&word);
    let Some(mut rest) = text.strip_prefix('R') else { return Read::No };
    for fits in [&known as &dyn Fn(&str) -> bool, &status] {
        let words = rest.trim_start_matches([' ', '\t']);
        let blanks = rest.len() - words.len();
        let length = words.find(char::is_whitespace).unwrap_or(words.len());
        let (word, after) = words.split_at(length);
        if length > NAME_LIMIT || blanks > BLANKS_LIMIT || (blanks == 0 && !rest.is_empty()) {
            return Read::No;
        }
        if after.is_empty() && !end {
            return Read::Undecided;
        }
        if !fits(word) {
            return Read::No;
        }
        rest = after;
    }
    Read::Yes(())
}
