//! Reading the lesson: where it ends, and the tools that it lists.

use serde_json::{Map, Value, json};

use crate::wire::request::{FunctionSpec, ToolSpec};

/// More tools than this are not read.
const MAX_TOOLS: usize = 256;

/// One tool of the catalogue.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Listed {
    /// The tool in native terms.
    pub(super) spec: ToolSpec,
    /// The arguments that stand between brackets, in order; `None` when it is listed with JSON.
    pub(super) in_brackets: Option<Vec<String>>,
}

/// The tools below the line `Tools`, one on each indented line.
pub(super) fn read(lesson: &str) -> Vec<Listed> {
    let below = lesson.lines().skip_while(|line| line.trim_end() != "Tools").skip(1);
    below.take_while(|line| line.starts_with(' ')).filter_map(tool).take(MAX_TOOLS).collect()
}

/// Parts the lesson from the question that follows it in the same message: it ends with the indented lines of its
/// example, or of its catalogue when it has none.
pub(super) fn end_of_lesson(text: &str) -> (&str, &str) {
    let last_heading = ["Example", "Tools"].iter().find_map(|heading| {
        let mut at = 0;
        text.split_inclusive('\n').find_map(|line| {
            at += line.len();
            line.starts_with(heading).then_some(at)
        })
    });
    let Some(mut end) = last_heading else { return (text, "") };
    for line in text.get(end..).unwrap_or_default().split_inclusive('\n') {
        if !line.starts_with(' ') && !line.contains(super::MUST_CALL) {
            break;
        }
        end += line.len();
    }
    text.split_at(end)
}

/// `name[one|two?]   what it does`, or `name{"one": string, "two"?: object}   what it does`.
fn tool(line: &str) -> Option<Listed> {
    let line = line.trim();
    let open = line.find(['[', '{'])?;
    let (name, rest) = line.split_at(open);
    if name.is_empty() || name.contains(char::is_whitespace) {
        return None;
    }
    let brackets = rest.starts_with('[');
    let end = if brackets { rest.find(']')? } else { closing_brace(rest)? };
    let inside = rest.get(1..end)?;
    let arguments: Vec<Argument<'_>> =
        inside.split(if brackets { '|' } else { ',' }).filter_map(Argument::read).collect();
    let properties: Map<String, Value> = arguments
        .iter()
        .map(|argument| (argument.name.to_owned(), json!({"type": argument.kind.unwrap_or("string")})))
        .collect();
    let required: Vec<&str> =
        arguments.iter().filter(|argument| argument.required).map(|argument| argument.name).collect();
    let in_brackets = arguments.iter().map(|argument| argument.name.to_owned()).collect();
    Some(Listed {
        spec: ToolSpec {
            function: FunctionSpec {
                name: name.to_owned(),
                description: rest.get(end + 1..)?.trim().to_owned(),
                parameters: json!({"type": "object", "properties": properties, "required": required}),
            },
        },
        in_brackets: brackets.then_some(in_brackets),
    })
}

fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

struct Argument<'a> {
    name: &'a str,
    kind: Option<&'a str>,
    required: bool,
}

impl<'a> Argument<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let (name, kind) = match text.split_once(':') {
            Some((name, kind)) => (name.trim(), kind.split_whitespace().next()),
            None => (text.trim(), None),
        };
        let bare = name.trim_end_matches('?');
        let required = bare.len() == name.len();
        let name = bare.trim_matches(['"', ' ']);
        (!name.is_empty()).then_some(Self { name, kind, required })
    }
}
