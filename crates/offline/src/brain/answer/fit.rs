//! Whether a sentence holds the kind of thing that a question asks for: a person, a year, a place, a number, a definition.

use super::candidates::MAX_COMPARED;
use crate::brain::language::Language;
use crate::brain::question::{Asks, Question};
use crate::brain::words::{Token, TokenKind, stem, tokens};

/// Numbers that are written as words.
const NUMBER_WORDS: &[&str] = &[
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "dozen",
    "dozens",
    "hundred",
    "hundreds",
    "thousand",
    "thousands",
    "million",
    "millions",
    "billion",
    "half",
];
const MONTHS: &[&str] = &[
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WIDE_NUMBERS: &str = "两二三四五六七八九十百千亿";
/// A definition begins with what it defines, within this many tokens.
const DEFINED_WITHIN: usize = 4;

/// Whether the sentence fits.
pub(super) fn fits(asks: Asks, question: &Question, text: &str, language: Language) -> bool {
    let unasked = |key: &str| !question.terms.iter().any(|term| term.key == key);
    let tokens = tokens(text, MAX_COMPARED);
    let holds_one_of = |signs: &[&str]| signs.iter().any(|sign| text.contains(sign));
    match (asks, language) {
        (Asks::When, _) => tokens.iter().any(|token| is_year(token) && unasked(&token.text)),
        (Asks::HowMany, _) => tokens.iter().enumerate().any(|(at, token)| {
            let before = at.checked_sub(1).and_then(|at| tokens.get(at));
            is_count(token) && unasked(&token.text) && !is_day(before, tokens.get(at + 1))
        }),
        (Asks::Who, Language::Chinese) => holds_one_of(&["由", "任", "人", "·", "者", "长"]),
        (Asks::Who, Language::English) => {
            tokens.windows(2).any(|pair| pair.iter().all(|token| is_name(token, unasked)))
        }
        (Asks::Where, _) => holds_one_of(&[" in ", " at ", " near ", " on ", " from ", "位于", "在", "座落"]),
        // Whether both sides are named decides that.
        (Asks::Relation, _) => false,
        (Asks::What, _) => {
            let subject = question.terms.iter().filter(|term| !term.common);
            let opening: String =
                tokens.iter().take(DEFINED_WITHIN).map(|t| format!(" {} ", stem(&t.text))).collect();
            let opens = subject.into_iter().any(|term| match term.wide {
                true => text.starts_with(&term.key),
                false => opening.contains(&format!(" {} ", term.key)),
            });
            opens && holds_one_of(&[" is ", " are ", " was ", " were ", "是", "指", "为"])
        }
    }
}

fn is_year(token: &Token) -> bool {
    token.kind == TokenKind::Number && token.text.len() == 4
}

/// A number that is no year.
fn is_count(token: &Token) -> bool {
    match token.kind {
        TokenKind::Number => !is_year(token),
        TokenKind::Word => NUMBER_WORDS.contains(&token.text.to_lowercase().as_str()),
        TokenKind::Cjk => token.text.contains(|c| WIDE_NUMBERS.contains(c)),
    }
}

/// Whether a number with these neighbours is part of a date.
fn is_day(before: Option<&Token>, after: Option<&Token>) -> bool {
    let month = |token: Option<&Token>| token.is_some_and(|token| MONTHS.contains(&token.text.as_str()));
    month(before)
        || month(after)
        || after.is_some_and(|token| token.text.starts_with(['年', '月', '日', '号']))
}

fn is_name(token: &Token, unasked: impl Fn(&str) -> bool) -> bool {
    let capital = token.text.chars().next().is_some_and(char::is_uppercase);
    token.kind == TokenKind::Word && capital && unasked(&stem(&token.text))
}
