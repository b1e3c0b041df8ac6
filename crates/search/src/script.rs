//! Scripts that are written without spaces between words.

/// Whether words of this character's script run into each other, so that only overlapping pairs of characters find
/// them: Chinese, Japanese and Korean, and Thai, Lao, Burmese and Khmer. Punctuation is none of it: it ends a run.
pub(crate) const fn is_unspaced(c: char) -> bool {
    matches!(c,
        // Han, with the iteration mark, the zero and the numerals of Suzhou.
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}'
        | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3038}'..='\u{303c}'
        // Hiragana and Katakana with their marks; not the middle dot U+30FB, which stands between names.
        | '\u{3041}'..='\u{3096}' | '\u{3099}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' | '\u{1b000}'..='\u{1b16f}'
        // Hangul, composed and in letters. Korean has spaces, but its particles stick to the words.
        | '\u{1100}'..='\u{11ff}' | '\u{3131}'..='\u{318e}' | '\u{a960}'..='\u{a97c}' | '\u{ac00}'..='\u{d7fb}'
        // Bopomofo.
        | '\u{3105}'..='\u{312f}' | '\u{31a0}'..='\u{31bf}'
        // Thai and Lao letters and vowels (their digits and signs are words of their own), Burmese, Khmer.
        | '\u{0e01}'..='\u{0e3a}' | '\u{0e40}'..='\u{0e4e}' | '\u{0e81}'..='\u{0ece}'
        | '\u{1000}'..='\u{103f}' | '\u{1780}'..='\u{17d3}'
    )
}

/// Whether a character is a picture that one may search for, such as an emoji.
pub(crate) const fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{1f000}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}')
}
