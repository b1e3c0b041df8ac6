//! Cutting text into the units that are compared: stemmed words, numbers, pairs of Chinese characters.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::brain::language::is_cjk;
use crate::brain::verbs;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A word of a script with spaces, digits allowed.
    Word,
    /// A number, thousands separators removed.
    Number,
    /// A run of Chinese, Japanese or Korean characters, as long as it goes.
    Cjk,
}

/// One token in its normal form (NFKC), case kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) kind: TokenKind,
    /// Whether it opens a sentence, where a capital says nothing.
    pub(crate) opens_sentence: bool,
}

/// The tokens of the first `max_characters` characters.
pub(crate) fn tokens(text: &str, max_characters: usize) -> Vec<Token> {
    let chars: Vec<char> = text.chars().take(max_characters).nfkc().take(max_characters * 2).collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or(' ');
    let mut found = Vec::new();
    let mut opens_sentence = true;
    let mut i = 0;
    while i < chars.len() {
        let start = i;
        let c = at(i);
        if is_cjk(c) {
            while i < chars.len() && is_cjk(at(i)) {
                i += 1;
            }
            push(&mut found, &chars, start..i, TokenKind::Cjk, &mut opens_sentence);
        } else if c.is_alphanumeric() {
            let mut text = String::new();
            while i < chars.len() && !is_cjk(at(i)) {
                if at(i).is_alphanumeric() || is_combining_mark(at(i)) {
                    text.push(at(i));
                } else if at(i) == '.' && joins_digits(at(i.wrapping_sub(1)), at(i + 1)) {
                    text.push('.');
                } else if !(at(i) == ','
                    && joins_digits(at(i.wrapping_sub(1)), at(i + 1))
                    && at(i + 3).is_ascii_digit())
                {
                    break;
                }
                i += 1;
            }
            let number = text.chars().all(|c| c.is_ascii_digit() || c == '.');
            let kind = if number { TokenKind::Number } else { TokenKind::Word };
            found.push(Token { text, kind, opens_sentence });
            opens_sentence = false;
        } else {
            opens_sentence |= matches!(c, '.' | '!' | '?' | '。' | '\n' | ':');
            i += 1;
        }
    }
    found
}

fn joins_digits(before: char, after: char) -> bool {
    before.is_ascii_digit() && after.is_ascii_digit()
}

fn push(
    found: &mut Vec<Token>,
    chars: &[char],
    range: std::ops::Range<usize>,
    kind: TokenKind,
    opens: &mut bool,
) {
    let text: String = chars.get(range).unwrap_or_default().iter().collect();
    found.push(Token { text, kind, opens_sentence: *opens });
    *opens = false;
}

/// The form in which a word is compared: lower case, without accents, lightly stemmed.
pub(crate) fn stem(word: &str) -> String {
    let folded: String =
        word.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect();
    if !folded.bytes().all(|b| b.is_ascii_alphabetic()) {
        return folded;
    }
    let mut stem = verbs::regular(&folded);
    stem = strip_plural(stem);
    for suffix in ["ings", "ing", "ers", "ors", "er", "or", "ed", "ly"] {
        if let Some(rest) = stem.strip_suffix(suffix)
            && rest.len() >= 4
        {
            return undouble(rest).to_owned();
        }
    }
    if let Some(rest) = stem.strip_suffix("ion")
        && rest.len() >= 4
        && rest.ends_with(['t', 's'])
    {
        stem = rest;
    }
    if let Some(rest) = stem.strip_suffix('y')
        && rest.len() >= 3
    {
        return format!("{rest}i");
    }
    match stem.strip_suffix('e') {
        Some(rest) if rest.len() >= 3 => undouble(rest).to_owned(),
        _ => undouble(stem).to_owned(),
    }
}

fn strip_plural(word: &str) -> &str {
    if word.len() < 4 || word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return word;
    }
    // "bodies" becomes "bodi", which is also what becomes of "body".
    match word.strip_suffix("es") {
        Some(rest) if rest.ends_with(['i', 'x', 'h', 's', 'z']) => rest,
        _ => word.strip_suffix('s').unwrap_or(word),
    }
}

/// "planned" and "plan" meet when the doubled consonant goes.
fn undouble(word: &str) -> &str {
    let mut ends = word.chars().rev();
    match (ends.next(), ends.next()) {
        (Some(last), Some(before)) if last == before && word.len() > 3 && !"aeiou".contains(last) => {
            word.get(..word.len() - 1).unwrap_or(word)
        }
        _ => word,
    }
}

/// Calls `visit` with every comparable key of a text: stems, numbers, pairs and single Chinese characters.
pub(crate) fn visit_keys(text: &str, max_characters: usize, mut visit: impl FnMut(&str)) {
    for token in tokens(text, max_characters) {
        match token.kind {
            TokenKind::Word => visit(&stem(&token.text)),
            TokenKind::Number => visit(&token.text),
            TokenKind::Cjk => {
                let starts: Vec<usize> =
                    token.text.char_indices().map(|(at, _)| at).chain([token.text.len()]).collect();
                for length in [1, 2] {
                    for window in starts.windows(length + 1) {
                        if let [first, .., last] = window
                            && let Some(gram) = token.text.get(*first..*last)
                        {
                            visit(gram);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{TokenKind, stem, tokens, visit_keys};

    #[test]
    fn forms_of_one_word_meet_in_one_stem() {
        for forms in [
            &["founded", "founder", "founding", "founds", "found"][..],
            &["directed", "director", "directors", "direction", "direct"],
            &["planned", "planning", "plan", "plans"],
            &["opened", "opens", "opening"],
            &["library", "libraries"],
            &["Müller", "muller"],
            &["invented", "inventor", "invention"],
            &["lighthouses", "lighthouse"],
            &["wrote", "written", "writes", "writing", "writer"],
            &["led", "lead", "leading", "leader"],
            &["kept", "keeper", "keeping"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.iter().all(|one| *one == stems[0]), "{forms:?} became {stems:?}");
        }
    }

    #[test]
    fn numbers_lose_separators_and_scripts_part() {
        let found: Vec<(String, TokenKind)> = tokens("１，204 m in 1987年建成, v2.5", 100)
            .into_iter()
            .map(|token| (token.text, token.kind))
            .collect();
        let expected = [
            ("1204", TokenKind::Number),
            ("m", TokenKind::Word),
            ("in", TokenKind::Word),
            ("1987", TokenKind::Number),
            ("年建成", TokenKind::Cjk),
            ("v2.5", TokenKind::Word),
        ];
        assert_eq!(found, expected.map(|(text, kind)| (text.to_owned(), kind)));
    }

    #[test]
    fn chinese_is_compared_by_single_characters_and_pairs() {
        let mut keys = Vec::new();
        visit_keys("建灯塔 x", 100, |key| keys.push(key.to_owned()));
        assert_eq!(keys, ["建", "灯", "塔", "建灯", "灯塔", "x"]);
    }
}
