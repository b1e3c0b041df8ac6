//! How things are related is told by a sentence that names them all, or else by two that do so together.

use super::RANK_PENALTY;
use super::candidates::{Candidate, MAX_COMPARED};
use crate::brain::question::Question;
use crate::brain::words::visit_keys;

/// A side is named when this share of its weight is there: "Tannoth" stands for "Mira Tannoth".
const MIN_SIDE: f32 = 0.5;
/// At most this many sentences.
const MAX_SENTENCES: usize = 2;
/// A second sentence that names all sides too must be about as good as the first.
const ALSO_AS_GOOD: f32 = 0.9;
/// The nearer two sides stand to each other, the more the sentence is about both.
const NEARNESS: f32 = 0.1;
/// A side of several words is meant when they stand together.
const TOGETHER: f32 = 0.2;
/// A list item or the end of a cut passage tells less than a sentence.
const CUT_PENALTY: f32 = 0.15;

/// What a sentence says of the sides, as masks over them.
struct Telling<'a> {
    candidate: &'a Candidate,
    /// The sides that it names.
    named: u64,
    /// The sides that it or a heading above it names.
    about: u64,
    score: f32,
}

/// The sentences to quote, the best first; none when some side is named nowhere.
pub(super) fn pick<'a>(
    question: &Question,
    weights: &[f32],
    sides: &[u64],
    candidates: &'a [Candidate],
) -> Vec<&'a Candidate> {
    let all = sides.iter().enumerate().fold(0, |mask, (at, _)| mask | (1_u64 << at));
    let mut told: Vec<Telling<'a>> = candidates
        .iter()
        .map(|candidate| tell(question, weights, sides, candidate))
        .filter(|telling| telling.named != 0)
        .collect();
    // Stable, so that equals stay in reading order.
    told.sort_by(|left, right| right.score.total_cmp(&left.score));
    let complete = told.iter().find(|telling| telling.named == all);
    if let Some(best) = complete {
        let also = told.iter().filter(|other| {
            other.named == all
                && other.score >= best.score * ALSO_AS_GOOD
                && other.candidate.language == best.candidate.language
                && !other.candidate.says_the_same_as(best.candidate)
        });
        return [best].into_iter().chain(also).take(MAX_SENTENCES).map(|telling| telling.candidate).collect();
    }
    let most = |telling: &&Telling<'_>| telling.named.count_ones();
    let first = told.iter().filter(|telling| telling.about == all).rev().max_by_key(most);
    let Some(first) = first.or_else(|| told.iter().rev().max_by_key(most)) else {
        return Vec::new();
    };
    let second = told.iter().find(|other| {
        first.named | other.named == all && other.candidate.language == first.candidate.language
    });
    match second {
        Some(second) => vec![first.candidate, second.candidate],
        None if first.about == all => vec![first.candidate],
        None => Vec::new(),
    }
}

fn tell<'a>(question: &Question, weights: &[f32], sides: &[u64], candidate: &'a Candidate) -> Telling<'a> {
    let share = |side: u64, holds: &dyn Fn(usize) -> f32| {
        let places = weights.iter().enumerate().take(64).filter(|(at, _)| side & (1_u64 << at) != 0);
        let (found, weight) =
            places.fold((0.0, 0.0), |(found, all), (at, weight)| (found + weight * holds(at), all + weight));
        if weight > 0.0 { found / weight } else { 0.0 }
    };
    let direct = |at: usize| candidate.share_in_sentence(at);
    let around = |at: usize| f32::from(u8::from(candidate.is_about(at)));
    let mask = |holds: &dyn Fn(usize) -> f32| {
        let named = sides.iter().enumerate().filter(|(_, side)| share(**side, holds) >= MIN_SIDE);
        named.fold(0, |mask, (at, _)| mask | (1_u64 << at))
    };
    let covered: f32 = sides.iter().map(|side| share(*side, &direct)).sum();
    let foreign = if candidate.language == question.language { 0.0 } else { 10.0 };
    let cut = if candidate.whole { 0.0 } else { CUT_PENALTY };
    let rank = RANK_PENALTY * candidate.passage.min(20) as f32;
    let score = covered / sides.len() as f32 - cut - foreign - rank;
    let score = score
        + TOGETHER * together(sides, candidate)
        + NEARNESS / distance(question, sides, candidate) as f32;
    Telling { candidate, named: mask(&direct), about: mask(&around), score }
}

/// Which share of the words that follow one another in the sides do so in the sentence.
fn together(sides: &[u64], candidate: &Candidate) -> f32 {
    let following = sides.iter().fold(0, |all, side| all | (side & (side << 1)));
    if following == 0 {
        return 1.0;
    }
    (candidate.together & following).count_ones() as f32 / following.count_ones() as f32
}

/// How many keys lie between two neighbouring sides at their nearest; `usize::MAX` when there is one side at most.
fn distance(question: &Question, sides: &[u64], candidate: &Candidate) -> usize {
    let side_of = |key: &str| {
        let at = question.terms.iter().take(64).position(|term| term.key == key)?;
        sides.iter().position(|side| side & (1_u64 << at) != 0)
    };
    let (mut place, mut last, mut nearest) = (0_usize, None, usize::MAX);
    visit_keys(&candidate.text, MAX_COMPARED, |key| {
        place += 1;
        if let Some(side) = side_of(key) {
            if let Some((other, at)) = last
                && other != side
            {
                nearest = nearest.min(place - at);
            }
            last = Some((side, place));
        }
    });
    nearest
}
