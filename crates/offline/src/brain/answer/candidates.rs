//! Every sentence of the passages with what it holds of the question, as bit masks over the question's terms.

use std::collections::HashMap;

use super::years;
use super::{CONTEXT_SHARE, HEADER_SHARE, YEAR_RANGE_SHARE};
use crate::brain::language::Language;
use crate::brain::passages::Passage;
use crate::brain::question::{Asks, Question};
use crate::brain::sentences::{Piece, pieces};
use crate::brain::words::{TokenKind, stem, tokens, visit_keys};

/// More sentences than this are not looked at: the work is bounded whatever a tool returned.
const MAX_CANDIDATES: usize = 5_000;
/// Of a sentence or a header, this many characters are compared.
const MAX_COMPARED: usize = 700;

/// One sentence.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// The number to cite.
    pub(crate) number: u32,
    /// The place of its passage among the passages.
    pub(crate) passage: usize,
    /// Its place among all sentences.
    pub(crate) order: usize,
    pub(crate) text: String,
    pub(crate) whole: bool,
    pub(crate) language: Language,
    /// The terms that it holds.
    pub(crate) sentence: u64,
    /// The years of the question that lie in a span that it names.
    spanned: u64,
    /// The terms in the header and the headings above it.
    header: u64,
    /// The terms in the sentences before it in its passage.
    context: u64,
}

impl Candidate {
    pub(crate) fn share_in_sentence(&self, term: usize) -> f32 {
        let holds = |mask: u64| mask & (1 << term) != 0;
        match (holds(self.sentence), holds(self.spanned)) {
            (true, _) => 1.0,
            (false, true) => YEAR_RANGE_SHARE,
            (false, false) => 0.0,
        }
    }

    /// Whether it or a heading above it holds the term.
    pub(crate) fn is_about(&self, term: usize) -> bool {
        (self.sentence | self.header) & (1 << term) != 0
    }

    pub(crate) fn share_around(&self, term: usize) -> f32 {
        let holds = |mask: u64| mask & (1 << term) != 0;
        match (holds(self.header), holds(self.context)) {
            (true, _) => HEADER_SHARE,
            (false, true) => CONTEXT_SHARE,
            (false, false) => 0.0,
        }
    }

    /// Whether it holds the kind of thing that the question asks for.
    pub(crate) fn fits(&self, question: &Question) -> bool {
        let unasked = |key: &str| !question.terms.iter().any(|term| term.key == key);
        let tokens = || tokens(&self.text, MAX_COMPARED).into_iter();
        match question.asks {
            None => false,
            Some(Asks::When) => {
                tokens().any(|t| t.kind == TokenKind::Number && t.text.len() == 4 && unasked(&t.text))
            }
            // A year counts nothing.
            Some(Asks::HowMany) => {
                tokens().any(|t| t.kind == TokenKind::Number && t.text.len() != 4 && unasked(&t.text))
            }
            Some(Asks::Who) if self.language == Language::Chinese => {
                ["由", "任", "人", "·", "者"].iter().any(|sign| self.text.contains(sign))
            }
            Some(Asks::Who) => {
                let is_name = |t: &crate::brain::words::Token| {
                    t.kind == TokenKind::Word && t.text.chars().next().is_some_and(char::is_uppercase)
                };
                let all: Vec<_> = tokens().collect();
                all.windows(2).any(|pair| pair.iter().all(|t| is_name(t) && unasked(&stem(&t.text))))
            }
            Some(Asks::Where) => {
                [" in ", " at ", " near ", " on ", "位于", "在", "座落"].iter().any(|s| self.text.contains(s))
            }
            Some(Asks::What) => [" is a", " is the", " was a", " was the", " are ", "是", "指"]
                .iter()
                .any(|s| self.text.contains(s)),
        }
    }

    /// Whether quoting both would be repetition: the same letters and digits.
    pub(crate) fn says_the_same_as(&self, other: &Self) -> bool {
        let letters = |text: &str| {
            text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
        };
        letters(&self.text) == letters(&other.text)
    }
}

/// All sentences in reading order.
pub(crate) fn list(question: &Question, passages: &[Passage<'_>]) -> Vec<Candidate> {
    let finder = Finder::of(question);
    let mut found: Vec<Candidate> = Vec::new();
    for (place, passage) in passages.iter().enumerate() {
        let mut header = finder.find(passage.header);
        let mut context = 0;
        for piece in pieces(passage.text, MAX_CANDIDATES.saturating_sub(found.len())) {
            match piece {
                Piece::Heading(text) => header |= finder.find(&text),
                Piece::Sentence { text, whole } => {
                    let sentence = finder.find(&text);
                    found.push(Candidate {
                        number: passage.number,
                        passage: place,
                        order: found.len(),
                        spanned: finder.find_spans(&text),
                        language: Language::of(&text),
                        text,
                        whole,
                        sentence,
                        header,
                        context,
                    });
                    context |= sentence;
                }
            }
        }
        if found.len() >= MAX_CANDIDATES {
            break;
        }
    }
    found
}

/// Finds the terms of one question in texts.
struct Finder<'a> {
    places: HashMap<&'a str, usize>,
    years: Vec<(usize, &'a str)>,
}

impl<'a> Finder<'a> {
    fn of(question: &'a Question) -> Self {
        let terms = question.terms.iter().enumerate();
        Self {
            places: terms.clone().map(|(at, term)| (term.key.as_str(), at)).collect(),
            years: terms
                .filter(|(_, term)| term.number && term.key.len() == 4)
                .map(|(at, term)| (at, term.key.as_str()))
                .collect(),
        }
    }

    fn find(&self, text: &str) -> u64 {
        let mut mask = 0;
        visit_keys(text, MAX_COMPARED, |key| {
            if let Some(at) = self.places.get(key) {
                mask |= 1_u64 << at;
            }
        });
        mask
    }

    fn find_spans(&self, text: &str) -> u64 {
        let spanned = self.years.iter().filter(|(_, year)| years::covers(text, year));
        spanned.fold(0, |mask, (at, _)| mask | (1_u64 << at))
    }
}
