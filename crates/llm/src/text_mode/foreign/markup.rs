//! Calls in tags: `<tool_call>` with JSON, `<invoke name="…">` and `<function=…>` with parameters, and their relatives.

use serde_json::{Map, Value};

use super::{FOREIGN, named_object};
use crate::text_mode::call::arguments::cast;
use crate::text_mode::call::{self, Notes, Values, json};
use crate::text_mode::catalogue::{Catalogue, Kind, NAME_LIMIT, Tool};
use crate::text_mode::marks::{Fence, beginning};
use crate::text_mode::outcome::{Fault, Outcome, WrittenCall};
use crate::text_mode::shape::{Read, shape};

/// Tags that stand round calls and say nothing of them.
const WRAPPERS: &[&str] =
    &["<tool_call", "<|tool_call", "<｜tool▁call", "<function_calls", "<toolcall", "[TOOL_CALLS]"];
/// The longest tag, in bytes.
const TAG_LIMIT: usize = 256;
const SEPARATOR: &str = "<｜tool▁sep｜>";

/// The first call of a reply that is calls in tags and nothing else.
pub(super) fn whole(text: &str, cut: bool, catalogue: &Catalogue) -> Option<Outcome> {
    if !FOREIGN.iter().any(|marker| text.starts_with(marker)) {
        return None;
    }
    let text = text.replace("｜DSML｜", "").replace("|DSML|", "");
    let mut rest = text.trim_start();
    while let Some(wrapper) = WRAPPERS.iter().find(|wrapper| rest.starts_with(**wrapper)) {
        let length = if wrapper.ends_with(']') { wrapper.len() } else { tag_length(rest)? };
        rest = rest[length..].trim_start();
    }
    let read = if rest.starts_with(['{', '[']) {
        in_json(rest, catalogue)
    } else if rest.starts_with('<') {
        in_parameters(rest, catalogue)
    } else {
        by_name(rest, catalogue)
    };
    let (outcome, tail) = read?;
    let dropped = only_markup(tail, cut)?;
    Some(match outcome {
        Outcome::Call(call) => Outcome::Call(WrittenCall { tail_dropped: dropped, ..call }),
        other => other,
    })
}

fn tag_length(text: &str) -> Option<usize> {
    beginning(text, TAG_LIMIT).find('>').map(|at| at + 1)
}

/// What follows the first call, when it is tags and further calls only: whether there are further calls.
fn only_markup(tail: &str, cut: bool) -> Option<bool> {
    let mut rest = tail.trim_start();
    loop {
        rest = rest.trim_start_matches([')', ']', ',', ';', '`']).trim_start();
        if rest.is_empty() {
            return Some(false);
        }
        let closes = tag_length(rest).is_some_and(|length| {
            let tag = &rest[..length];
            tag == "<tool_call|>" || tag.trim_end_matches(['｜', '|', '>']).ends_with("end")
        });
        if !closes && (FOREIGN.iter().any(|marker| rest.starts_with(marker)) || rest.starts_with('{')) {
            return Some(true);
        }
        if !rest.starts_with('<') {
            return None;
        }
        match tag_length(rest) {
            Some(length) => rest = rest[length..].trim_start(),
            None => return (cut || !rest.contains(char::is_whitespace)).then_some(false),
        }
    }
}

/// `{"name": …, "arguments": {…}}`, or the first of a list of them.
fn in_json<'a>(text: &'a str, catalogue: &Catalogue) -> Option<(Outcome, &'a str)> {
    let text = text.trim_start_matches('[').trim_start();
    let (found, tail) = match json::extent(text) {
        json::Extent::Closed(length) => (json::object(&text[..length])?, &text[length..]),
        json::Extent::Open { .. } => return None,
    };
    Some((named_object(&found, false, catalogue)?, tail))
}

/// `call:NAME{…}`, `NAME[…]`, `function<｜tool▁sep｜>NAME` and then a fence with JSON.
fn by_name<'a>(text: &'a str, catalogue: &Catalogue) -> Option<(Outcome, &'a str)> {
    let notes = Notes { foreign: true, tail_dropped: false };
    let text = text.strip_prefix("function").and_then(|rest| rest.strip_prefix(SEPARATOR)).unwrap_or(text);
    let first = text.split(|c: char| c.is_whitespace() || matches!(c, '<' | '[' | '{')).next()?;
    let after = text[first.len()..].trim_start();
    let body = after.strip_prefix(SEPARATOR).unwrap_or(after).trim_start();
    let body = match body.split_once('\n') {
        Some((line, inside)) if Fence::opened_by(line).is_some() => inside.trim_start(),
        _ => body,
    };
    if body.len() < after.len() && body.starts_with('{') && first.len() <= NAME_LIMIT {
        let block = call::block(body, false);
        let outcome = call::outcome(first, block.raw, block.values, catalogue, notes);
        return Some((outcome, &body[block.end..]));
    }
    let Read::Yes(shape) = shape(text, true, catalogue) else { return None };
    let block = call::block(&text[shape.after..], false);
    let outcome = call::outcome(&text[shape.name], block.raw, block.values, catalogue, notes);
    block.closed.then_some((outcome, &text[shape.after + block.end..]))
}

/// `<invoke name="NAME">` or `<function=NAME>`, with parameters or an object inside.
fn in_parameters<'a>(text: &'a str, catalogue: &Catalogue) -> Option<(Outcome, &'a str)> {
    let head = &text[..tag_length(text)?];
    let inside = head.strip_suffix('>')?;
    let (name, closer) = if let Some(rest) = inside.strip_prefix("<invoke") {
        (attribute(rest, "name")?, "</invoke>")
    } else if let Some(rest) = inside.strip_prefix("<function=") {
        (rest, "</function>")
    } else {
        (attribute(inside.strip_prefix("<function")?, "name")?, "</function>")
    };
    let name = name.trim().trim_matches(['"', '\'']).trim();
    if name.is_empty() || name.len() > NAME_LIMIT {
        return None;
    }
    let body = &text[head.len()..];
    let (body, tail) = body.split_once(closer).unwrap_or((body, ""));
    let values = match body.trim() {
        object if object.starts_with('{') => json::object(object).ok_or(Fault::BadJson),
        body => catalogue.resolve(name).map_or(Ok(Map::new()), |tool| parameters(body, tool)),
    };
    let notes = Notes { foreign: true, tail_dropped: false };
    Some((call::outcome(name, body.trim(), values.map(Values::Object), catalogue, notes), tail))
}

/// The value of an attribute: in quotes, or the rest.
fn attribute<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let value = text.split_once(name)?.1.trim_start().strip_prefix('=')?.trim_start();
    let quoted = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.split_once(*quote));
    Some(quoted.map_or(value, |(value, _)| value))
}

/// `<parameter=NAME>value</parameter>` or `<parameter name="NAME" …>value</parameter>`, values of the types that the tool
/// states.
fn parameters(body: &str, tool: &Tool) -> Result<Map<String, Value>, Fault> {
    let mut values = Map::new();
    for piece in body.split("<parameter").skip(1) {
        let (key, value) = match piece.strip_prefix('=') {
            // `<parameter=command=create</parameter>` is met too.
            Some(rest) => rest.split_once(['>', '=']).unwrap_or((rest, "")),
            None => {
                let (head, value) = piece.split_once('>').unwrap_or((piece, ""));
                (attribute(head, "name").unwrap_or_default(), value)
            }
        };
        let key = key.trim().trim_matches(['"', '\'']);
        let value = value.split_once("</parameter").map_or(value, |(value, _)| value);
        let value = value.strip_prefix('\n').unwrap_or(value);
        let value = value.strip_suffix('\n').unwrap_or(value);
        let value = match tool.parameter(key) {
            Some(parameter) if parameter.kind != Kind::String || !parameter.choices.is_empty() => {
                cast(value, parameter)?
            }
            _ => Value::String(value.to_owned()),
        };
        values.insert(key.to_owned(), value);
    }
    Ok(values)
}
