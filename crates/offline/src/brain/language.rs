//! Which of its two languages a text is in, by its characters.

/// The languages in which the model has words of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// English, and every language that is not written in Chinese characters.
    English,
    /// Chinese.
    Chinese,
}

impl Language {
    /// A Chinese character says about as much as a Latin word, so the two are counted against each other.
    pub(crate) fn of(text: &str) -> Self {
        let mut han = 0_usize;
        let mut words = 0_usize;
        let mut in_word = false;
        for c in text.chars() {
            let letter = c.is_alphabetic() && !is_cjk(c);
            words += usize::from(letter && !in_word);
            han += usize::from(is_cjk(c));
            in_word = letter;
        }
        if han > 0 && han >= words { Self::Chinese } else { Self::English }
    }
}

/// Whether words of this script are written without spaces, so that pairs of characters stand for words.
pub(crate) fn is_cjk(c: char) -> bool {
    matches!(u32::from(c),
        0x3005..=0x3007 | 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF
        | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn a_text_is_chinese_when_its_characters_outnumber_its_latin_words() {
        for (text, language) in [
            ("Who founded the Zorvath Institute?", Language::English),
            ("Zorvath Institute 是谁创立的？", Language::Chinese),
            ("The lighthouse (灯塔) at Varnholt is old.", Language::English),
            ("你好", Language::Chinese),
            ("", Language::English),
            ("1993?", Language::English),
        ] {
            assert_eq!(Language::of(text), language, "{text}");
        }
    }
}
