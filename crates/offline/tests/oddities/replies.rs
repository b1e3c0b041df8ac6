//! What is replied on purpose that a good model would not, and where it stands.

use attest_offline::{Behaviour, Markup, ReasoningPlace};
use serde_json::{Value, json};

use super::{FOUND, QUESTION, ask, endpoint, question, send, text_of, user, with};

const ANSWER: &str = "The Varnholt lighthouse was built in 1871 by Mira Tannoth. [3]";
const CALL: &str = r#"{"query":"built Varnholt lighthouse"}"#;

async fn message(behaviour: Behaviour, request: &Value) -> Value {
    ask(behaviour, request).await.1["choices"][0]["message"].clone()
}

/// The text, and the arguments of the first call.
fn text_and_call(message: &Value) -> (Option<&str>, Option<&str>) {
    (message["content"].as_str(), message["tool_calls"][0]["function"]["arguments"].as_str())
}

#[tokio::test]
async fn a_demand_for_a_call_is_not_heeded_until_the_reply_is_sent_back() {
    let behaviour = Behaviour { ignore_required: true, ..Behaviour::default() };
    for choice in [json!("required"), json!({"type": "function", "function": {"name": "search_chunks"}})] {
        let request = with(question(false), &json!({"tool_choice": choice}));
        let first = message(behaviour.clone(), &request).await;
        assert_eq!(text_and_call(&first), (Some("I found nothing about that in the knowledge base."), None));
        let sent_back = json!([user(QUESTION), {"role": "assistant", "content": "Nothing."},
            user("You have not looked anything up yet, so that reply was not shown. Call a tool now.")]);
        let again = message(behaviour.clone(), &with(request.clone(), &json!({"messages": sent_back}))).await;
        assert_eq!(text_and_call(&again), (None, Some(CALL)));
        assert_eq!(text_and_call(&message(Behaviour::default(), &request).await), (None, Some(CALL)));
    }
}

#[tokio::test]
async fn the_same_call_comes_again_until_no_tools_are_offered() {
    let behaviour = Behaviour { repeat_call: true, ..Behaviour::default() };
    let searched = question(true);
    assert_eq!(text_and_call(&message(behaviour.clone(), &searched).await), (None, Some(r#"{"query":"x"}"#)));
    let first = message(behaviour.clone(), &question(false)).await;
    assert_eq!(text_and_call(&first), (None, Some(CALL)), "the first call is the model's own");
    let forbidden = with(searched.clone(), &json!({"tool_choice": "none"}));
    assert_eq!(text_and_call(&message(behaviour, &forbidden).await), (Some(ANSWER), None));
    assert_eq!(text_and_call(&message(Behaviour::default(), &searched).await), (Some(ANSWER), None));
}

#[tokio::test]
async fn a_call_leaks_into_the_text_as_markup_and_an_answer_stays_one() {
    for (markup, expected) in [
        (
            Markup::ToolCall,
            "<tool_call>\n{\"name\": \"search_chunks\", \"arguments\": {\"query\":\"built Varnholt lighthouse\"}}\n</tool_call>",
        ),
        (
            Markup::Dsml,
            "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"search_chunks\">\n<｜DSML｜parameter name=\"query\" string=\"true\">\
             built Varnholt lighthouse</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>",
        ),
        (
            Markup::Function,
            "<function=search_chunks>\n<parameter=query>\nbuilt Varnholt lighthouse\n</parameter>\n</function>\n</tool_call>",
        ),
    ] {
        let behaviour = Behaviour { leak: Some(markup), ..Behaviour::default() };
        assert_eq!(
            text_and_call(&message(behaviour.clone(), &question(false)).await),
            (Some(expected), None)
        );
        assert_eq!(text_and_call(&message(behaviour, &question(true)).await), (Some(ANSWER), None));
    }
}

#[tokio::test]
async fn thoughts_come_first_and_in_their_place() {
    let thoughts =
        "The person asks: Who built the Varnholt lighthouse? First I think about what to do, then I do it.";
    let tagged = format!("<think>\n{thoughts}\n</think>\n\n");
    for (place, before, of_content) in [
        (ReasoningPlace::ReasoningContent, json!([thoughts, null]), ""),
        (ReasoningPlace::Reasoning, json!([null, thoughts]), ""),
        (ReasoningPlace::ThinkTags, json!([null, null]), tagged.as_str()),
    ] {
        for searched in [false, true] {
            let behaviour = Behaviour { reasoning: Some(place), ..Behaviour::default() };
            let whole = message(behaviour.clone(), &question(searched)).await;
            assert_eq!(json!([whole["reasoning_content"], whole["reasoning"]]), before, "{place:?}");
            let said = format!("{of_content}{}", if searched { ANSWER } else { "" });
            assert_eq!(whole["content"].as_str().unwrap_or_default(), said, "{place:?}");

            let streamed = with(question(searched), &json!({"stream": true}));
            let streamed = text_of(send(&endpoint(behaviour), &streamed).await).await;
            let deltas: Vec<Value> = streamed
                .split("\n\n")
                .filter_map(|event| serde_json::from_str::<Value>(event.strip_prefix("data: ")?).ok())
                .map(|chunk| chunk["choices"][0]["delta"].clone())
                .collect();
            let joined =
                |key: &str| deltas.iter().filter_map(|delta| delta[key].as_str()).collect::<String>();
            let fields = ["reasoning_content", "reasoning", "content"].map(joined);
            let expected = [&whole["reasoning_content"], &whole["reasoning"], &whole["content"]];
            assert_eq!(
                fields,
                expected.map(|text| text.as_str().unwrap_or_default().to_owned()),
                "{place:?}"
            );
            let at = |wanted: &dyn Fn(&Value) -> bool| deltas.iter().position(wanted);
            let thought = at(&|delta| {
                ["reasoning_content", "reasoning", "content"]
                    .iter()
                    .any(|key| delta[key].as_str().is_some_and(|t| !t.is_empty()))
            });
            let rest = at(&|delta| delta["tool_calls"].is_array() || delta["content"] == "The");
            assert!(thought < rest, "{place:?}: {thought:?} {rest:?}");
        }
    }
}

#[tokio::test]
async fn a_taught_protocol_is_spoken_with_the_same_deviations() {
    let lesson = "[How to reply]\nTools\n  search_chunks[query]   look\nExample\n  you   E x\nYour first reply must be a C block.";
    let request = json!({"messages": [{"role": "system", "content": lesson}, user(QUESTION)]});
    let block = "C search_chunks[built Varnholt lighthouse]";
    let found = format!("R search_chunks ok 7c1e\n{FOUND}\nR end 7c1e");
    let mut messages = request["messages"].as_array().unwrap().clone();
    messages.extend([json!({"role": "assistant", "content": block}), user(&found)]);
    let searched = json!({"messages": messages});
    let answer = format!("E {ANSWER}");
    let nothing = "E I found nothing about that in the knowledge base.";
    let leak = Behaviour { leak: Some(Markup::Function), ..Behaviour::default() };
    let repeat = Behaviour { repeat_call: true, ..Behaviour::default() };
    let ignore = Behaviour { ignore_required: true, ..Behaviour::default() };
    for (behaviour, request, expected) in [
        (Behaviour::default(), &request, block),
        (Behaviour::default(), &searched, answer.as_str()),
        (repeat, &searched, block),
        (ignore, &request, nothing),
        (
            leak,
            &request,
            "<function=search_chunks>\n<parameter=query>\nbuilt Varnholt lighthouse\n</parameter>\n</function>\n</tool_call>",
        ),
    ] {
        assert_eq!(text_and_call(&message(behaviour, request).await), (Some(expected), None));
    }
}
