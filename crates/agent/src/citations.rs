//! `[n]` in the answer, as it streams: numbers that were never issued are removed and counted, the others noted.
//!
//! Read are `[3]`, `[1, 2]`, `[1][2]` and the full-width spellings `［3］`, `【1，2】`. In code (fences and
//! backticks) brackets are code. Anything else in brackets is text. What may become a mark is kept back until it
//! is one or is none, at most [`LONGEST_MARK`] characters, so that a mark cut over several pieces never flashes.

mod code;

use std::collections::BTreeSet;

use code::CodeSpans;

/// The most characters that are kept back.
const LONGEST_MARK: usize = 40;
/// Longer runs of digits are no citation.
const MOST_DIGITS: usize = 4;

/// What a text cites.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// Issued numbers, each once.
    pub(crate) cited: BTreeSet<u32>,
    /// Numbers that were removed.
    pub(crate) unissued: u32,
}

/// The filter of one reply.
#[derive(Debug, Default)]
pub(crate) struct CitationFilter {
    /// Blanks and an opening bracket with what followed it so far.
    kept_back: String,
    in_mark: bool,
    code: CodeSpans,
    counted: Counted,
}

impl CitationFilter {
    /// Takes a piece of text and gives what may be shown of it and of what was kept back.
    pub(crate) fn push(&mut self, text: &str, is_issued: impl Fn(u32) -> bool) -> String {
        let mut shown = String::with_capacity(text.len());
        for c in text.chars() {
            self.take(c, &is_issued, &mut shown);
        }
        shown
    }

    /// The text is over: gives what was kept back, which is no mark, and what was counted.
    pub(crate) fn finish(self) -> (String, Counted) {
        (self.kept_back, self.counted)
    }

    fn take(&mut self, c: char, is_issued: &impl Fn(u32) -> bool, shown: &mut String) {
        if self.in_mark {
            self.kept_back.push(c);
            if is_closing(c) {
                self.close(is_issued, shown);
            } else if !(is_digit(c) || is_separator(c)) || self.kept_back.chars().count() > LONGEST_MARK {
                self.give_up(c, shown);
            }
            return;
        }
        let in_code = self.code.take(c);
        if !in_code && is_opening(c) {
            self.in_mark = true;
            self.kept_back.push(c);
        } else if !in_code && c == ' ' {
            // A blank goes with the mark behind it when that is removed.
            self.kept_back.push(c);
            if self.kept_back.len() > LONGEST_MARK {
                shown.push_str(&std::mem::take(&mut self.kept_back));
            }
        } else {
            shown.push_str(&std::mem::take(&mut self.kept_back));
            shown.push(c);
        }
    }

    /// What was kept back is text. Its last character may open a mark or code of its own.
    fn give_up(&mut self, last: char, shown: &mut String) {
        self.in_mark = false;
        self.kept_back.pop();
        let text = std::mem::take(&mut self.kept_back);
        for c in text.chars() {
            self.code.note_text(c);
        }
        shown.push_str(&text);
        if is_opening(last) {
            self.in_mark = true;
            self.kept_back.push(last);
        } else {
            self.code.take(last);
            shown.push(last);
        }
    }

    fn close(&mut self, is_issued: &impl Fn(u32) -> bool, shown: &mut String) {
        self.in_mark = false;
        let kept_back = std::mem::take(&mut self.kept_back);
        let inner = kept_back.trim_start_matches(' ');
        let numbers = numbers(inner);
        for c in kept_back.chars() {
            self.code.note_text(c);
        }
        let Some(numbers) = numbers else {
            shown.push_str(&kept_back);
            return;
        };
        let issued: Vec<u32> = numbers.iter().copied().filter(|n| is_issued(*n)).collect();
        self.counted.cited.extend(&issued);
        let removed = numbers.len() - issued.len();
        self.counted.unissued =
            self.counted.unissued.saturating_add(u32::try_from(removed).unwrap_or(u32::MAX));
        if removed == 0 {
            shown.push_str(&kept_back);
        } else if !issued.is_empty() {
            let list: Vec<String> = issued.iter().map(u32::to_string).collect();
            let blanks = &kept_back[..kept_back.len() - inner.len()];
            shown.push_str(&format!("{blanks}[{}]", list.join(", ")));
        }
    }
}

/// The numbers of a closed mark; `None` when it is none.
fn numbers(mark: &str) -> Option<Vec<u32>> {
    let inner: String = mark.chars().filter(|c| !is_opening(*c) && !is_closing(*c)).collect();
    let numbers: Option<Vec<u32>> = inner
        .split(|c: char| !is_digit(c))
        .filter(|digits| !digits.is_empty())
        .map(|digits| {
            let ascii: String = digits.chars().filter_map(ascii_digit).collect();
            if ascii.len() > MOST_DIGITS { None } else { ascii.parse().ok() }
        })
        .collect();
    numbers.filter(|numbers| !numbers.is_empty())
}

const fn is_opening(c: char) -> bool {
    matches!(c, '[' | '［' | '【')
}

const fn is_closing(c: char) -> bool {
    matches!(c, ']' | '］' | '】')
}

const fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '０'..='９')
}

const fn is_separator(c: char) -> bool {
    matches!(c, ' ' | ',' | ';' | '，' | '、' | '；' | '\u{a0}')
}

fn ascii_digit(c: char) -> Option<char> {
    match c {
        '0'..='9' => Some(c),
        '０'..='９' => char::from_digit(c as u32 - '０' as u32, 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
