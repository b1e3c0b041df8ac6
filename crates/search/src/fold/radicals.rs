//! CJK radicals that stand where an ideograph is meant.
//!
//! PDF fonts write ⻓ (U+2ED3) for 长: it looks right and never matches. NFKC maps the Kangxi radicals (U+2F00 to
//! U+2FD5) but nearly nothing of the CJK Radicals Supplement; this is that block from Unicode's
//! `EquivalentUnifiedIdeograph.txt`.

/// The ideograph that a radical of the supplement stands for; `None` when it stands for none.
pub(super) fn ideograph_of(radical: char) -> Option<char> {
    if !('\u{2e80}'..='\u{2eff}').contains(&radical) {
        return None;
    }
    let at = SUPPLEMENT.binary_search_by_key(&radical, |pair| pair.0).ok()?;
    SUPPLEMENT.get(at).map(|pair| pair.1)
}

/// Sorted by the radical.
#[rustfmt::skip]
const SUPPLEMENT: &[(char, char)] = &[
    ('\u{2e81}', '厂'), ('\u{2e82}', '乛'), ('\u{2e83}', '乚'), ('\u{2e84}', '乙'), ('\u{2e85}', '亻'),
    ('\u{2e86}', '冂'), ('\u{2e87}', '𠘨'), ('\u{2e88}', '刀'), ('\u{2e89}', '刂'), ('\u{2e8a}', '卜'),
    ('\u{2e8b}', '㔾'), ('\u{2e8c}', '小'), ('\u{2e8d}', '尐'), ('\u{2e8e}', '兀'), ('\u{2e8f}', '尣'),
    ('\u{2e90}', '尢'), ('\u{2e91}', '𡯂'), ('\u{2e92}', '巳'), ('\u{2e93}', '幺'), ('\u{2e94}', '彑'),
    ('\u{2e95}', '彐'), ('\u{2e96}', '忄'), ('\u{2e97}', '心'), ('\u{2e98}', '扌'), ('\u{2e99}', '攵'),
    ('\u{2e9b}', '旡'), ('\u{2e9c}', '日'), ('\u{2e9d}', '月'), ('\u{2e9e}', '歺'), ('\u{2e9f}', '母'),
    ('\u{2ea0}', '民'), ('\u{2ea1}', '氵'), ('\u{2ea2}', '氺'), ('\u{2ea3}', '灬'), ('\u{2ea4}', '爫'),
    ('\u{2ea5}', '爬'), ('\u{2ea6}', '丬'), ('\u{2ea7}', '牛'), ('\u{2ea8}', '犭'), ('\u{2ea9}', '王'),
    ('\u{2eaa}', '𤴔'), ('\u{2eab}', '目'), ('\u{2eac}', '示'), ('\u{2ead}', '礻'), ('\u{2eae}', '𥫗'),
    ('\u{2eaf}', '糹'), ('\u{2eb0}', '纟'), ('\u{2eb1}', '罓'), ('\u{2eb2}', '罒'), ('\u{2eb3}', '㓁'),
    ('\u{2eb4}', '冗'), ('\u{2eb5}', '𦉫'), ('\u{2eb6}', '羊'), ('\u{2eb7}', '𦍌'), ('\u{2eb8}', '𦍋'),
    ('\u{2eb9}', '耂'), ('\u{2eba}', '肀'), ('\u{2ebb}', '聿'), ('\u{2ebc}', '肉'), ('\u{2ebd}', '𦥑'),
    ('\u{2ebe}', '艹'), ('\u{2ebf}', '艺'), ('\u{2ec0}', '艻'), ('\u{2ec1}', '虎'), ('\u{2ec2}', '衤'),
    ('\u{2ec3}', '覀'), ('\u{2ec4}', '西'), ('\u{2ec5}', '见'), ('\u{2ec6}', '角'), ('\u{2ec7}', '𧢲'),
    ('\u{2ec8}', '讠'), ('\u{2ec9}', '贝'), ('\u{2eca}', '𧾷'), ('\u{2ecb}', '车'), ('\u{2ecc}', '辶'),
    ('\u{2ecd}', '辷'), ('\u{2ece}', '辸'), ('\u{2ecf}', '邑'), ('\u{2ed0}', '钅'), ('\u{2ed1}', '長'),
    ('\u{2ed2}', '镸'), ('\u{2ed3}', '长'), ('\u{2ed4}', '门'), ('\u{2ed5}', '𨸏'), ('\u{2ed6}', '阝'),
    ('\u{2ed7}', '雨'), ('\u{2ed8}', '青'), ('\u{2ed9}', '韦'), ('\u{2eda}', '页'), ('\u{2edb}', '风'),
    ('\u{2edc}', '飞'), ('\u{2edd}', '食'), ('\u{2ede}', '𩙿'), ('\u{2edf}', '飠'), ('\u{2ee0}', '饣'),
    ('\u{2ee1}', '𩠐'), ('\u{2ee2}', '马'), ('\u{2ee3}', '骨'), ('\u{2ee4}', '鬼'), ('\u{2ee5}', '鱼'),
    ('\u{2ee6}', '鸟'), ('\u{2ee7}', '卤'), ('\u{2ee8}', '麦'), ('\u{2ee9}', '黄'), ('\u{2eea}', '黾'),
    ('\u{2eeb}', '斉'), ('\u{2eec}', '齐'), ('\u{2eed}', '歯'), ('\u{2eee}', '齿'), ('\u{2eef}', '竜'),
    ('\u{2ef0}', '龙'), ('\u{2ef1}', '龜'), ('\u{2ef2}', '亀'), ('\u{2ef3}', '龟'),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_maps_to_ideographs() {
        assert!(SUPPLEMENT.is_sorted_by(|a, b| a.0 < b.0));
        for (radical, ideograph) in SUPPLEMENT {
            assert_eq!(ideograph_of(*radical), Some(*ideograph));
            assert!(!('\u{2e80}'..='\u{2fdf}').contains(ideograph), "{radical} maps to a radical");
        }
    }

    #[test]
    fn what_is_no_radical_of_the_block_is_left_alone() {
        assert_eq!(['a', '方', '\u{2e80}', '\u{2e9a}', '\u{2f45}'].map(ideograph_of), [None; 5]);
    }
}
