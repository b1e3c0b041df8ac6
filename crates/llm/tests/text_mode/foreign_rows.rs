//! Calls in the forms of other protocols: rows 84 to 94, the public cases, and what stays text.

use crate::reading::assert_comes_to;

const CALL: &str = r#"CALL kb_search {"query":"refund"} foreign"#;

pub(crate) const ROWS: &[(&str, &str)] = &[
    // 83, 84
    ("<tool_call>{\"name\":\"kb_search\",\"arguments\":{\"query\":\"refund\"}}</tool_call>", CALL),
    (
        "<tool_call>\n{\"name\":\"kb_search\",\"arguments\":{\"query\":\"refund\"}}\n</tool_call>\n<tool_call>\n{\"name\":\"faq\",\"arguments\":{\"question\":\"b\"}}\n</tool_call>",
        r#"CALL kb_search {"query":"refund"} foreign tail dropped"#,
    ),
    // 85
    (
        "I will look. <tool_call>{\"name\":\"kb_search\",\"arguments\":{\"query\":\"x\"}}</tool_call>",
        r#"SAY(foreign_markup) "I will look.""#,
    ),
    // 87
    (r#"{"name":"kb_search","arguments":{"query":"refund"}}"#, CALL),
    // 88
    (r#"{"name":"Alice","input":"hi"}"#, r#"DONE untagged "{\"name\":\"Alice\",\"input\":\"hi\"}""#),
    // 90
    ("Thought: need docs\nAction: kb_search\nAction Input: refund", CALL),
    // 91
    ("Action： kb_search\nAction Input： 환불", r#"CALL kb_search {"query":"환불"} foreign"#),
    // 93
    ("<function=kb_search>\n<parameter=query>\nrefund\n</parameter>\n</function>\n</tool_call>", CALL),
    // 94
    (
        "<｜DSML｜tool_calls><｜DSML｜invoke name=\"kb_search\"><｜DSML｜parameter name=\"query\" string=\"true\">refund</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜tool_calls>",
        CALL,
    ),
    // attributes, pipes, missing close, prefix, body by name
    ("<tool_call id=\"1\">{\"name\":\"kb_search\",\"arguments\":{\"query\":\"refund\"}}", CALL),
    ("<|tool_call>call:kb_search{query:<|\"|>refund<|\"|>}<tool_call|>", CALL),
    ("<tool_call>kb_search{\"query\":\"refund\"}</tool_call>", CALL),
    ("<tool_call>kb_search[refund]</tool_call>", CALL),
    (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>kb_search\n```json\n{\"query\":\"refund\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        CALL,
    ),
    (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>kb_search<｜tool▁sep｜>{\"query\":\"refund\"}<｜tool▁call▁end｜>",
        CALL,
    ),
    ("[TOOL_CALLS][{\"name\":\"kb_search\",\"arguments\":{\"query\":\"refund\"}}]", CALL),
    (
        "<toolcall> {\"type\":\"function\",\"function\":{\"name\":\"kb_search\",\"arguments\":\"{\\\"query\\\":\\\"refund\\\"}\"}} </toolcall>",
        CALL,
    ),
    (
        "<function_calls><invoke name=\"kb_search\"><parameter name=\"query\" string=\"true\">refund</parameter></invoke></function_calls>",
        CALL,
    ),
    ("<function=kb_search><parameter=query=refund</parameter></function>", CALL),
    ("<function=kb_search>{\"query\":\"refund\"}</function>", CALL),
    // values of the types that the schema states
    (
        "<function=get_order><parameter=order_id>01234</parameter><parameter=verbose>true</parameter></function>",
        r#"CALL get_order {"order_id":"01234","verbose":true} foreign"#,
    ),
    // objects
    ("```json\n{\"name\":\"kb_search\",\"arguments\":{\"query\":\"refund\"}}\n```", CALL),
    (r#"{"tool_calls":[{"function":{"name":"kb_search","arguments":"{\"query\":\"refund\"}"}}]}"#, CALL),
    // by name
    ("kb_search[refund]", CALL),
    ("kb_search {\"query\":\"refund\"}", CALL),
    ("kb_search[refund]\nfaq[b]", r#"CALL kb_search {"query":"refund"} foreign tail dropped"#),
    ("Action: kb_search[refund]", CALL),
    (
        "Action: kb_search\nAction Input: {\"query\":\"refund\"}\nObservation: none",
        r#"CALL kb_search {"query":"refund"} foreign tail dropped"#,
    ),
    // unknown names
    (
        "<tool_call>{\"name\":\"weather\",\"arguments\":{\"city\":\"Seoul\"}}</tool_call>",
        r#"CALL_ERROR weather "{\"city\":\"Seoul\"}" unknown_tool, closest none foreign"#,
    ),
    (
        "<function=weather><parameter=city>Seoul</parameter></function>",
        r#"CALL_ERROR weather "<parameter=city>Seoul</parameter>" unknown_tool, closest none foreign"#,
    ),
    (
        "<tool_call>{\"name\":\"kb_search\",\"arguments\":{}}</tool_call>",
        r#"CALL_ERROR kb_search "{}" missing:query foreign"#,
    ),
    // markup that is no call
    ("<tool_call>what", "EMPTY(foreign_markup)"),
    ("<invoke name=", "EMPTY(foreign_markup)"),
    ("Sure.\n<function=", r#"SAY(foreign_markup) "Sure.""#),
    ("Sure.\nC faq[x]\n<tool_call>{", r#"SAY(foreign_markup) "Sure.""#),
    // text that only looks alike
    ("a `<tool_call>` tag", r#"DONE untagged "a `<tool_call>` tag""#),
    (
        "See:\n```xml\n<tool_call>{}</tool_call>\n```",
        r#"DONE untagged "See:\n```xml\n<tool_call>{}</tool_call>\n```""#,
    ),
    ("a <tool", r#"DONE untagged "a <tool""#),
    ("1 < 2 and [3]", r#"DONE untagged "1 < 2 and [3]""#),
    ("kb_search[x] is how you search", r#"DONE untagged "kb_search[x] is how you search""#),
    ("kb_search is a tool", r#"DONE untagged "kb_search is a tool""#),
    ("Thought: I know.\nThe answer is 4.", r#"DONE untagged "Thought: I know.\nThe answer is 4.""#),
    ("Action: take a pill\nAction Input: one", r#"DONE untagged "Action: take a pill\nAction Input: one""#),
    (r#"{"name":"kb_search"} is an object"#, r#"DONE untagged "{\"name\":\"kb_search\"} is an object""#),
    ("```json\n{\"a\":1}\n```", r#"DONE untagged "```json\n{\"a\":1}\n```""#),
    ("{", r#"DONE untagged "{""#),
    ("```", r#"DONE untagged "```""#),
    ("```\n", r#"DONE untagged "```""#),
];

#[test]
fn every_foreign_row_comes_to_its_outcome_wherever_it_is_split() {
    for (reply, expected) in ROWS {
        assert_comes_to(reply, false, expected);
    }
}
