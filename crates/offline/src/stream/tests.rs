//! The shape of replies.

use super::{Framing, Reply, cut, words};
use crate::brain::Decision;
use crate::wire::reply::Usage;

fn events(decision: Decision, include_usage: bool) -> String {
    let reply = Reply::new(0xabc, "attest-offline", decision, false, Usage::new(12, 5));
    let events = reply.events(include_usage, Framing::default());
    events.iter().map(|event| String::from_utf8(event.to_vec()).unwrap()).collect()
}

#[test]
fn an_answer_streams_word_by_word() {
    let text = events(Decision::Say("It is 84 m. [3]".to_owned()), true);
    insta::assert_snapshot!(text);
}

#[test]
fn a_call_streams_in_fragments() {
    let call = Decision::Call {
        name: "search_chunks".to_owned(),
        arguments: r#"{"query":"瓦伦灯塔 建成"}"#.to_owned(),
    };
    insta::assert_snapshot!(events(call, false));
}

#[test]
fn a_whole_reply_is_one_body() {
    let call = Decision::Call { name: "search_chunks".to_owned(), arguments: r#"{"query":"x"}"#.to_owned() };
    let bodies: Vec<String> = [Decision::Say("Hello!".to_owned()), call]
        .into_iter()
        .map(|decision| Reply::new(0xabc, "attest-offline", decision, false, Usage::new(12, 5)).body())
        .map(|body| String::from_utf8(body).unwrap())
        .collect();
    insta::assert_snapshot!(bodies.join("\n"));
}

#[test]
fn words_are_pieces_and_chinese_goes_two_or_three_characters_at_a_time() {
    assert_eq!(words("It is  84 m. [3]"), ["It", " is", "  84", " m.", " [3]"]);
    assert_eq!(
        words("瓦伦灯塔于1871年建成，很高。[7]"),
        ["瓦伦", "灯塔于", "1871", "年建", "成，很", "高。", "[7]"]
    );
    assert_eq!(words("a👩‍👧b"), ["a", "👩‍👧", "b"]);
    assert_eq!(words(""), Vec::<&str>::new());
}

#[test]
fn a_text_is_cut_at_a_word() {
    assert_eq!(cut("one two three", 2), ("one two".to_owned(), true));
    assert_eq!(cut("one two three", 100), ("one two three".to_owned(), false));
    assert_eq!(cut("one", 0), (String::new(), true));
}
