//! How text becomes terms: one way for every language, the same for documents and questions.
//!
//! - Words as Unicode segments them; a word with inner signs (`node.js`, `snake_case`) also by its parts.
//! - `C++` and `C#` also with their signs.
//! - A run of a script without spaces: overlapping pairs of characters. Documents also get every single character,
//!   so that a question of one character finds it; a question gets the single one only when its run has no pair.
//! - English plurals and possessives are folded on both sides alike ([`stem`]). Stop words stay: they weigh little,
//!   and "The Who" is a name.

mod stem;

use std::collections::HashSet;

use unicode_segmentation::UnicodeSegmentation;

use crate::fold::fold;
use crate::script::{is_pictograph, is_unspaced};
use stem::stem;

/// More different terms than this in one question are left out: a pasted page is no better a question than its start.
pub(crate) const MAX_QUERY_TERMS: usize = 64;

/// Longer words are cut, on both sides alike, in characters.
const MAX_TERM_CHARACTERS: usize = 64;

/// Every term of a text that is indexed, in order.
pub(crate) fn index_terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    split(&fold(text), Side::Document, &mut |term| {
        terms.push(term);
        true
    });
    terms
}

/// The different terms of a question, at most [`MAX_QUERY_TERMS`], in the order they first appear.
pub(crate) fn query_terms(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut terms = Vec::new();
    // Enough text for that many terms whatever it is; a question of a megabyte is not folded to its end.
    let start: String = text.chars().take(MAX_QUERY_TERMS * (MAX_TERM_CHARACTERS + 1)).collect();
    split(&fold(&start), Side::Question, &mut |term| {
        if seen.insert(term.clone()) {
            terms.push(term);
        }
        terms.len() < MAX_QUERY_TERMS
    });
    terms
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Document,
    Question,
}

/// Takes a term; false when it wants no more.
type Sink<'a> = &'a mut dyn FnMut(String) -> bool;

fn split(folded: &str, side: Side, sink: Sink<'_>) {
    let mut rest = folded;
    while let Some(first) = rest.chars().next() {
        let unspaced = is_unspaced(first);
        let end = rest.find(|c| is_unspaced(c) != unspaced).unwrap_or(rest.len());
        let (stretch, after) = rest.split_at(end);
        let more = if unspaced { split_run(stretch, side, sink) } else { split_words(stretch, sink) };
        if !more {
            return;
        }
        rest = after;
    }
}

fn split_run(run: &str, side: Side, sink: Sink<'_>) -> bool {
    let mut previous = None;
    for (at, c) in run.char_indices() {
        let end = at + c.len_utf8();
        let alone = previous.is_none() && end == run.len();
        if (side == Side::Document || alone) && !sink(c.to_string()) {
            return false;
        }
        if let Some(start) = previous
            && let Some(pair) = run.get(start..end)
            && !sink(pair.to_owned())
        {
            return false;
        }
        previous = Some(at);
    }
    true
}

fn split_words(stretch: &str, sink: Sink<'_>) -> bool {
    for (at, segment) in stretch.split_word_bound_indices() {
        let more = if segment.contains(char::is_alphanumeric) {
            split_word(segment, sink)
                && signed(segment, stretch.get(at + segment.len()..).unwrap_or("")).is_none_or(&mut *sink)
        } else if segment.starts_with(is_pictograph) {
            sink(segment.to_owned())
        } else {
            true
        };
        if !more {
            return false;
        }
    }
    true
}

fn split_word(word: &str, sink: Sink<'_>) -> bool {
    let word = word.strip_suffix("'s").unwrap_or(word);
    if !sink(cut(&stem(word))) {
        return false;
    }
    if word.chars().all(char::is_alphanumeric) {
        return true;
    }
    // One-character parts would be the letters of "U.S.A.": noise.
    word.split(|c: char| !c.is_alphanumeric())
        .filter(|part| part.chars().nth(1).is_some())
        .all(|part| sink(cut(&stem(part))))
}

/// `c` before `++` is also the term `c++`: other languages have the same letter.
fn signed(word: &str, after: &str) -> Option<String> {
    let signs = after.len() - after.trim_start_matches(['+', '#']).len();
    let goes_on = after.get(signs..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    ((1..=2).contains(&signs) && !goes_on).then(|| format!("{word}{}", after.get(..signs).unwrap_or("")))
}

fn cut(term: &str) -> String {
    term.chars().take(MAX_TERM_CHARACTERS).collect()
}

#[cfg(test)]
mod tests;
