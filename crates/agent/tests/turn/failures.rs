//! Turns that fail: each keeps the name of what went wrong, and what was shown.

use std::time::Duration;

use attest_agent::AgentOptions;
use attest_llm::chat::ReplyFinish;
use attest_llm::failure::FailureClass;

use crate::backend::{Reply, calls, end, failure, said, search, text};
use crate::world::{ask, question, run};

#[tokio::test]
async fn a_refused_request_fails_with_its_class_and_the_endpoints_words() {
    for (class, code) in [
        (FailureClass::OutOfCredit, "model_out_of_credit"),
        (FailureClass::RateLimited, "model_rate_limited"),
        (FailureClass::Unavailable, "model_unavailable"),
        (FailureClass::ContextTooLong { window: None }, "context_too_long"),
        (FailureClass::Unauthorized, "model_unauthorized"),
        (FailureClass::Rejected { status: 400 }, "model_rejected"),
        (FailureClass::Interrupted, "interrupted"),
        (FailureClass::Stalled, "stalled"),
        (FailureClass::EmptyStream, "model_unavailable"),
        (FailureClass::Filtered, "model_filtered"),
        (FailureClass::Unreachable, "model_unreachable"),
    ] {
        let turn = ask([Reply::Refused(failure(class))]).await;
        let failure = turn.outcome.unwrap_err();
        assert_eq!(failure.code.as_str(), code);
        assert!(turn.announced.is_empty());
        assert_eq!(turn.requests.len(), 1, "{code}");
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_leaves_what_was_shown_and_no_orphan() {
    let broken = Reply::Breaks(vec![said("Ada [1"), said("] was [")], failure(FailureClass::Interrupted));
    insta::assert_snapshot!(ask([search("call_1", "who"), broken]).await);
}

#[tokio::test]
async fn a_first_reply_that_breaks_off_shows_nothing() {
    let broken = Reply::Breaks(vec![said("One moment")], failure(FailureClass::Stalled));
    let turn = ask([broken]).await;
    assert_eq!(turn.announced, [""; 0]);
    assert_eq!(turn.outcome.unwrap_err().code.as_str(), "stalled");
}

#[tokio::test]
async fn a_filter_without_text_fails_and_after_text_is_an_answer() {
    let filtered = || Reply::Events(vec![end(ReplyFinish::Filtered)]);
    let turn = ask([search("call_1", "who"), filtered()]).await;
    assert_eq!(turn.outcome.unwrap_err().code.as_str(), "model_filtered");
    let as_failure = Reply::Breaks(vec![said("Ada")], failure(FailureClass::Filtered));
    let turn = ask([search("call_1", "who"), as_failure]).await;
    assert_eq!(turn.outcome.unwrap().finish, attest_protocol::frame::Finish::Filtered);
}

#[tokio::test]
async fn a_tool_that_fails_ends_the_turn_at_once_and_the_model_reads_nothing_of_it() {
    let turn = ask([calls(
        "",
        &[
            ("call_1", "search", r#"{"query":"who"}"#),
            ("call_2", "search", r#"{"query":"database is down"}"#),
            ("call_3", "search", r#"{"query":"for ever"}"#),
        ],
    )])
    .await;
    insta::assert_snapshot!(turn);
    let turn = ask([search("call_1", "row is broken")]).await;
    assert_eq!(turn.outcome.unwrap_err().code.as_str(), "answer_failed");
}

#[tokio::test(start_paused = true)]
async fn a_turn_ends_within_its_time() {
    let options = AgentOptions { turn_deadline: Duration::from_secs(900), ..AgentOptions::default() };
    let began_at = tokio::time::Instant::now();
    let turn = run(question("Who?"), options, [Reply::Hangs(vec![])]).await;
    assert_eq!(began_at.elapsed(), Duration::from_secs(900));
    assert_eq!(turn.outcome.unwrap_err().code.as_str(), "answer_failed");
}

#[tokio::test]
async fn an_endpoint_that_ends_its_stream_without_an_end_is_no_answer() {
    let turn = ask([search("call_1", "who"), Reply::Events(vec![said("Ada")])]).await;
    assert_eq!(turn.outcome.unwrap_err().code.as_str(), "interrupted");
    assert_eq!(turn.announced.last().map(String::as_str), Some(r#"delta "Ada""#));
}

#[tokio::test]
async fn no_failure_comes_after_text_that_was_sent_back() {
    let turn = ask([text(&["One moment."]), Reply::Refused(failure(FailureClass::RateLimited))]).await;
    assert_eq!(turn.announced, [""; 0]);
    assert_eq!(turn.work.record.nudges, ["text_only_first_reply"]);
}
