//! Requests that teach the tagged blocks (`T` says, `C` calls, `E` answers; results come back as `R`) in place of native
//! tools. Such a request is read into one with native tools, and the decision about it is written as a block.
//!
//! Only the letters, the heading and the shape of the catalogue are known here; the tools are those that it lists.

mod catalogue;
mod history;

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::brain::Decision;
use crate::brain::turn::asked_at;
use crate::wire::request::{ChatRequest, Content, Message, Role, ToolChoice};
use catalogue::Listed;

/// The line that opens the lesson.
const HEADING: &str = "[How to reply]";
/// What the lesson says when a call must come first.
const MUST_CALL: &str = "first reply must be a C block";

/// A request that teaches the blocks.
#[derive(Clone, Debug)]
pub(crate) struct Taught {
    /// The same request with native tools, calls and results.
    pub(crate) request: ChatRequest,
    tools: Vec<Listed>,
}

/// The request in native terms; `None` when it teaches nothing, or brings native tools beside.
pub(crate) fn read(request: &ChatRequest) -> Option<Taught> {
    if !request.tools.is_empty() {
        return None;
    }
    let teaches =
        |message: &Message| matches!(message.role, Role::System | Role::User) && teaching(&message.text());
    let at = request.messages.iter().position(teaches)?;
    let lesson_message = request.messages.get(at)?;
    let text = lesson_message.text();
    let (persona, lesson) = text.split_at(text.find(HEADING)?);
    // An endpoint that refuses system messages gets the lesson at the head of the first question.
    let (lesson, question) = match lesson_message.role {
        Role::User => catalogue::end_of_lesson(lesson),
        _ => (lesson, ""),
    };
    let tools = catalogue::read(lesson);
    let head = match lesson_message.role {
        Role::User => plain(Role::User, question.trim()),
        role => plain(role, persona.trim()),
    };
    let mut messages = Vec::with_capacity(request.messages.len());
    for (place, message) in request.messages.iter().enumerate() {
        let message = if place == at { &head } else { message };
        history::push(&mut messages, message, &tools);
    }
    let called = asked_at(&messages)
        .and_then(|asked| messages.get(asked..))
        .is_some_and(|turn| turn.iter().any(|message| !message.tool_calls.is_empty()));
    let request = ChatRequest {
        messages,
        tools: tools.iter().map(|listed| listed.spec.clone()).collect(),
        tool_choice: match lesson.contains(MUST_CALL) && !called {
            true => ToolChoice::Required,
            false => ToolChoice::Auto,
        },
        ..request.clone()
    };
    Some(Taught { request, tools })
}

fn teaching(text: &str) -> bool {
    text.lines().any(|line| line.trim_end() == HEADING)
}

fn plain(role: Role, text: &str) -> Message {
    Message { role, content: Content::Text(text.to_owned()), ..Message::default() }
}

impl Taught {
    /// The decision as the text of a reply: one block.
    pub(crate) fn write(&self, decision: Decision) -> Decision {
        Decision::Say(match decision {
            Decision::Say(text) => format!("E {text}"),
            Decision::Call { name, arguments } => self.call(&name, &arguments),
        })
    }

    /// With brackets when the tool is listed so and every value can stand in them, as JSON otherwise.
    fn call(&self, name: &str, arguments: &str) -> String {
        let listed = self.tools.iter().find(|listed| listed.spec.function.name == name);
        let object: Option<Map<String, Value>> = serde_json::from_str(arguments).ok();
        let values = listed.zip(object.as_ref()).and_then(|(listed, object)| bracketed(listed, object));
        match values {
            Some(values) => format!("C {name}[{values}]"),
            None => format!("C {name}{arguments}"),
        }
    }
}

fn bracketed(listed: &Listed, object: &Map<String, Value>) -> Option<String> {
    let names = listed.in_brackets.as_ref()?;
    if object.len() > names.len() {
        return None;
    }
    // An argument that is left out may only be one of the last.
    let values: Option<Vec<String>> =
        names.iter().take(object.len()).map(|name| value_in_brackets(name, object.get(name)?)).collect();
    Some(values?.join("|"))
}

/// A value between brackets; `None` when it would be read as something else.
fn value_in_brackets(name: &str, value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => Cow::Borrowed(text.as_str()),
        Value::Number(_) | Value::Bool(_) => Cow::Owned(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    let quoted = |c: char| matches!(c, '"' | '\'' | '“' | '”' | '‘' | '’' | '`');
    let named = text.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(['=', ':']));
    let changes = text.trim() != text || text.is_empty() || text.contains(['\n', '\r']);
    if changes || named || text.starts_with(quoted) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '|' | '[' | ']' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    Some(out)
}

#[cfg(test)]
mod tests;
