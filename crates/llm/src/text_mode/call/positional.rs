//! Values between brackets.

use serde_json::{Map, Value};

use super::arguments::cast;
use super::{Block, Values, failed};
use crate::text_mode::catalogue::{Kind, Parameter, Tool, is_name_char};
use crate::text_mode::outcome::Fault;

/// Quotes that may stand round a whole value.
const QUOTES: &[(char, char)] = &[('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’')];

/// Reads the block whose bracket opens at `at`.
pub(super) fn block(text: &str, at: usize, cut: bool) -> Block<'_> {
    let rest = &text[at..];
    let full_width = rest.starts_with('［');
    let (opener, closer) = if full_width { ('［', '］') } else { ('[', ']') };
    let block = |close: usize, length: usize, closed: bool| Block {
        raw: &rest[..close + length],
        end: at + close + length,
        values: Ok(Values::Positional { content: &rest[opener.len_utf8()..close], full_width }),
        closed,
    };
    if let Some(close) = balanced(rest, opener, closer) {
        let after = close + closer.len_utf8();
        let line = rest[after..].split('\n').next().unwrap_or_default();
        let trimmed = line.trim_end();
        // A lone bracket in a value: the last one of the line closes, unless another call stands there.
        let lone = trimmed.ends_with(closer) && !ends_escaped(trimmed, closer) && !holds_call(trimmed);
        let close = if lone { after + trimmed.len() - closer.len_utf8() } else { close };
        return block(close, closer.len_utf8(), true);
    }
    let line = rest.split('\n').next().unwrap_or_default();
    let one_line = rest.trim_end().len() <= line.len();
    if one_line && cut {
        return failed(text, at, Fault::CutOff);
    }
    let last = line
        .char_indices()
        .rev()
        .find(|(close, c)| matches!(c, ']' | '］') && !ends_escaped(&line[..close + c.len_utf8()], *c));
    match last {
        Some((close, c)) => block(close, c.len_utf8(), false),
        None if one_line => block(line.trim_end().len(), 0, false),
        None if cut => failed(text, at, Fault::CutOff),
        None => failed(text, at, Fault::Unclosed),
    }
}

/// Where the bracket closes that a text begins with, pairs inside of it counted.
fn balanced(text: &str, opener: char, closer: char) -> Option<usize> {
    let mut depth = 0_usize;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '\\' && chars.peek().is_some_and(|(_, next)| is_escapable(*next)) {
            chars.next();
        } else if c == opener {
            depth += 1;
        } else if c == closer {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

const fn is_escapable(c: char) -> bool {
    matches!(c, '[' | ']' | '|' | '\\' | '［' | '］' | '｜')
}

/// Whether the last character of a text is one that a backslash takes its meaning from.
fn ends_escaped(text: &str, last: char) -> bool {
    let before = text.strip_suffix(last).unwrap_or(text);
    (before.len() - before.trim_end_matches('\\').len()) % 2 == 1
}

/// Whether a text holds `C NAME[` or `C NAME{`.
fn holds_call(text: &str) -> bool {
    text.split(['C', 'Ｃ']).skip(1).any(|rest| {
        let Some(rest) = rest.strip_prefix([' ', '\u{3000}', ':']) else { return false };
        let rest = rest.trim_start();
        let name = rest.len() - rest.trim_start_matches(is_name_char).len();
        name > 0 && rest[name..].trim_start().starts_with(['[', '［', '{', '｛'])
    })
}

/// The values of a tool's arguments, each of its type. Which are missing is not asked here.
pub(super) fn values(content: &str, full_width: bool, tool: &Tool) -> Result<Map<String, Value>, Fault> {
    let pieces = pieces(content, full_width);
    if let [piece] = pieces.as_slice()
        && let Some(values) = list(piece, tool)
    {
        return Ok(values);
    }
    if let Some(named) = named(&pieces, tool) {
        let mut values = Map::new();
        for (parameter, piece) in named {
            insert(&mut values, parameter, piece)?;
        }
        return Ok(values);
    }
    let mut values = Map::new();
    let count = tool.positional().count();
    for (index, parameter) in tool.positional().enumerate() {
        let Some(piece) = pieces.get(index) else { break };
        let surplus = index + 1 == count && pieces.len() > count;
        let joins = matches!(parameter.kind, Kind::String | Kind::Any | Kind::Object | Kind::Array);
        match surplus {
            false => insert(&mut values, parameter, piece)?,
            // What was taken apart goes together again: a one-value signature cannot break on a pipe.
            true if joins => insert(&mut values, parameter, &content[offset(content, piece)..])?,
            true => return Err(Fault::TooManyArgs),
        }
    }
    if count == 0 && !content.trim().is_empty() {
        return Err(Fault::TooManyArgs);
    }
    Ok(values)
}

/// Where a piece of a text begins in it.
fn offset(text: &str, piece: &str) -> usize {
    (piece.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len())
}

/// The content between its separators.
fn pieces(content: &str, full_width: bool) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut chars = content.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '\\' && chars.peek().is_some_and(|(_, next)| is_escapable(*next)) {
            chars.next();
        } else if c == '|' || (full_width && c == '｜') {
            pieces.push(&content[start..at]);
            start = at + c.len_utf8();
        }
    }
    pieces.push(&content[start..]);
    pieces
}

/// The items of a JSON list as values, when there are at least two, no more than the tool takes, each of its type.
fn list(content: &str, tool: &Tool) -> Option<Map<String, Value>> {
    if !content.contains(',') {
        return None;
    }
    let items: Vec<Value> = serde_json::from_str(&format!("[{content}]")).ok()?;
    if items.len() < 2 || items.len() > tool.positional().count() {
        return None;
    }
    let mut values = Map::new();
    for (item, parameter) in items.into_iter().zip(tool.positional()) {
        let scalar = item.is_string() || item.is_number() || item.is_boolean();
        if !scalar || !super::arguments::fits(&item, parameter) {
            return None;
        }
        values.insert(parameter.name.clone(), item);
    }
    Some(values)
}

/// The pieces by name, when every one names an argument and none twice.
fn named<'a, 'b>(pieces: &[&'b str], tool: &'a Tool) -> Option<Vec<(&'a Parameter, &'b str)>> {
    let mut named: Vec<(&Parameter, &str)> = Vec::new();
    for piece in pieces {
        if named.len() >= tool.parameters.len() {
            return None;
        }
        let piece = piece.trim();
        let length = piece.find(|c| !is_name_char(c)).unwrap_or(piece.len());
        let parameter = tool.parameter(&piece[..length])?;
        let rest = piece[length..].trim_start();
        let value = rest.strip_prefix('=').or_else(|| {
            rest.strip_prefix(':').filter(|value| value.is_empty() || value.starts_with(char::is_whitespace))
        })?;
        if named.iter().any(|(known, _)| known.name == parameter.name) {
            return None;
        }
        named.push((parameter, value));
    }
    Some(named)
}

fn insert(values: &mut Map<String, Value>, parameter: &Parameter, piece: &str) -> Result<(), Fault> {
    let piece = piece.trim();
    let value = if parameter.kind.is_scalar() {
        unescaped(unquoted(piece))
    } else if serde_json::from_str::<Value>(piece).is_ok() {
        piece.to_owned()
    } else {
        unescaped(piece)
    };
    if !value.is_empty() {
        values.insert(parameter.name.clone(), cast(&value, parameter)?);
    }
    Ok(())
}

fn unquoted(value: &str) -> &str {
    QUOTES
        .iter()
        .filter_map(|(open, close)| {
            let inner = value.strip_prefix(*open)?.strip_suffix(*close)?;
            (!inner.contains([*open, *close])).then_some(inner)
        })
        .next()
        .unwrap_or(value)
}

fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(next) if c == '\\' && is_escapable(*next) => text.extend(chars.next()),
            _ => text.push(c),
        }
    }
    text
}
