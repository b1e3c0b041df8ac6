//! The end of the budget: one answer without tools.

use std::time::Duration;

use attest_agent::{AgentOptions, PastMessage, PastRole};
use attest_llm::chat::ReplyFinish;
use attest_llm::failure::FailureClass;

use crate::backend::{Reply, call, calls, end, failure, said, search, text};
use crate::world::{question, run};

fn two_calls() -> AgentOptions {
    AgentOptions { model_calls_with_tools: 2, ..AgentOptions::default() }
}

#[tokio::test]
async fn after_the_budget_comes_one_answer_without_tools_held_until_it_is_judged() {
    let mut request = question("Who?");
    request.history = vec![
        PastMessage { role: PastRole::User, content: "Hello".to_owned() },
        PastMessage { role: PastRole::Assistant, content: "Hello!".to_owned() },
    ];
    let turn = run(
        request,
        two_calls(),
        [
            calls("I will look.", &[("call_1", "search", r#"{"query":"who"}"#), ("call_2", "serch", "{}")]),
            search("call_3", "nothing"),
            text(&["It was ", "Ada [1][9]."]),
        ],
    )
    .await;
    insta::assert_snapshot!(turn);
}

#[tokio::test]
async fn what_would_be_sent_back_at_the_end_of_the_budget_goes_to_the_answer_call() {
    let options = AgentOptions { model_calls_with_tools: 1, ..AgentOptions::default() };
    let turn = run(question("Who?"), options, [text(&["One moment."]), text(&["Nothing was found."])]).await;
    insta::assert_snapshot!(turn);
}

#[tokio::test]
async fn an_answer_that_calls_a_tool_is_repaired_once() {
    let call_again =
        || Reply::Events(vec![call("call_2", "search", r#"{"query":"x"}"#), end(ReplyFinish::ToolCalls)]);
    let options = || AgentOptions { model_calls_with_tools: 1, ..AgentOptions::default() };
    let repaired =
        run(question("Who?"), options(), [search("call_1", "who"), call_again(), text(&["Ada [1]."])]).await;
    insta::assert_snapshot!(repaired);
    let given_up =
        run(question("Who?"), options(), [search("call_1", "who"), call_again(), call_again()]).await;
    assert_eq!(given_up.outcome.unwrap_err().code.as_str(), "answer_tool_text");
}

#[tokio::test(start_paused = true)]
async fn both_attempts_share_one_deadline() {
    let options = AgentOptions {
        model_calls_with_tools: 1,
        answer_deadline: Duration::from_secs(120),
        ..AgentOptions::default()
    };
    let began_at = tokio::time::Instant::now();
    let silent = Reply::Hangs(vec![said("Ada")]);
    let turn = run(question("Who?"), options, [search("call_1", "who"), text(&[]), silent]).await;
    assert_eq!(began_at.elapsed(), Duration::from_secs(120));
    assert_eq!(turn.outcome.unwrap_err().code.as_str(), "stalled");
    assert_eq!(turn.work.record.requests[2].outcome, "unfinished");
}

#[tokio::test]
async fn a_failure_of_the_answer_call_keeps_its_name() {
    let options = AgentOptions { model_calls_with_tools: 1, ..AgentOptions::default() };
    let refused = Reply::Refused(failure(FailureClass::OutOfCredit));
    let turn = run(question("Who?"), options, [search("call_1", "who"), refused]).await;
    assert_eq!(turn.outcome.unwrap_err().code.as_str(), "model_out_of_credit");
}
