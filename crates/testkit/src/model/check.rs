//! What every request to a model has to keep, whatever a test is about.

use serde_json::Value;

use super::MODEL_KEY;

/// Words of the machinery that no model should read. Lower case.
const INFRASTRUCTURE: &[&str] =
    &["sqlx", "tantivy", "postgres://", "postgresql://", "panicked at", "127.0.0.1:", "backtrace", "errno"];

/// Everything that is wrong with a request.
pub(crate) fn faults(headers: &[(String, String)], body: &[u8]) -> Vec<String> {
    let mut faults = secret_faults(headers, body);
    match serde_json::from_slice::<Value>(body) {
        Ok(request) => {
            if holds_nul(&request) {
                faults.push("a text holds a NUL".to_owned());
            }
            faults.extend(message_faults(&request));
            faults.extend(tool_field_faults(&request));
        }
        Err(error) => faults.push(format!("the body is no JSON: {error}")),
    }
    faults
}

fn secret_faults(headers: &[(String, String)], body: &[u8]) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, value) in headers {
        let expected = name == "authorization" && *value == format!("Bearer {MODEL_KEY}");
        if value.contains(MODEL_KEY) && !expected {
            faults.push(format!("the key stands in the header {name}"));
        }
        if name == "authorization" && !expected {
            faults.push(format!("the authorization header is {value:?}"));
        }
    }
    if !headers.iter().any(|(name, _)| name == "authorization") {
        faults.push("the key is missing".to_owned());
    }
    let body = String::from_utf8_lossy(body);
    if body.contains(MODEL_KEY) {
        faults.push("the key stands in the body".to_owned());
    }
    let lower = body.to_lowercase();
    let words = INFRASTRUCTURE.iter().filter(|word| lower.contains(**word));
    faults.extend(words.map(|word| format!("the body speaks of the machinery: {word}")));
    faults
}

fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(values) => values.iter().any(holds_nul),
        Value::Object(fields) => fields.values().any(holds_nul),
        _ => false,
    }
}

fn message_faults(request: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let mut awaited: Vec<String> = Vec::new();
    let empty = Vec::new();
    let messages = request["messages"].as_array().unwrap_or(&empty);
    if messages.is_empty() {
        faults.push("there are no messages".to_owned());
    }
    for (n, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            if awaited.first().is_some_and(|next| next == id) {
                awaited.remove(0);
            } else {
                faults.push(format!("message {n} answers the call {id:?}, but {awaited:?} come next"));
            }
        } else if !awaited.is_empty() {
            faults.push(format!("message {n} comes before the calls {awaited:?} are answered"));
            awaited.clear();
        }
        let calls = message["tool_calls"].as_array();
        if let Some(calls) = calls {
            faults.extend(call_faults(n, calls));
            awaited = calls.iter().map(|c| c["id"].as_str().unwrap_or_default().to_owned()).collect();
        }
        match message.get("content") {
            Some(Value::String(text)) if !text.is_empty() => {}
            // Beside calls there may be no words. Null is refused by some endpoints, a missing field by others.
            Some(Value::String(_)) if calls.is_some_and(|calls| !calls.is_empty()) => {}
            Some(other) => faults.push(format!("the content of message {n} ({role}) is {other}")),
            None => faults.push(format!("message {n} ({role}) has no content")),
        }
    }
    if !awaited.is_empty() {
        faults.push(format!("the calls {awaited:?} are never answered"));
    }
    if messages.last().is_some_and(|m| m["role"] == "assistant") {
        faults.push("the last message is the model's own".to_owned());
    }
    faults
}

fn call_faults(n: usize, calls: &[Value]) -> Vec<String> {
    let mut faults = Vec::new();
    if calls.is_empty() {
        faults.push(format!("message {n} has an empty list of calls"));
    }
    for call in calls {
        let function = &call["function"];
        let named = function["name"].as_str().is_some_and(|name| !name.is_empty());
        let identified = call["id"].as_str().is_some_and(|id| !id.is_empty());
        if call["type"] != "function" || !named || !identified || !function["arguments"].is_string() {
            faults.push(format!("message {n} has a call without id, type, name or arguments: {call}"));
        }
    }
    faults
}

fn tool_field_faults(request: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    match request.get("tools") {
        Some(Value::Array(tools)) if !tools.is_empty() => {}
        Some(other) => faults.push(format!("`tools` is {other}")),
        None => {
            let beside = ["tool_choice", "parallel_tool_calls", "functions", "function_call"];
            let stray = beside.iter().filter(|field| request.get(**field).is_some());
            faults.extend(stray.map(|field| format!("`{field}` stands there without `tools`")));
        }
    }
    if request
        .get("tool_choice")
        .is_some_and(|choice| choice == "auto" || choice == "none" || choice.is_null())
    {
        faults.push(format!("`tool_choice` is written out as {}", request["tool_choice"]));
    }
    faults
}

#[cfg(test)]
mod tests;
