//! The specification of a turn, as a table: each test is a rule, and removing the rule fails it.

use attest_llm::chat::ReplyFinish;
use attest_protocol::frame::Finish;
use attest_tools::{RefusalKind, Registry};

use super::answer::{AnswerReply, AnswerVerdict, judge};
use super::calls::CallVerdict;
use super::reply::Reply;
use super::*;
use crate::prompts;

const BUDGET: u32 = 6;

fn turn() -> TurnPolicy {
    TurnPolicy::new(BUDGET, false)
}

/// A turn in which one request has gone out and one tool has run.
fn turn_with_evidence() -> TurnPolicy {
    let mut policy = turn();
    policy.next_request();
    policy.tool_ran(true);
    policy
}

fn text() -> Reply {
    Reply {
        said: true,
        calls: 0,
        finish: ReplyFinish::Stop,
        completion_tokens: None,
        shown_before: false,
        shown: false,
        continues: false,
    }
}

fn blank() -> Reply {
    Reply { said: false, ..text() }
}

fn cut() -> Reply {
    Reply { finish: ReplyFinish::Length, ..blank() }
}

fn calls(calls: usize) -> Reply {
    Reply { calls, finish: ReplyFinish::ToolCalls, ..blank() }
}

fn ask(must_call: bool) -> NextRequest {
    NextRequest::Ask { must_call, max_tokens: None }
}

fn again(rule: Rule, nudge: &'static str) -> ReplyVerdict {
    ReplyVerdict::AskAgain { rule, nudge: Nudge::Words(nudge) }
}

mod evidence_gate {
    use super::*;

    #[test]
    fn until_a_tool_has_run_every_request_demands_a_call() {
        let mut policy = turn();
        assert_eq!([policy.next_request(), policy.next_request()], [ask(true), ask(true)]);
        policy.tool_ran(true);
        assert_eq!(policy.next_request(), ask(false));
    }

    #[test]
    fn a_tool_that_only_writes_is_no_evidence() {
        let mut policy = turn();
        policy.tool_ran(false);
        assert_eq!(policy.next_request(), ask(true));
    }

    #[test]
    fn a_resumed_turn_begins_with_evidence() {
        assert_eq!(TurnPolicy::new(BUDGET, true).next_request(), ask(false));
    }

    #[test]
    fn a_text_only_first_reply_is_sent_back_once_and_the_second_is_accepted_as_it_is() {
        let mut policy = turn();
        policy.next_request();
        let sent_back = again(Rule::TextOnlyFirstReply, prompts::TEXT_ONLY_FIRST_REPLY);
        assert_eq!(policy.judge_reply(text()), sent_back);
        policy.next_request();
        assert_eq!(policy.judge_reply(text()), ReplyVerdict::End(Finish::Complete));
    }

    #[test]
    fn text_is_held_exactly_while_it_may_be_sent_back() {
        let mut policy = turn();
        assert!(policy.text_is_held());
        policy.judge_reply(text());
        assert!(!policy.text_is_held(), "nothing is sent back twice");
        assert!(!turn_with_evidence().text_is_held());
    }

    #[test]
    fn after_a_tool_has_run_text_is_the_answer() {
        assert_eq!(turn_with_evidence().judge_reply(text()), ReplyVerdict::End(Finish::Complete));
        let cut = Reply { finish: ReplyFinish::Length, ..text() };
        assert_eq!(turn_with_evidence().judge_reply(cut), ReplyVerdict::End(Finish::Length));
    }
}

mod empty_replies {
    use super::*;

    #[test]
    fn an_empty_reply_is_asked_again_once() {
        let mut policy = turn_with_evidence();
        assert_eq!(policy.judge_reply(blank()), again(Rule::EmptyReply, prompts::EMPTY_REPLY));
        assert_eq!(policy.judge_reply(blank()), ReplyVerdict::Fail(Fault::AnswerEmpty));
    }

    #[test]
    fn before_a_tool_has_run_the_retry_asks_for_a_call() {
        assert_eq!(turn().judge_reply(blank()), again(Rule::EmptyReply, prompts::EMPTY_FIRST_REPLY));
    }

    #[test]
    fn an_empty_reply_does_not_use_up_the_gate() {
        let mut policy = turn();
        policy.judge_reply(blank());
        assert_eq!(
            policy.judge_reply(text()),
            again(Rule::TextOnlyFirstReply, prompts::TEXT_ONLY_FIRST_REPLY)
        );
    }

    #[test]
    fn a_reply_that_was_cut_before_it_said_anything_gets_twice_the_room_once() {
        for (tokens, limit) in
            [(Some(500), 1000), (None, 8192), (Some(u64::MAX), 8192), (Some(1 << 20), 131_072)]
        {
            let mut policy = turn_with_evidence();
            let verdict = policy.judge_reply(Reply { completion_tokens: tokens, ..cut() });
            assert_eq!(verdict, ReplyVerdict::AskAgain { rule: Rule::CutAndEmpty, nudge: Nudge::Nothing });
            assert_eq!(
                policy.next_request(),
                NextRequest::Ask { must_call: false, max_tokens: Some(limit) },
                "{tokens:?}"
            );
            assert_eq!(policy.judge_reply(cut()), ReplyVerdict::Fail(Fault::AnswerEmpty));
        }
    }

    #[test]
    fn a_cut_without_a_single_token_means_that_the_context_is_full() {
        let reply = Reply { completion_tokens: Some(0), ..cut() };
        assert_eq!(turn().judge_reply(reply), ReplyVerdict::Fail(Fault::ContextTooLong));
    }
}

mod keeping_the_floor {
    use super::*;

    fn going_on(reply: Reply) -> Reply {
        Reply { continues: true, ..reply }
    }

    #[test]
    fn a_reply_that_keeps_the_floor_goes_on_before_and_after_a_tool_has_run_as_often_as_it_likes() {
        for mut policy in [turn(), turn_with_evidence()] {
            for _ in 0..3 {
                assert_eq!(policy.judge_reply(going_on(text())), ReplyVerdict::GoOn);
            }
        }
    }

    #[test]
    fn it_does_not_use_up_the_gate() {
        let mut policy = turn();
        policy.judge_reply(going_on(text()));
        let sent_back = again(Rule::TextOnlyFirstReply, prompts::TEXT_ONLY_FIRST_REPLY);
        assert_eq!(policy.judge_reply(text()), sent_back);
    }

    #[test]
    fn a_first_reply_that_was_shown_and_then_ended_is_not_told_that_nobody_saw_it() {
        let verdict = turn().judge_reply(Reply { shown: true, ..text() });
        assert_eq!(verdict, again(Rule::TextOnlyFirstReply, prompts::NOTHING_LOOKED_UP));
    }

    #[test]
    fn its_nudge_rides_the_one_retry_of_an_empty_reply() {
        let mut policy = turn();
        let verdict = policy.judge_reply(going_on(blank()));
        assert_eq!(verdict, ReplyVerdict::AskAgain { rule: Rule::EmptyReply, nudge: Nudge::OfTheReply });
        assert_eq!(policy.judge_reply(going_on(blank())), ReplyVerdict::Fail(Fault::AnswerEmpty));
    }

    #[test]
    fn a_cut_reply_that_said_nothing_is_cut_first_and_calls_ignore_it() {
        let again = turn().judge_reply(going_on(cut()));
        assert_eq!(again, ReplyVerdict::AskAgain { rule: Rule::CutAndEmpty, nudge: Nudge::Nothing });
        assert_eq!(turn().judge_reply(going_on(calls(1))), ReplyVerdict::RunCalls);
    }

    #[test]
    fn on_the_last_permitted_request_nothing_goes_on() {
        let mut policy = turn_with_evidence();
        for _ in 1..BUDGET {
            policy.next_request();
        }
        assert_eq!(policy.judge_reply(going_on(text())), ReplyVerdict::AnswerCall);
    }
}

mod order_of_rules {
    use super::*;

    #[test]
    fn a_reply_with_calls_goes_to_the_tools_whatever_else_it_is() {
        assert_eq!(turn().judge_reply(calls(2)), ReplyVerdict::RunCalls);
        assert_eq!(turn().judge_reply(Reply { calls: 1, ..cut() }), ReplyVerdict::RunCalls);
    }

    #[test]
    fn a_filter_ends_the_turn_before_any_call_runs() {
        let filtered = |reply| turn().judge_reply(Reply { finish: ReplyFinish::Filtered, ..reply });
        assert_eq!(filtered(text()), ReplyVerdict::End(Finish::Filtered));
        assert_eq!(filtered(blank()), ReplyVerdict::Fail(Fault::Filtered));
        assert_eq!(filtered(calls(1)), ReplyVerdict::Fail(Fault::Filtered));
        let after_text = Reply { shown_before: true, ..blank() };
        assert_eq!(filtered(after_text), ReplyVerdict::End(Finish::Filtered));
    }

    #[test]
    fn cut_comes_before_empty_and_empty_before_the_gate() {
        let mut policy = turn();
        let rules: Vec<_> = [cut(), blank(), text()]
            .into_iter()
            .map(|reply| match policy.judge_reply(reply) {
                ReplyVerdict::AskAgain { rule, .. } => rule.name(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(rules, ["cut_and_empty", "empty_reply", "text_only_first_reply"]);
    }
}

mod budget {
    use super::*;

    #[test]
    fn after_six_requests_comes_the_answer_call() {
        let mut policy = turn_with_evidence();
        for _ in 1..BUDGET {
            assert_eq!(policy.next_request(), ask(false));
        }
        assert_eq!(policy.next_request(), NextRequest::AnswerCall);
    }

    #[test]
    fn what_would_ask_again_at_the_sixth_goes_to_the_answer_call() {
        for reply in [text(), blank(), cut()] {
            let mut policy = turn();
            for _ in 0..BUDGET {
                policy.next_request();
            }
            assert_eq!(policy.judge_reply(reply), ReplyVerdict::AnswerCall, "{reply:?}");
        }
    }

    #[test]
    fn an_answer_at_the_sixth_is_an_answer_and_its_calls_still_run() {
        let mut policy = turn_with_evidence();
        for _ in 1..BUDGET {
            policy.next_request();
        }
        assert_eq!(policy.judge_reply(text()), ReplyVerdict::End(Finish::Complete));
        assert_eq!(policy.judge_reply(calls(1)), ReplyVerdict::RunCalls);
    }
}

mod calls_before_they_run {
    use super::*;
    use crate::policy::tests::fake::Look;

    fn check(arguments: &str) -> Result<attest_tools::CheckedCall, attest_tools::Refusal> {
        Registry::default().with(Look).check("look", arguments)
    }

    #[test]
    fn the_same_call_again_is_pointed_to_the_first() {
        let mut policy = turn();
        assert!(matches!(policy.judge_call(0, "look", check(r#"{"for": "a"}"#)), CallVerdict::Run(_)));
        assert!(matches!(policy.judge_call(1, "look", check(r#"{"for": "b"}"#)), CallVerdict::Run(_)));
        let spelled_otherwise = check(r#"{ "unknown": 1, "for":"a" }"#);
        assert_eq!(policy.judge_call(2, "look", spelled_otherwise), CallVerdict::SameAs(0));
    }

    #[test]
    fn a_refused_call_is_refused_each_time() {
        let mut policy = turn();
        for index in 0..2 {
            let CallVerdict::Refuse(refusal) = policy.judge_call(index, "look", check("{}")) else {
                panic!("it has no argument")
            };
            assert_eq!(refusal.kind, RefusalKind::BadArgument);
        }
    }

    #[test]
    fn a_call_that_its_tool_refused_may_be_made_again() {
        let mut policy = turn();
        policy.judge_call(0, "look", check(r#"{"for": "a"}"#));
        policy.call_was_refused(0);
        assert!(matches!(policy.judge_call(1, "look", check(r#"{"for": "a"}"#)), CallVerdict::Run(_)));
    }
}

mod answer_call {
    use super::*;

    #[test]
    fn an_answer_is_repaired_at_most_once() {
        let reply = AnswerReply { said: true, called: false, finish: ReplyFinish::Stop, repaired: false };
        let called = AnswerReply { said: false, called: true, finish: ReplyFinish::ToolCalls, ..reply };
        let blank = AnswerReply { said: false, ..reply };
        let cut = AnswerReply { finish: ReplyFinish::Length, ..reply };
        let filtered = AnswerReply { finish: ReplyFinish::Filtered, ..reply };
        let second = |reply| AnswerReply { repaired: true, ..reply };
        for (reply, expected) in [
            (reply, AnswerVerdict::Accept(Finish::Complete)),
            (second(reply), AnswerVerdict::Accept(Finish::Complete)),
            (blank, AnswerVerdict::Repair(prompts::ANSWER_WAS_BLANK)),
            (second(blank), AnswerVerdict::Fail(Fault::AnswerEmpty)),
            (called, AnswerVerdict::Repair(prompts::ANSWER_WAS_A_CALL)),
            (AnswerReply { said: true, ..called }, AnswerVerdict::Repair(prompts::ANSWER_WAS_A_CALL)),
            (second(called), AnswerVerdict::Fail(Fault::AnswerToolText)),
            (second(AnswerReply { said: true, ..called }), AnswerVerdict::Accept(Finish::Complete)),
            (cut, AnswerVerdict::Repair(prompts::ANSWER_WAS_CUT)),
            (second(cut), AnswerVerdict::Accept(Finish::Length)),
            (filtered, AnswerVerdict::Accept(Finish::Filtered)),
            (AnswerReply { said: false, ..filtered }, AnswerVerdict::Fail(Fault::Filtered)),
        ] {
            assert_eq!(judge(reply), expected, "{reply:?}");
        }
    }
}

mod fake {
    use attest_tools::Numbering;
    use attest_tools::tool::{Rendered, Tool, ToolContext, ToolError, ToolOutput};

    pub(super) struct Look;

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    pub(super) struct LookArgs {
        #[serde(rename = "for")]
        _for: String,
    }

    pub(super) struct Nothing;

    impl ToolOutput for Nothing {
        fn render(&self, _numbers: &mut Numbering) -> Rendered {
            Rendered::default()
        }
    }

    #[async_trait::async_trait]
    impl Tool for Look {
        const NAME: &'static str = "look";
        const DESCRIPTION: &'static str = "Looks.";
        const READS_ONLY: bool = true;
        type Args = LookArgs;
        type Output = Nothing;

        async fn run(&self, _context: &ToolContext, _args: LookArgs) -> Result<Nothing, ToolError> {
            Ok(Nothing)
        }
    }
}
