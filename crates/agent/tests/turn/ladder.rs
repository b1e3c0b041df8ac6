//! Models that cannot be asked with native tools.

use std::sync::Arc;

use attest_agent::{Agent, AgentOptions, PastMessage, PastRole, TurnLog};
use attest_llm::chat::{ChatEvent, ReplyFinish, ToolCall};
use attest_llm::failure::{FailureClass, ModelFailure, RefusedShape};
use attest_llm::ladder::{CapabilityKey, Knowledge, Ladder, Level};
use attest_llm::text_mode::{TextMode, TextModeOptions};

use crate::backend::{Reply, Script, end, keeps_floor, said, search, text};
use crate::tools::{Switches, registry};
use crate::world::{Announced, Turn, ask, question, run, run_on};

fn refused(status: u16, shape: Option<RefusedShape>) -> Reply {
    let class = FailureClass::Rejected { status };
    Reply::Refused(ModelFailure { shape, ..ModelFailure::new(class, "does not support tools") })
}

fn ladder(script: &Arc<Script>, fixed: Option<Level>) -> Arc<Ladder> {
    let key = CapabilityKey::new(&"http://localhost/v1".parse().unwrap(), "scripted", None);
    Arc::new(Ladder::new(script.clone(), script.clone(), fixed, Knowledge::of_the_process(key)))
}

fn options() -> AgentOptions {
    AgentOptions { retrieval_tool: "search", ..AgentOptions::default() }
}

#[tokio::test]
async fn words_that_keep_the_floor_are_shown_before_the_call_after_them_and_leave_no_trace() {
    let turn = ask([keeps_floor("Let me look."), search("call_1", "who"), text(&["Ada [1]."])]).await;
    insta::assert_snapshot!(turn);
}

#[tokio::test]
async fn after_words_that_keep_the_floor_an_answer_without_evidence_is_sent_back_once() {
    let replies =
        [keeps_floor("Let me look."), text(&["It was Bob."]), search("call_1", "who"), text(&["Ada [1]."])];
    insta::assert_snapshot!(ask(replies).await);
}

#[tokio::test]
async fn a_reply_of_nothing_but_a_nudge_is_an_empty_one() {
    let turn = ask([keeps_floor(""), search("call_1", "who"), text(&["Ada [1]."])]).await;
    assert_eq!(turn.work.record.nudges, ["empty_reply"]);
    insta::assert_snapshot!(crate::world::written(&turn.requests[1]));
    let twice = ask([keeps_floor(""), keeps_floor("")]).await;
    assert_eq!(twice.outcome.unwrap_err().code.as_str(), "answer_empty");
}

#[tokio::test]
async fn on_the_last_permitted_request_words_that_keep_the_floor_are_shown_and_the_answer_call_follows() {
    let options = AgentOptions { model_calls_with_tools: 2, ..AgentOptions::default() };
    let replies = [search("call_1", "who"), keeps_floor("One more look."), text(&["Ada [1]."])];
    insta::assert_snapshot!(run(question("Who?"), options, replies).await);
}

#[tokio::test]
async fn a_faulty_call_is_refused_with_its_own_reason() {
    let faulty = |id: &str, name: &str, arguments: &str, fault: &str| {
        let call = ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() };
        Reply::Events(vec![ChatEvent::FaultyCall { call, fault: fault.into() }, end(ReplyFinish::ToolCalls)])
    };
    let replies = [
        faulty("call_1", "search", "[who", "unclosed. Use: C search[query]"),
        faulty("call_2", "serch", "{}", "There is no tool serch. Tools: search."),
        search("call_3", "who"),
        text(&["Ada [1]."]),
    ];
    insta::assert_snapshot!(ask(replies).await);
}

/// The ladder with the real text mode over a model that knows nothing of it: what the script holds is what the model
/// writes, and the requests are those that leave.
fn with_text_mode(script: &Arc<Script>) -> Arc<Ladder> {
    let key = CapabilityKey::new(&"http://localhost/v1".parse().unwrap(), "scripted", None);
    let text = Arc::new(TextMode::new(script.clone(), TextModeOptions::default()));
    Arc::new(Ladder::new(script.clone(), text, None, Knowledge::of_the_process(key)))
}

/// With each id that was made up in the turn by its number, and the marks that follow from them by a name.
fn masked(turn: &Turn) -> String {
    let words = turn.to_string();
    let hex = |word: &&str| word.chars().all(|c| c.is_ascii_hexdigit());
    let mut masked = words.clone();
    for mark in words.split("R end ").skip(1).filter_map(|rest| rest.get(..4)).filter(hex) {
        masked = masked.replace(&format!(" {mark}\\n"), " <mark>\\n");
    }
    let mut ids = Vec::new();
    for word in words.split(|c: char| !c.is_ascii_hexdigit()).filter(|word| word.len() == 32) {
        if !ids.contains(&word) {
            ids.push(word);
        }
    }
    ids.iter().enumerate().fold(masked, |masked, (at, id)| masked.replace(id, &(at + 1).to_string()))
}

#[tokio::test]
async fn a_model_without_tools_says_calls_and_answers_in_blocks() {
    let script = Script::new([
        refused(400, Some(RefusedShape::Tools)),
        text(&["T", " Let me", " look."]),
        text(&["C search[who", "]"]),
        text(&["E Ada [", "1]."]),
    ]);
    let turn = run_on(with_text_mode(&script), &script, question("Who?"), options()).await;
    insta::assert_snapshot!(masked(&turn));
}

#[tokio::test]
async fn what_a_model_says_first_is_read_while_it_is_still_speaking() {
    let (script, announced) = (
        Script::new([
            refused(400, Some(RefusedShape::Tools)),
            Reply::Hangs(vec![said("T Let me look"), said(" for it")]),
        ]),
        Arc::new(Announced::default()),
    );
    let agent = Agent::new(with_text_mode(&script), Arc::new(registry(&Switches::default())), options());
    let log = Arc::new(TurnLog::default());
    let asking = agent.run(question("Who?"), announced.clone(), log);
    // The model never ends its reply: whatever was announced by now was announced while it spoke.
    assert!(futures::poll!(Box::pin(asking)).is_pending());
    assert_eq!(announced.lines().concat(), "delta \"Let me look\"delta \" for it\"");
}

#[tokio::test]
async fn in_blocks_a_first_answer_is_sent_back_unseen_and_faulty_calls_name_their_fault() {
    let script = Script::new([
        refused(400, Some(RefusedShape::Tools)),
        text(&["E It was Bob."]),
        text(&["C serch[who]"]),
        text(&["C search{\"query\":\"who\"}\nC search[what]"]),
        text(&["E Ada [1]."]),
    ]);
    let turn = run_on(with_text_mode(&script), &script, question("Who?"), options()).await;
    insta::assert_snapshot!(masked(&turn));
}

#[tokio::test]
async fn refused_tools_end_in_text_mode_and_the_record_says_so() {
    let script = Script::new([
        refused(400, Some(RefusedShape::Tools)),
        keeps_floor("Let me look."),
        search("call_1", "who"),
        text(&["Ada [1]."]),
        search("call_1", "who"),
        text(&["Ada [1]."]),
    ]);
    let ladder = ladder(&script, None);
    let first = run_on(ladder.clone(), &script, question("Who?"), options()).await;
    insta::assert_snapshot!(first);
    let second = run_on(ladder, &script, question("Who?"), options()).await;
    assert_eq!(second.requests.len(), 2, "one request for each reply");
    assert_eq!(second.work.record.level, "text");
}

#[tokio::test]
async fn a_model_that_can_be_given_no_tools_answers_from_one_look_up() {
    let script = Script::new([
        refused(400, Some(RefusedShape::Tools)),
        refused(400, Some(RefusedShape::Template)),
        text(&["Ada [1]."]),
    ]);
    let mut follow_up = question("And when?");
    follow_up.history = vec![
        PastMessage { role: PastRole::User, content: "Who was first?".into() },
        PastMessage { role: PastRole::Assistant, content: "Ada.".into() },
    ];
    insta::assert_snapshot!(run_on(ladder(&script, None), &script, follow_up, options()).await);
}

#[tokio::test]
async fn at_the_configured_level_of_retrieval_one_plain_request_is_sent() {
    let script = Script::new([text(&["Ada [1]."])]);
    let ladder = ladder(&script, Some(Level::Retrieval));
    insta::assert_snapshot!(run_on(ladder, &script, question("Who?"), options()).await);
}

#[tokio::test]
async fn a_look_up_that_fails_is_an_error_and_never_no_evidence() {
    for (asked, code) in [("refused", "answer_failed"), ("database is down", "storage_unavailable")] {
        let script = Script::new([]);
        let ladder = ladder(&script, Some(Level::Retrieval));
        let turn = run_on(ladder, &script, question(asked), options()).await;
        assert_eq!(turn.outcome.unwrap_err().code.as_str(), code, "{asked}");
    }
}
