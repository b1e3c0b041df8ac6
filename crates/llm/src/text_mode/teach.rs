//! What a model is told of the protocol. The same tools give the same text, byte for byte, so that an endpoint's cache of
//! prompts holds.

use serde_json::Value;

use super::call::arguments::choice_name;
use super::catalogue::{Catalogue, Kind, Parameter, Tool};
use crate::chat::{ChatMessage, ToolChoice};

/// The longest description of a tool, in characters.
const DESCRIPTION_LIMIT: usize = 200;
/// The longest description of an argument, in characters.
const ARGUMENT_LIMIT: usize = 120;
/// The most tools that can be taught.
const TOOLS_LIMIT: usize = 24;
/// The longest lesson, in characters: about 3,000 tokens.
const LESSON_LIMIT: usize = 12_000;

const RULES: &str = "\
[How to reply]
Every reply you send is exactly one block. Its first character is the block letter, then one space.
  T <words>             tell the user something now; you get another turn
  C <tool>[<values>]    run one tool; its result is the next message
  C <tool>{<json>}      same, when a value needs JSON
  E <answer>            the final answer; this ends your work
Rules
1. One block per reply. Nothing before the letter. No code fence around the block.
2. After C, stop. Only messages that start with R are results. Never write one yourself.
3. Values in the order shown, separated by |  (write \\| \\[ \\] \\\\ for those characters).
4. No tool needed? Reply E at once. Use T only when the user should hear something before a tool runs.
5. Messages in round brackets, such as (next), come from the system. Do not answer or mention them.
6. Answer in the language of the user's question.
Tools
";
const MUST_CALL: &str = "Your first reply must be a C block.";

/// The lesson: the rules, the tools, an example with one of them.
pub(super) fn lesson(catalogue: &Catalogue, choice: &ToolChoice) -> String {
    let mut text = RULES.to_owned();
    for tool in catalogue.tools() {
        text.push_str("  ");
        text.push_str(&line(tool));
        text.push('\n');
    }
    text.push_str(&example(catalogue));
    if matches!(choice, ToolChoice::Required | ToolChoice::Named(_)) {
        text.push_str(MUST_CALL);
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text
}

/// Whether the tools can be taught: not too many, not too long.
pub(super) fn fits(catalogue: &Catalogue) -> bool {
    catalogue.tools().len() <= TOOLS_LIMIT
        && lesson(catalogue, &ToolChoice::Auto).chars().take(LESSON_LIMIT + 1).count() <= LESSON_LIMIT
}

/// The conversation with the lesson at the end of its first system message.
pub(super) fn taught(mut messages: Vec<ChatMessage>, lesson: &str) -> Vec<ChatMessage> {
    if let Some(ChatMessage::System { content }) = messages.first_mut() {
        content.push_str("\n\n");
        content.push_str(lesson);
    } else {
        messages.insert(0, ChatMessage::System { content: lesson.to_owned() });
    }
    messages
}

fn line(tool: &Tool) -> String {
    let mut line = format!("{}   {}", tool.signature(), flat(&tool.description, DESCRIPTION_LIMIT));
    let with_brackets = tool.is_taught_with_brackets();
    let between: Vec<&str> = tool.positional().map(|parameter| parameter.name.as_str()).collect();
    for parameter in tool.parameters.iter().filter(|p| !with_brackets || between.contains(&p.name.as_str())) {
        let description = flat(&parameter.description, ARGUMENT_LIMIT);
        let kind = kind(parameter);
        match (description.is_empty(), parameter.kind == Kind::String && kind == "string") {
            (true, true) => {}
            (true, false) => line.push_str(&format!(" {}: {kind}.", parameter.name)),
            (false, true) => line.push_str(&format!(" {}: {description}", parameter.name)),
            (false, false) => line.push_str(&format!(" {} ({kind}): {description}", parameter.name)),
        }
    }
    let json_only: Vec<String> = tool
        .parameters
        .iter()
        .filter(|parameter| with_brackets && !between.contains(&parameter.name.as_str()))
        .map(|parameter| {
            let description = flat(&parameter.description, ARGUMENT_LIMIT);
            let gap = if description.is_empty() { "" } else { ": " };
            format!("{} ({}){gap}{description}", parameter.name, kind(parameter))
        })
        .collect();
    if !json_only.is_empty() {
        line.push_str(&format!(" JSON only: {}", json_only.join("; ")));
    }
    line
}

/// `integer, 1-10`, or the choices.
fn kind(parameter: &Parameter) -> String {
    if !parameter.choices.is_empty() {
        let choices: Vec<String> = parameter.choices.iter().map(choice_name).collect();
        return flat(&format!("one of {}", choices.join(", ")), ARGUMENT_LIMIT);
    }
    let name = parameter.kind.name();
    match (&parameter.minimum, &parameter.maximum) {
        (Some(low), Some(high)) => format!("{name}, {low}-{high}"),
        (Some(low), None) => format!("{name}, from {low}"),
        (None, Some(high)) => format!("{name}, up to {high}"),
        (None, None) => name.to_owned(),
    }
}

/// Descriptions are not ours: one line, and not too long.
fn flat(text: &str, limit: usize) -> String {
    let text: String = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    match text.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default().trim_end()),
        None => text,
    }
}

fn example(catalogue: &Catalogue) -> String {
    let Some(tool) = example_tool(catalogue) else { return String::new() };
    let call = example_call(tool);
    let name = &tool.name;
    format!(
        "Example, four separate messages\n  user  When do refunds arrive?\n  you   C {call}\n  \
         user  R {name} ok 7c1e … R end 7c1e\n  you   E Within 5 business days.\n"
    )
}

/// The tool that explains itself best: one that searches, else one that takes one text, else the first.
fn example_tool(catalogue: &Catalogue) -> Option<&Tool> {
    let rank = |tool: &&Tool| {
        let required: Vec<&Parameter> = tool.positional().filter(|parameter| parameter.required).collect();
        let searches =
            matches!(required.as_slice(), [one] if matches!(one.name.as_str(), "query" | "question" | "q"));
        match required.as_slice() {
            _ if !tool.is_taught_with_brackets() => 3,
            _ if searches => 0,
            [one] if one.kind == Kind::String => 1,
            _ => 2,
        }
    };
    catalogue.tools().iter().min_by_key(rank)
}

pub(super) fn example_call(tool: &Tool) -> String {
    let required = || tool.positional().filter(|parameter| parameter.required);
    if tool.is_taught_with_brackets() {
        let values: Vec<String> = required().map(|parameter| choice_name(&sample(parameter))).collect();
        return format!("{}[{}]", tool.name, values.join("|"));
    }
    let values = required().map(|parameter| (parameter.name.clone(), sample(parameter))).collect();
    format!("{}{}", tool.name, Value::Object(values))
}

fn sample(parameter: &Parameter) -> Value {
    if let Some(choice) = parameter.choices.first() {
        return choice.clone();
    }
    match parameter.kind {
        Kind::String | Kind::Any => Value::from("refund time"),
        Kind::Integer | Kind::Number => parameter.minimum.clone().unwrap_or(Value::from(1)),
        Kind::Boolean => Value::Bool(true),
        Kind::Object => Value::Object(serde_json::Map::new()),
        Kind::Array => Value::Array(Vec::new()),
    }
}
