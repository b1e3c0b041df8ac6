//! The wordings by which endpoints say the same few things, as data. Everything is matched in lower case.

/// One wording of "this does not fit into the window".
struct Overflow {
    /// What the text contains.
    says: &'static str,
    /// After which words the window stands as a number; empty when it is never stated.
    window_after: &'static [&'static str],
}

const fn overflow(says: &'static str, window_after: &'static [&'static str]) -> Overflow {
    Overflow { says, window_after }
}

/// One row a wording; a new one needs a row in the table test beside `classify`.
const OVERFLOWS: &[Overflow] = &[
    overflow(
        "maximum context length",
        &["maximum context length is", "maximum context length of", "maximum context length ("],
    ),
    overflow("context_length_exceeded", &["maximum context length is", "context window of"]),
    overflow("exceeds the context window", &[]),
    overflow("prompt is too long", &["tokens > "]),
    overflow("exceed context limit", &["> "]),
    overflow("exceeds the maximum number of tokens allowed", &["tokens allowed ("]),
    overflow("maximum prompt length is", &["maximum prompt length is"]),
    overflow("reduce the length of the messages", &[]),
    overflow("exceeds the maximum allowed input length of", &["maximum allowed input length of"]),
    overflow("longer than the model's context length", &["context length ("]),
    overflow("exceed_context_size_error", &["available context size ("]),
    overflow("exceeds the available context size", &["available context size ("]),
    overflow("greater than the context length", &["context length of only"]),
    overflow("too large for model with", &["too large for model with"]),
    overflow("exceeded model token limit", &["token limit:"]),
    overflow("context window exceeds limit", &[]),
    overflow("exceeds max_seq_len", &["max_seq_len"]),
    overflow("request_too_large", &[]),
    overflow("input is too long for requested model", &[]),
    // A local server cut the prompt in silence until no question was left in it.
    overflow("no user query found in messages", &[]),
];

/// Wordings of an account without money, whatever the status.
const OUT_OF_CREDIT: &[&str] = &[
    "insufficient_quota",
    "insufficient_balance",
    "insufficient balance",
    "insufficient account balance",
    "credit balance is too low",
    "requires more credits",
    "out of credits",
    "not enough credits",
    "arrearage",
    "余额不足",
];

/// Wordings of "too much at once", whatever the status. They win over an overflow: one throttle speaks of tokens.
const THROTTLED: &[&str] =
    &["too many tokens, please wait", "rate_limit", "rate limit", "too many requests", "throttlingexception"];

/// Codes by which a content filter refuses a request or ends a reply.
const FILTERED: &[&str] = &["content_filter", "content_policy_violation", "data_inspection_failed"];

/// Codes of a server that has too much to do.
const OVERLOADED: &[&str] =
    &["overloaded", "service_unavailable", "unavailable_error", "temporarily unavailable"];

/// Codes of a key that is not accepted.
const UNAUTHORIZED: &[&str] =
    &["authentication_error", "invalid_api_key", "unauthorized", "permission_error"];

fn any(haystack: &str, wordings: &[&str]) -> bool {
    wordings.iter().any(|wording| haystack.contains(wording))
}

pub(super) fn is_out_of_credit(haystack: &str) -> bool {
    any(haystack, OUT_OF_CREDIT)
}

pub(super) fn is_throttled(haystack: &str) -> bool {
    any(haystack, THROTTLED)
}

pub(super) fn is_overloaded(haystack: &str) -> bool {
    any(haystack, OVERLOADED)
}

pub(super) fn is_filtered(codes: &[String]) -> bool {
    codes.iter().any(|code| FILTERED.contains(&code.as_str()))
}

pub(super) fn is_unauthorized(codes: &[String]) -> bool {
    codes.iter().any(|code| UNAUTHORIZED.contains(&code.as_str()))
}

/// `Some(window)` when the text says that the request does not fit; the window where it is stated.
pub(super) fn overflow_window(haystack: &str) -> Option<Option<u64>> {
    let mut fits = true;
    for wording in OVERFLOWS.iter().filter(|wording| haystack.contains(wording.says)) {
        fits = false;
        if let Some(window) = wording.window_after.iter().find_map(|words| number_after(haystack, words)) {
            return Some(Some(window));
        }
    }
    (!fits).then_some(None)
}

/// "can only afford M": the token limit that the account's credit covers.
pub(crate) fn affordable_tokens(body: &str) -> Option<u32> {
    number_after(&body.to_lowercase(), "can only afford").and_then(|tokens| u32::try_from(tokens).ok())
}

/// The token limit that is left beside the prompt, where a refusal states prompt, limit and window. `None` when the
/// prompt alone fills the window: then the prompt must become shorter.
pub(crate) fn fitting_max_tokens(body: &str) -> Option<u32> {
    let text = body.to_lowercase();
    let (prompt, window) = if text.contains("exceed context limit") {
        (number_after(&text, "exceed context limit:")?, number_after(&text, "> ")?)
    } else {
        let window = number_after(&text, "maximum context length is")?;
        let prompt = number_after(&text, "your prompt contains at least").or_else(|| {
            // "(X in the messages, Y in the completion)"
            number_before(&text, "in the messages")
        })?;
        (prompt, window)
    };
    u32::try_from(window.checked_sub(prompt)?).ok()
}

/// The number that follows these words, `131,072` and `131_072` included.
fn number_after(text: &str, words: &str) -> Option<u64> {
    text.match_indices(words).find_map(|(at, _)| {
        let rest = text[at + words.len()..].trim_start_matches([' ', ':', '(']);
        number_at_start(rest)
    })
}

fn number_before(text: &str, words: &str) -> Option<u64> {
    let before = text[..text.find(words)?].trim_end();
    let before = before.strip_suffix("tokens").unwrap_or(before).trim_end();
    let start = before
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    before[start..].parse().ok()
}

fn number_at_start(text: &str) -> Option<u64> {
    let mut number = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '0'..='9' => number.push(c),
            ',' | '_' if !number.is_empty() && rest.peek().is_some_and(char::is_ascii_digit) => {}
            _ => break,
        }
    }
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_affordable_limit_is_read_where_a_refusal_states_it() {
        let body = "This request requires more credits, or fewer max_tokens. You requested up to 65,536 tokens, but can only afford 30,104.";
        assert_eq!(affordable_tokens(body), Some(30_104));
        assert_eq!(affordable_tokens("Insufficient Balance"), None);
    }

    #[test]
    fn the_room_beside_the_prompt_is_read_where_a_refusal_states_it() {
        let cases = [
            (
                "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease it",
                Some(241),
            ),
            (
                "This model's maximum context length is 8192 tokens. However, you requested 4096 output tokens and your prompt contains at least 5000 input tokens",
                Some(3192),
            ),
            (
                "This model's maximum context length is 4097 tokens. However, you requested 4360 tokens (360 in the messages, 4000 in the completion).",
                Some(3737),
            ),
            (
                "This model's maximum context length is 10 tokens. However, you requested 4096 output tokens and your prompt contains at least 5000 input tokens",
                None,
            ),
            ("prompt is too long: 5 tokens > 3 maximum", None),
        ];
        for (body, expected) in cases {
            assert_eq!(fitting_max_tokens(body), expected, "{body}");
        }
    }
}
