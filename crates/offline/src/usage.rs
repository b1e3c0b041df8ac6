//! Token counts without a tokenizer: an estimate that is the same every time.

use crate::brain::Decision;
use crate::wire::reply::Usage;
use crate::wire::request::{ChatRequest, Message};

/// What a message costs beside its text.
const TOKENS_PER_MESSAGE: u64 = 4;

/// About one token for four characters, one at least for a text that is not empty.
pub(crate) fn estimate_tokens(text: &str) -> u64 {
    (text.chars().count() as u64).div_ceil(4)
}

/// The usage of one chat reply.
pub(crate) fn of_chat(request: &ChatRequest, decision: &Decision) -> Usage {
    let completion = match decision {
        Decision::Say(text) => estimate_tokens(text),
        Decision::Call { name, arguments } => estimate_tokens(name) + estimate_tokens(arguments),
    };
    Usage::new(of_prompt(request), completion)
}

/// The tokens of everything that the model is given.
pub(crate) fn of_prompt(request: &ChatRequest) -> u64 {
    request.messages.iter().map(of_message).sum::<u64>()
        + request
            .tools
            .iter()
            .map(|tool| estimate_tokens(&tool.function.name) + estimate_tokens(&tool.function.description))
            .sum::<u64>()
}

fn of_message(message: &Message) -> u64 {
    let calls = message
        .tool_calls
        .iter()
        .map(|call| estimate_tokens(&call.function.name) + estimate_tokens(&call.function.arguments))
        .sum::<u64>();
    TOKENS_PER_MESSAGE + estimate_tokens(&message.text()) + calls
}
