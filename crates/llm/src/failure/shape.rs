//! What of a request's shape an endpoint refused, told from its words. A pure function; nothing of the body is kept.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::FailureClass;
use super::body::ErrorBody;

#[cfg(test)]
mod tests;

/// How far two words may stand apart, in bytes, to speak of each other.
const NEAR: usize = 80;

/// The part of a request that was refused. The first row that fits wins, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusedShape {
    /// There is no such model: no other shape helps.
    ModelMissing,
    /// The roles of the history, or the template that it goes through.
    Template,
    /// The field `tool_choice` or its value.
    ToolChoice,
    /// The schema of some tool, or the grammar made from the schemas.
    Schema,
    /// Tools as such.
    Tools,
    /// Nothing of the request: the endpoint could not read its own model's call. The next reply may do.
    OwnCall,
}

impl RefusedShape {
    /// Its name in logs and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ModelMissing => "model_missing",
            Self::Template => "template",
            Self::ToolChoice => "tool_choice",
            Self::Schema => "schema",
            Self::Tools => "tools",
            Self::OwnCall => "own_call",
        }
    }
}

/// Words that refuse tools whatever stands around them.
const TOOLS: &[&str] = &[
    "does not support tools",
    "doesn't support tools",
    "not support tools",
    "support tool use",
    "support tool calling",
    "support tool call",
    "tool use is not",
    "tool calling is not",
    "tool calls are not",
    "support function calling",
    "support functions",
    "function calling not support",
    "function calling is not",
    "function call is not support",
    "tools param requires",
];

/// Names of the fields, and the words beside them that make a refusal.
const TOOL_FIELDS: &[&str] = &["tools", "functions"];
const UNWANTED: &[&str] = &[
    "unsupported",
    "not supported",
    "not support",
    "unknown",
    "unrecognised",
    "unrecognized",
    "unexpected",
    "not permitted",
    "not allowed",
    "not available",
    "not implemented",
    "extra inputs",
    "extra fields",
    "extra_forbidden",
    "additional properties",
];

const TEMPLATE: &[&str] = &[
    "template",
    "jinja",
    "no user query",
    "roles must alternate",
    "must alternate",
    "role must alternate",
    "system role not supported",
    "system role is not supported",
    "system messages are not supported",
    "messages with role 'tool'",
    "messages with role \"tool\"",
    "role 'tool'",
    "unexpected role",
];

const SCHEMA: &[&str] = &["grammar", "schema", "invalid_function_parameters", "too many rules"];

const MISSING: &[&str] = &["not found", "does not exist", "not exist", "no such model"];

/// What a refusal with this class says about the request's shape; `None` when it says nothing of the kind.
pub(super) fn refused_shape(class: FailureClass, error: &ErrorBody, body: &str) -> Option<RefusedShape> {
    let FailureClass::Rejected { status } = class else { return None };
    if !matches!(status, 200 | 400 | 404 | 422 | 500 | 501) {
        return None;
    }
    let said = error.haystack();
    let raw = body.to_lowercase();
    let says = |wordings: &[&str]| wordings.iter().any(|wording| raw.contains(wording));
    if matches!(status, 200 | 500) && raw.contains("failed to parse input") {
        return Some(RefusedShape::OwnCall);
    }
    if matches!(status, 400 | 404) && model_is_missing(&said) {
        return Some(RefusedShape::ModelMissing);
    }
    // The field that the endpoint names outweighs every word: a validator repeats the whole request beside it.
    if let Some(field) = refused_field(body) {
        return Some(field);
    }
    // A local server says with the word of a template that it was not told to read tools at all.
    if raw.contains("tools param requires") {
        return Some(RefusedShape::Tools);
    }
    if matches!(status, 400 | 404 | 422 | 500) && speaks_of_tool_choice(&said) {
        return Some(RefusedShape::ToolChoice);
    }
    if matches!(status, 400 | 500) && says(TEMPLATE) {
        return Some(RefusedShape::Template);
    }
    if matches!(status, 400 | 404 | 422) && speaks_of_tool_choice(&raw) {
        return Some(RefusedShape::ToolChoice);
    }
    if matches!(status, 400 | 422) && (says(SCHEMA) || names_a_tool(&raw)) {
        return Some(RefusedShape::Schema);
    }
    if status != 200 && (says(TOOLS) || status != 500 && unwanted_tools(&raw)) {
        return Some(RefusedShape::Tools);
    }
    None
}

fn model_is_missing(said: &str) -> bool {
    if said.contains("model_not_found") || said.contains("model_not_exist") {
        return true;
    }
    said.find("model").is_some_and(|at| {
        let near = window(said, at, 160);
        MISSING.iter().any(|wording| near.contains(wording))
    })
}

fn speaks_of_tool_choice(text: &str) -> bool {
    text.contains("tool_choice") || text.contains("tool choice") || text.contains("toolchoice")
}

/// `tools[7].function…` and `tools.7.function…`: one tool of many, so its schema.
fn names_a_tool(text: &str) -> bool {
    text.match_indices("tools").any(|(at, word)| {
        let rest = &text[at + word.len()..];
        let index = rest.strip_prefix(['[', '.']).unwrap_or_default();
        index.starts_with(|c: char| c.is_ascii_digit())
    })
}

fn unwanted_tools(text: &str) -> bool {
    TOOL_FIELDS.iter().any(|field| {
        text.match_indices(field).any(|(at, _)| {
            let near = window(text, at, NEAR);
            UNWANTED.iter().any(|word| near.contains(word))
        })
    })
}

/// The text around a place, cut at characters.
fn window(text: &str, at: usize, reach: usize) -> &str {
    let start = text.floor_char_boundary(at.saturating_sub(reach));
    let end = text.ceil_char_boundary(at.saturating_add(reach).min(text.len()));
    &text[start..end]
}

/// The field that the body names: `param` of an error, or the `loc` of a validator's finding.
fn refused_field(body: &str) -> Option<RefusedShape> {
    let value: Value = serde_json::from_str(body.trim_start_matches('\u{feff}').trim()).ok()?;
    let mut found = Vec::new();
    fields(&value, 0, &mut found);
    found.into_iter().find_map(|path| {
        let path = path.to_lowercase();
        if path.starts_with("tool_choice") {
            Some(RefusedShape::ToolChoice)
        } else if names_a_tool(&path) {
            Some(RefusedShape::Schema)
        } else if TOOL_FIELDS.contains(&path.as_str()) {
            Some(RefusedShape::Tools)
        } else {
            None
        }
    })
}

fn fields(value: &Value, depth: u8, found: &mut Vec<String>) {
    if depth > 4 {
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| fields(item, depth + 1, found)),
        Value::Object(map) => {
            for (name, value) in map {
                match (name.as_str(), value) {
                    ("param", Value::String(path)) => found.push(path.clone()),
                    ("loc", Value::Array(path)) => {
                        let steps = path.iter().map(|step| match step {
                            Value::String(name) => name.clone(),
                            other => other.to_string(),
                        });
                        found.push(steps.filter(|step| step != "body").collect::<Vec<_>>().join("."));
                    }
                    ("error" | "errors" | "detail" | "details" | "metadata", value) => {
                        fields(value, depth + 1, found);
                    }
                    // A router passes its provider's body on as text.
                    ("raw", Value::String(text)) => {
                        if let Ok(inner) = serde_json::from_str::<Value>(text) {
                            fields(&inner, depth + 1, found);
                        }
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}
