//! A conversation as the protocol writes it: one block a reply, results in envelopes, no tool fields.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::FIRST_OF_SEVERAL;
use super::call::arguments::choice_name;
use super::call::{self, Values};
use super::catalogue::{Catalogue, Tool};
use super::envelope::{Envelope, Status};
use super::marks::beginning;
use super::outcome::{NEXT, is_nudge};
use crate::chat::{ChatMessage, ToolCall};

/// How much is written of a call that could not be read, in bytes.
const FAULTY_LIMIT: usize = 4 * 1024;

/// One thing of a conversation, whatever mode it came from.
#[derive(Clone, Debug, PartialEq)]
enum Record<'a> {
    System(&'a str),
    Question(&'a str),
    Nudge(&'a str),
    Said(&'a str),
    Called { call: &'a ToolCall, result: &'a str },
}

/// Writes a conversation in blocks. Without a catalogue nothing is taught and the model's words stand without a tag.
pub(super) fn conversation(messages: &[ChatMessage], catalogue: Option<&Catalogue>) -> Vec<ChatMessage> {
    let records = records(messages);
    let mut written = Written { messages: Vec::with_capacity(records.len() + 1) };
    let running = records.iter().rposition(|record| matches!(record, Record::Question(_)));
    let mut first_result = true;
    for (at, record) in records.iter().enumerate() {
        let next = records[at + 1..].iter().find(|record| !matches!(record, Record::System(_)));
        match record {
            Record::System(text) => {
                written.messages.push(ChatMessage::System { content: (*text).to_owned() })
            }
            Record::Question(text) => {
                first_result = true;
                written.user(text);
            }
            Record::Nudge(text) => written.user(text),
            Record::Said(text) => {
                let goes_on = !matches!(next, None | Some(Record::Question(_)));
                written.assistant(match catalogue {
                    None => (*text).to_owned(),
                    Some(_) if goes_on => format!("T {text}"),
                    Some(_) => format!("E {text}"),
                });
            }
            Record::Called { call, result } => {
                let current = running.is_none_or(|question| at > question);
                let status = status(call, catalogue, current);
                written.assistant(format!("C {}", call_text(call, catalogue)));
                let envelope = Envelope {
                    tool: &call.name,
                    status,
                    call_id: &call.id,
                    body: result,
                    first_only: call.id.starts_with(FIRST_OF_SEVERAL),
                    reminds: catalogue.is_some() && (first_result || status == Status::Error),
                };
                first_result = false;
                written.user(&envelope.to_message());
            }
        }
    }
    if matches!(written.messages.last(), Some(ChatMessage::Assistant { .. })) {
        written.user(NEXT);
    }
    written.messages
}

struct Written {
    messages: Vec<ChatMessage>,
}

impl Written {
    /// Two messages of the person in a row become one.
    fn user(&mut self, text: &str) {
        if let Some(ChatMessage::User { content }) = self.messages.last_mut() {
            content.push_str("\n\n");
            content.push_str(text);
        } else {
            self.messages.push(ChatMessage::User { content: text.to_owned() });
        }
    }

    /// Between two replies in a row stands what asked for the second.
    fn assistant(&mut self, text: String) {
        if matches!(self.messages.last(), Some(ChatMessage::Assistant { .. })) {
            self.user(NEXT);
        }
        self.messages.push(ChatMessage::Assistant { content: Some(text), tool_calls: Vec::new() });
    }
}

/// The conversation call by call, each with its result. A call without a result and a result without a call are left out.
fn records(messages: &[ChatMessage]) -> Vec<Record<'_>> {
    let mut records = Vec::with_capacity(messages.len());
    for (at, message) in messages.iter().enumerate() {
        match message {
            ChatMessage::System { content } => records.push(Record::System(content)),
            ChatMessage::User { content } if is_nudge(content) => records.push(Record::Nudge(content.trim())),
            ChatMessage::User { content } => records.push(Record::Question(content)),
            ChatMessage::Assistant { content, tool_calls } => {
                if let Some(text) = content.as_deref().filter(|text| !text.trim().is_empty()) {
                    records.push(Record::Said(text));
                }
                // Ids may come again in a later reply: only what follows this one answers it.
                let answers = messages[at + 1..]
                    .iter()
                    .take_while(|message| !matches!(message, ChatMessage::Assistant { .. }))
                    .filter_map(|message| match message {
                        ChatMessage::Tool { tool_call_id, content } => {
                            Some((tool_call_id.as_str(), content.as_str()))
                        }
                        _ => None,
                    });
                let answers: BTreeMap<&str, &str> = answers.collect();
                records.extend(tool_calls.iter().filter_map(|call| {
                    answers.get(call.id.as_str()).map(|result| Record::Called { call, result })
                }));
            }
            ChatMessage::Tool { .. } => {}
        }
    }
    without_stale_nudges(records)
}

/// A nudge that the person spoke after asks for nothing any longer.
fn without_stale_nudges(records: Vec<Record<'_>>) -> Vec<Record<'_>> {
    let mut kept: Vec<Record<'_>> = Vec::with_capacity(records.len());
    let mut question_follows = false;
    for record in records.into_iter().rev() {
        match record {
            Record::Nudge(_) if question_follows => continue,
            Record::System(_) | Record::Nudge(_) => {}
            Record::Question(_) => question_follows = true,
            Record::Said(_) | Record::Called { .. } => question_follows = false,
        }
        kept.push(record);
    }
    kept.reverse();
    kept
}

/// A result carries no status of its own: a call that could not have run has failed. A tool that is not offered any
/// longer may have run in an earlier turn.
fn status(call: &ToolCall, catalogue: Option<&Catalogue>, current: bool) -> Status {
    let given = arguments(call);
    let tool = catalogue.and_then(|catalogue| catalogue.exact(&call.name));
    let fails = match (given, tool) {
        (None, _) => true,
        (Some(given), Some(tool)) => call::arguments(Values::Object(given), tool).is_err(),
        (Some(_), None) => current && catalogue.is_some(),
    };
    if fails { Status::Error } else { Status::Ok }
}

fn arguments(call: &ToolCall) -> Option<Map<String, Value>> {
    match call.arguments.trim() {
        "" => Some(Map::new()),
        arguments => serde_json::from_str(arguments).ok(),
    }
}

/// A call as the model should have written it: with brackets when that says the same, else as JSON with sorted keys. One
/// that could not be read stays as it was.
pub(super) fn call_text(call: &ToolCall, catalogue: Option<&Catalogue>) -> String {
    let name = &call.name;
    let Some(given) = arguments(call) else {
        let raw = beginning(&call.arguments, FAULTY_LIMIT).trim();
        let gap = if raw.starts_with(['[', '［', '{', '｛', '(']) { "" } else { " " };
        return format!("{name}{gap}{raw}");
    };
    let tool = catalogue.and_then(|catalogue| catalogue.exact(name));
    if let Some(text) = tool.and_then(|tool| in_brackets(tool, &given)) {
        return text;
    }
    format!("{name}{}", sorted(&Value::Object(given)))
}

/// `NAME[values]`, when reading it gives the same arguments back.
fn in_brackets(tool: &Tool, given: &Map<String, Value>) -> Option<String> {
    if !tool.is_taught_with_brackets() {
        return None;
    }
    let mut values = Vec::new();
    for parameter in tool.positional() {
        values.push(match given.get(&parameter.name) {
            None => String::new(),
            Some(value @ (Value::String(_) | Value::Number(_) | Value::Bool(_))) => {
                escaped(&choice_name(value))
            }
            Some(_) => return None,
        });
    }
    while values.last().is_some_and(String::is_empty) {
        values.pop();
    }
    let text = format!("[{}]", values.join("|"));
    if text.contains(char::is_control) {
        return None;
    }
    let block = call::block(&text, false);
    let read = call::arguments(block.values.ok()?, tool).ok()?;
    (block.closed && block.end == text.len() && read == *given).then(|| format!("{}{text}", tool.name))
}

fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for c in value.chars() {
        if matches!(c, '[' | ']' | '|' | '\\') {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

/// The value as JSON in one line, keys sorted all the way down.
fn sorted(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let keys: BTreeMap<&String, &Value> = object.iter().collect();
            let entries: Vec<String> = keys
                .into_iter()
                .map(|(key, value)| format!("{}:{}", Value::String(key.clone()), sorted(value)))
                .collect();
            format!("{{{}}}", entries.join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(sorted).collect::<Vec<_>>().join(",")),
        value => value.to_string(),
    }
}
