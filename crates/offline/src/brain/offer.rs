//! Which of the tools on offer is the search, which the honest exit, and how to fill in their arguments.

use serde_json::{Map, Value};

use crate::wire::request::{FunctionCall, FunctionSpec, ToolSpec};

/// The two tools that the brain understands, among those on offer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Offer<'a> {
    pub(crate) search: Option<&'a FunctionSpec>,
    pub(crate) exit: Option<&'a FunctionSpec>,
}

impl<'a> Offer<'a> {
    /// Known by their names, or else by the one argument that they require.
    pub(crate) fn of(tools: &'a [ToolSpec]) -> Self {
        let find = |name: &str, argument: &str| {
            let by_name = tools.iter().find(|tool| tool.function.name == name);
            by_name
                .or_else(|| tools.iter().find(|tool| required(&tool.function).any(|key| key == argument)))
                .map(|tool| &tool.function)
        };
        Self { search: find("search_chunks", "query"), exit: find("no_evidence_needed", "reason") }
    }
}

fn required(tool: &FunctionSpec) -> impl Iterator<Item = &str> {
    let keys = tool.parameters.get("required").and_then(Value::as_array);
    keys.into_iter().flatten().filter_map(Value::as_str)
}

/// Arguments that satisfy the tool's schema: `text` for every required string, the smallest value of any other type.
pub(crate) fn arguments(tool: &FunctionSpec, key: Option<&str>, text: &str) -> String {
    let mut object = Map::new();
    if let Some(key) = key {
        object.insert(key.to_owned(), Value::from(text));
    }
    for name in required(tool) {
        if !object.contains_key(name) {
            let schema = tool.parameters.get("properties").and_then(|properties| properties.get(name));
            object.insert(name.to_owned(), smallest(schema, text));
        }
    }
    Value::Object(object).to_string()
}

fn smallest(schema: Option<&Value>, text: &str) -> Value {
    let Some(schema) = schema else {
        return Value::from(text);
    };
    if let Some(first) = schema.get("enum").and_then(Value::as_array).and_then(|values| values.first()) {
        return first.clone();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(Value::from(1)),
        Some("boolean") => Value::from(false),
        Some("array") => Value::Array(Vec::new()),
        Some("object") => Value::Object(Map::new()),
        _ => Value::from(text),
    }
}

/// The query of a search call; `None` when its arguments are no such object.
pub(crate) fn query_of(call: &FunctionCall) -> Option<String> {
    let arguments: Value = serde_json::from_str(&call.arguments).ok()?;
    Some(arguments.get("query")?.as_str()?.to_owned())
}
