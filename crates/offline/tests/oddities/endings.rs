//! How streams begin, break and end.

use std::time::Duration;

use attest_offline::Behaviour;
use futures::{FutureExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{endpoint, question, send, text_of, user, with};

fn streamed(request: Value) -> Value {
    with(request, &json!({"stream": true}))
}

/// The reply to a question that has been searched for, streamed.
async fn stream_of(behaviour: Behaviour) -> String {
    text_of(send(&endpoint(behaviour), &streamed(question(true))).await).await
}

#[tokio::test]
async fn lines_end_as_asked_for_and_nothing_else_changes() {
    let good = stream_of(Behaviour::default()).await;
    let crlf = stream_of(Behaviour { crlf: true, ..Behaviour::default() }).await;
    assert_eq!(crlf, good.replace('\n', "\r\n"));
    assert!(crlf.ends_with("data: [DONE]\r\n\r\n"), "{crlf}");
}

#[tokio::test]
async fn a_stream_ends_without_done_or_without_a_finish_reason() {
    let good = stream_of(Behaviour::default()).await;
    let no_done = stream_of(Behaviour { no_done: true, ..Behaviour::default() }).await;
    assert_eq!(format!("{no_done}data: [DONE]\n\n"), good);
    assert!(no_done.contains(r#""finish_reason":"stop""#), "{no_done}");

    let request = with(streamed(question(true)), &json!({"stream_options": {"include_usage": true}}));
    let no_finish = endpoint(Behaviour { no_finish: true, ..Behaviour::default() });
    let no_finish = text_of(send(&no_finish, &request).await).await;
    assert!(no_finish.ends_with("}\n\n") && no_finish.contains("Tannoth"), "{no_finish}");
    for part in ["[DONE]", r#""finish_reason":"stop""#, r#""completion_tokens""#] {
        assert!(!no_finish.contains(part), "{part} in {no_finish}");
    }
}

/// The words that arrive at once, and whether an error follows; `None` when nothing does.
async fn arriving(behaviour: Behaviour, request: &Value) -> (String, Option<bool>) {
    let drops = behaviour.drop_after.is_some();
    let mut body = send(&endpoint(behaviour), request).await.into_body().into_data_stream();
    let mut text = String::new();
    loop {
        let next = if drops { Some(body.next().await) } else { body.next().now_or_never() };
        match next {
            None => return (text, None),
            Some(None) => return (text, Some(false)),
            Some(Some(Err(_))) => return (text, Some(true)),
            Some(Some(Ok(bytes))) => text.push_str(std::str::from_utf8(&bytes).unwrap()),
        }
    }
}

fn words_in(stream: &str) -> String {
    let chunks = stream
        .split("\n\n")
        .filter_map(|event| serde_json::from_str::<Value>(event.strip_prefix("data: ")?).ok());
    chunks.filter_map(|chunk| Some(chunk["choices"][0]["delta"]["content"].as_str()?.to_owned())).collect()
}

#[tokio::test]
async fn a_stream_stalls_or_breaks_after_so_many_words() {
    let stall = |words| Behaviour { stall_after: Some(words), ..Behaviour::default() };
    let drop = |words| Behaviour { drop_after: Some(words), ..Behaviour::default() };
    for (behaviour, text, error) in [
        (stall(0), "", None),
        (stall(3), "The Varnholt lighthouse", None),
        (stall(500), "The Varnholt lighthouse was built in 1871 by Mira Tannoth. [3]", Some(false)),
        (drop(0), "", Some(true)),
        (drop(3), "The Varnholt lighthouse", Some(true)),
        (drop(500), "The Varnholt lighthouse was built in 1871 by Mira Tannoth. [3]", Some(false)),
        (Behaviour::default(), "The Varnholt lighthouse was built in 1871 by Mira Tannoth. [3]", Some(false)),
    ] {
        let (stream, after) = arriving(behaviour.clone(), &streamed(question(true))).await;
        assert_eq!((words_in(&stream).as_str(), after), (text, error), "{behaviour:?}");
        assert_eq!(stream.contains("finish_reason\":\"stop"), error == Some(false), "{behaviour:?}");
    }
    let call = arriving(stall(2), &streamed(question(false))).await.0;
    assert!(call.contains("search_chunks") && !call.contains("lighthouse"), "a call breaks off too: {call}");
    let whole = arriving(drop(0), &question(true)).await;
    assert_eq!(
        (whole.0.starts_with("{\"id\""), serde_json::from_str::<Value>(&whole.0).is_err(), whole.1),
        (true, true, Some(true))
    );
}

#[tokio::test(start_paused = true)]
async fn the_first_byte_comes_late() {
    let behaviour = Behaviour { first_byte_after: Duration::from_secs(90), ..Behaviour::default() };
    let started_at = Instant::now();
    let response = send(&endpoint(behaviour), &json!({"messages": [user("hi")]})).await;
    assert_eq!((response.status().as_u16(), started_at.elapsed().as_secs()), (200, 90));
}
