//! One spelling for everything that reads the same: what documents and questions pass through before they are cut
//! into terms. The original text is never changed.

mod radicals;

use unicode_normalization::UnicodeNormalization;

/// Folds full-width and other compatibility forms, radicals, case, accents of the alphabetic scripts (`Gödel`,
/// `Godel`), typographic apostrophes, and drops what is invisible (soft hyphens, joiners, variation selectors).
/// Marks that make another letter, such as the Japanese voicing mark, stay.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfkd()
        .filter(|c| !is_dropped(*c))
        .map(|c| radicals::ideograph_of(c).unwrap_or(c))
        .flat_map(char::to_lowercase)
        .flat_map(spell)
        .nfc()
        .collect()
}

/// Letters that lower-casing leaves in two spellings.
fn spell(c: char) -> impl Iterator<Item = char> {
    let (first, second) = match c {
        'ß' => ('s', Some('s')),
        'ς' => ('σ', None),
        'ø' => ('o', None),
        'ł' => ('l', None),
        'đ' => ('d', None),
        'ı' => ('i', None),
        '\u{2018}' | '\u{2019}' | '\u{02bc}' => ('\'', None),
        other => (other, None),
    };
    std::iter::once(first).chain(second)
}

fn is_dropped(c: char) -> bool {
    match c {
        // Accents, after decomposition. Hangul and kana have their own marks, outside this block.
        '\u{0300}'..='\u{036f}' => true,
        // Soft hyphen, zero-width space and joiners, word joiner, byte order mark.
        '\u{00ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => true,
        // Variation selectors and skin tones: they choose a picture, not a meaning.
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{1f3fb}'..='\u{1f3ff}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn forms_that_read_the_same_fold_to_one_spelling() {
        for (given, folded) in [
            ("ＡＴ＆Ｔ　１９２５", "at&t 1925"),
            ("\u{2f45}\u{2ed3}", "方长"),
            ("ｶﾞｲﾄﾞ", "ガイド"),
            ("ﬁnal oﬀice", "final office"),
            ("Gödel, Erdős, Zürich, Straße, ŁÓDŹ", "godel, erdos, zurich, strasse, lodz"),
            ("İstanbul ISTANBUL", "istanbul istanbul"),
            ("ΟΔΟΣ οδός", "οδοσ οδοσ"),
            ("Knuth’s", "knuth's"),
            ("co\u{ad}op\u{200b}erate", "cooperate"),
            ("한글", "한글"),
            ("が", "が"),
            ("葛\u{e0100}", "葛"),
            ("豈", "豈"),
            ("👍🏽", "👍"),
        ] {
            assert_eq!(fold(given), folded, "{given}");
        }
    }

    #[test]
    fn decomposed_and_composed_text_fold_alike() {
        for text in ["Gödel", "한글", "ガイド", "é"] {
            let decomposed: String = text.nfd().collect();
            assert_eq!(fold(&decomposed), fold(text));
        }
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing_more(text in "[\\PC\\s]{0,40}") {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }
    }
}
