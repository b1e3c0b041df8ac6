//! The next turn's request: what the model is told of the conversation so far, byte for byte.

use std::collections::HashMap;

use attest_testkit::{ScriptedModel, TestOptions, TestServer, reply};
use serde_json::Value;

use crate::corpus;

/// Ids are made anew in every run: they are named in the order in which they appear.
fn with_named_ids(request: &Value) -> String {
    let text = serde_json::to_string_pretty(request).unwrap();
    let mut names: HashMap<String, String> = HashMap::new();
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find(|c: char| c.is_ascii_hexdigit()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match rest.get(..36).filter(|word| uuid::Uuid::try_parse(word).is_ok()) {
            Some(id) => {
                let next = names.len() + 1;
                out.push_str(names.entry(id.to_owned()).or_insert_with(|| format!("<id {next}>")));
                rest = &rest[36..];
            }
            None => {
                // The rest of this word cannot hold an id that begins in its middle.
                let end = rest.find(|c: char| !c.is_ascii_hexdigit() && c != '-').unwrap_or(rest.len());
                out.push_str(&rest[..end]);
                rest = &rest[end..];
            }
        }
    }
    out + rest
}

#[tokio::test]
async fn the_second_turn_replays_the_first_ones_exchange_right_before_its_answer() {
    let model = ScriptedModel::start([
        reply::search("Vexholm bridge").with_narration("Let me look."),
        reply::text("Ottilie Brandvorn designed it [1]."),
        reply::search("length of the bridge"),
        reply::text("417 metres [1]."),
    ])
    .await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    server.add_document("vexholm-bridge.md", corpus::BRIDGE).await;
    let first = server.ask("Who designed the bridge of Vexholm?").await;
    let second = server.ask_in(first.conversation_id(), "And how long is it?").await;
    second.done();

    let requests = model.requests();
    insta::assert_snapshot!("the_second_turns_first_request", with_named_ids(&requests[2]));
    // The prompt and the tools are the same to the byte, so that endpoints can cache them.
    assert_eq!(requests[0]["messages"][0], requests[2]["messages"][0]);
    assert_eq!(requests[0]["tools"].to_string(), requests[2]["tools"].to_string());
    // The second request of a turn goes on from its first.
    let (head, longer) = (&requests[2]["messages"], &requests[3]["messages"]);
    let (head, longer) = (head.as_array().unwrap(), longer.as_array().unwrap());
    assert_eq!(head.as_slice(), &longer[..head.len()]);
}

#[tokio::test]
async fn only_the_last_answers_exchange_is_replayed() {
    let mut script = Vec::new();
    for query in ["Vexholm", "Kestrelmoor", "云岫"] {
        script.extend([reply::search(query), reply::text(format!("Something about {query} [1]."))]);
    }
    let model = ScriptedModel::start(script).await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    corpus::load(&server).await;
    let first = server.ask("One?").await;
    server.ask_in(first.conversation_id(), "Two?").await.done();
    server.ask_in(first.conversation_id(), "Three?").await.done();
    let request = &model.requests()[4];
    let roles: Vec<&str> =
        request["messages"].as_array().unwrap().iter().map(|m| m["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user", "assistant", "tool", "assistant", "user"]);
    assert!(request["messages"][5]["content"].as_str().unwrap().contains("Quandahl"));
    assert_eq!(request["messages"][7]["content"], "Three?");
}

#[tokio::test]
async fn a_question_without_an_answer_stands_in_the_history_and_the_new_one_once() {
    let model = ScriptedModel::start([
        reply::status(401, r#"{"error": {"message": "wrong key"}}"#),
        reply::no_evidence("Small talk."),
        reply::text("Hello again."),
    ])
    .await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    let first = server.ask("Hello?").await;
    first.error();
    server.ask_in(first.conversation_id(), "Are you there?").await.done();
    let requests = model.requests();
    let said: Vec<String> = requests[1]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "user")
        .map(|message| message["content"].as_str().unwrap().to_owned())
        .collect();
    let whole = said.join("\n");
    assert_eq!(whole.matches("Are you there?").count(), 1, "{said:?}");
    assert!(said.last().unwrap().ends_with("Are you there?"), "{said:?}");
}

#[tokio::test]
async fn a_call_with_arguments_that_were_no_object_is_not_replayed() {
    let model = ScriptedModel::start([
        reply::calls_as_text([("search_chunks", r#"{"query": "Vex"#.to_owned())]).cut(),
        reply::search("Vexholm"),
        reply::text("It opened in 1931 [1]."),
        reply::no_evidence("Small talk."),
        reply::text("You are welcome."),
    ])
    .await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    server.add_document("vexholm-bridge.md", corpus::BRIDGE).await;
    let first = server.ask("When did the bridge of Vexholm open?").await;
    first.done();
    server.ask_in(first.conversation_id(), "Thank you").await.done();
    let request = &model.requests()[3];
    for message in request["messages"].as_array().unwrap() {
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let arguments = call["function"]["arguments"].as_str().unwrap();
            let arguments: Value = serde_json::from_str(arguments).unwrap();
            assert!(arguments.is_object(), "{call}");
        }
    }
}
