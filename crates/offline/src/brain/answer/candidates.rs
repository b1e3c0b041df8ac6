//! Every sentence of the passages with what it holds of the question, as bit masks over the question's terms.

use std::collections::HashMap;

use super::{CONTEXT_SHARE, HEADER_SHARE, KIN_SHARE, YEAR_RANGE_SHARE};
use super::{fit, years};
use crate::brain::language::Language;
use crate::brain::passages::Passage;
use crate::brain::question::Question;
use crate::brain::sentences::{Piece, pieces};
use crate::brain::verbs;
use crate::brain::words::visit_keys;

/// More sentences than this are not looked at: the work is bounded whatever a tool returned.
const MAX_CANDIDATES: usize = 5_000;
/// Of a sentence or a header, this many characters are compared.
pub(super) const MAX_COMPARED: usize = 700;

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
    /// The terms that follow right after the term before them in the question: words that stand together say more.
    pub(crate) together: u64,
    /// The years of the question that lie in a span that it names.
    spanned: u64,
    /// The terms of which it holds a verb that says nearly the same.
    kin: u64,
    /// The terms in the header and the headings above it.
    header: u64,
    /// The terms in the sentences before it in its passage.
    context: u64,
}

impl Candidate {
    pub(crate) fn share_in_sentence(&self, term: usize) -> f32 {
        let holds = |mask: u64| mask & (1 << term) != 0;
        if holds(self.sentence) {
            1.0
        } else if holds(self.spanned) {
            YEAR_RANGE_SHARE
        } else if holds(self.kin) {
            KIN_SHARE
        } else {
            0.0
        }
    }

    /// Whether it or a heading above it holds the term.
    pub(crate) fn is_about(&self, term: usize) -> bool {
        (self.sentence | self.header) & (1 << term) != 0
    }

    /// Whether it or a heading above it holds every term of the mask.
    pub(crate) fn holds_all(&self, terms: u64) -> bool {
        terms & !(self.sentence | self.header) == 0
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
        question.asks.is_some_and(|asks| fit::fits(asks, question, &self.text, self.language))
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
        let (mut header, _) = finder.find(passage.header);
        let mut context = 0;
        for piece in pieces(passage.text, MAX_CANDIDATES.saturating_sub(found.len())) {
            match piece {
                Piece::Heading(text) => header |= finder.find(&text).0,
                Piece::Sentence { text, whole } => {
                    let (sentence, together) = finder.find(&text);
                    let kin = finder.find_kin(&text);
                    found.push(Candidate {
                        number: passage.number,
                        passage: place,
                        order: found.len(),
                        spanned: finder.find_spans(&text),
                        language: Language::of(&text),
                        text,
                        whole,
                        sentence,
                        together,
                        kin,
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
    kin: HashMap<&'static str, u64>,
}

impl<'a> Finder<'a> {
    fn of(question: &'a Question) -> Self {
        let terms = question.terms.iter().enumerate();
        let mut kin: HashMap<&'static str, u64> = HashMap::new();
        for (at, term) in terms.clone().filter(|(_, term)| !term.name) {
            verbs::kin(&term.key).for_each(|other| *kin.entry(other).or_default() |= 1_u64 << at);
        }
        Self {
            kin,
            places: terms.clone().map(|(at, term)| (term.key.as_str(), at)).collect(),
            years: terms
                .filter(|(_, term)| term.number && term.key.len() == 4)
                .map(|(at, term)| (at, term.key.as_str()))
                .collect(),
        }
    }

    /// The terms that the text holds, and those of them that follow right after the one before them in the question.
    fn find(&self, text: &str) -> (u64, u64) {
        let (mut mask, mut together) = (0, 0);
        let mut before = None;
        visit_keys(text, MAX_COMPARED, |key| {
            let at = self.places.get(key).copied();
            if let Some(at) = at {
                mask |= 1_u64 << at;
                if before.is_some_and(|before: usize| before + 1 == at) {
                    together |= 1_u64 << at;
                }
            }
            before = at;
        });
        (mask, together)
    }

    fn find_kin(&self, text: &str) -> u64 {
        let mut mask = 0;
        if !self.kin.is_empty() {
            visit_keys(text, MAX_COMPARED, |key| mask |= self.kin.get(key).copied().unwrap_or_default());
        }
        mask
    }

    fn find_spans(&self, text: &str) -> u64 {
        let spanned = self.years.iter().filter(|(_, year)| years::covers(text, year));
        spanned.fold(0, |mask, (at, _)| mask | (1_u64 << at))
    }
}
