use proptest::prelude::*;

use super::*;
use crate::parse::find_format;

fn read(name: &str, text: &str, max_tokens: usize) -> (String, Vec<Chunk>) {
    let parsed = (find_format(name).unwrap().parse)(text.as_bytes()).unwrap();
    let chunks = cut(&parsed, DocumentId::new(), max_tokens, &|| false).unwrap();
    (parsed.text, chunks)
}

/// One line a passage: its span, its heading path, its text.
fn shown(name: &str, text: &str, max_tokens: usize) -> String {
    let (_, chunks) = read(name, text, max_tokens);
    let lines = chunks.iter().map(|chunk| {
        let path = chunk.heading_path.join(" > ");
        format!("{}..{} [{path}] {:?}\n", chunk.span.start, chunk.span.end, chunk.text)
    });
    lines.collect()
}

/// What must hold for the passages of any text.
fn check(text: &str, chunks: &[Chunk]) {
    let characters: Vec<char> = text.chars().collect();
    let mut end = 0;
    for (ordinal, chunk) in chunks.iter().enumerate() {
        assert_eq!(chunk.ordinal as usize, ordinal);
        assert!(chunk.span.start >= end, "passages are in order and do not overlap");
        let spoken: String = characters[chunk.span.start as usize..chunk.span.end as usize].iter().collect();
        assert_eq!(spoken, chunk.text);
        assert!(!chunk.text.trim().is_empty());
        let between: String = characters[end as usize..chunk.span.start as usize].iter().collect();
        assert!(between.trim().is_empty(), "{between:?} is in no passage");
        end = chunk.span.end;
    }
    let rest: String = characters[end as usize..].iter().collect();
    assert!(rest.trim().is_empty(), "{rest:?} is in no passage");
}

#[test]
fn passages_of_markdown_stay_in_their_sections() {
    let text = "Before.\n\n# Bell Labs\n\n## History\n\nFounded in 1925. 😀\n\n## People\n\nMervin Kelly was its president from 1951 to 1959. He had been its director of research. James Fisk followed him and stayed until 1973.\n\n# 图灵\n\n艾伦·图灵生于1912年。\n\n## Empty\n";
    insta::assert_snapshot!(shown("a.md", text, 20), @r###"
    0..7 [] "Before."
    9..52 [Bell Labs > History] "# Bell Labs\n\n## History\n\nFounded in 1925. 😀"
    54..114 [Bell Labs > People] "## People\n\nMervin Kelly was its president from 1951 to 1959."
    115..152 [Bell Labs > People] "He had been its director of research."
    153..199 [Bell Labs > People] "James Fisk followed him and stayed until 1973."
    201..220 [图灵] "# 图灵\n\n艾伦·图灵生于1912年。"
    222..230 [图灵 > Empty] "## Empty"
    "###);
}

#[test]
fn a_heading_is_never_alone_before_its_text() {
    let text = "# A heading of several words\n\nOne two three four five six seven eight nine ten eleven twelve thirteen fourteen.\n";
    insta::assert_snapshot!(shown("a.md", text, 12), @r###"
    0..78 [A heading of several words] "# A heading of several words\n\nOne two three four five six seven eight nine ten"
    79..111 [A heading of several words] "eleven twelve thirteen fourteen."
    "###);
}

#[test]
fn plain_text_has_no_headings() {
    insta::assert_snapshot!(shown("a.txt", "# no heading\r\n\r\nA line.\nAnother line, 文字。\n", 8), @r###"
    0..12 [] "# no heading"
    14..21 [] "A line."
    22..39 [] "Another line, 文字。"
    "###);
}

#[test]
fn a_passage_of_the_default_size_is_under_800_characters_and_200_tokens() {
    let vocabulary = tiktoken_rs::o200k_base().unwrap();
    let english = "The laboratory was founded in 1925 and its president was Frank Jewett. ".repeat(60);
    let chinese = "贝尔实验室成立于1925年，第一任总裁是弗兰克·朱厄特。".repeat(60);
    for text in [english, chinese, "x".repeat(5_000), format!("a{}b", " ".repeat(3_000))] {
        let (text, chunks) = read("a.txt", &text, 200);
        check(&text, &chunks);
        for chunk in &chunks {
            assert!(chunk.text.chars().count() <= 800);
            assert!(vocabulary.encode_ordinary(&chunk.text).len() <= 200);
        }
    }
}

#[test]
fn what_passes_its_deadline_is_given_up() {
    let parsed = (find_format("a.md").unwrap().parse)(b"# a\n\nb\n").unwrap();
    assert_eq!(cut(&parsed, DocumentId::new(), 200, &|| true), Err(OutOfTime));
}

#[test]
fn a_line_without_end_is_cut_into_full_passages() {
    let (text, chunks) = read("a.txt", &"long line without any end ".repeat(2_000), 200);
    check(&text, &chunks);
    let lengths: Vec<usize> = chunks.iter().map(|chunk| chunk.text.chars().count()).collect();
    assert!(lengths.iter().rev().skip(1).all(|length| *length >= 750), "{lengths:?}");
    for text in ["字".repeat(5_000), "x".repeat(9_000), format!("a{}b", " ".repeat(20_000))] {
        let (text, chunks) = read("a.md", &text, 200);
        check(&text, &chunks);
    }
}

/// Case: a file of one line made a reader hang. The work is asked for its time every few kilobytes, however the
/// text is made.
#[test]
fn the_time_is_looked_at_every_few_kilobytes() {
    let asked = std::cell::Cell::new(0);
    let parsed =
        (find_format("a.txt").unwrap().parse)(" ".repeat(100_000).replacen(' ', "x", 1).as_bytes()).unwrap();
    let chunks = cut(&parsed, DocumentId::new(), 200, &|| {
        asked.set(asked.get() + 1);
        false
    });
    assert_eq!((chunks.map(|chunks| chunks.len()), asked.get()), (Ok(1), 16));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_passage_is_the_text_at_its_span(
        blocks in prop::collection::vec(
            prop_oneof![
                "#{1,6} [a-z字😀é ]{0,12}",
                "[a-z]{1,8}\n(=|-){1,4}",
                "[a-zA-Z0-9 .,\u{301}é字漢かな한글😀👩\u{200d}🚀*_`\\[\\]()|>-]{0,120}",
                "```\n# [a-z ]{0,10}\n```",
                "(- [a-z字]{0,10}\n){1,4}",
                "> # [a-z]{1,5}\n> [a-z字]{0,40}",
                "\\| a \\| b \\|\n\\|---\\|---\\|\n\\| [a-z字]{0,9} \\| c \\|",
                "---",
                "[ \t]{0,5}",
            ],
            1..12,
        ),
        separator in prop_oneof![Just("\n\n"), Just("\n"), Just("\r\n\r\n")],
        max_tokens in 1_usize..40,
    ) {
        let text = format!("x{separator}{}", blocks.join(separator));
        for name in ["a.md", "a.txt"] {
            let (text, chunks) = read(name, &text, max_tokens);
            check(&text, &chunks);
        }
    }
}
