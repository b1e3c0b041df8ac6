//! The offered tools, as text mode teaches, writes and reads them.

use serde_json::Value;

use super::outcome::Fault;
use crate::chat::{ToolChoice, ToolSpec};

/// A key in the schema of an optional argument: true lets its value stand between the brackets too.
pub const OPTIONAL_IN_TEXT: &str = "x-text-optional";

/// The longest name of a tool, in characters.
pub(super) const NAME_LIMIT: usize = 64;

/// How many names a model is told when it calls a tool that is not there.
const NAMES_TOLD: usize = 20;

/// The tools of one request, sorted by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    tools: Vec<Tool>,
}

/// One tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) description: String,
    /// In the order of the schema.
    pub(super) parameters: Vec<Parameter>,
    /// What stands between the brackets, in order; indices of `parameters`.
    positional: Vec<usize>,
    /// Whether arguments that are not declared pass.
    pub(super) open: bool,
}

/// One argument of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) required: bool,
    pub(super) description: String,
    /// The values it may have; any when empty.
    pub(super) choices: Vec<Value>,
    pub(super) minimum: Option<Value>,
    pub(super) maximum: Option<Value>,
}

/// The type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    String,
    Integer,
    Number,
    Boolean,
    Object,
    Array,
    /// The schema does not say.
    Any,
}

impl Kind {
    fn of(schema: &Value) -> Self {
        let stated = match schema.get("type") {
            Some(Value::String(name)) => Some(name.as_str()),
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
            _ => None,
        };
        match stated {
            Some("string") => Self::String,
            Some("integer") => Self::Integer,
            Some("number") => Self::Number,
            Some("boolean") => Self::Boolean,
            Some("object") => Self::Object,
            Some("array") => Self::Array,
            _ => ["anyOf", "oneOf"]
                .iter()
                .filter_map(|key| schema.get(*key)?.as_array())
                .flatten()
                .map(|option| option.get("type").map_or(Self::Any, |_| Self::of(option)))
                .find(|kind| *kind != Self::Any)
                .unwrap_or(Self::Any),
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Object => "object",
            Self::Array => "array",
            Self::Any => "value",
        }
    }

    pub(super) const fn is_scalar(self) -> bool {
        !matches!(self, Self::Object | Self::Array)
    }
}

impl Parameter {
    fn of(name: &str, schema: &Value, required: bool) -> Self {
        Self {
            name: name.to_owned(),
            kind: Kind::of(schema),
            required,
            description: schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
            choices: schema.get("enum").and_then(Value::as_array).cloned().unwrap_or_default(),
            minimum: schema.get("minimum").filter(|value| value.is_number()).cloned(),
            maximum: schema.get("maximum").filter(|value| value.is_number()).cloned(),
        }
    }
}

impl Tool {
    fn of(spec: &ToolSpec) -> Self {
        let properties = spec.parameters.get("properties").and_then(Value::as_object);
        let required: Vec<&str> = spec
            .parameters
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let mut parameters: Vec<Parameter> = properties
            .into_iter()
            .flatten()
            .map(|(name, schema)| Parameter::of(name, schema, required.contains(&name.as_str())))
            .collect();
        for name in &required {
            if parameters.iter().all(|parameter| parameter.name != *name) {
                parameters.push(Parameter::of(name, &Value::Null, true));
            }
        }
        let place = |name: &str| parameters.iter().position(|parameter| parameter.name == name);
        let mut positional: Vec<usize> = required.iter().filter_map(|name| place(name)).collect();
        positional.extend(
            properties
                .into_iter()
                .flatten()
                .filter(|(_, schema)| schema.get(OPTIONAL_IN_TEXT) == Some(&Value::Bool(true)))
                .filter(|(name, _)| !required.contains(&name.as_str()))
                .filter_map(|(name, _)| place(name)),
        );
        let open = spec
            .parameters
            .get("additionalProperties")
            .is_some_and(|extra| extra.is_object() || *extra == Value::Bool(true));
        Self { name: spec.name.clone(), description: spec.description.clone(), parameters, positional, open }
    }

    /// What stands between the brackets, in order.
    pub(super) fn positional(&self) -> impl Iterator<Item = &Parameter> + Clone {
        self.positional.iter().filter_map(|index| self.parameters.get(*index))
    }

    pub(super) fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// Whether the tool is taught with brackets. With an object or a list among its arguments it is taught as JSON
    /// only, and so is one whose arguments are all optional.
    pub(super) fn is_taught_with_brackets(&self) -> bool {
        self.parameters.is_empty()
            || (self.parameters.iter().all(|parameter| parameter.kind.is_scalar())
                && self.positional().any(|parameter| parameter.required))
    }

    /// How the tool is called: `get_order[order_id|verbose?]`, or `report{"title": string, "filters"?: object}`.
    pub(super) fn signature(&self) -> String {
        let mark = |parameter: &Parameter| if parameter.required { "" } else { "?" };
        if self.is_taught_with_brackets() {
            let names: Vec<String> =
                self.positional().map(|parameter| format!("{}{}", parameter.name, mark(parameter))).collect();
            return format!("{}[{}]", self.name, names.join("|"));
        }
        let shapes: Vec<String> = self
            .parameters
            .iter()
            .map(|parameter| format!("\"{}\"{}: {}", parameter.name, mark(parameter), parameter.kind.name()))
            .collect();
        format!("{}{{{}}}", self.name, shapes.join(", "))
    }
}

impl Catalogue {
    /// The tools that a request offers and that text mode may offer: not the hidden ones, and only the named one when
    /// the choice names one. A tool whose name cannot be written in the protocol is left away.
    #[must_use]
    pub fn new(tools: &[ToolSpec], choice: &ToolChoice, hidden: &[String]) -> Self {
        let mut tools: Vec<Tool> = tools
            .iter()
            .filter(|spec| is_name(&spec.name) && !hidden.contains(&spec.name))
            .filter(|spec| match choice {
                ToolChoice::None => false,
                ToolChoice::Named(name) => *name == spec.name,
                ToolChoice::Auto | ToolChoice::Required => true,
            })
            .map(Tool::of)
            .collect();
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        tools.dedup_by(|a, b| a.name == b.name);
        Self { tools }
    }

    /// True when nothing is offered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    pub(super) fn tools(&self) -> &[Tool] {
        &self.tools
    }

    pub(super) fn exact(&self, name: &str) -> Option<&Tool> {
        let found = self.tools.binary_search_by(|tool| tool.name.as_str().cmp(name)).ok()?;
        self.tools.get(found)
    }

    /// The tool of that name, or the only one whose name differs in case and in `- _ .` and blanks alone.
    pub(super) fn resolve(&self, name: &str) -> Option<&Tool> {
        self.exact(name).or_else(|| {
            let mut alike = self.tools.iter().filter(|tool| loose(&tool.name).eq(loose(name)));
            alike.next().filter(|_| alike.next().is_none())
        })
    }

    /// What is said about a name that no tool has.
    pub(super) fn unknown(&self, name: &str) -> Fault {
        let closeness = |tool: &&Tool| strsim::jaro_winkler(name, &tool.name);
        let closest = self
            .tools
            .iter()
            .max_by(|a, b| closeness(a).total_cmp(&closeness(b)))
            .filter(|tool| closeness(tool) > 0.7)
            .map(|tool| tool.name.clone());
        Fault::UnknownTool {
            name: name.chars().take(NAME_LIMIT).collect(),
            closest,
            names: self.tools.iter().take(NAMES_TOLD).map(|tool| tool.name.clone()).collect(),
        }
    }
}

/// Whether a name can be written in the protocol: a letter or `_`, then letters, digits and `_ . -`.
fn is_name(name: &str) -> bool {
    name.len() <= NAME_LIMIT
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(is_name_char)
        && !name.ends_with('.')
}

pub(super) const fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

fn loose(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|c| !matches!(c, '-' | '_' | '.' | ' ')).map(|c| c.to_ascii_lowercase())
}
