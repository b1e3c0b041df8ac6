//! Finding a question and its results written as one JSON object inside a message, prose around it allowed.

use serde_json::{Map, Value};

use crate::brain::turn::Line;
use crate::wire::request::FunctionCall;

/// A message of braces must not cost more than this many attempts.
const MAX_ATTEMPTS: usize = 64;

/// What the object held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gathered {
    pub(crate) question: String,
    pub(crate) conversation: Vec<Line>,
    pub(crate) calls: Vec<FunctionCall>,
    pub(crate) results: Vec<String>,
}

/// The first JSON object of the message that has a `question` as a string.
pub(crate) fn find(message: &str) -> Option<Gathered> {
    message
        .match_indices('{')
        .take(MAX_ATTEMPTS)
        .filter_map(|(at, _)| {
            let rest = message.get(at..)?;
            serde_json::Deserializer::from_str(rest).into_iter::<Map<String, Value>>().next()?.ok()
        })
        .find_map(read)
}

fn read(object: Map<String, Value>) -> Option<Gathered> {
    let question = object.get("question")?.as_str()?.to_owned();
    let entries = |names: &[&str]| -> Vec<Value> {
        names.iter().find_map(|name| object.get(*name)?.as_array().cloned()).unwrap_or_default()
    };
    let results = entries(&["results", "tool_results", "evidence"]);
    Some(Gathered {
        question,
        conversation: entries(&["conversation", "history", "messages"]).iter().filter_map(line).collect(),
        calls: results.iter().filter_map(call).collect(),
        results: results.iter().filter_map(result).collect(),
    })
}

fn line(entry: &Value) -> Option<Line> {
    let by_assistant = match entry.get("role")?.as_str()? {
        "assistant" => true,
        "user" => false,
        _ => return None,
    };
    let text = ["content", "text"].iter().find_map(|key| entry.get(key)?.as_str())?.to_owned();
    Some(Line { by_assistant, text })
}

fn call(entry: &Value) -> Option<FunctionCall> {
    let name = ["tool", "name"].iter().find_map(|key| entry.get(key)?.as_str())?.to_owned();
    let arguments = match entry.get("arguments") {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    Some(FunctionCall { name, arguments })
}

fn result(entry: &Value) -> Option<String> {
    match entry {
        Value::String(text) => Some(text.clone()),
        _ => ["result", "content", "text", "output"]
            .iter()
            .find_map(|key| entry.get(key)?.as_str())
            .map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::{Gathered, find};
    use crate::brain::turn::Line;
    use crate::wire::request::FunctionCall;

    #[test]
    fn the_object_is_found_inside_prose_and_fences() {
        let message = "Answer {this} from untrusted data:\n```json\n{\"question\": \"Who?\", \"conversation\": \
             [{\"role\": \"user\", \"content\": \"Hello\"}], \"results\": [{\"tool\": \"search_chunks\", \
             \"arguments\": \"{\\\"query\\\":\\\"x\\\"}\", \"result\": \"[1] y\"}]}\n```\nBe brief.";
        let expected = Gathered {
            question: "Who?".to_owned(),
            conversation: vec![Line { by_assistant: false, text: "Hello".to_owned() }],
            calls: vec![FunctionCall {
                name: "search_chunks".to_owned(),
                arguments: r#"{"query":"x"}"#.to_owned(),
            }],
            results: vec!["[1] y".to_owned()],
        };
        assert_eq!(find(message), Some(expected));
    }

    #[test]
    fn a_plain_question_with_braces_is_no_object() {
        assert_eq!(find("What does {\"a\": 1} mean in {x}?"), None);
        assert_eq!(find(&"{".repeat(100_000)), None);
        assert_eq!(find(&"{\"a\":".repeat(100_000)), None);
    }
}
