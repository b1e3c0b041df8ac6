//! A question as weighted terms to look for and as a query to search with.

mod relation;
mod terms;

use crate::brain::intent::{self, Intent};
use crate::brain::language::Language;
use crate::brain::turn::{Line, Turn};
use crate::brain::words::{Token, TokenKind, tokens};

pub(crate) use terms::Term;
use terms::Words;

/// Of a longer question only the beginning is read, in characters.
const MAX_CHARACTERS: usize = 2_000;
/// Terms have a bit each in a mask.
pub(crate) const MAX_TERMS: usize = 64;
/// How far a chain of "and then?" is followed back.
const MAX_CHAIN: usize = 3;
/// Words of an earlier question count less than the question's own.
const EARLIER_WEIGHT: f32 = 0.5;
/// How many words of a query, and how many characters.
const MAX_QUERY_PHRASES: usize = 24;
const MAX_QUERY_CHARACTERS: usize = 200;

/// What kind of thing the answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    Who,
    When,
    Where,
    HowMany,
    What,
    /// How two or more things hang together.
    Relation,
}

/// A question, read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Question {
    pub(crate) language: Language,
    pub(crate) asks: Option<Asks>,
    pub(crate) terms: Vec<Term>,
    /// Whether it leans on an earlier question.
    pub(crate) follows_up: bool,
    /// The keys of the terms of every side of a relation; empty for other questions.
    sides: Vec<Vec<String>>,
    phrases: Vec<terms::Phrase>,
    text: String,
}

impl Question {
    /// Reads the turn's question together with the earlier ones that it leans on.
    pub(crate) fn read(turn: &Turn) -> Self {
        Self::with_history(&turn.question, &turn.earlier, MAX_CHAIN)
    }

    fn with_history(text: &str, earlier: &[Line], chain: usize) -> Self {
        let tokens = tokens(text, MAX_CHARACTERS);
        let sides = relation::sides(&tokens);
        let asks = if sides.is_some() { Some(Asks::Relation) } else { asks(&tokens) };
        let words = match &sides {
            Some(sides) => Words::of(&sides.concat()),
            None => Words::of(&tokens),
        };
        let mut question = Self {
            language: Language::of(&text.chars().take(MAX_CHARACTERS).collect::<String>()),
            asks,
            terms: words.terms,
            follows_up: false,
            sides: sides.map(|sides| keys_of(&sides)).unwrap_or_default(),
            phrases: words.phrases,
            text: text.chars().take(MAX_CHARACTERS).collect(),
        };
        if question.asks == Some(Asks::Who)
            && question.terms.iter().all(|term| term.name || (term.wide && !term.common))
        {
            question.asks = Some(Asks::What);
        }
        if chain > 0 && question.leans_on_history(&tokens) {
            question.take_earlier(&tokens, earlier, chain);
        }
        question.terms.truncate(MAX_TERMS);
        question
    }

    fn take_earlier(&mut self, tokens: &[Token], earlier: &[Line], chain: usize) {
        let asked =
            earlier.iter().rposition(|line| !line.by_assistant && intent::of(&line.text) == Intent::Question);
        let Some((before, previous)) = asked.and_then(|at| Some((earlier.get(..at)?, earlier.get(at)?)))
        else {
            return;
        };
        let previous = Self::with_history(&previous.text, before, chain - 1);
        let own = self.terms.len();
        let answer = earlier.iter().rev().find(|line| line.by_assistant);
        if let Some(answer) = answer
            && tokens.iter().any(is_personal_pronoun)
        {
            self.adopt(Words::names_in(&answer.text, &previous.terms));
        }
        // Another year replaces the earlier one; when something was, or what else a person did, has nothing to do with it.
        let other_time = self.asks == Some(Asks::When)
            || tokens.iter().any(is_personal_pronoun)
            || self.terms.iter().any(|term| term.own && term.number);
        let mut words = Words { terms: previous.terms, phrases: previous.phrases };
        if other_time {
            words.terms.retain(|term| !term.number);
            words.phrases.retain(|phrase| !phrase.number);
        }
        if self.terms.iter().any(|term| term.own && !term.number) {
            // It asks something else about the same subject: only the subject stays.
            words.terms.retain(|term| !term.common || term.name);
            words.phrases.retain(|phrase| phrase.distinctive || phrase.name);
        }
        self.adopt(words);
        if self.asks == Some(Asks::Relation) && self.sides.len() == 1 {
            // "How is he related to…": what the conversation was about is the other side.
            let adopted = self.terms.iter().skip(own).filter(|term| !term.common);
            self.sides.push(adopted.map(|term| term.key.clone()).collect());
        }
        self.asks = self.asks.or(previous.asks);
        self.follows_up = true;
    }

    fn adopt(&mut self, words: Words) {
        for term in words.terms {
            if !self.terms.iter().any(|known| known.key == term.key) {
                self.terms.push(Term { weight: term.weight * EARLIER_WEIGHT, own: false, ..term });
            }
        }
        for phrase in words.phrases {
            if !self.phrases.iter().any(|known| known.text.eq_ignore_ascii_case(&phrase.text)) {
                self.phrases.push(phrase);
            }
        }
    }

    /// The sides of a relation as masks over the terms, when there are two at least.
    pub(crate) fn sides(&self) -> Vec<u64> {
        let mask = |keys: &Vec<String>| {
            let places = self.terms.iter().take(MAX_TERMS).enumerate();
            places.filter(|(_, term)| keys.contains(&term.key)).fold(0, |mask, (at, _)| mask | (1_u64 << at))
        };
        let masks: Vec<u64> = self.sides.iter().map(mask).filter(|mask| *mask != 0).collect();
        if masks.len() < 2 { Vec::new() } else { masks }
    }

    /// A pronoun, an opening such as "and" or "那", or too few words to stand alone.
    fn leans_on_history(&self, tokens: &[Token]) -> bool {
        let first = tokens.first().map(|token| token.text.to_lowercase()).unwrap_or_default();
        let second = tokens.get(1).map(|token| token.text.to_lowercase()).unwrap_or_default();
        let opens = matches!(first.as_str(), "and" | "then" | "also" | "but")
            || (matches!(first.as_str(), "what" | "how") && second == "about")
            || ["那", "还有", "然后", "以及", "而"].iter().any(|word| first.starts_with(word));
        let pronoun = tokens.iter().any(|token| match token.kind {
            TokenKind::Word => is_pronoun(&token.text.to_lowercase()),
            TokenKind::Cjk => {
                ["他", "她", "它", "这个", "那个", "那里", "这里", "其中"]
                    .iter()
                    .any(|word| token.text.contains(word))
                    || token.text.ends_with('呢')
            }
            TokenKind::Number => false,
        });
        let named = self.terms.iter().any(|term| term.name);
        let elliptic = self.phrases.len() <= 1
            && !named
            && tokens.len() <= 4
            && self.phrases.iter().all(|phrase| phrase.number || (!phrase.distinctive && !phrase.is_wide()));
        opens || pronoun || elliptic
    }

    /// The query of the first search: the content words in their order; the question itself when it has none.
    pub(crate) fn query(&self) -> String {
        let all = joined(self.phrases.iter());
        if all.is_empty() { self.verbatim() } else { all }
    }

    /// The query of the second search, with the least distinctive words dropped; `None` when nothing can be dropped.
    pub(crate) fn reduced_query(&self) -> Option<String> {
        let all = self.query();
        let distinctive = joined(self.phrases.iter().filter(|phrase| phrase.distinctive));
        let longest =
            self.phrases.iter().rev().max_by_key(|phrase| (!phrase.number, phrase.text.chars().count()));
        let candidates = [distinctive, joined(longest.into_iter())];
        candidates.into_iter().find(|query| !query.is_empty() && *query != all)
    }

    /// The question on one line, cut to the length of a query.
    pub(crate) fn verbatim(&self) -> String {
        let line = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        line.chars().take(MAX_QUERY_CHARACTERS).collect()
    }
}

/// The keys of every side that has any.
fn keys_of(sides: &[Vec<Token>]) -> Vec<Vec<String>> {
    let keys = |side: &Vec<Token>| Words::of(side).terms.into_iter().map(|term| term.key).collect::<Vec<_>>();
    sides.iter().map(keys).filter(|keys| !keys.is_empty()).collect()
}

fn joined<'a>(phrases: impl Iterator<Item = &'a terms::Phrase>) -> String {
    let texts: Vec<&str> = phrases.take(MAX_QUERY_PHRASES).map(|phrase| phrase.text.as_str()).collect();
    let query: String = texts.join(" ").chars().take(MAX_QUERY_CHARACTERS).collect();
    query.trim_end().to_owned()
}

fn is_pronoun(word: &str) -> bool {
    matches!(
        word,
        "he" | "she"
            | "they"
            | "him"
            | "her"
            | "them"
            | "his"
            | "hers"
            | "their"
            | "it"
            | "its"
            | "that"
            | "this"
            | "there"
            | "those"
    )
}

fn is_personal_pronoun(token: &Token) -> bool {
    match token.kind {
        TokenKind::Word => matches!(token.text.to_lowercase().as_str(), "he" | "she" | "him" | "her" | "his"),
        TokenKind::Cjk => token.text.contains(['他', '她']),
        TokenKind::Number => false,
    }
}

fn asks(tokens: &[Token]) -> Option<Asks> {
    let words: Vec<String> = tokens.iter().map(|token| token.text.to_lowercase()).collect();
    let text = format!(" {} ", words.join(" "));
    let has = |needles: &[&str]| needles.iter().any(|needle| text.contains(needle));
    if has(&[" who ", " whom ", " whose ", "谁", "哪位", "哪一位", "何人"]) {
        Some(Asks::Who)
    } else if has(&[
        " when ",
        " what year ",
        " which year ",
        " what date ",
        " what day ",
        "什么时候",
        "哪一年",
        "哪年",
        "哪一天",
        "哪天",
        "何时",
        "几年",
    ]) {
        Some(Asks::When)
    } else if has(&[
        " where ",
        " which city ",
        " which country ",
        " what city ",
        " what country ",
        "哪里",
        "哪儿",
        "何地",
        "什么地方",
    ]) {
        Some(Asks::Where)
    } else if has(&[
        " how many ",
        " how much ",
        " how tall ",
        " how long ",
        " how high ",
        " how far ",
        " how big ",
        " how old ",
        " how large ",
        "多少",
        "几个",
        "几位",
        "多高",
        "多大",
        "多长",
        "多久",
        "多远",
    ]) {
        Some(Asks::HowMany)
    } else {
        has(&[" what is ", " what are ", " what was ", " what were ", "什么是", "是什么"])
            .then_some(Asks::What)
    }
}

#[cfg(test)]
mod tests;
