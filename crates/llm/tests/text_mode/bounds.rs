//! Long replies: read once from front to back, never kept beyond their bound. A reader that looked at anything twice
//! would not get through these single characters in a test's time.

use attest_llm::text_mode::{Fault, Outcome, Piece, REPLY_LIMIT};

use crate::reading::{in_words, read, read_in_pieces, reader};

fn in_characters(reply: &str, cut: bool) -> (String, String, Outcome) {
    read_in_pieces(reader(), reply.char_indices().map(|(at, c)| &reply[at..at + c.len_utf8()]), cut)
}

#[test]
fn a_long_reply_is_read_in_single_characters() {
    let filled = |head: &str, filler: &str| {
        let mut reply = head.to_owned();
        while reply.len() + filler.len() <= REPLY_LIMIT / 4 {
            reply.push_str(filler);
        }
        reply
    };
    let replies = [
        filled("E ", "word "),
        filled("T ", "C faq[x]\n"),
        filled("T ", "E\n"),
        filled("T a\n", "R faq "),
        filled("T a\nC faq[", "[x"),
        filled("T a\n", "```\n"),
        filled("", " "),
        filled("x", " "),
        filled("", "<"),
        filled("x ", "<tool_cal"),
        filled("x ", "`<tool_call>"),
        filled("x ", "["),
        filled("", "{"),
        filled("{\"name\":", "{\"a\":"),
        filled("<tool_call>", "{\"a\":["),
        filled("<tool_call>", "<tool_call>"),
        filled("<think>", "a</thin"),
        filled("<think>", "a"),
        filled("Thought: ", "a"),
        filled("Thought: a\nAction: faq\nAction Input: ", "|"),
        filled("```\n", "\n"),
        filled("```\nE ", "```\n"),
        filled("assistant:", " "),
        filled("faq[", "[]"),
        filled("C faq{", "'a',"),
        filled("C faq{", "{,}"),
        filled("C faq[", "\\"),
        filled("<function=faq>", "<parameter=question>"),
    ];
    for reply in replies {
        let whole = read(&reply, false);
        assert_eq!(in_characters(&reply, false), whole, "{}", reply.chars().take(40).collect::<String>());
    }
}

#[test]
fn what_is_longer_than_the_longest_reply_is_cut_as_if_by_the_token_limit() {
    let reply = format!("E {}", "a".repeat(REPLY_LIMIT));
    let (shown, _, outcome) = read(&reply, false);
    assert_eq!((shown.len(), outcome), (REPLY_LIMIT - 2, Outcome::Done { cut: true, untagged: false }));
    let mut reader = reader();
    let mut out = Vec::new();
    reader.take(&reply, &mut out);
    assert!(reader.is_complete());
    let told = out
        .iter()
        .filter(|piece| matches!(piece, Piece::Text(text) if text.len() == REPLY_LIMIT - 2))
        .count();
    assert_eq!(told, 1);
}

#[test]
fn a_call_that_is_too_long_is_refused_and_the_endpoint_is_left() {
    for (head, filler, tail) in [
        ("C faq[", "[[a] ", ""),
        ("C faq{\"question\":\"", "a", "\"}"),
        ("C faq[", "a", "]"),
        ("C faq{", "[", "}"),
        ("C faq{", "{\"a\":", "}"),
    ] {
        let reply = format!("{head}{}{tail}", filler.repeat(40_000 / filler.len()));
        let whole = read(&reply, false);
        assert!(
            matches!(&whole.2, Outcome::CallError { fault: Fault::TooLong, .. }),
            "{head}: {}",
            in_words(&whole)
        );
        let mut reader = reader();
        for piece in reply.as_bytes().chunks(100) {
            reader.take(std::str::from_utf8(piece).unwrap(), &mut Vec::new());
        }
        assert!(reader.is_complete(), "{head}");
        assert_eq!(reader.finish(false, &mut Vec::new()), whole.2);
    }
}

#[test]
fn a_value_or_a_depth_beyond_its_bound_is_refused() {
    let value = "a".repeat(16 * 1024 + 1);
    let deep = format!("{}{}", "{\"a\":".repeat(33), "1") + &"}".repeat(33);
    for reply in [
        format!("C faq[{value}]"),
        format!("C faq{{\"question\":\"{value}\"}}"),
        format!("C make_report{{\"title\":\"x\",\"filters\":{deep}}}"),
    ] {
        let whole = read(&reply, false);
        assert!(matches!(&whole.2, Outcome::CallError { fault: Fault::TooLong, .. }), "{}", in_words(&whole));
    }
    assert!(matches!(read(&format!("C faq[{}]", &value[1..]), false).2, Outcome::Call(_)));
    let name = format!("C {}[x]", "a".repeat(65));
    assert_eq!(in_words(&read(&name, false)), format!("DONE untagged {name:?}"));
}

#[test]
fn a_whole_call_with_a_tail_is_complete_and_a_shorter_tail_is_waited_for() {
    for (reply, complete) in [
        ("C faq{\"question\":\"a\"} and then some more words", true),
        ("C faq{\"question\":\"a\"} and then", false),
        ("C faq[a]\nR faq ok 12ab\nfive days\nR end", true),
        // The last bracket of the line may yet close.
        ("C faq[a] and then some more words than these", false),
        ("T a\nC faq[a]\nR faq ok 12ab\nfive days\nR end", false),
    ] {
        let mut reader = reader();
        reader.take(reply, &mut Vec::new());
        assert_eq!(reader.is_complete(), complete, "{reply:?}");
    }
}
