//! Fields that are refused or named otherwise.

use super::row;
use crate::learned::Lesson;
use crate::quirks::{Quirk, Teaching};

pub(super) const ROWS: &[Quirk] = &[
    Quirk {
        name: "Usage is not to be asked for",
        endpoint: "answers 400 to `stream_options`, and sends usage unasked or never",
        ours: "left out; missing usage is unknown, not 0",
        seen: "Camelid, older local servers",
        cases: &[95],
        fixture: "refusals/stream-options.txt",
        teaches: Some(Teaching {
            lesson: Lesson::NoStreamOptions,
            statuses: &[400, 422],
            says: &[&["stream_options"]],
            unless: &[],
        }),
    },
    Quirk {
        name: "The limit has another name",
        endpoint: "answers 400 to `max_tokens` and asks for `max_completion_tokens`",
        ours: "renamed",
        seen: "OpenAI o-series and newer",
        cases: &[],
        fixture: "refusals/max-completion-tokens.txt",
        teaches: Some(Teaching {
            lesson: Lesson::CompletionTokens,
            statuses: &[400, 422],
            says: &[&["max_completion_tokens"]],
            unless: &[],
        }),
    },
    row(
        "Choice `any`",
        "answers 400 to `tool_choice: any` with the words of its parser",
        "`any` is never sent: `required`, the named object, or nothing",
        "servers written in Rust",
        &[88],
        "refusals/choice-any.txt",
    ),
    row(
        "Parallel calls",
        "answers 400 to `parallel_tool_calls`, or to it without tools",
        "the field is never sent",
        "OpenAI o-series",
        &[90],
        "refusals/parallel-tool-calls.txt",
    ),
    row(
        "A limit that does not fit",
        "refuses prompt and limit together",
        "the limit is lowered to what is left, once",
        "Anthropic behind gateways, vLLM",
        &[114],
        "refusals/limit-beside-the-prompt.txt",
    ),
    row(
        "A limit that the credit does not cover",
        "answers 402 and names the limit that it would cover",
        "asked once with that limit",
        "OpenRouter",
        &[118],
        "refusals/credit-for-fewer-tokens.txt",
    ),
    row(
        "Wrong messages",
        "refuses what is no list of messages",
        "rejected, with its words",
        "llama.cpp",
        &[],
        "refusals/llamacpp-messages-no-array.txt",
    ),
];
