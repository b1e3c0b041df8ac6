//! Reading messages: blocks become texts and calls, envelopes become results.

use serde_json::{Map, Value};

use super::catalogue::Listed;
use super::plain;
use crate::brain::turn::is_nudge;
use crate::wire::request::{FunctionCall, Message, Role, ToolCall};

/// What is said beside a result, and never by the person.
const REMINDERS: &[&str] = &["Reply with one block", "nly the first call was run"];

/// Adds the message in native terms.
pub(super) fn push(out: &mut Vec<Message>, message: &Message, tools: &[Listed]) {
    let text = message.text();
    match message.role {
        Role::Assistant if message.tool_calls.is_empty() => out.push(reply(&text, tools, out.len())),
        Role::User => {
            let mut said = String::new();
            for part in parts(&text) {
                match part {
                    Part::Result(body) => {
                        let id = out.iter().rev().flat_map(|message| &message.tool_calls).next();
                        let tool_call_id = id.map(|call| call.id.clone());
                        out.push(Message { tool_call_id, ..plain(Role::Tool, body) });
                    }
                    Part::Line(line) if REMINDERS.iter().any(|reminder| line.contains(reminder)) => {}
                    Part::Line(line) => said.push_str(line),
                }
            }
            if !said.trim().is_empty() {
                out.push(plain(Role::User, said.trim()));
            }
        }
        _ => out.push(message.clone()),
    }
}

/// A reply of ours, read back.
fn reply(text: &str, tools: &[Listed], place: usize) -> Message {
    let text = text.trim_start();
    let Some((letter, rest)) = text.split_once([' ', '\n']) else {
        return plain(Role::Assistant, text);
    };
    match letter {
        "T" | "E" => plain(Role::Assistant, rest),
        "C" => match call(rest, tools) {
            Some(function) => {
                let tool_calls = vec![ToolCall { id: format!("block_{place}"), function }];
                Message { role: Role::Assistant, tool_calls, ..Message::default() }
            }
            None => plain(Role::Assistant, text),
        },
        _ => plain(Role::Assistant, text),
    }
}

/// `name[values]` or `name{json}`.
fn call(text: &str, tools: &[Listed]) -> Option<FunctionCall> {
    let open = text.find(['[', '{'])?;
    let (name, rest) = text.split_at(open);
    let name = name.trim().to_owned();
    if rest.starts_with('{') {
        let object =
            serde_json::Deserializer::from_str(rest).into_iter::<Map<String, Value>>().next()?.ok()?;
        return Some(FunctionCall { name, arguments: Value::Object(object).to_string() });
    }
    let listed = tools.iter().find(|listed| listed.spec.function.name == name)?;
    let names = listed.in_brackets.as_deref().unwrap_or_default();
    let object: Map<String, Value> =
        names.iter().cloned().zip(values(rest.get(1..)?).into_iter().map(Value::from)).collect();
    Some(FunctionCall { name, arguments: Value::Object(object).to_string() })
}

/// The values up to the closing bracket, unescaped.
fn values(text: &str) -> Vec<String> {
    let mut values = vec![String::new()];
    let mut depth = 0_usize;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let mut literal = c;
        match c {
            '\\' => {
                if let Some(escaped) = chars.next_if(|next| matches!(next, '|' | '[' | ']' | '\\')) {
                    literal = escaped;
                }
            }
            '|' => {
                values.push(String::new());
                continue;
            }
            '[' => depth += 1,
            ']' if depth == 0 => break,
            ']' => depth -= 1,
            _ => {}
        }
        if let Some(value) = values.last_mut() {
            value.push(literal);
        }
    }
    values.into_iter().map(|value| value.trim().to_owned()).collect()
}

/// A piece of a user message.
enum Part<'a> {
    /// The body of an envelope.
    Result(&'a str),
    /// Any other line, its line break included.
    Line(&'a str),
}

/// `R name status id`, the body, `R end id`; an envelope that does not end goes on to the end of the message.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
        let (line, below) = rest.split_at(length);
        let Some(id) = opens(line) else {
            found.push(Part::Line(line));
            rest = below;
            continue;
        };
        let end = format!("R end {id}");
        let mut at = 0;
        let closed = below.split_inclusive('\n').find_map(|line| {
            let start = at;
            at += line.len();
            (line.trim_end() == end).then_some((start, at))
        });
        let (body_end, after) = closed.unwrap_or((below.len(), below.len()));
        found.push(Part::Result(below.get(..body_end).unwrap_or_default().trim_end_matches(['\n', '\r'])));
        rest = below.get(after..).unwrap_or_default();
    }
    if found.iter().any(|part| matches!(part, Part::Result(_))) {
        // A nudge that shares the message with a result is no question.
        found.retain(|part| !matches!(part, Part::Line(line) if is_nudge(line)));
    }
    found
}

/// The id of the envelope that the line opens.
fn opens(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let (Some("R"), Some(_name), Some(status), Some(id), None) =
        (words.next(), words.next(), words.next(), words.next(), words.next())
    else {
        return None;
    };
    let known = matches!(status, "ok" | "error" | "denied" | "timeout" | "skipped");
    (known && id.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(id)
}
