//! Choosing the sentences that answer a question, or finding that none does.

mod candidates;
mod fit;
mod relation;
mod years;

use std::collections::HashSet;

use crate::brain::language::Language;
use crate::brain::passages;
use crate::brain::question::{Asks, Question, Term};
use candidates::Candidate;

/// At most this many sentences make an answer.
const MAX_SENTENCES: usize = 3;

/// Which share of the question's weight a sentence and its surroundings must hold. Pairs of Chinese characters overlap
/// word borders, so some are never found.
const MIN_COVERAGE: f32 = 0.5;
const MIN_COVERAGE_WIDE: f32 = 0.45;
/// The same for the words that a follow-up adds itself.
const MIN_OWN_COVERAGE: f32 = 0.3;
/// Which share of the names must be there: a sentence about someone else is no answer.
const MIN_NAMES: f32 = 0.5;
/// The same for the question's own words that are neither names nor common: what is asked about the names.
const MIN_SPECIFIC: f32 = 0.2;
/// In another language only names and numbers can match, so nearly all of them must.
const MIN_COVERAGE_FOREIGN: f32 = 0.8;

/// What counts beside the words themselves.
const HEADER_SHARE: f32 = 0.8;
const CONTEXT_SHARE: f32 = 0.6;
/// A year above a sentence or before it is often another event's.
const NUMBER_AROUND_SHARE: f32 = 0.5;
const YEAR_RANGE_SHARE: f32 = 0.8;
/// A verb that says nearly the same: "designed" where the question has "invented".
const KIN_SHARE: f32 = 0.6;
const FITS_BONUS: f32 = 0.15;
const TOGETHER_BONUS: f32 = 0.15;
const CUT_PENALTY: f32 = 0.1;
const RANK_PENALTY: f32 = 0.003;

/// How good a further sentence must be, against the best one: about as good, or bringing a word that was missing.
const ALSO_AS_GOOD: f32 = 0.85;
const ALSO_WITH_NEWS: f32 = 0.6;

/// Rarity is judged as if there were at least this many sentences: in a handful every word looks common.
const MIN_SENTENCES: usize = 50;
/// A word that is common everywhere is not rare because a few passages happen to lack it.
const MAX_COMMON_RARITY: f32 = 2.0;

/// One sentence to quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quote {
    /// The number of its passage.
    pub(crate) number: u32,
    /// The sentence.
    pub(crate) text: String,
}

/// The best one to three sentences over all passages, the best first, the others in reading order; none when no sentence
/// holds enough of what the question is about.
pub(crate) fn choose<S: AsRef<str>>(question: &Question, results: &[S]) -> Vec<Quote> {
    if question.terms.is_empty() {
        return Vec::new();
    }
    let mut seen = HashSet::new();
    let passages: Vec<_> = results
        .iter()
        .flat_map(|result| passages::parse(result.as_ref()))
        .filter(|passage| seen.insert((passage.number, passage.text)))
        .collect();
    let candidates = candidates::list(question, &passages);
    let weights = weigh(question, &candidates);
    let sides = question.sides();
    if !sides.is_empty() {
        return quotes(relation::pick(question, &weights, &sides, &candidates));
    }
    let mut scored: Vec<(f32, &Candidate)> = candidates
        .iter()
        .filter_map(|candidate| Some((score(question, &weights, candidate)?, candidate)))
        .collect();
    // Stable, so that equals stay in reading order.
    scored.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    quotes(pick(&scored, names(question)))
}

/// The names that the question itself holds, as a mask over its terms.
fn names(question: &Question) -> u64 {
    let names = question.terms.iter().enumerate().filter(|(_, term)| term.own && term.name);
    names.fold(0, |mask, (at, _)| mask | (1_u64 << at))
}

fn quotes(picked: Vec<&Candidate>) -> Vec<Quote> {
    let quote = |candidate: &Candidate| Quote { number: candidate.number, text: candidate.text.clone() };
    picked.into_iter().map(quote).collect()
}

/// The weight of every term once its rarity is known. A term that no sentence holds is the rarest.
fn weigh(question: &Question, candidates: &[Candidate]) -> Vec<f32> {
    let sentences = candidates.len().max(MIN_SENTENCES) as f32;
    let weigh = |(at, term): (usize, &Term)| {
        let holding = candidates.iter().filter(|candidate| candidate.is_about(at)).count().max(1);
        let rarity = (1.0 + sentences / holding as f32).ln();
        term.weight * if term.common { rarity.min(MAX_COMMON_RARITY) } else { rarity }
    };
    question.terms.iter().enumerate().map(weigh).collect()
}

/// The score of a sentence, `None` when it does not hold enough.
fn score(question: &Question, weights: &[f32], candidate: &Candidate) -> Option<f32> {
    let foreign = candidate.language != question.language;
    let counts = |at: usize| {
        question.terms.get(at).is_some_and(|term| {
            !foreign
                || match candidate.language {
                    Language::English => !term.wide,
                    Language::Chinese => term.name || term.number || term.wide,
                }
        })
    };
    let mut sums = Sums::default();
    for (at, (term, weight)) in question.terms.iter().zip(weights).enumerate() {
        if !counts(at) {
            continue;
        }
        let direct = candidate.share_in_sentence(at);
        let around = candidate.share_around(at) * if term.number { NUMBER_AROUND_SHARE } else { 1.0 };
        let share = direct.max(around);
        sums.all += weight;
        sums.covered += weight * share;
        sums.direct += weight * direct;
        if term.own {
            sums.own += weight;
            sums.own_covered += weight * share;
        }
        if term.own && !term.name && !term.common {
            sums.specific += weight;
            sums.specific_covered += weight * share;
        }
        if term.name {
            sums.names += weight;
            sums.names_covered += weight * share;
        }
    }
    let needed = match (foreign, question.language) {
        (true, _) => MIN_COVERAGE_FOREIGN,
        (false, Language::English) => MIN_COVERAGE,
        (false, Language::Chinese) => MIN_COVERAGE_WIDE,
    };
    let enough = sums.direct > 0.0
        && is_about_words(question, candidate)
        && sums.covered >= needed * sums.all
        && sums.names_covered >= MIN_NAMES * sums.names
        && sums.specific_covered >= MIN_SPECIFIC * sums.specific
        && (!question.follows_up || sums.own_covered >= MIN_OWN_COVERAGE * sums.own);
    let fits = candidate.fits(question);
    // How many is not answered without a number, whatever else the sentence says.
    if !enough || (question.asks == Some(Asks::HowMany) && !fits) {
        return None;
    }
    let coverage = (0.7 * sums.covered + 0.3 * sums.direct) / sums.all;
    let fits = if fits { FITS_BONUS } else { 0.0 };
    let cut = if candidate.whole { 0.0 } else { CUT_PENALTY };
    // A foreign sentence is the last resort: no sentence in the question's language scores below it.
    let foreign = if foreign { 10.0 } else { 0.0 };
    let together = candidate.together.count_ones() as f32 / question.terms.len() as f32 * TOGETHER_BONUS;
    Some(coverage + fits + together - cut - foreign - RANK_PENALTY * candidate.passage.min(20) as f32)
}

/// A year alone is no subject: some word of the question must be in the sentence or above it.
fn is_about_words(question: &Question, candidate: &Candidate) -> bool {
    let words = || question.terms.iter().enumerate().filter(|(_, term)| !term.number);
    words().next().is_none()
        || words().any(|(at, _)| candidate.is_about(at) || candidate.share_in_sentence(at) > 0.0)
}

#[derive(Default)]
struct Sums {
    all: f32,
    covered: f32,
    direct: f32,
    own: f32,
    own_covered: f32,
    specific: f32,
    specific_covered: f32,
    names: f32,
    names_covered: f32,
}

fn pick<'a>(scored: &[(f32, &'a Candidate)], names: u64) -> Vec<&'a Candidate> {
    let Some(((best, first), others)) = scored.split_first() else {
        return Vec::new();
    };
    let mut picked = vec![*first];
    let mut held = first.sentence;
    for (score, candidate) in others {
        if picked.len() == MAX_SENTENCES {
            break;
        }
        let news = candidate.sentence & !held != 0;
        let close = if best.is_sign_negative() {
            *score >= best - 0.1
        } else {
            *score >= best * ALSO_AS_GOOD || (news && *score >= best * ALSO_WITH_NEWS)
        };
        // What names the thing asked about is not followed by something about another one.
        let same_names = candidate.holds_all(names & first.sentence);
        let same_language = candidate.language == first.language;
        if close
            && same_names
            && same_language
            && !picked.iter().any(|known| known.says_the_same_as(candidate))
        {
            held |= candidate.sentence;
            picked.push(candidate);
        }
    }
    if let Some(rest) = picked.get_mut(1..) {
        rest.sort_by_key(|candidate| candidate.order);
    }
    picked
}

#[cfg(test)]
mod tests;
