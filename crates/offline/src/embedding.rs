//! Vectors without a model: hashed character n-grams and words. Texts that share spellings come out close; nothing is
//! understood.

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use crate::hash::hash;

/// The length of every vector.
pub const DIMENSIONS: usize = 256;

/// More of a text than this, in characters, does not change its vector: the work per text is bounded.
const MAX_CHARACTERS: usize = 100_000;

const LONGEST_GRAM: usize = 3;
const WORD_WEIGHT: f32 = 2.0;

/// The vector of a text: length one, or all zero for a text without a letter or digit.
///
/// Case and full-width forms do not matter. Every word and every run of one to three characters inside a word adds to
/// or takes from one hashed place; longer runs say more and weigh more.
pub fn embed(text: &str) -> Vec<f32> {
    let folded: String = text.chars().take(MAX_CHARACTERS).nfkc().flat_map(char::to_lowercase).collect();
    let mut vector = vec![0.0_f32; DIMENSIONS];
    for run in folded.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
        let characters: Vec<char> = run.chars().collect();
        for length in 1..=LONGEST_GRAM {
            for gram in characters.windows(length) {
                let gram: String = gram.iter().collect();
                add(&mut vector, &gram, length as f32 / LONGEST_GRAM as f32);
            }
        }
    }
    for word in folded.unicode_words() {
        add(&mut vector, &format!("\u{1}{word}"), WORD_WEIGHT);
    }
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
    vector
}

fn add(vector: &mut [f32], feature: &str, weight: f32) {
    let hash = hash(feature.as_bytes());
    let place = (hash % vector.len() as u64) as usize;
    let sign = if hash >> 63 == 0 { weight } else { -weight };
    if let Some(value) = vector.get_mut(place) {
        *value += sign;
    }
}

#[cfg(test)]
mod tests {
    use super::{DIMENSIONS, embed};

    fn similarity(left: &str, right: &str) -> f32 {
        embed(left).iter().zip(embed(right)).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn a_related_text_is_closer_than_an_unrelated_one_in_both_languages() {
        for (anchor, near, far) in [
            (
                "When was the Varnholt lighthouse built?",
                "The Varnholt lighthouse was built in 1871.",
                "Quarterly budgets are reviewed by committee.",
            ),
            ("瓦伦灯塔是哪一年建成的", "瓦伦灯塔于1871年建成", "预算每个季度由委员会审查"),
        ] {
            let (near, far) = (similarity(anchor, near), similarity(anchor, far));
            assert!(near > far + 0.2, "{anchor}: near {near}, far {far}");
        }
    }

    #[test]
    fn a_vector_has_length_one_and_ignores_case_and_width() {
        let vector = embed("ＣＥＲＮ 1954");
        assert_eq!(vector.len(), DIMENSIONS);
        assert!((vector.iter().map(|value| value * value).sum::<f32>() - 1.0).abs() < 1e-5);
        assert_eq!(vector, embed("cern 1954"));
    }

    #[test]
    fn a_text_without_letters_is_the_zero_vector() {
        assert_eq!(embed(" … \u{1F600}"), vec![0.0; DIMENSIONS]);
    }
}
