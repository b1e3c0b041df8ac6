//! The tools of a request: a name for the whole set, and simpler schemas.

use serde_json::{Map, Value};

use super::memory::short_hash;
use crate::chat::ToolSpec;

/// What stays of a schema: enough to call the tool, nothing that a grammar stumbles over.
const KEPT: [&str; 6] = ["type", "description", "properties", "required", "items", "enum"];

/// A short name for this set of tools.
pub(super) fn tool_set(tools: &[ToolSpec]) -> String {
    let mut text = String::new();
    for tool in tools {
        text.push_str(&tool.name);
        text.push('\n');
        text.push_str(&tool.parameters.to_string());
        text.push('\n');
    }
    short_hash(text.as_bytes())
}

/// The tools with flat, plain schemas; `None` when they are so already.
pub(super) fn simplified(tools: &[ToolSpec]) -> Option<Vec<ToolSpec>> {
    let simple: Vec<ToolSpec> = tools
        .iter()
        .map(|tool| ToolSpec { parameters: simple_schema(&tool.parameters, 0), ..tool.clone() })
        .collect();
    (simple != tools).then_some(simple)
}

fn simple_schema(schema: &Value, depth: u8) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    if depth > 8 {
        return serde_json::json!({});
    }
    let mut kept = Map::new();
    for (name, value) in fields.iter().filter(|(name, _)| KEPT.contains(&name.as_str())) {
        let value = match (name.as_str(), value) {
            ("properties", Value::Object(properties)) => properties
                .iter()
                .map(|(name, schema)| (name.clone(), simple_schema(schema, depth + 1)))
                .collect::<Map<_, _>>()
                .into(),
            ("items", schema) => simple_schema(schema, depth + 1),
            // "a string or null" is a string that may be left away.
            ("type", Value::Array(types)) => {
                types.iter().find(|kind| kind.as_str() != Some("null")).cloned().unwrap_or(Value::Null)
            }
            _ => value.clone(),
        };
        kept.insert(name.clone(), value);
    }
    Value::Object(kept)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(parameters: Value) -> ToolSpec {
        ToolSpec { name: "f".into(), description: "d".into(), parameters }
    }

    #[test]
    fn a_schema_is_made_flat_and_a_flat_one_stays_what_it_is() {
        let rich = json!({
            "type": "object", "additionalProperties": false, "required": ["q"],
            "properties": {
                "q": {"type": ["string", "null"], "minLength": 1, "description": "words"},
                "of": {"type": "array", "items": {"type": "string", "format": "uuid"}},
                "any": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/x"}]}
            },
            "$defs": {"x": {}}
        });
        let flat = json!({
            "type": "object", "required": ["q"],
            "properties": {
                "q": {"type": "string", "description": "words"},
                "of": {"type": "array", "items": {"type": "string"}},
                "any": {}
            }
        });
        assert_eq!(simplified(&[tool(rich)]), Some(vec![tool(flat.clone())]));
        assert_eq!(simplified(&[tool(flat)]), None);
    }

    #[test]
    fn a_set_of_tools_has_one_name_and_another_set_another() {
        let one = tool(json!({"type": "object"}));
        let other = tool(json!({"type": "object", "required": []}));
        assert_eq!(tool_set(std::slice::from_ref(&one)), tool_set(std::slice::from_ref(&one)));
        assert_ne!(tool_set(&[one]), tool_set(&[other]));
    }
}
