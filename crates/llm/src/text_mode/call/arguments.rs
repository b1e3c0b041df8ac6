//! Values and their types.

use serde_json::{Map, Number, Value};

use crate::text_mode::catalogue::{Kind, Parameter, Tool};
use crate::text_mode::outcome::Fault;

/// The longest value, in bytes.
const VALUE_LIMIT: usize = 16 * 1024;
/// Keys that some models put round the arguments.
const WRAPPERS: &[&str] = &["arguments", "parameters", "params", "args", "input", "properties"];

/// A value written as text, of the argument's type.
pub(in crate::text_mode) fn cast(text: &str, parameter: &Parameter) -> Result<Value, Fault> {
    let text = text.trim();
    let value = match parameter.kind {
        Kind::String | Kind::Any => Some(chosen(text, parameter)),
        Kind::Integer => {
            text.parse::<i64>().map(Value::from).or_else(|_| text.parse::<u64>().map(Value::from)).ok()
        }
        Kind::Number => serde_json::from_str::<Number>(text).map(Value::Number).ok(),
        Kind::Boolean => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" => Some(Value::Bool(true)),
            "false" | "no" | "0" => Some(Value::Bool(false)),
            _ => None,
        },
        Kind::Object | Kind::Array => {
            let value =
                Some(text).filter(|text| is_shallow(text)).and_then(|text| serde_json::from_str(text).ok());
            return value
                .filter(|value| fits(value, parameter))
                .ok_or_else(|| Fault::UseJson(parameter.name.clone()));
        }
    };
    value.filter(|value| fits(value, parameter)).ok_or_else(|| bad_type(parameter))
}

/// The choice that differs in case alone, when it is the only one; else the text.
fn chosen(text: &str, parameter: &Parameter) -> Value {
    let mut alike = parameter
        .choices
        .iter()
        .filter(|choice| choice.as_str().is_some_and(|choice| choice.to_lowercase() == text.to_lowercase()));
    let written = Value::String(text.to_owned());
    match (alike.next(), alike.next()) {
        (Some(choice), None) if !parameter.choices.contains(&written) => choice.clone(),
        _ => written,
    }
}

fn bad_type(parameter: &Parameter) -> Fault {
    let expected = if parameter.choices.is_empty() {
        match parameter.kind {
            Kind::Integer => "an integer".to_owned(),
            Kind::Object | Kind::Array => format!("an {}", parameter.kind.name()),
            kind => format!("a {}", kind.name()),
        }
    } else {
        let choices: Vec<String> = parameter.choices.iter().map(choice_name).collect();
        format!("one of {}", choices.join(", "))
    };
    Fault::BadType { name: parameter.name.clone(), expected }
}

/// A choice as it is written between brackets.
pub(in crate::text_mode) fn choice_name(choice: &Value) -> String {
    choice.as_str().map_or_else(|| choice.to_string(), str::to_owned)
}

/// Whether a value is of the argument's type and one of its choices.
pub(super) fn fits(value: &Value, parameter: &Parameter) -> bool {
    let typed = match parameter.kind {
        Kind::String => value.is_string(),
        Kind::Integer => value.is_i64() || value.is_u64(),
        Kind::Number => value.is_number(),
        Kind::Boolean => value.is_boolean(),
        Kind::Object => value.is_object(),
        Kind::Array => value.is_array(),
        Kind::Any => true,
    };
    typed && (parameter.choices.is_empty() || parameter.choices.contains(value))
}

/// The arguments, looked at key by key; without a wrapper when only the inside of it is right.
pub(super) fn checked(given: Map<String, Value>, tool: &Tool) -> Result<Map<String, Value>, Fault> {
    let inner = unwrapped(&given, tool);
    check(given, tool).or_else(|fault| inner.and_then(|inner| check(inner, tool).ok()).ok_or(fault))
}

fn check(given: Map<String, Value>, tool: &Tool) -> Result<Map<String, Value>, Fault> {
    let missing: Vec<String> = tool
        .parameters
        .iter()
        .filter(|parameter| parameter.required)
        .filter(|parameter| given.get(&parameter.name).is_none_or(Value::is_null))
        .map(|parameter| parameter.name.clone())
        .collect();
    if !missing.is_empty() {
        return Err(Fault::Missing(missing));
    }
    let mut arguments = Map::new();
    for (key, value) in given {
        match tool.parameter(&key) {
            _ if size(&value) > VALUE_LIMIT => return Err(Fault::TooLong),
            None if !tool.open => return Err(Fault::UnknownArg(key.chars().take(64).collect())),
            Some(_) if value.is_null() => continue,
            Some(parameter) if !fits(&value, parameter) => return Err(bad_type(parameter)),
            _ => {}
        }
        arguments.insert(key, value);
    }
    Ok(arguments)
}

fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Object(_) | Value::Array(_) => value.to_string().len(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

fn unwrapped(given: &Map<String, Value>, tool: &Tool) -> Option<Map<String, Value>> {
    let mut rest = given.iter().filter(|(key, value)| {
        !(*key == "name" && value.as_str() == Some(tool.name.as_str()) && given.len() == 2)
    });
    let (key, inner) = rest.next()?;
    let wraps = WRAPPERS.contains(&key.as_str()) && tool.parameter(key).is_none() && rest.next().is_none();
    match inner {
        Value::Object(inner) if wraps => Some(inner.clone()),
        Value::String(inner) if wraps => serde_json::from_str(inner).ok(),
        _ => None,
    }
}

/// Whether a JSON text nests at most 32 deep.
pub(in crate::text_mode) fn is_shallow(text: &str) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > 32 {
            return false;
        }
    }
    true
}
