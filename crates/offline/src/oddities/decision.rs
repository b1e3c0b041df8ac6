//! What the brain decides, distorted.

use serde_json::{Map, Value};

use crate::behaviour::{Behaviour, Markup};
use crate::brain::turn::{Turn, asked_at};
use crate::brain::{Decision, text_mode, think};
use crate::wire::request::{ChatRequest, Role, ToolChoice};

/// The decision about a request, with the deviations asked for; without any, what the brain decides.
pub(crate) fn decide(request: &ChatRequest, behaviour: &Behaviour) -> Decision {
    let taught = text_mode::read(request);
    let decision = decide_native(taught.as_ref().map_or(request, |taught| &taught.request), behaviour);
    match (decision, taught, behaviour.leak) {
        (Decision::Call { name, arguments }, _, Some(markup)) => {
            Decision::Say(leaked(markup, &name, &arguments))
        }
        (decision, Some(taught), _) => taught.write(decision),
        (decision, None, _) => decision,
    }
}

fn decide_native(request: &ChatRequest, behaviour: &Behaviour) -> Decision {
    if behaviour.repeat_call
        && !request.tools.is_empty()
        && request.tool_choice != ToolChoice::None
        && let Some(last) = Turn::read(request).calls.pop()
    {
        return Decision::Call { name: last.name, arguments: last.arguments };
    }
    let demanded = matches!(request.tool_choice, ToolChoice::Required | ToolChoice::Named(_));
    if behaviour.ignore_required && demanded {
        let tool_choice = if has_replied(request) { ToolChoice::Auto } else { ToolChoice::None };
        return think(&ChatRequest { tool_choice, ..request.clone() });
    }
    think(request)
}

/// Whether the model has already replied in this turn.
fn has_replied(request: &ChatRequest) -> bool {
    let turn = asked_at(&request.messages).and_then(|asked| request.messages.get(asked..));
    turn.is_some_and(|turn| turn.len() > 1 || turn.iter().any(|message| message.role == Role::Assistant))
}

/// The call in foreign markup.
fn leaked(markup: Markup, name: &str, arguments: &str) -> String {
    let object: Map<String, Value> = serde_json::from_str(arguments).unwrap_or_else(|error| {
        tracing::debug!(error = %error, "a call without an object of arguments leaks without any");
        Map::new()
    });
    let text_of = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match markup {
        Markup::ToolCall => {
            format!("<tool_call>\n{{\"name\": \"{name}\", \"arguments\": {arguments}}}\n</tool_call>")
        }
        Markup::Dsml => {
            let parameters: String = object
                .iter()
                .map(|(key, value)| {
                    let string = value.is_string();
                    let value = text_of(value);
                    format!(
                        "<｜DSML｜parameter name=\"{key}\" string=\"{string}\">{value}</｜DSML｜parameter>\n"
                    )
                })
                .collect();
            format!(
                "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"{name}\">\n{parameters}</｜DSML｜invoke>\n</｜DSML｜tool_calls>"
            )
        }
        Markup::Function => {
            let parameters: String = object
                .iter()
                .map(|(key, value)| format!("<parameter={key}>\n{}\n</parameter>\n", text_of(value)))
                .collect();
            format!("<function={name}>\n{parameters}</function>\n</tool_call>")
        }
    }
}
