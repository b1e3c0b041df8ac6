//! Calls that are refused, repeated, or run side by side.

use attest_llm::chat::ReplyFinish;

use crate::backend::{Reply, call, calls, end, search, text};
use crate::world::ask;

#[tokio::test]
async fn refused_arguments_are_told_to_the_model_and_siblings_still_run() {
    let turn = ask([
        calls("", &[("call_1", "search", r#"{"query":" "}"#), ("call_2", "search", r#"{"query":"who"}"#)]),
        text(&["Ada [1]."]),
    ])
    .await;
    insta::assert_snapshot!(turn);
}

#[tokio::test]
async fn an_unknown_tool_is_told_to_the_model_and_siblings_still_run() {
    let turn = ask([
        calls("", &[("call_1", "serch", r#"{"query":"who"}"#), ("call_2", "search", r#"{"query":"who"}"#)]),
        text(&["Ada [1]."]),
    ])
    .await;
    insta::assert_snapshot!(turn);
}

#[tokio::test]
async fn arguments_that_were_cut_off_stay_what_they_were() {
    let cut = Reply::Events(vec![
        call("call_1", "search", r#"{"query":"w"#),
        call("call_2", "search", r#"{"query":"who"}"#),
        end(ReplyFinish::Length),
    ]);
    insta::assert_snapshot!(ask([cut, text(&["Ada [1]."])]).await);
}

#[tokio::test]
async fn a_refusal_does_not_open_the_gate() {
    let turn = ask([
        calls("", &[("call_1", "serch", "{\"query\": tru"), ("call_2", "search", "[1]")]),
        calls("", &[("call_3", "search", r#"{"query":"refused"}"#)]),
        calls("", &[("call_4", "search", r#"{"query":"refused"}"#)]),
        search("call_5", "nothing"),
        text(&["Nothing was found."]),
    ])
    .await;
    insta::assert_snapshot!(turn);
}

#[tokio::test]
async fn the_same_call_again_is_answered_with_a_pointer_to_the_first() {
    let turn = ask([
        calls(
            "",
            &[("call_1", "search", r#"{"query":"who"}"#), ("call_2", "search", r#"{ "query" : "who" }"#)],
        ),
        search("call_3", "who"),
        text(&["Ada [1]."]),
    ])
    .await;
    insta::assert_snapshot!(turn);
}

#[tokio::test]
async fn tools_run_side_by_side_and_are_numbered_and_shown_in_the_order_of_their_calls() {
    let turn = ask([
        calls(
            "",
            &[("call_1", "search", r#"{"query":"first"}"#), ("call_2", "search", r#"{"query":"second"}"#)],
        ),
        text(&["Ada [1][3]."]),
    ])
    .await;
    insta::assert_snapshot!(turn);
}

#[tokio::test]
async fn an_id_that_was_used_before_is_replaced_and_its_result_goes_with_it() {
    let turn = ask([search("call_0", "who"), search("call_0", "nothing"), text(&["Ada [1]."])]).await;
    let last = crate::world::written(turn.requests.last().unwrap());
    let ids: Vec<&str> = last
        .lines()
        .filter_map(|line| line.trim().strip_prefix("calls ").or_else(|| line.trim().strip_prefix("tool ")))
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(ids[0], "call_0");
    assert_eq!((ids[0], ids[2]), (ids[1], ids[3]), "{last}");
    assert_ne!(ids[0], ids[2]);
    assert!(ids[2].starts_with("call_"));
}

#[tokio::test]
async fn blanks_and_prefixes_around_a_name_are_forgiven() {
    let turn =
        ask([calls("", &[("call_1", " functions.search ", r#"{"query":"who"}"#)]), text(&["Ada [1]."])])
            .await;
    assert_eq!(turn.work.record.tools, ["search"]);
}
