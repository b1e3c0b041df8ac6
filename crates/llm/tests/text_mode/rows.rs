//! Reply → outcome: the table of the design, row by row, and what its rules say beside it.

use attest_llm::chat::ChatMessage;
use attest_llm::text_mode::NEXT;

use crate::reading::{assert_comes_to, in_words, reader_after};

/// The table. The finish is `stop`.
pub(crate) const ROWS: &[(&str, &str)] = &[
    // 1
    ("T Let me check the policy.", r#"SAY "Let me check the policy.""#),
    // 3
    ("E", "EMPTY(no_answer)"),
    ("E.", "EMPTY(no_answer)"),
    ("e", "EMPTY(no_answer)"),
    // 4
    ("C kb_search[refund policy]", r#"CALL kb_search {"query":"refund policy"}"#),
    // 6
    (
        r#"C kb_search{"query":"refund policy","top_k":3}"#,
        r#"CALL kb_search {"query":"refund policy","top_k":3}"#,
    ),
    // 7
    ("C today[]", "CALL today {}"),
    ("C today", "CALL today {}"),
    // 9
    (" \n\u{feff}E hi", r#"DONE "hi""#),
    // 10
    (
        "<think>need docs</think>\nC kb_search[refund]",
        r#"CALL kb_search {"query":"refund"} thought "need docs""#,
    ),
    // 12
    ("", "EMPTY(blank)"),
    (" \n\u{3000}\u{a0}", "EMPTY(blank)"),
    // 13
    ("```\nC kb_search[refund]\n```", r#"CALL kb_search {"query":"refund"}"#),
    // 15
    ("```python\nprint(1)\n```", r#"DONE untagged "```python\nprint(1)\n```""#),
    // 16
    ("**T** One moment", r#"SAY "One moment""#),
    ("T: One moment", r#"SAY "One moment""#),
    // 18
    ("Ｅ：답변입니다", r#"DONE "답변입니다""#),
    // 19
    ("Ｃ\u{3000}kb_search［환불 규정｜3］", r#"CALL kb_search {"query":"환불 규정","top_k":3}"#),
    // 21
    ("С вами свяжется оператор.", r#"DONE untagged "С вами свяжется оператор.""#),
    // 22
    ("C is a programming language.", r#"DONE untagged "C is a programming language.""#),
    ("C++ is fast", r#"DONE untagged "C++ is fast""#),
    // 24
    ("E = mc²", r#"DONE "= mc²""#),
    // 25
    ("T Let me check.\nC kb_search[refund]", r#"SAY(second_call) "Let me check.""#),
    // 27
    ("Sure, checking.\nC kb_search[refund]", r#"SAY(second_call) "Sure, checking.""#),
    // 28
    ("T Let me check. C kb_search[refund]", r#"SAY "Let me check. C kb_search[refund]""#),
    // 30
    ("T C kb_search[x]", r#"SAY(second_call) """#),
    ("E C kb_search[x]", r#"DONE "C kb_search[x]""#),
    // 31
    (
        "T Example:\n```\nC kb_search[refund]\n```\ndone",
        r#"SAY "Example:\n```\nC kb_search[refund]\n```\ndone""#,
    ),
    // 33
    ("T Grades:\nC was the average.\nE was rare.", r#"SAY "Grades:\nC was the average.\nE was rare.""#),
    // 34
    ("T Refunds take 5 days.\nE", r#"DONE "Refunds take 5 days.""#),
    // 36
    ("T", "EMPTY(empty_T)"),
    ("T ", "EMPTY(empty_T)"),
    // 37
    ("T\nhello", r#"SAY "hello""#),
    // 39
    ("C kb_search[refund]\r\n", r#"CALL kb_search {"query":"refund"}"#),
    // 40
    ("C kb_search[a]\nC kb_search[b]", r#"CALL kb_search {"query":"a"} tail dropped"#),
    // 42
    ("C kb_search[a] // look it up", r#"CALL kb_search {"query":"a"} tail dropped"#),
    // 43
    ("R kb_search ok\nfound", "EMPTY(fabricated_result)"),
    // 45
    ("C kb_search[a|b|c]", r#"CALL_ERROR kb_search "[a|b|c]" too_many_args"#),
    // 46
    (r"C kb_search[a \| b|3]", r#"CALL kb_search {"query":"a | b","top_k":3}"#),
    // 48
    ("C send_mail[x@y.z|Hi]", r#"CALL_ERROR send_mail "[x@y.z|Hi]" missing:body"#),
    // 49
    ("C kb_search[]", r#"CALL_ERROR kb_search "[]" missing:query"#),
    ("C kb_search[|3]", r#"CALL_ERROR kb_search "[|3]" missing:query"#),
    // 51
    ("C get_order[A-17|yes]", r#"CALL get_order {"order_id":"A-17","verbose":true}"#),
    // 52
    ("C kb_search[arr[0] meaning]", r#"CALL kb_search {"query":"arr[0] meaning"}"#),
    // 54
    ("C faq[is a] b ok]", r#"CALL faq {"question":"is a] b ok"}"#),
    // 55
    ("C faq[a] C faq[b]", r#"CALL faq {"question":"a"} tail dropped"#),
    // 57
    ("C kb_search[refund", r#"CALL kb_search {"query":"refund"}"#),
    // 60
    (r#"C kb_search{"query":"refund"#, r#"CALL_ERROR kb_search "{\"query\":\"refund" bad_json"#),
    // 61
    (r#"C kb_search{"query":"refund""#, r#"CALL kb_search {"query":"refund"}"#),
    // 63
    (r#"C kb_search{'query':"refund"}"#, r#"CALL kb_search {"query":"refund"}"#),
    // 64
    ("C kb_search{'query':'refund'}", r#"CALL_ERROR kb_search "{'query':'refund'}" bad_json"#),
    // 66
    (r#"C kb_search{{"query":"refund"}}"#, r#"CALL kb_search {"query":"refund"}"#),
    // 67
    ("C kb_search{“query”:“refund”}", r#"CALL kb_search {"query":"refund"}"#),
    // 69
    (
        r#"C kb_search{"query":"refund","foo":1}"#,
        r#"CALL_ERROR kb_search "{\"query\":\"refund\",\"foo\":1}" unknown_arg:foo"#,
    ),
    // 70
    ("C kb_search {\n \"query\": \"refund\"\n}", r#"CALL kb_search {"query":"refund"}"#),
    // 72
    (r#"C kb_search("refund")"#, r#"CALL_ERROR kb_search "(\"refund\")" no_bracket"#),
    ("C kb_search refund policy", r#"CALL_ERROR kb_search "refund policy" no_bracket"#),
    // 73
    ("C kb_serch[refund]", r#"CALL_ERROR kb_serch "[refund]" unknown_tool, closest kb_search"#),
    // 75
    ("C weather[Seoul]", r#"CALL_ERROR weather "[Seoul]" unknown_tool, closest none"#),
    // 76
    (r#"C functions.kb_search:0{"query":"x"}"#, r#"CALL kb_search {"query":"x"}"#),
    // 78
    ("C kb_search[query=refund|top_k=3]", r#"CALL kb_search {"query":"refund","top_k":3}"#),
    // 79
    (r#"C kb_search["refund", 3]"#, r#"CALL kb_search {"query":"refund","top_k":3}"#),
    // 81
    (r#"C make_report[Q3|{"region":"KR"}]"#, r#"CALL make_report {"title":"Q3","filters":{"region":"KR"}}"#),
    // 82
    ("C make_report[Q3|region=KR]", r#"CALL_ERROR make_report "[Q3|region=KR]" use_json:filters"#),
    // 84 to 94: foreign_rows
    // 96
    ("E the <tool_call> tag means a call", r#"DONE "the <tool_call> tag means a call""#),
    // 97
    ("assistant: E hello", r#"DONE "hello""#),
    // 99
    ("TE hello", r#"DONE untagged "TE hello""#),
    ("T. hello", r#"DONE untagged "T. hello""#),
];

/// The rows whose reply the token limit cut.
pub(crate) const CUT_ROWS: &[(&str, &str)] = &[
    // 58
    ("C kb_search[refund", r#"CALL_ERROR kb_search "[refund" cut_off"#),
    // 60
    (r#"C kb_search{"query":"refund"#, r#"CALL_ERROR kb_search "{\"query\":\"refund" cut_off"#),
    // 61
    (r#"C kb_search{"query":"refund""#, r#"CALL_ERROR kb_search "{\"query\":\"refund\"" cut_off"#),
    // 100
    ("E A\nB  ", r#"DONE cut "A\nB""#),
    // P5
    ("T Let me", r#"DONE cut "Let me""#),
    ("C kb_search[a]\nand", r#"CALL kb_search {"query":"a"} tail dropped"#),
];

/// What the rules say beside the table.
pub(crate) const MORE_ROWS: &[(&str, &str)] = &[
    // H2: thoughts
    ("<think>a</think><thinking>b</thinking>E x", r#"DONE "x" thought "ab""#),
    ("<think>never closed", r#"EMPTY(reasoning_only) thought "never closed""#),
    ("<think/>Hello", r#"DONE untagged "Hello""#),
    ("E a `<think>` tag", r#"DONE "a `<think>` tag""#),
    ("<think>a</think>", r#"EMPTY(blank) thought "a""#),
    ("a</think>E b", r#"DONE untagged "a</think>E b""#),
    // H3: fences
    ("```text\nE hello\n```\n", r#"DONE "hello""#),
    ("```\nT One moment\n```", r#"SAY "One moment""#),
    ("```\nE use:\n```sh\nls\n```\n```", r#"DONE "use:\n```sh\nls\n```""#),
    ("`` ` ``", r#"DONE untagged "`` ` ``""#),
    // H5, H6: letters and separators
    ("[E] hello", r#"DONE "hello""#),
    ("`T` hello", r#"SAY "hello""#),
    ("(C) 2024 Acme", r#"DONE untagged "(C) 2024 Acme""#),
    ("E. coli is a bacterium.", r#"DONE untagged "E. coli is a bacterium.""#),
    ("c faq[x]", r#"CALL faq {"question":"x"}"#),
    ("c for yourself", r#"DONE untagged "c for yourself""#),
    ("energy", r#"DONE untagged "energy""#),
    ("Assistant：E hello", r#"DONE "hello""#),
    ("assistants help", r#"DONE untagged "assistants help""#),
    ("assistant: nothing", r#"DONE untagged "assistant: nothing""#),
    // H7: shapes
    ("C", r#"DONE untagged "C""#),
    ("C today.", "CALL today {}"),
    ("C KB-Search[x]", r#"CALL kb_search {"query":"x"}"#),
    ("C call:faq[x]", r#"CALL faq {"question":"x"}"#),
    ("C faq({\"question\":\"x\"})", r#"CALL faq {"question":"x"}"#),
    ("C faq\n{\"question\":\"x\"}", r#"CALL faq {"question":"x"}"#),
    // H8
    ("R is a language.", r#"DONE untagged "R is a language.""#),
    ("R kb_search says so", r#"DONE untagged "R kb_search says so""#),
    // P2, P3: the ends of words
    ("T a\nC faq[x]\nmore", r#"SAY "a\nC faq[x]\nmore""#),
    ("T a\nC faq[x]\nC faq[y]\n\n", r#"SAY(second_call) "a""#),
    ("T a\nR kb_search ok 12ab\nfound", r#"SAY(fabricated_result) "a""#),
    ("T a\nC faq[x]\nR faq ok\nfound", r#"SAY(fabricated_result) "a""#),
    ("Sure.\nE", r#"DONE untagged "Sure.""#),
    ("E Grades:\nE", r#"DONE "Grades:\nE""#),
    ("T E\nis a letter", r#"SAY "E\nis a letter""#),
    ("T a\nC faq[x] is a call", r#"SAY "a\nC faq[x] is a call""#),
    ("T one\n\n\ntwo \n", r#"SAY "one\n\n\ntwo""#),
    // C3 to C9
    ("C faq[what is [ in regex]", r#"CALL faq {"question":"what is [ in regex"}"#),
    ("C faq[a\nb", r#"CALL_ERROR faq "[a" unclosed"#),
    ("C faq[a|b]", r#"CALL faq {"question":"a|b"}"#),
    ("C faq[“a b”]", r#"CALL faq {"question":"a b"}"#),
    (r#"C faq["a" or "b"]"#, r#"CALL faq {"question":"\"a\" or \"b\""}"#),
    (r#"C faq["a", "b"]"#, r#"CALL faq {"question":"\"a\", \"b\""}"#),
    ("C kb_search[2015, 2016]", r#"CALL kb_search {"query":"2015, 2016"}"#),
    ("C faq[C:\\temp]", r#"CALL faq {"question":"C:\\temp"}"#),
    ("C faq[http://x.y/?question=1]", r#"CALL faq {"question":"http://x.y/?question=1"}"#),
    ("C kb_search[a|three]", r#"CALL_ERROR kb_search "[a|three]" bad_type:top_k"#),
    ("C get_order[A|maybe]", r#"CALL_ERROR get_order "[A|maybe]" bad_type:verbose"#),
    ("C today[x]", r#"CALL_ERROR today "[x]" too_many_args"#),
    // C10 to C13
    ("C today{}", "CALL today {}"),
    ("C today{null}", "CALL today {}"),
    ("C faq{question:\"x\",}", r#"CALL faq {"question":"x"}"#),
    (r#"C faq{"question':"x"}"#, r#"CALL faq {"question":"x"}"#),
    ("C faq{question:<|\"|>x<|\"|>}", r#"CALL faq {"question":"x"}"#),
    ("C faq{\"question\":\"a\nb\"}", r#"CALL faq {"question":"a\nb"}"#),
    ("C faq｛“question”：“x”｝", r#"CALL faq {"question":"x"}"#),
    (r#"C faq{"arguments":{"question":"x"}}"#, r#"CALL faq {"question":"x"}"#),
    (r#"C faq{"name":"faq","arguments":{"question":"x"}}"#, r#"CALL faq {"question":"x"}"#),
    (r#"C faq{"question":"}"}"#, r#"CALL faq {"question":"}"}"#),
    (
        r#"C kb_search{"query":"x","top_k":"3"}"#,
        r#"CALL_ERROR kb_search "{\"query\":\"x\",\"top_k\":\"3\"}" bad_type:top_k"#,
    ),
    (r#"C kb_search{"query":"x","top_k":null}"#, r#"CALL kb_search {"query":"x"}"#),
    (r#"C faq{"question":null}"#, r#"CALL_ERROR faq "{\"question\":null}" missing:question"#),
    // F3
    ("Let me look that up:", r#"SAY(announce) "Let me look that up:""#),
    ("One moment…", r#"SAY(announce) "One moment…""#),
];

#[test]
fn every_row_comes_to_its_outcome_wherever_it_is_split() {
    for (reply, expected) in ROWS.iter().chain(MORE_ROWS) {
        assert_comes_to(reply, false, expected);
    }
    for (reply, expected) in CUT_ROWS {
        assert_comes_to(reply, true, expected);
    }
}

#[test]
fn carriage_returns_change_nothing() {
    for (reply, expected) in ROWS.iter().chain(MORE_ROWS) {
        assert_comes_to(&reply.replace('\n', "\r\n"), false, expected);
        assert_comes_to(&reply.replace('\n', "\r"), false, expected);
    }
}

fn question() -> ChatMessage {
    ChatMessage::User { content: "When do refunds arrive?".into() }
}

fn said(text: &str) -> ChatMessage {
    ChatMessage::Assistant { content: Some(text.into()), tool_calls: vec![] }
}

fn next() -> ChatMessage {
    ChatMessage::User { content: NEXT.into() }
}

#[test]
fn what_the_turn_has_shown_decides_over_empty_repeated_and_announcing_replies() {
    let told = [question(), said("Let me look."), next()];
    let announced = [question(), said("I will look:"), next()];
    let ran = [question(), ChatMessage::Tool { tool_call_id: "a".into(), content: "5 days".into() }];
    let before = [question(), said("Let me look."), question()];
    let cases: [(&[ChatMessage], &str, &str); 9] = [
        (&told, "E", r#"DONE """#),
        (&told, "E.", r#"DONE """#),
        (&before, "E", "EMPTY(no_answer)"),
        (&told, "T Let me look.", r#"SAY(repeated) """#),
        (&told, "T Let me look. Again.", r#"SAY "Let me look. Again.""#),
        (&before, "T Let me look.", r#"SAY "Let me look.""#),
        (&announced, "I will look again:", r#"DONE untagged "I will look again:""#),
        (&ran, "I found:", r#"DONE untagged "I found:""#),
        (&told, "I will look:", r#"SAY(announce) "I will look:""#),
    ];
    for (messages, reply, expected) in cases {
        let whole = attest_llm::text_mode::read(reader_after(messages), reply, false);
        assert_eq!(in_words(&whole), expected, "{reply:?} after {messages:?}");
        for (at, _) in reply.char_indices() {
            let (a, b) = reply.split_at(at);
            assert_eq!(
                crate::reading::read_in_pieces(reader_after(messages), [a, b], false),
                whole,
                "{a:?} {b:?}"
            );
        }
    }
}
