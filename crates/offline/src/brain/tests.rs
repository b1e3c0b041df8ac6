//! The model as tables: what it does with a request, in both languages, on invented knowledge.

use serde_json::{Value, json};

use super::{Decision, decide};
use crate::wire::request::ChatRequest;

mod hostile;

/// Two passages about an invented lighthouse, as a search returns them.
const LIGHTHOUSE: &str = "[3] varnholt.md › The lighthouse (document 0190f2c4-0001)\n\
    The Varnholt lighthouse was built in 1871 by Mira Tannoth. It is 84 metres high. Odo Brask was its keeper from 1903 to 1911.\n\n\
    [4] varnholt.md › Today (document 0190f2c4-0001)\n\
    Visitors pay 7 crowns for the tower.";
const LIGHTHOUSE_ZH: &str = "[7] 瓦伦灯塔.md › 历史 (document 0190f2c4-0002)\n\
    瓦伦灯塔于1871年建成，设计者是谭诺。灯塔高84米。1903年至1911年，卜拉斯任看守人。";
/// What comes back for the common words of a question once the right document is gone.
const OTHERS: &str = "[9] harbours.md › Founders (document 0190f2c4-0003)\n\
    The Institute of Harbours was founded in 1871. Its first director was Ilse Kranich. The lighthouse of Skarn is tall.\n\n\
    [10] 港口.md (document 0190f2c4-0004)\n港口研究所成立于1871年，首任所长是克拉尼。斯卡灯塔很高。";
const NOTHING: &str = "I found nothing about that in the knowledge base.";
const NOTHING_ZH: &str = "我在知识库中没有找到相关内容。";

fn tools() -> Value {
    let tool = |name: &str, argument: &str| {
        json!({"type": "function", "function": {"name": name, "description": "", "parameters": {
            "type": "object", "properties": {argument: {"type": "string"}}, "required": [argument]}}})
    };
    json!([
        tool("get_document", "document_id"),
        tool("search_chunks", "query"),
        tool("no_evidence_needed", "reason")
    ])
}

fn request(messages: Value, tools: Value, choice: Value) -> ChatRequest {
    let system = json!({"role": "system", "content": "Answer from evidence. Never say hello."});
    let mut all = vec![system];
    all.extend(messages.as_array().cloned().unwrap());
    serde_json::from_value(json!({"messages": all, "tools": tools, "tool_choice": choice})).unwrap()
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

/// A search and its result, as two messages.
fn search(id: &str, query: &str, result: &str) -> [Value; 2] {
    let arguments = json!({"query": query}).to_string();
    [
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": id, "type": "function", "function": {"name": "search_chunks", "arguments": arguments}}]}),
        json!({"role": "tool", "tool_call_id": id, "content": result}),
    ]
}

fn call(name: &str, arguments: Value) -> Decision {
    Decision::Call { name: name.to_owned(), arguments: arguments.to_string() }
}

fn say(text: &str) -> Decision {
    Decision::Say(text.to_owned())
}

/// The answer after one search that returned `result` and, if asked for, a second one that returned the same.
fn answer(question: &str, result: &str) -> Decision {
    let mut messages = vec![user(question)];
    messages.extend(search("a", "first", result));
    messages.extend(search("b", "second", result));
    decide(&request(json!(messages), tools(), json!(null)))
}

#[test]
fn the_first_request_searches_for_a_question_and_takes_the_exit_for_the_rest() {
    let previous = [user("How high is it?"), assistant("It is 84 metres high. [3]")];
    for (message, decision) in [
        (
            "Who built the Varnholt lighthouse?",
            call("search_chunks", json!({"query": "built Varnholt lighthouse"})),
        ),
        ("瓦伦灯塔是谁设计的？", call("search_chunks", json!({"query": "瓦伦灯塔 设计"}))),
        ("Hello!", call("no_evidence_needed", json!({"reason": "The message is a greeting."}))),
        ("你好", call("no_evidence_needed", json!({"reason": "The message is a greeting."}))),
        (
            "shorter",
            call(
                "no_evidence_needed",
                json!({"reason": "The person asks for a shorter version of the previous answer."}),
            ),
        ),
        (
            "用中文说",
            call(
                "no_evidence_needed",
                json!({"reason": "The person asks for the previous answer in another language."}),
            ),
        ),
    ] {
        for choice in [json!(null), json!("auto"), json!("required")] {
            let messages = json!([previous[0], previous[1], user(message)]);
            assert_eq!(decide(&request(messages, tools(), choice)), decision, "{message}");
        }
    }
}

#[test]
fn an_answer_is_the_best_sentences_with_their_numbers() {
    for (question, result, expected) in [
        (
            "When was the Varnholt lighthouse built?",
            LIGHTHOUSE,
            "The Varnholt lighthouse was built in 1871 by Mira Tannoth. [3]",
        ),
        (
            "who built the varnholt lighthouse",
            LIGHTHOUSE,
            "The Varnholt lighthouse was built in 1871 by Mira Tannoth. [3]",
        ),
        (
            "Who was keeper at Varnholt in 1907?",
            LIGHTHOUSE,
            "Odo Brask was its keeper from 1903 to 1911. [3]",
        ),
        ("What do visitors pay at Varnholt?", LIGHTHOUSE, "Visitors pay 7 crowns for the tower. [4]"),
        ("瓦伦灯塔是哪一年建成的？", LIGHTHOUSE_ZH, "瓦伦灯塔于1871年建成，设计者是谭诺。[7]"),
        ("瓦伦灯塔1907年的看守人是谁？", LIGHTHOUSE_ZH, "1903年至1911年，卜拉斯任看守人。[7]"),
        ("瓦伦灯塔有多高？", LIGHTHOUSE_ZH, "灯塔高84米。[7]"),
    ] {
        let Decision::Say(text) = answer(question, result) else {
            panic!("{question}: no answer");
        };
        assert!(text.starts_with(expected), "{question}: {text}");
    }
}

#[test]
fn passages_that_share_only_common_words_are_no_answer() {
    for (question, expected) in [
        ("Who founded the Zorvath Institute?", NOTHING),
        ("who founded the zorvath institute", NOTHING),
        ("Who was the first director of the Zorvath Institute in 1871?", NOTHING),
        ("How tall is the Varnholt lighthouse?", NOTHING),
        ("What did Mira Tannoth build in 1871?", NOTHING),
        ("What is Zorvath?", NOTHING),
        ("佐瓦斯研究所是谁创立的？", NOTHING_ZH),
        ("瓦伦灯塔有多高？", NOTHING_ZH),
        ("Zorvath研究所的首任所长是谁？", NOTHING_ZH),
        ("谭诺是谁？", NOTHING_ZH),
    ] {
        assert_eq!(answer(question, OTHERS), say(expected), "{question}");
        assert_eq!(
            answer(question, "No passages found for “Zorvath Institute Varnholt Tannoth”."),
            say(expected)
        );
    }
}

#[test]
fn a_fact_that_the_passages_do_not_hold_is_not_made_up() {
    for question in
        ["Who painted the Varnholt lighthouse in 1999?", "What is the budget of Varnholt in 2031?"]
    {
        assert_eq!(answer(question, LIGHTHOUSE), say(NOTHING), "{question}");
    }
    assert_eq!(answer("瓦伦灯塔的电话号码是多少？", LIGHTHOUSE_ZH), say(NOTHING_ZH));
}

#[test]
fn a_first_search_in_vain_is_followed_by_one_with_fewer_words_and_no_more() {
    let question = "Who founded the Zorvath Institute?";
    let mut messages = vec![user(question)];
    messages.extend(search("a", "founded Zorvath Institute", OTHERS));
    let second = decide(&request(json!(messages), tools(), json!(null)));
    assert_eq!(second, call("search_chunks", json!({"query": "Zorvath"})));
    messages.extend(search("b", "Zorvath", "No passages found for “Zorvath”."));
    assert_eq!(decide(&request(json!(messages), tools(), json!(null))), say(NOTHING));

    let mut single = vec![user("Zorvath?")];
    single.extend(search("a", "Zorvath", "No passages found for “Zorvath”."));
    assert_eq!(
        decide(&request(json!(single), tools(), json!(null))),
        say(NOTHING),
        "one word cannot be reduced"
    );
}

#[test]
fn a_sentence_in_the_other_language_is_quoted_as_it_is() {
    assert_eq!(
        answer("Varnholt 在1871年建了什么？", LIGHTHOUSE),
        say("资料原文（英文）：The Varnholt lighthouse was built in 1871 by Mira Tannoth. [3]")
    );
    let mixed = "[5] 灯塔.md (document x)\nVarnholt灯塔高84米。";
    assert_eq!(
        answer("How high is the one at Varnholt?", mixed),
        say("The sources say (in Chinese): Varnholt灯塔高84米。[5]")
    );
}

#[test]
fn a_rewording_is_made_from_the_previous_answer() {
    let earlier = |language_question: &str| {
        let mut messages = vec![user(language_question)];
        messages.extend(search("old", "built Varnholt", LIGHTHOUSE));
        messages.push(assistant("It was built in 1871. [3] It is 84 metres high. [4]"));
        messages
    };
    for (message, reply) in [
        ("shorter", "It was built in 1871. [3]"),
        ("再说一遍", "It was built in 1871. [3] It is 84 metres high. [4]"),
        (
            "translate that into Chinese",
            "I cannot translate without a larger model. The answer was: It was built in 1871. [3]",
        ),
        ("用中文说", "没有更大的模型，我不能翻译。之前的回答是：It was built in 1871. [3]"),
        ("did you search?", "Yes. I searched the knowledge base for “built Varnholt”."),
        ("你搜索了吗？", "是的，我在知识库中搜索了“built Varnholt”。"),
        ("thanks", "You are welcome. Ask on if you want to know more."),
    ] {
        let mut messages = earlier("When was it built?");
        messages.push(user(message));
        messages.push(json!({"role": "assistant", "tool_calls": [
            {"id": "x", "function": {"name": "no_evidence_needed", "arguments": "{\"reason\":\"r\"}"}}]}));
        messages.push(json!({"role": "tool", "tool_call_id": "x", "content": "ok"}));
        assert_eq!(decide(&request(json!(messages), tools(), json!(null))), say(reply), "{message}");
    }
    assert_eq!(
        decide(&request(json!([user("shorter")]), json!([]), json!(null))),
        say("There is no earlier answer in this conversation yet.")
    );
}

#[test]
fn the_tool_choice_is_honoured() {
    let question = user("Who built the Varnholt lighthouse?");
    let named = |name: &str| json!({"type": "function", "function": {"name": name}});
    let first = |choice| decide(&request(json!([question]), tools(), choice));
    assert_eq!(
        first(named("search_chunks")),
        call("search_chunks", json!({"query": "built Varnholt lighthouse"}))
    );
    assert_eq!(
        first(named("no_evidence_needed")),
        call("no_evidence_needed", json!({"reason": "The request allows no search."}))
    );
    assert_eq!(first(json!("none")), say(NOTHING));

    let mut messages = vec![question.clone()];
    messages.extend(search("a", "built Varnholt lighthouse", LIGHTHOUSE));
    let then = |choice| decide(&request(json!(messages), tools(), choice));
    assert_eq!(then(named("get_document")), call("get_document", json!({"document_id": "0190f2c4-0001"})));
    assert_eq!(
        then(json!("required")),
        call("no_evidence_needed", json!({"reason": "The knowledge base has already been searched."}))
    );
    assert_eq!(then(json!("none")), say("The Varnholt lighthouse was built in 1871 by Mira Tannoth. [3]"));
}

#[test]
fn tools_are_known_by_their_schema_when_their_names_are_strange() {
    let tools = json!([
        {"type": "function", "function": {"name": "lookup", "parameters": {"type": "object", "properties":
            {"query": {"type": "string"}, "limit": {"type": "integer", "minimum": 3}, "deep": {"type": "boolean"}},
            "required": ["query", "limit", "deep"]}}},
        {"type": "function", "function": {"name": "skip", "parameters": {"required": ["reason"]}}}]);
    let decide = |text: &str| decide(&request(json!([user(text)]), tools.clone(), json!("required")));
    assert_eq!(
        decide("Who is Odo Brask?"),
        call("lookup", json!({"query": "Odo Brask", "limit": 3, "deep": false}))
    );
    assert_eq!(decide("hi"), call("skip", json!({"reason": "The message is a greeting."})));
}

#[test]
fn results_given_as_json_or_as_context_are_answered_from_without_tools() {
    let gathered = json!({"question": "How high is the Varnholt lighthouse?", "conversation": [],
        "results": [{"tool": "search_chunks", "arguments": "{\"query\":\"x\"}", "result": LIGHTHOUSE}]});
    let prose = format!("Answer the question from this untrusted data:\n{gathered}\nCite with [n].");
    let Decision::Say(text) = decide(&request(json!([user(&prose)]), json!([]), json!(null))) else {
        panic!("no answer");
    };
    assert!(text.contains("It is 84 metres high. [3]"), "{text}");
    let context =
        json!([{"role": "system", "content": LIGHTHOUSE}, user("How high is the Varnholt lighthouse?")]);
    assert_eq!(decide(&request(context, json!([]), json!(null))), say(&text));
    let empty = json!({"question": "Zorvath是谁？", "results": []}).to_string();
    assert_eq!(decide(&request(json!([user(&empty)]), json!([]), json!(null))), say(NOTHING_ZH));
}

#[test]
fn an_earlier_turn_lends_its_words_but_not_its_results() {
    let mut messages = vec![user("Who was keeper at Varnholt in 1903?")];
    messages.extend(search("old", "keeper Varnholt 1903", LIGHTHOUSE));
    messages.push(assistant("Odo Brask was its keeper from 1903 to 1911. [3]"));
    messages.push(user("and in 1871?"));
    let first = decide(&request(json!(messages), tools(), json!("required")));
    assert_eq!(first, call("search_chunks", json!({"query": "1871 keeper Varnholt"})));
    messages.extend(search("a", "1871 keeper Varnholt", "No passages found for “1871 keeper Varnholt”."));
    messages.extend(search("b", "1871 Varnholt", "No passages found for “1871 Varnholt”."));
    assert_eq!(decide(&request(json!(messages), tools(), json!(null))), say(NOTHING));
}

#[test]
fn a_reply_that_was_sent_back_does_not_change_the_question() {
    let question = user("Who built the Varnholt lighthouse?");
    let first = call("search_chunks", json!({"query": "built Varnholt lighthouse"}));
    let merged = user("Who built the Varnholt lighthouse?\n\nYour last reply was empty. Call a tool now.");
    assert_eq!(decide(&request(json!([merged]), tools(), json!(null))), first);
    for nudge in [
        "(next)",
        "(Nothing was shown yet. Search first.)",
        "You have not looked anything up yet, so the reader has not seen that reply. Call a tool now.",
        "Your last reply was empty. Answer the question now from the results above, or call another tool.",
    ] {
        for messages in
            [json!([question, assistant("I know it."), user(nudge)]), json!([question, user(nudge)])]
        {
            assert_eq!(decide(&request(messages, tools(), json!(null))), first, "{nudge}");
        }
        let mut messages = vec![question.clone(), assistant("I know it."), user(nudge)];
        messages.extend(search("a", "built Varnholt lighthouse", LIGHTHOUSE));
        messages.push(user(nudge));
        assert_eq!(
            decide(&request(json!(messages), tools(), json!(null))),
            say("The Varnholt lighthouse was built in 1871 by Mira Tannoth. [3]"),
            "{nudge}"
        );
    }
    let real = json!([question, assistant("I know it."), user("Your Odo Brask, who is he?")]);
    assert_eq!(
        decide(&request(real, tools(), json!(null))),
        call("search_chunks", json!({"query": "Odo Brask Varnholt lighthouse"}))
    );
}
