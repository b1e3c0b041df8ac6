//! The bytes of a streamed reply in the OpenAI form.

use serde_json::{Value, json};

use super::MODEL_NAME;

/// The mark at the end of a stream.
pub(crate) const DONE: &str = "data: [DONE]\n\n";
/// Characters in one delta: small, and no divisor of anything, so that words and numbers are cut in odd places.
const PIECE: usize = 7;

/// One event.
pub(crate) fn chunk(delta: &Value, finish: Option<&str>) -> String {
    let chunk = json!({
        "id": "chatcmpl-test",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": MODEL_NAME,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    });
    format!("data: {chunk}\n\n")
}

/// The event that counts tokens.
pub(crate) fn usage(prompt_tokens: u64, completion_tokens: u64) -> String {
    let total_tokens = prompt_tokens + completion_tokens;
    let chunk = json!({
        "id": "chatcmpl-test",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": MODEL_NAME,
        "choices": [],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": total_tokens,
        },
    });
    format!("data: {chunk}\n\n")
}

/// Text as small deltas, cut between characters.
pub(crate) fn text(text: &str) -> Vec<String> {
    pieces(text).map(|piece| chunk(&json!({"content": piece}), None)).collect()
}

/// One call: its head with the name, then its arguments in fragments.
pub(crate) fn call(index: usize, id: &str, name: &str, arguments: &str) -> Vec<String> {
    let head = json!({"tool_calls": [{"index": index, "id": id, "type": "function",
        "function": {"name": name, "arguments": ""}}]});
    let mut events = vec![chunk(&head, None)];
    events.extend(pieces(arguments).map(|piece| {
        chunk(&json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}), None)
    }));
    events
}

fn pieces(text: &str) -> impl Iterator<Item = String> {
    let characters: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = characters.chunks(PIECE).map(|piece| piece.iter().collect()).collect();
    pieces.into_iter()
}
