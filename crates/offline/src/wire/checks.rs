//! What a strict endpoint refuses, so that a client that sends it learns of it here and not in production.

use std::collections::HashSet;

use crate::wire::request::{ChatRequest, Role, ToolChoice};

/// The sentence with which the request is refused, if it is.
pub(crate) fn find_fault(request: &ChatRequest) -> Option<String> {
    if request.messages.is_empty() {
        return Some("[] is too short - 'messages'".to_owned());
    }
    find_unanswered_call(request).or_else(|| find_choice_fault(request))
}

fn find_unanswered_call(request: &ChatRequest) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    let mut answerable: HashSet<&str> = HashSet::new();
    for (at, message) in request.messages.iter().enumerate() {
        if message.role == Role::Tool {
            let id = message.tool_call_id.as_deref().unwrap_or_default();
            if !answerable.remove(id) {
                return Some(format!(
                    "Invalid parameter: messages with role 'tool' must be a response to a preceding message with \
                     'tool_calls' (messages[{at}])."
                ));
            }
            open.retain(|waiting| *waiting != id);
            continue;
        }
        if !open.is_empty() {
            return Some(unanswered(&open));
        }
        answerable.clear();
        if message.role == Role::Assistant {
            open = message.tool_calls.iter().map(|call| call.id.as_str()).collect();
            answerable.extend(open.iter().copied());
        }
    }
    (!open.is_empty()).then(|| unanswered(&open))
}

fn unanswered(ids: &[&str]) -> String {
    format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. \
         The following tool_call_ids did not have response messages: {}",
        ids.join(", ")
    )
}

fn find_choice_fault(request: &ChatRequest) -> Option<String> {
    match &request.tool_choice {
        ToolChoice::Auto => None,
        _ if request.tools.is_empty() => {
            Some("'tool_choice' is only allowed when 'tools' are specified.".to_owned())
        }
        ToolChoice::Named(name) if !request.tools.iter().any(|tool| tool.function.name == *name) => {
            Some(format!("Tool choice '{name}' not found in 'tools' parameter."))
        }
        _ => None,
    }
}
