//! An upstream's own words, made fit for a log and for a reader: one line, short, without secrets.

use crate::secret::Secret;

/// The most characters of an upstream's sentence that go further.
const MAX_CHARS: usize = 300;

/// Words after which a secret follows.
const ANNOUNCERS: [&str; 2] = ["bearer", "basic"];

/// Beginnings of keys in the wild.
const KEY_PREFIXES: [&str; 8] = ["sk-", "sk_", "gsk_", "xai-", "pk-", "hf_", "AIza", "nvapi-"];

/// Names of parameters whose value is a secret.
const KEY_PARAMETERS: [&str; 4] = ["key=", "api_key=", "apikey=", "token="];

/// One line of at most 300 characters: the given key, bearer strings and what looks like a key become `***`.
/// Secrets go before the cut, so that no half of one survives it.
pub(crate) fn presentable(text: &str, key: Option<&Secret>) -> String {
    let without_key = match key {
        Some(key) if !key.expose().is_empty() => text.replace(key.expose(), "***"),
        _ => text.to_owned(),
    };
    let mut line = String::with_capacity(without_key.len().min(4 * MAX_CHARS));
    let mut announced = false;
    for word in without_key.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        if announced && bare.len() >= 6 {
            line.push_str("***");
        } else {
            push_masked(&mut line, word);
        }
        announced = ANNOUNCERS.iter().any(|name| bare.eq_ignore_ascii_case(name));
    }
    shorten(line)
}

fn push_masked(line: &mut String, word: &str) {
    let secret_from = KEY_PREFIXES
        .iter()
        .filter_map(|prefix| key_start(word, prefix))
        .chain(KEY_PARAMETERS.iter().filter_map(|name| parameter_value(word, name)))
        .min();
    match secret_from {
        Some(start) => {
            line.push_str(&word[..start]);
            line.push_str("***");
            let rest = &word[start..];
            let end = rest.find(|c: char| !is_key_char(c)).unwrap_or(rest.len());
            push_masked(line, &rest[end..]);
        }
        None => line.push_str(word),
    }
}

/// Where a key with this prefix starts: at a word's edge, and long enough not to be a word such as `task-list`.
fn key_start(word: &str, prefix: &str) -> Option<usize> {
    word.match_indices(prefix).map(|(at, _)| at).find(|&at| {
        let at_edge = word[..at].chars().next_back().is_none_or(|c| !c.is_ascii_alphanumeric());
        let length = word[at..].find(|c: char| !is_key_char(c)).unwrap_or(word.len() - at);
        at_edge && length >= prefix.len() + 8
    })
}

fn parameter_value(word: &str, name: &str) -> Option<usize> {
    let at = word.to_ascii_lowercase().find(name)? + name.len();
    word[at..].starts_with(is_key_char).then_some(at)
}

fn is_key_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '*')
}

fn shorten(line: String) -> String {
    match line.char_indices().nth(MAX_CHARS) {
        None => line,
        Some(_) => line.chars().take(MAX_CHARS - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_keeps_its_words_and_loses_its_secrets() {
        let key = Secret::new("plain-key-1");
        let cases = [
            ("Insufficient Balance", "Insufficient Balance"),
            ("no such key: plain-key-1.", "no such key: ***."),
            ("Incorrect API key provided: sk-proj-abcdefgh12345678.", "Incorrect API key provided: ***"),
            (
                "header 'Authorization: Bearer abc.def.ghi' refused",
                "header 'Authorization: Bearer *** refused",
            ),
            ("GET /models?key=AIzaSyD-12345&alt=sse failed", "GET /models?key=***&alt=sse failed"),
            ("two\n lines\t of text", "two lines of text"),
            (
                "task-list and disk-usage are no keys, sk-1 is too short",
                "task-list and disk-usage are no keys, sk-1 is too short",
            ),
            ("余额不足，请充值", "余额不足，请充值"),
        ];
        for (given, expected) in cases {
            assert_eq!(presentable(given, Some(&key)), expected);
        }
    }

    #[test]
    fn a_long_sentence_is_cut_to_three_hundred_characters_not_bytes() {
        let cut = presentable(&"余".repeat(400), None);
        assert_eq!(cut.chars().count(), 300);
        assert!(cut.ends_with("余…"));
        let key = Secret::new("k".repeat(40));
        let cut = presentable(&format!("{}{}", "a".repeat(290), "k".repeat(40)), Some(&key));
        assert_eq!(cut, format!("{}***", "a".repeat(290)));
    }
}
