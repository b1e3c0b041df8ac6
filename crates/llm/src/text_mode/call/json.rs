//! Arguments written as a JSON object.

use serde_json::{Map, Value};

use super::arguments::is_shallow;
use super::repair::{closed_with_braces, repairs};
use super::{Block, Values, failed};
use crate::text_mode::outcome::Fault;

/// How many closing braces may be missing.
const BRACES_LIMIT: usize = 3;

/// Where an object ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::text_mode) enum Extent {
    /// Behind its brace.
    Closed(usize),
    /// Nowhere.
    Open { depth: usize, in_string: bool },
}

/// Finds the end of the object that a text begins with. Braces inside of strings do not count.
pub(in crate::text_mode) fn extent(text: &str) -> Extent {
    let full_width = text.starts_with('｛');
    let (mut depth, mut closer, mut escaped) = (0_usize, None, false);
    for (at, c) in text.char_indices() {
        match closer {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(mark) if c == mark => closer = None,
            Some(_) => {}
            None => match c {
                '"' => closer = Some('"'),
                '“' => closer = Some('”'),
                '{' => depth += 1,
                '｛' if full_width => depth += 1,
                '}' | '｝' if c == '}' || full_width => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Extent::Closed(at + c.len_utf8());
                    }
                }
                _ => {}
            },
        }
    }
    Extent::Open { depth, in_string: closer.is_some() }
}

/// Reads the block whose brace opens at `at`.
pub(super) fn block(text: &str, at: usize, cut: bool) -> Block<'_> {
    let rest = &text[at..];
    let block =
        |raw: &'_ str, values, closed| Block { raw: &rest[..raw.len()], end: at + raw.len(), values, closed };
    match extent(rest) {
        Extent::Closed(length) => {
            let raw = &rest[..length];
            block(raw, object(raw).map(Values::Object).ok_or_else(|| unreadable(raw)), true)
        }
        Extent::Open { .. } if cut => failed(text, at, Fault::CutOff),
        Extent::Open { depth, in_string } => {
            let raw = rest.trim_end();
            if !in_string
                && depth <= BRACES_LIMIT
                && let Some(found) = object(&closed_with_braces(raw, depth))
            {
                return block(raw, Ok(Values::Object(found)), false);
            }
            // A key with quotes that do not match makes the rest look like one open string.
            let last = raw.rfind('}').map(|brace| &raw[..=brace]);
            match last.and_then(|raw| Some((raw, object(raw)?))) {
                Some((raw, found)) => block(raw, Ok(Values::Object(found)), false),
                None => failed(text, at, unreadable(raw)),
            }
        }
    }
}

fn unreadable(raw: &str) -> Fault {
    if is_shallow(raw) { Fault::BadJson } else { Fault::TooLong }
}

/// An object as it was meant: strictly, or after the first repairs that make it strict. Blank and `null` are none.
pub(in crate::text_mode) fn object(raw: &str) -> Option<Map<String, Value>> {
    let inside = raw.strip_prefix(['{', '｛'])?.strip_suffix(['}', '｝'])?.trim();
    if inside.is_empty() || inside == "null" {
        return Some(Map::new());
    }
    if let Some(found) = strict(raw) {
        return Some(found);
    }
    let mut text = raw.to_owned();
    // Twice, because a later repair may open the way for an earlier one.
    for repair in repairs().chain(repairs()) {
        if let Some(repaired) = repair(&text) {
            if let Some(found) = strict(&repaired) {
                return Some(found);
            }
            text = repaired;
        }
    }
    None
}

fn strict(text: &str) -> Option<Map<String, Value>> {
    if is_shallow(text) { serde_json::from_str(text).ok() } else { None }
}
