//! The two timers of a reply, on a clock that stands still until it is moved.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::convert::Infallible;
use std::time::Duration;

use attest_llm::chat::{ChatEvent, ChatStream};
use attest_llm::failure::{FailureClass, ModelFailure};
use attest_llm::reply::{ReplyOptions, read_reply};
use bytes::Bytes;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::{FutureExt, StreamExt};
use tokio::time::{Instant, advance, sleep};

type Feed = UnboundedSender<Result<Bytes, Infallible>>;

fn reply() -> (Feed, ChatStream) {
    let (feed, bytes) = unbounded();
    let options = ReplyOptions {
        endpoint: "h".into(),
        first_event_timeout: Duration::from_secs(300),
        idle_timeout: Duration::from_secs(120),
        key: None,
        starts_in_reasoning: false,
    };
    (feed, read_reply(bytes, options))
}

fn send(feed: &Feed, text: &'static str) {
    feed.unbounded_send(Ok(Bytes::from_static(text.as_bytes()))).unwrap();
}

const WORDS: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n";

fn hi() -> Option<Result<ChatEvent, ModelFailure>> {
    Some(Ok(ChatEvent::Text("hi".into())))
}

fn stalled(message: &str, timed_out: bool) -> Option<Result<ChatEvent, ModelFailure>> {
    Some(Err(ModelFailure { timed_out, ..ModelFailure::new(FailureClass::Stalled, message) }))
}

/// Sends a comment every five seconds for ever.
async fn comments(feed: &Feed) {
    loop {
        sleep(Duration::from_secs(5)).await;
        send(feed, ": keepalive\n\n");
    }
}

#[tokio::test(start_paused = true)]
async fn the_first_event_may_take_longer_than_the_ones_after_it() {
    let (feed, mut reply) = reply();
    let started = Instant::now();
    let feeding = async {
        sleep(Duration::from_secs(299)).await;
        send(&feed, WORDS);
    };
    let (first, ()) = tokio::join!(reply.next(), feeding);
    assert_eq!(first, hi());
    let silent = "h stopped in the middle of its reply and sent nothing more for 120 s";
    assert_eq!(reply.next().await, stalled(silent, false));
    assert_eq!(started.elapsed().as_secs(), 299 + 120);
    assert_eq!(reply.next().await, None);
}

#[tokio::test(start_paused = true)]
async fn comments_do_not_count_as_progress() {
    let (feed, mut reply) = reply();
    let started = Instant::now();
    let first = tokio::select! { event = reply.next() => event, () = comments(&feed) => None };
    assert_eq!(
        first,
        stalled("h accepted the request and sent nothing but keep-alive comments for 300 s", true)
    );
    assert_eq!(started.elapsed().as_secs(), 300);
}

#[tokio::test(start_paused = true)]
async fn every_data_event_counts_as_progress_thoughts_and_empty_chunks_too() {
    for chunk in [
        "data: {\"choices\":[{\"delta\":{}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"reasoning\":\"hm\"}}]}\n\n",
    ] {
        let (feed, reply) = reply();
        let feeding = async move {
            for _ in 0..5 {
                sleep(Duration::from_secs(119)).await;
                send(&feed, chunk);
            }
            send(&feed, WORDS);
            feed
        };
        let words = reply.filter(|event| {
            let thought = matches!(event, Ok(ChatEvent::Reasoning(_)));
            async move { !thought }
        });
        let mut words = std::pin::pin!(words);
        let (first, _feed) = tokio::join!(words.next(), feeding);
        assert_eq!(first, hi(), "{chunk}");
    }
}

#[tokio::test(start_paused = true)]
async fn comments_behind_a_call_that_never_ends_do_not_keep_it_alive() {
    let (feed, mut reply) = reply();
    send(&feed, WORDS);
    send(
        &feed,
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\"}}]}}]}\n\n",
    );
    assert_eq!(reply.next().await, hi());
    let started = Instant::now();
    let next = tokio::select! { event = reply.next() => event, () = comments(&feed) => None };
    let silent =
        "h stopped in the middle of its reply and sent nothing more but keep-alive comments for 120 s";
    assert_eq!(next, stalled(silent, false));
    assert_eq!(started.elapsed().as_secs(), 120);
    assert_eq!(reply.next().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_pause_of_our_own_does_not_count() {
    let (feed, mut reply) = reply();
    send(&feed, WORDS);
    assert_eq!(reply.next().await, hi());
    // Nobody reads for an hour, once before and once in the middle of a wait.
    advance(Duration::from_secs(3600)).await;
    assert_eq!(reply.next().now_or_never(), None);
    advance(Duration::from_secs(3600)).await;
    assert_eq!(reply.next().now_or_never(), None);
    send(&feed, WORDS);
    assert_eq!(reply.next().await, hi());
    let started = Instant::now();
    let silent = "h stopped in the middle of its reply and sent nothing more for 120 s";
    assert_eq!(reply.next().await, stalled(silent, false));
    assert_eq!(started.elapsed().as_secs(), 120);
}
