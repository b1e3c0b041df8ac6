//! What a model thinks is told to those who ask for it, outside the numbered frames, and kept nowhere.

use attest_offline::{Behaviour, ReasoningPlace};
use attest_testkit::{TestServer, question};
use reqwest::Method;

use crate::oddities::server_over;

const QUESTION: &str = "Who designed the bridge of Vexholm?";

/// The whole stream of one question as it stands on the wire.
async fn wire(server: &TestServer, path: &str) -> String {
    let body = serde_json::to_string(&question(QUESTION)).unwrap();
    let request = server.kb(Method::POST, path).header("content-type", "application/json").body(body);
    server.send(request).await.text()
}

/// The named events of a stream, each with its lines.
fn events(wire: &str) -> Vec<(&str, &str)> {
    wire.split("\n\n")
        .filter_map(|event| Some((event.strip_prefix("event: ")?.lines().next()?, event)))
        .collect()
}

#[tokio::test]
async fn reasoning_comes_only_to_those_who_ask_and_without_an_id() {
    for place in ReasoningPlace::ALL {
        let server = server_over(Behaviour { reasoning: Some(place), ..Behaviour::default() }).await;
        let plain = wire(&server, "/chat").await;
        let curious = wire(&server, "/chat?reasoning=true").await;
        let names =
            |wire: &str| events(wire).into_iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
        assert!(!names(&plain).iter().any(|name| name == "reasoning"), "{place:?}: {plain}");
        let all = events(&curious);
        let thoughts: Vec<&str> =
            all.iter().filter(|(name, _)| *name == "reasoning").map(|(_, event)| *event).collect();
        assert!(!thoughts.is_empty(), "{place:?}: {curious}");
        assert!(
            thoughts.iter().all(|event| !event.contains("\nid:") && event.contains("\ndata: {\"text\":")),
            "{place:?}"
        );
        // The frames themselves are the same, with the same numbers.
        let frames: Vec<String> = names(&curious).into_iter().filter(|name| name != "reasoning").collect();
        assert_eq!(frames, names(&plain), "{place:?}");
    }
}

#[tokio::test]
async fn reasoning_is_neither_shown_nor_stored() {
    let behaviour = Behaviour { reasoning: Some(ReasoningPlace::ThinkTags), ..Behaviour::default() };
    let server = server_over(behaviour).await;
    let turn = server.ask(QUESTION).await;
    assert!(turn.content().starts_with("The bridge of Vexholm was designed"), "{}", turn.content());
    let stored = server.conversation(turn.conversation_id()).await.messages.pop().unwrap();
    assert_eq!(stored.content, turn.content());
}
