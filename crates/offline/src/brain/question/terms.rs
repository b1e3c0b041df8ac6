//! The content words of a text and how much each one counts.

use crate::brain::language::{Language, is_cjk};
use crate::brain::lexicon::{content_pieces, is_common_pair, is_common_stem, is_stop_word, is_weak_pair};
use crate::brain::sentences::split;
use crate::brain::words::{Token, TokenKind, stem, tokens};

const NAME_WEIGHT: f32 = 1.3;
const NUMBER_WEIGHT: f32 = 1.5;
const SMALL_NUMBER_WEIGHT: f32 = 0.7;
const COMMON_WEIGHT: f32 = 0.5;
const WEAK_WEIGHT: f32 = 0.3;

/// Names taken over from an answer, at most.
const MAX_ANSWER_NAMES: usize = 4;

/// One thing to look for in sentences.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Term {
    /// The key under which sentences hold it.
    pub(crate) key: String,
    /// How much it counts, before rarity.
    pub(crate) weight: f32,
    /// Whether the question itself holds it, and not only an earlier one.
    pub(crate) own: bool,
    /// Whether it looks like the name of something: a sentence about something else is no answer.
    pub(crate) name: bool,
    /// Whether it is a number.
    pub(crate) number: bool,
    /// Whether it is of Chinese characters.
    pub(crate) wide: bool,
    /// Whether it is so common everywhere that it proves and disproves little.
    pub(crate) common: bool,
}

impl Term {
    fn new(key: String, weight: f32) -> Self {
        Self { key, weight, own: true, name: false, number: false, wide: false, common: false }
    }
}

/// One word of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Phrase {
    pub(crate) text: String,
    pub(crate) distinctive: bool,
    pub(crate) number: bool,
    pub(crate) name: bool,
}

impl Phrase {
    fn new(text: &str, distinctive: bool) -> Self {
        Self { text: text.to_owned(), distinctive, number: false, name: false }
    }

    pub(crate) fn is_wide(&self) -> bool {
        self.text.chars().any(is_cjk)
    }
}

/// The content words of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Words {
    pub(crate) terms: Vec<Term>,
    pub(crate) phrases: Vec<Phrase>,
}

impl Words {
    pub(crate) fn of(tokens: &[Token]) -> Self {
        let mut words = Self::default();
        let among_wide = tokens.iter().any(|token| token.kind == TokenKind::Cjk);
        let shouted = tokens
            .iter()
            .filter(|token| token.kind == TokenKind::Word)
            .all(|token| !token.text.chars().any(char::is_lowercase));
        for token in tokens {
            match token.kind {
                TokenKind::Number => words.add_number(&token.text),
                TokenKind::Word => words.add_word(token, among_wide, shouted && !among_wide),
                TokenKind::Cjk => {
                    content_pieces(&token.text).into_iter().for_each(|piece| words.add_piece(piece))
                }
            }
        }
        words
    }

    /// Up to four capitalised words of the first sentence of an answer that the question before it did not hold.
    pub(crate) fn names_in(answer: &str, known: &[Term]) -> Self {
        let first = split(answer).first().copied().unwrap_or(answer);
        let mut tokens = tokens(first, 400);
        // An answer often opens with the name that it gives.
        tokens.iter_mut().for_each(|token| token.opens_sentence = false);
        let mut words = Self::of(&tokens);
        let latin = Language::of(answer) == Language::English;
        words.terms.retain(|term| term.name && latin && !term.common && !term.number);
        words.terms.retain(|term| !known.iter().any(|known| known.key == term.key));
        words.terms.truncate(MAX_ANSWER_NAMES);
        let kept = &words.terms;
        words.phrases.retain(|phrase| kept.iter().any(|term| term.key == stem(&phrase.text)));
        words
    }

    fn add_number(&mut self, text: &str) {
        let weight = if text.len() < 3 { SMALL_NUMBER_WEIGHT } else { NUMBER_WEIGHT };
        self.add_term(Term { number: true, ..Term::new(text.to_owned(), weight) });
        self.add_phrase(Phrase { number: true, ..Phrase::new(text, true) });
    }

    fn add_word(&mut self, token: &Token, among_wide: bool, shouted: bool) {
        let capitals = token.text.chars().filter(|c| c.is_uppercase()).count();
        let acronym = capitals >= 2 && !shouted;
        if is_stop_word(&token.text.to_lowercase()) && !(acronym && token.text.len() <= 5) {
            return;
        }
        let key = stem(&token.text);
        let common = is_common_stem(&key) && !acronym;
        let capital = capitals > 0 && !token.opens_sentence && !shouted;
        // Inside a sentence a capital makes a common word part of a name: "the Institute".
        let name = capital || acronym || (among_wide && !common);
        let weight = match (common, name) {
            (true, _) => COMMON_WEIGHT,
            (false, true) => NAME_WEIGHT,
            (false, false) => 1.0,
        };
        self.add_term(Term { name, common, ..Term::new(key, weight) });
        self.add_phrase(Phrase { name, ..Phrase::new(&token.text, !common) });
    }

    fn add_piece(&mut self, piece: &str) {
        let starts: Vec<usize> = piece.char_indices().map(|(at, _)| at).chain([piece.len()]).collect();
        let pairs: Vec<&str> = if starts.len() == 2 {
            vec![piece]
        } else {
            starts.windows(3).filter_map(|window| piece.get(*window.first()?..*window.last()?)).collect()
        };
        let mut distinctive = false;
        for pair in &pairs {
            let single = starts.len() == 2;
            let weight = if is_weak_pair(pair) {
                WEAK_WEIGHT
            } else if is_common_pair(pair) || single {
                COMMON_WEIGHT
            } else {
                distinctive = true;
                1.0
            };
            let common = weight < 1.0;
            self.add_term(Term { wide: true, common, ..Term::new((*pair).to_owned(), weight) });
        }
        if !(starts.len() == 2 && is_weak_pair(piece)) {
            self.add_phrase(Phrase::new(piece, distinctive));
        }
    }

    fn add_term(&mut self, term: Term) {
        if !self.terms.iter().any(|known| known.key == term.key) && self.terms.len() < super::MAX_TERMS {
            self.terms.push(term);
        }
    }

    fn add_phrase(&mut self, phrase: Phrase) {
        if !self.phrases.iter().any(|known| known.text == phrase.text)
            && self.phrases.len() < super::MAX_TERMS
        {
            self.phrases.push(phrase);
        }
    }
}
