use proptest::prelude::*;

use super::*;

/// Numbers 1 to 9 are issued. Gives the text shown and what was counted.
fn filter(pieces: &[&str]) -> (String, Counted) {
    let issued = |n| (1..=9).contains(&n);
    let mut filter = CitationFilter::default();
    let mut shown: String = pieces.iter().map(|piece| filter.push(piece, issued)).collect();
    let (rest, counted) = filter.finish();
    shown.push_str(&rest);
    (shown, counted)
}

fn counted(cited: &[u32], unissued: u32) -> Counted {
    Counted { cited: cited.iter().copied().collect(), unissued }
}

#[test]
fn every_spelling_of_a_mark_is_read() {
    for (text, shown, cited, unissued) in [
        ("A [3].", "A [3].", &[3][..], 0),
        ("A [1, 2][3].", "A [1, 2][3].", &[1, 2, 3], 0),
        ("甲［３］。", "甲［３］。", &[3], 0),
        ("甲【1，2】。", "甲【1，2】。", &[1, 2], 0),
        ("甲【1、2；3】。", "甲【1、2；3】。", &[1, 2, 3], 0),
        ("A [10].", "A.", &[], 1),
        ("A [0].", "A.", &[], 1),
        ("A[10]B", "AB", &[], 1),
        ("A [1, 10, 2].", "A [1, 2].", &[1, 2], 1),
        ("甲【10】。", "甲。", &[], 1),
        ("A [10][11] [1].", "A [1].", &[1], 2),
        ("A [10", "A [10", &[], 0),
        ("A [2024 report]", "A [2024 report]", &[], 0),
        ("A [12345].", "A [12345].", &[], 0),
        ("A [].", "A [].", &[], 0),
        ("A [ , ].", "A [ , ].", &[], 0),
        ("A [text](http://x/) [1]", "A [text](http://x/) [1]", &[1], 0),
        ("A [[1]]", "A [[1]]", &[1], 0),
        ("A [[10]]", "A []", &[], 1),
        ("two  spaces  [10]  end ", "two  spaces  end ", &[], 1),
    ] {
        assert_eq!(filter(&[text]), (shown.to_owned(), counted(cited, unissued)), "{text}");
    }
}

#[test]
fn in_code_brackets_are_code() {
    for text in [
        "`a[10]` and `[11]`",
        "``a ` [10]`` x",
        "```\na[10]\n```\n",
        "~~~\n[10]\n~~~\n",
        "````\n```\n[10]\n````\n",
        "  ```rust\nlet x = a[10];\n  ```\n",
    ] {
        assert_eq!(filter(&[text]), (text.to_owned(), counted(&[], 0)), "{text}");
    }
}

#[test]
fn after_code_marks_are_marks_again() {
    assert_eq!(filter(&["`a[10]` b [10]"]).0, "`a[10]` b");
    assert_eq!(filter(&["```\n[10]\n```\nb [10]"]).0, "```\n[10]\n```\nb");
    assert_eq!(filter(&["a stray ` tick\n\nb [10]"]).0, "a stray ` tick\n\nb");
}

#[test]
fn a_mark_that_comes_in_pieces_never_flashes() {
    let issued = |n| n == 1;
    let mut filter = CitationFilter::default();
    let shown: Vec<String> = ["So", " it is [", "1", "2", "]. And [", "1", "]"]
        .iter()
        .map(|piece| filter.push(piece, issued))
        .collect();
    assert_eq!(shown, ["So", " it is", "", "", ". And", "", " [1]"]);
}

#[test]
fn what_is_kept_back_is_bounded() {
    let mut filter = CitationFilter::default();
    let text = format!("[{}", "1, ".repeat(1000));
    let shown = filter.push(&text, |_| true);
    assert!(text.chars().count() - shown.chars().count() <= LONGEST_MARK + 1);
    let blanks = " ".repeat(1000);
    assert!(CitationFilter::default().push(&blanks, |_| true).len() >= 1000 - LONGEST_MARK);
}

proptest! {
    #[test]
    fn where_a_text_is_cut_changes_nothing(text in "[a `~\\[\\]［】0-9,\n]{0,60}", cuts in proptest::collection::vec(0usize..60, 0..6)) {
        let chars: Vec<char> = text.chars().collect();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|at| at.min(chars.len())).collect();
        cuts.extend([0, chars.len()]);
        cuts.sort_unstable();
        let pieces: Vec<String> = cuts.windows(2).map(|cut| chars[cut[0]..cut[1]].iter().collect()).collect();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        prop_assert_eq!(filter(&pieces), filter(&[&text]));
    }

    #[test]
    fn when_every_number_is_issued_the_text_stays_as_it_is(text in "[a `~\\[\\]［】0-9,\n]{0,60}") {
        let mut filter = CitationFilter::default();
        let mut shown = filter.push(&text, |_| true);
        shown.push_str(&filter.finish().0);
        prop_assert_eq!(shown, text);
    }
}
