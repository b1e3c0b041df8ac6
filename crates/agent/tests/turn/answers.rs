//! Turns that come to an answer.

use attest_agent::AgentOptions;
use attest_llm::chat::{ChatEvent, ReplyFinish, ToolCall};

use crate::backend::{Reply, calls, end, said, search, text};
use crate::world::{ask, question, run};

#[tokio::test]
async fn a_question_is_answered_from_what_was_found() {
    let turn = ask([
        calls("I will look.", &[("call_1", "search", r#"{"query":"who"}"#)]),
        text(&["Ada", " [", "1]", " did [7]."]),
    ])
    .await;
    insta::assert_snapshot!(turn);
}

#[tokio::test]
async fn a_greeting_takes_the_honest_exit_and_makes_no_step() {
    let exit = calls("", &[("call_1", "no_evidence_needed", r#"{"reason":"A greeting."}"#)]);
    insta::assert_snapshot!(ask([exit, text(&["Hello!"])]).await);
}

#[tokio::test]
async fn a_text_only_first_reply_is_sent_back_unseen_and_the_second_is_accepted() {
    insta::assert_snapshot!(ask([text(&["One ", "moment."]), text(&["It ", "was Ada."])]).await);
}

#[tokio::test]
async fn a_call_after_a_reply_that_was_sent_back_opens_the_gate() {
    insta::assert_snapshot!(
        ask([text(&["One moment."]), search("call_1", "who"), text(&["Ada [1]."])]).await
    );
}

#[tokio::test]
async fn an_empty_reply_is_asked_again_once_and_reasoning_alone_is_empty() {
    let thinking =
        Reply::Events(vec![ChatEvent::Reasoning("Hmm.".to_owned()), said(" \n"), end(ReplyFinish::Stop)]);
    insta::assert_snapshot!(ask([search("call_1", "who"), thinking, text(&["Ada [1]."])]).await);
}

#[tokio::test]
async fn two_empty_replies_are_a_failure() {
    insta::assert_snapshot!(ask([text(&[]), text(&[""])]).await);
}

#[tokio::test]
async fn a_reply_that_was_cut_before_it_said_anything_is_asked_again_with_twice_the_room() {
    let cut = || Reply::Events(vec![end(ReplyFinish::Length)]);
    insta::assert_snapshot!(ask([cut(), search("call_1", "who"), text(&["Ada [1]."])]).await);
    let twice = ask([cut(), cut()]).await;
    assert_eq!(twice.outcome.unwrap_err().code.as_str(), "answer_empty");
}

#[tokio::test]
async fn an_answer_that_the_token_limit_cut_says_so() {
    let cut = Reply::Events(vec![said("Ada"), end(ReplyFinish::Length)]);
    let turn = ask([search("call_1", "who"), cut]).await;
    assert_eq!(turn.outcome.unwrap().finish, attest_protocol::frame::Finish::Length);
}

#[tokio::test]
async fn a_filter_after_text_ends_the_answer_and_runs_no_call() {
    let search_again = ToolCall {
        id: "call_2".to_owned(),
        name: "search".to_owned(),
        arguments: r#"{"query":"more"}"#.to_owned(),
    };
    let filtered =
        Reply::Events(vec![said("Ada was"), ChatEvent::Call(search_again), end(ReplyFinish::Filtered)]);
    insta::assert_snapshot!(ask([search("call_1", "who"), filtered]).await);
}

#[tokio::test]
async fn an_answer_stays_within_its_size() {
    let options = AgentOptions { max_answer_bytes: 10, ..AgentOptions::default() };
    let endless = Reply::Hangs(vec![said("0123456"), said("789é"), said("more")]);
    let turn = run(question("Who?"), options, [search("call_1", "who"), endless]).await;
    assert_eq!(turn.announced[2..], [r#"delta "0123456""#, r#"delta "789""#]);
    assert_eq!(turn.outcome.unwrap().finish, attest_protocol::frame::Finish::Length);
}

#[tokio::test]
async fn the_first_request_holds_the_prompt_the_question_and_the_tools() {
    let turn = ask([search("call_1", "who"), text(&["Ada [1]."])]).await;
    insta::assert_debug_snapshot!(turn.requests[0]);
}
