//! The model on a request that teaches the blocks, on invented knowledge and invented tools.

use serde_json::{Value, json};

use crate::brain::{Decision, decide};

const LESSON: &str = "You answer questions from a base.\n\n[How to reply]\n\
    Every reply you send is exactly one block. Its first character is the block letter, then one space.\n\
    \x20 T <words>             tell the user something now; you get another turn\n\
    \x20 C <tool>[<values>]    run one tool; its result is the next message\n\
    Rules\n\
    1. One block per reply.\n\
    Tools\n\
    \x20 leave[reason]   answer without looking. JSON only: tone\n\
    \x20 lookup[query|limit?]   look into the base. query: words to look for.\n\
    \x20 report{\"title\": string, \"filters\"?: object}   writes a report\n\
    Example, four separate messages\n\
    \x20 user  When do refunds arrive?\n\
    \x20 you   C lookup[refund time]\n\
    \x20 user  R lookup ok 7c1e … R end 7c1e\n\
    \x20 you   E Within 5 business days.";
const FOUND: &str =
    "[3] varnholt.md (document d1)\nThe Varnholt lighthouse was built in 1871 by Mira Tannoth.";
const ANSWER: &str = "E The Varnholt lighthouse was built in 1871 by Mira Tannoth. [3]";
const QUESTION: &str = "Who built the Varnholt lighthouse?";

fn reply(messages: &[(&str, &str)]) -> String {
    let messages: Vec<Value> =
        messages.iter().map(|(role, content)| json!({"role": role, "content": content})).collect();
    let request = serde_json::from_value(json!({"messages": messages})).unwrap();
    match decide(&request) {
        Decision::Say(text) => text,
        call @ Decision::Call { .. } => panic!("a native call: {call:?}"),
    }
}

fn envelope(body: &str) -> String {
    format!("R lookup ok 7c1e\n{body}\nR end 7c1e")
}

#[test]
fn a_question_is_looked_up_and_answered_in_blocks() {
    let system = ("system", LESSON);
    let ask = ("user", QUESTION);
    let call = "C lookup[built Varnholt lighthouse]";
    assert_eq!(reply(&[system, ask]), call);
    let found = envelope(FOUND);
    assert_eq!(reply(&[system, ask, ("assistant", call), ("user", &found)]), ANSWER);
    let reminded = format!("{found}\nOnly the first call was run.\nReply with one block: T, C or E.");
    assert_eq!(reply(&[system, ask, ("assistant", call), ("user", &reminded)]), ANSWER);

    let nudged =
        format!("{found}\n\nYour last reply was empty. Answer the question now, or call another tool.");
    assert_eq!(reply(&[system, ask, ("assistant", call), ("user", &nudged)]), ANSWER);

    let nothing = envelope("No passages found for “built Varnholt lighthouse”.");
    let mut messages = vec![system, ask, ("assistant", call), ("user", &*nothing)];
    assert_eq!(reply(&messages), "C lookup[Varnholt lighthouse]", "the first query is known from the block");
    messages.extend([("assistant", "C lookup[Varnholt lighthouse]"), ("user", &*nothing)]);
    assert_eq!(reply(&messages), "E I found nothing about that in the knowledge base.");
}

#[test]
fn small_talk_takes_the_exit_and_then_answers() {
    let call = "C leave[The message is a greeting.]";
    assert_eq!(reply(&[("system", LESSON), ("user", "hi")]), call);
    let done = "R leave ok 12ab\nfine\nR end 12ab";
    let text = reply(&[("system", LESSON), ("user", "hi"), ("assistant", call), ("user", done)]);
    assert!(text.starts_with("E Hello!"), "{text}");
}

#[test]
fn what_stands_in_round_brackets_is_no_question() {
    let system = ("system", LESSON);
    let ask = ("user", QUESTION);
    for nudge in ["(next)", "(next) Results come only from me. Send the call as a C block and stop."] {
        let said = [system, ask, ("assistant", "T Let me look."), ("user", nudge)];
        assert_eq!(reply(&said), "C lookup[built Varnholt lighthouse]", "{nudge}");
    }
}

#[test]
fn a_later_turn_asks_again_and_does_not_take_an_old_result() {
    let found = envelope(FOUND);
    let past = [
        ("system", LESSON),
        ("user", QUESTION),
        ("assistant", "C lookup[built Varnholt lighthouse]"),
        ("user", &*found),
        ("assistant", ANSWER),
        ("user", "and in 1903?"),
    ];
    assert_eq!(reply(&past), "C lookup[1903 built Varnholt lighthouse]");
    let cut_off = format!("{found}\n\nWho is Odo Brask?");
    let interrupted =
        [("system", LESSON), ("user", "x"), ("assistant", "C lookup[x]"), ("user", cut_off.as_str())];
    assert_eq!(reply(&interrupted), "C lookup[Odo Brask]", "the question may follow a result in one message");
}

#[test]
fn a_lesson_at_the_head_of_the_first_question_is_one_too() {
    let both = format!("{LESSON}\nYour first reply must be a C block.\n\n{QUESTION}");
    assert_eq!(reply(&[("user", &both)]), "C lookup[built Varnholt lighthouse]");
}

#[test]
fn a_reply_that_must_be_a_call_is_one() {
    let lesson = format!("{LESSON}\nYour first reply must be a C block.")
        .replace("  lookup[query|limit?]", "  search[what]");
    let text = reply(&[("system", &lesson), ("user", "hi")]);
    assert_eq!(text, "C leave[The message is a greeting.]");
    let without_exit = lesson.replace("  leave[reason]", "  fetch[address]");
    assert_eq!(reply(&[("system", &without_exit), ("user", QUESTION)]), "C fetch[built Varnholt lighthouse]");
    let json_only =
        without_exit.replace("  fetch[address]", "  fetch{\"address\": string, \"depth\": integer}");
    assert_eq!(
        reply(&[("system", &json_only), ("user", QUESTION)]),
        "C fetch{\"address\":\"built Varnholt lighthouse\",\"depth\":1}"
    );
}

#[test]
fn signs_of_the_protocol_are_escaped_and_read_back() {
    let system = LESSON.replace("lookup[query|limit?]", "lookup[query]");
    // Without a word to search for, the question itself is the query.
    let question = "Who [are] they | \\ them?";
    let block = "C lookup[Who \\[are\\] they \\| \\\\ them?]";
    assert_eq!(reply(&[("system", &system), ("user", question)]), block);
    let nothing = envelope("No passages found.");
    let again = reply(&[("system", &system), ("user", question), ("assistant", block), ("user", &nothing)]);
    assert!(again.starts_with("E "), "the same query is not asked twice: {again}");
    let quoted = reply(&[("system", &system), ("user", "\"Who are they\"")]);
    assert_eq!(
        quoted, "C lookup{\"query\":\"\\\"Who are they\\\"\"}",
        "quotes are taken off between brackets"
    );
}

#[test]
fn a_request_with_native_tools_or_without_a_lesson_is_answered_as_ever() {
    let text = reply(&[("system", FOUND), ("user", QUESTION)]);
    assert_eq!(text, "The Varnholt lighthouse was built in 1871 by Mira Tannoth. [3]");
    let request = json!({"messages": [{"role": "system", "content": LESSON}, {"role": "user", "content": QUESTION}],
        "tools": [{"type": "function", "function": {"name": "search_chunks", "parameters": {"required": ["query"]}}}]});
    let decision = decide(&serde_json::from_value(request).unwrap());
    assert!(matches!(decision, Decision::Call { .. }), "{decision:?}");
}
