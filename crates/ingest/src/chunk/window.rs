//! Large sections in windows: the splitter's work grows faster than the text, so it sees a bounded piece at a time.

use std::ops::Range;

/// The largest piece the splitter sees, in bytes.
const WINDOW_BYTES: usize = 16 * 1024;

/// Cuts a stretch of the text into windows: at a blank line, else a line end, else the end of a sentence, else a
/// space, else anywhere between two characters.
pub(super) fn divide(text: &str, stretch: Range<usize>) -> Vec<Range<usize>> {
    let mut windows = Vec::new();
    let mut start = stretch.start;
    while stretch.end.saturating_sub(start) > WINDOW_BYTES {
        let limit = text.floor_char_boundary(start + WINDOW_BYTES);
        // Not in the first half: windows would become small and many.
        let middle = text.floor_char_boundary(start + WINDOW_BYTES / 2);
        let half = text.get(middle..limit).unwrap_or("");
        let end = middle + last_break(half).unwrap_or(half.len());
        windows.push(start..end);
        start = end;
    }
    windows.push(start..stretch.end);
    windows
}

/// The byte after the best place to cut.
fn last_break(half: &str) -> Option<usize> {
    let after = |found: &str| half.rfind(found).map(|at| at + found.len());
    after("\n\n")
        .or_else(|| after("\n"))
        .or_else(|| ["。", "！", "？", ". ", "! ", "? "].into_iter().filter_map(after).max())
        .or_else(|| half.rfind(char::is_whitespace).map(|at| half.ceil_char_boundary(at + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(text: &str) -> Vec<usize> {
        let windows = divide(text, 0..text.len());
        let joined: String = windows.iter().map(|window| &text[window.clone()]).collect();
        assert_eq!(joined, text, "nothing is lost between windows");
        windows.into_iter().map(|window| window.len()).collect()
    }

    #[test]
    fn a_small_stretch_is_one_window() {
        assert_eq!(divide("abc", 1..3), [1..3]);
        assert_eq!(sizes(""), [0]);
    }

    #[test]
    fn a_window_ends_at_the_best_place_in_its_second_half() {
        let a = |n| "a".repeat(n);
        assert_eq!(sizes(&format!("{}\n\n{}\n{}", a(10_000), a(1_000), a(9_000))), [10_002, 10_001]);
        assert_eq!(sizes(&format!("{}。{}", a(10_000), a(9_000))), [10_003, 9_000]);
        assert_eq!(sizes(&format!("{}\u{3000}{}", a(10_000), a(9_000))), [10_003, 9_000]);
        assert_eq!(sizes(&a(40_000)), [16_384, 16_384, 7_232]);
        assert_eq!(sizes(&"字".repeat(10_000)), [16_383, 13_617]);
    }
}
