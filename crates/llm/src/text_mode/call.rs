//! The payload of a `C`: where the call ends, what its values are, what is wrong with them.

use std::ops::Range;

use serde_json::{Map, Value};

use super::catalogue::{Catalogue, Tool};
use super::marks::beginning;
use super::outcome::{Fault, Outcome, WrittenCall};

pub(super) mod arguments;
pub(super) mod json;
pub(super) mod positional;
mod repair;

/// The longest call, in bytes, counted from behind its name.
pub(super) const BLOCK_LIMIT: usize = 32 * 1024;
/// How much is kept of a call that cannot run, in bytes.
const FAULTY_LIMIT: usize = 4 * 1024;

/// The values of a call, before a tool is asked what it makes of them.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Values<'a> {
    /// The name stands alone.
    None,
    /// Between brackets.
    Positional { content: &'a str, full_width: bool },
    /// As JSON.
    Object(Map<String, Value>),
}

/// What follows a name, up to the end of the call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block<'a> {
    /// As it was written, without what follows.
    pub(super) raw: &'a str,
    /// Where it ends.
    pub(super) end: usize,
    pub(super) values: Result<Values<'a>, Fault>,
    /// It ended with its own bracket.
    pub(super) closed: bool,
}

/// Reads what follows the name of a tool. `cut` says that the token limit ended the reply.
pub(super) fn block(text: &str, cut: bool) -> Block<'_> {
    let limited = beginning(text, BLOCK_LIMIT);
    let line = limited.trim_start_matches(|c: char| c.is_whitespace() && c != '\n');
    let at = limited.len() - line.len();
    let next = limited.trim_start();
    let mut block = match line.chars().next() {
        Some('[' | '［') => positional::block(limited, at, cut),
        Some('(') if line[1..].trim_start().starts_with(['{', '｛']) => {
            let mut block = json::block(limited, limited.len() - line[1..].trim_start().len(), cut);
            if let Some(rest) = limited[block.end..].trim_start().strip_prefix(')') {
                block.end = limited.len() - rest.len();
            }
            block
        }
        _ if next.starts_with(['{', '｛']) => json::block(limited, limited.len() - next.len(), cut),
        None | Some('\n') => Block { raw: "", end: at, values: Ok(Values::None), closed: false },
        Some(';') if first_line(&line[1..]).trim().is_empty() => {
            Block { raw: "", end: at + 1, values: Ok(Values::None), closed: false }
        }
        Some(_) => failed(limited, at, Fault::NoBracket),
    };
    let ends = block.closed || matches!(block.values, Ok(Values::None) | Err(Fault::NoBracket));
    if limited.len() < text.len() && !ends {
        block.values = Err(Fault::TooLong);
    }
    block
}

/// A call that cannot be read: its first line stands for it.
fn failed(text: &str, at: usize, fault: Fault) -> Block<'_> {
    let raw = first_line(&text[at..]).trim_end();
    Block { raw, end: at + raw.len(), values: Err(fault), closed: false }
}

fn first_line(text: &str) -> &str {
    text.split_once('\n').map_or(text, |(line, _)| line)
}

/// Where a call ends that nothing which may yet follow can change; `None` when it is not there yet.
pub(super) fn certain_end(text: &str) -> Option<usize> {
    if text.len() > BLOCK_LIMIT {
        return Some(BLOCK_LIMIT);
    }
    let block = block(text, false);
    // A bracket further on in the same line may yet be the one that closes.
    let rest = &text[block.end..];
    (block.closed && (matches!(block.values, Ok(Values::Object(_))) || rest.contains('\n')))
        .then_some(block.end)
}

/// Whether what follows a call is nothing: blanks, a full stop, a fence that closes.
pub(super) fn is_nothing(tail: &str) -> bool {
    tail.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ';' | '`' | '~')).is_empty()
}

/// The arguments that the values come to.
pub(super) fn arguments(values: Values<'_>, tool: &Tool) -> Result<Map<String, Value>, Fault> {
    let given = match values {
        Values::None => Map::new(),
        Values::Positional { content, full_width } => positional::values(content, full_width, tool)?,
        Values::Object(given) => given,
    };
    arguments::checked(given, tool)
}

/// Reads the call whose name stands there, and everything behind it.
pub(super) fn read(
    text: &str,
    name: Range<usize>,
    after: usize,
    cut: bool,
    catalogue: &Catalogue,
) -> Outcome {
    let block = block(&text[after..], cut);
    let tail_dropped = !is_nothing(&text[after + block.end..]);
    outcome(&text[name], block.raw, block.values, catalogue, Notes { foreign: false, tail_dropped })
}

/// What is noted of a call beside itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Notes {
    pub(super) foreign: bool,
    pub(super) tail_dropped: bool,
}

/// The outcome of a call with these values.
pub(super) fn outcome(
    name: &str,
    raw: &str,
    values: Result<Values<'_>, Fault>,
    catalogue: &Catalogue,
    notes: Notes,
) -> Outcome {
    let Notes { foreign, tail_dropped } = notes;
    let written = |name: &str, arguments: String, tail_dropped: bool| WrittenCall {
        name: name.to_owned(),
        arguments,
        foreign,
        tail_dropped,
    };
    let tool = catalogue.resolve(name);
    let read = match tool {
        Some(tool) => values.and_then(|values| arguments(values, tool)),
        None => Err(catalogue.unknown(name)),
    };
    match read {
        Ok(arguments) => {
            let name = tool.map_or(name, |tool| tool.name.as_str());
            Outcome::Call(written(name, Value::Object(arguments).to_string(), tail_dropped))
        }
        Err(fault) => {
            let sentence = match tool {
                Some(tool) => format!("{fault} Use: C {}", tool.signature()),
                None => fault.to_string(),
            };
            let name = tool.map_or_else(|| beginning(name, 64), |tool| tool.name.as_str());
            Outcome::CallError {
                // What followed a call that does not run is not worth a word.
                call: written(name, beginning(raw, FAULTY_LIMIT).to_owned(), false),
                fault,
                sentence,
            }
        }
    }
}
