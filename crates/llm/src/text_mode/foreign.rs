//! Calls in the forms of other protocols. They run only when they are the whole reply.

use serde_json::{Map, Value};

use super::call::{self, Notes, Values, json};
use super::catalogue::Catalogue;
use super::marks::{FOREIGN, Fence, beginning};
use super::outcome::Outcome;
use super::shape::{BLANKS_LIMIT, Read, shape};

mod markup;
mod react;

/// Within how many characters a bare object must name itself as a call.
const KEY_LIMIT: usize = 256;
const KEYS: &[&str] = &["\"name\"", "\"tool_calls\""];
/// Keys under which the arguments stand.
const ARGUMENTS: &[&str] = &["arguments", "parameters", "args", "input"];
/// The longest line that opens a fence, in bytes.
const FENCE_LINE_LIMIT: usize = 80;

/// Whether a reply that begins so may be one call. Once it is `No`, it stays `No` whatever follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hope {
    No,
    /// More text tells.
    Open,
    /// The end tells.
    AtTheEnd,
}

/// Looks at the beginning of a reply without a head.
pub(super) fn hope(text: &str, catalogue: &Catalogue) -> Hope {
    if ["```", "~~~"].iter().any(|fence| fence.starts_with(text)) {
        return Hope::Open;
    }
    if !(text.starts_with("```") || text.starts_with("~~~")) {
        return hope_of_bare(text, catalogue);
    }
    match beginning(text, FENCE_LINE_LIMIT).split_once('\n') {
        Some((line, _)) => {
            let inside = &text[line.len() + 1..];
            let blanks = beginning(inside, BLANKS_LIMIT + 1).len()
                - beginning(inside, BLANKS_LIMIT + 1).trim_start().len();
            match &inside[blanks..] {
                _ if blanks > BLANKS_LIMIT => Hope::No,
                "" => Hope::Open,
                inside => hope_of_bare(inside, catalogue),
            }
        }
        None if text.len() < FENCE_LINE_LIMIT => Hope::Open,
        None => Hope::No,
    }
}

fn hope_of_bare(text: &str, catalogue: &Catalogue) -> Hope {
    if text.starts_with('{') {
        let first = text.char_indices().nth(KEY_LIMIT).map_or(text, |(at, _)| &text[..at]);
        return if KEYS.iter().any(|key| first.contains(key)) {
            Hope::AtTheEnd
        } else if first.len() < text.len() {
            Hope::No
        } else {
            Hope::Open
        };
    }
    if FOREIGN.iter().any(|marker| text.starts_with(marker)) {
        return Hope::AtTheEnd;
    }
    if FOREIGN.iter().any(|marker| marker.starts_with(text)) {
        return Hope::Open;
    }
    match hope_of_name(text, catalogue) {
        Hope::No => react::hope(text, catalogue),
        hope => hope,
    }
}

fn hope_of_name(text: &str, catalogue: &Catalogue) -> Hope {
    let begins = |name: &str| {
        let length = name.len().min(text.len());
        name.as_bytes()[..length] == text.as_bytes()[..length]
    };
    if !catalogue.tools().iter().any(|tool| begins(&tool.name)) {
        return Hope::No;
    }
    match shape(text, false, catalogue) {
        Read::Yes(shape) if shape.opened && catalogue.exact(&text[shape.name.clone()]).is_some() => {
            Hope::AtTheEnd
        }
        Read::Undecided => Hope::Open,
        Read::Yes(_) | Read::No => Hope::No,
    }
}

/// The call that a whole reply is, in any of the forms that are known.
pub(super) fn whole(text: &str, cut: bool, catalogue: &Catalogue) -> Option<Outcome> {
    let text = without_fence(text.trim());
    markup::whole(text, cut, catalogue)
        .or_else(|| object(text, catalogue))
        .or_else(|| name(text, catalogue))
        .or_else(|| react::whole(text, catalogue))
}

/// The text without the fence round it, whose end may be missing.
fn without_fence(text: &str) -> &str {
    let Some((line, inside)) = text.split_once('\n') else { return text };
    let Some(fence) = Fence::opened_by(line) else { return text };
    match inside.rsplit_once('\n') {
        Some((before, last)) if fence.is_closed_by(last) => before.trim(),
        _ => inside.trim(),
    }
}

/// A bare object: `{"name": …, "arguments": {…}}`, or `{"tool_calls": […]}`.
fn object(text: &str, catalogue: &Catalogue) -> Option<Outcome> {
    if !text.starts_with('{') || hope_of_bare(text, catalogue) != Hope::AtTheEnd {
        return None;
    }
    let json::Extent::Closed(length) = json::extent(text) else { return None };
    if !call::is_nothing(&text[length..]) {
        return None;
    }
    let found = json::object(&text[..length])?;
    if let Some(calls) = found.get("tool_calls") {
        let calls = calls.as_array()?;
        return named_object(calls.first()?.as_object()?, calls.len() > 1, catalogue);
    }
    let known =
        found.get("name").and_then(Value::as_str).is_some_and(|name| catalogue.resolve(name).is_some());
    let holds_arguments = ARGUMENTS.iter().any(|key| found.get(*key).is_some_and(Value::is_object));
    (known && holds_arguments).then(|| named_object(&found, false, catalogue))?
}

/// The call that an object names: `{"name": …, "arguments": …}`, as it is or under `function`.
fn named_object(found: &Map<String, Value>, tail_dropped: bool, catalogue: &Catalogue) -> Option<Outcome> {
    let found = found.get("function").and_then(Value::as_object).unwrap_or(found);
    let name = found.get("name")?.as_str()?.trim();
    let given = ARGUMENTS.iter().find_map(|key| found.get(*key));
    let (raw, values) = match given {
        Some(Value::Object(given)) => (Value::Object(given.clone()).to_string(), Some(given.clone())),
        Some(Value::String(given)) => (given.clone(), json::object(given.trim())),
        None | Some(Value::Null) => (String::new(), Some(Map::new())),
        Some(other) => (other.to_string(), None),
    };
    let values = values.map(Values::Object).ok_or(super::outcome::Fault::BadJson);
    Some(call::outcome(name, &raw, values, catalogue, Notes { foreign: true, tail_dropped }))
}

/// `NAME[…]` or `NAME{…}`, the letter forgotten. More calls may follow, words may not.
fn name(text: &str, catalogue: &Catalogue) -> Option<Outcome> {
    if hope_of_name(text, catalogue) != Hope::AtTheEnd {
        return None;
    }
    let Read::Yes(shape) = shape(text, true, catalogue) else { return None };
    let block = call::block(&text[shape.after..], false);
    let tail = text[shape.after + block.end..].trim_start();
    let tail_dropped = !call::is_nothing(tail);
    let more = || hope_of_name(tail, catalogue) == Hope::AtTheEnd;
    (block.closed && (!tail_dropped || more())).then(|| {
        let notes = Notes { foreign: true, tail_dropped };
        call::outcome(&text[shape.name], block.raw, block.values, catalogue, notes)
    })
}
