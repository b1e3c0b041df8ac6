//! Text at the door.

use std::borrow::Cow;

/// Removes NUL, which PostgreSQL stores in no text and no JSON. Every text that comes from outside
/// (messages, documents, tool results, model output) passes here once, before anything is kept.
#[must_use]
pub fn without_nul(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "")) } else { Cow::Borrowed(text) }
}

/// The length of a text in UTF-16 code units, which is how a browser counts.
#[must_use]
pub fn utf16_len(text: &str) -> u64 {
    text.chars().map(|c| c.len_utf16() as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nul_is_removed_and_nothing_else() {
        assert_eq!(without_nul("a\0b\u{1}\n"), "ab\u{1}\n");
    }

    #[test]
    fn an_emoji_counts_two_units() {
        assert_eq!(utf16_len("a😀你"), 4);
    }
}
