//! The argument check: what a model sends is looked at before anything runs.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Why a call was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// No such tool is offered.
    UnknownTool,
    /// The arguments are no JSON object: cut off, or something else. Such a call is never replayed.
    NotAnObject,
    /// An argument is missing, null, blank or of another type.
    BadArgument,
}

/// A refused call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub kind: RefusalKind,
    /// What the model is told: one sentence, then the signature.
    pub sentence: String,
}

impl Refusal {
    pub(crate) fn unknown_tool<'a>(name: &str, offered: impl Iterator<Item = &'a str>) -> Self {
        let mut names: Vec<&str> = offered.collect();
        names.sort_by(|a, b| strsim::jaro_winkler(name, b).total_cmp(&strsim::jaro_winkler(name, a)));
        names.truncate(5);
        let name: String = name.chars().take(64).collect();
        Self {
            kind: RefusalKind::UnknownTool,
            sentence: format!("There is no tool named `{name}`. Tools that exist: {}.", names.join(", ")),
        }
    }
}

/// The name without blanks and without the prefixes that some models put before it.
pub(crate) fn bare_name(name: &str) -> &str {
    let name = name.trim();
    ["functions.", "function.", "tools.", "tool."].iter().find_map(|p| name.strip_prefix(p)).unwrap_or(name)
}

/// The schema of a tool's arguments.
pub(crate) struct ArgumentSchema {
    schema: Map<String, Value>,
}

impl ArgumentSchema {
    /// Flat and inlined: some endpoints refuse `$ref`, `anyOf` and `$schema`.
    pub(crate) fn of<T: JsonSchema>() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|s| {
            s.inline_subschemas = true;
            s.meta_schema = None;
        });
        let mut schema: Map<String, Value> =
            settings.into_generator().into_root_schema_for::<T>().as_object().cloned().unwrap_or_default();
        schema.remove("title");
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            for property in properties.values_mut().filter_map(Value::as_object_mut) {
                flatten(property);
            }
        }
        Self { schema }
    }

    pub(crate) fn to_json(&self) -> String {
        Value::Object(self.schema.clone()).to_string()
    }

    /// Checks arguments and gives them back in one spelling: sorted keys, known keys only, no nulls.
    pub(crate) fn check(&self, tool: &str, arguments: &str) -> Result<String, Refusal> {
        let text = arguments.trim();
        let refuse = |kind, what: String| {
            Err(Refusal { kind, sentence: format!("{what} Call it as {}.", self.signature(tool)) })
        };
        let given = match serde_json::from_str::<Value>(if text.is_empty() { "{}" } else { text }) {
            Ok(Value::Object(given)) => given,
            Ok(_) => {
                return refuse(
                    RefusalKind::NotAnObject,
                    format!("The arguments of `{tool}` must be a JSON object."),
                );
            }
            Err(_) => {
                let what =
                    format!("The arguments of `{tool}` are not complete JSON; they may have been cut off.");
                return refuse(RefusalKind::NotAnObject, what);
            }
        };
        let mut kept = std::collections::BTreeMap::new();
        for (key, schema) in self.properties() {
            let required = self.required().any(|name| name == key);
            match given.get(key) {
                None if required => {
                    return refuse(RefusalKind::BadArgument, format!("`{tool}` needs the argument `{key}`."));
                }
                Some(Value::Null) if required => {
                    return refuse(
                        RefusalKind::BadArgument,
                        format!("The argument `{key}` of `{tool}` must not be null."),
                    );
                }
                None | Some(Value::Null) => {}
                Some(value) if !has_type(value, schema) => {
                    let what =
                        format!("The argument `{key}` of `{tool}` must be of type {}.", type_name(schema));
                    return refuse(RefusalKind::BadArgument, what);
                }
                Some(Value::String(text)) if text.trim().is_empty() => {
                    if required {
                        let what = format!("The argument `{key}` of `{tool}` must not be blank.");
                        return refuse(RefusalKind::BadArgument, what);
                    }
                }
                Some(Value::String(text)) if is_id(schema) && uuid::Uuid::try_parse(text.trim()).is_err() => {
                    let what =
                        format!("The argument `{key}` of `{tool}` must be an id from a result, a UUID.");
                    return refuse(RefusalKind::BadArgument, what);
                }
                Some(value) => {
                    kept.insert(key.clone(), value.clone());
                }
            }
        }
        Ok(Value::Object(kept.into_iter().collect()).to_string())
    }

    fn properties(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.schema.get("properties").and_then(Value::as_object).into_iter().flatten()
    }

    fn required(&self) -> impl Iterator<Item = &str> {
        self.schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    }

    /// `search_chunks({"query": string, "as_of"?: string})`.
    fn signature(&self, tool: &str) -> String {
        let parts: Vec<String> = self
            .properties()
            .map(|(key, schema)| {
                let mark = if self.required().any(|name| name == key) { "" } else { "?" };
                format!("\"{key}\"{mark}: {}", type_name(schema))
            })
            .collect();
        format!("{tool}({{{}}})", parts.join(", "))
    }
}

/// `["string", "null"]` becomes `string`, and `anyOf` of one type and null that type: absent says the same.
fn flatten(property: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = property.get("type") {
        let stated = types.iter().find(|t| *t != "null").cloned();
        if let Some(stated) = stated {
            property.insert("type".to_owned(), stated);
        }
    }
    if let Some(Value::Array(options)) = property.remove("anyOf")
        && let Some(stated) = options
            .into_iter()
            .filter_map(|o| match o {
                Value::Object(o) => Some(o),
                _ => None,
            })
            .find(|o| o.get("type").is_none_or(|t| t != "null"))
    {
        for (key, value) in stated {
            property.entry(key).or_insert(value);
        }
    }
    if property.get("default") == Some(&Value::Null) {
        property.remove("default");
    }
}

fn type_name(schema: &Value) -> &str {
    schema.get("type").and_then(Value::as_str).unwrap_or("value")
}

fn is_id(schema: &Value) -> bool {
    schema.get("format").and_then(Value::as_str) == Some("uuid")
}

fn has_type(value: &Value, schema: &Value) -> bool {
    match type_name(schema) {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

#[cfg(test)]
mod tests;
