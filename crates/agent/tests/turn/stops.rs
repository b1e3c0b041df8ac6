//! Dropping the future stops the turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use attest_agent::{Agent, AgentOptions, TurnLog, TurnSink};
use attest_protocol::frame::Source;
use attest_tools::StepText;
use futures::FutureExt;

use crate::backend::{Reply, Script, calls, said, search};
use crate::tools::{Switches, registry};
use crate::world::{Announced, question};

/// Runs a turn until it waits for ever, looks at it, drops it.
fn run_and_drop(
    replies: impl IntoIterator<Item = Reply>,
    while_it_runs: impl FnOnce(&Script, &Switches),
) -> (Arc<Script>, Switches, Arc<Announced>, Arc<TurnLog>) {
    let (script, switches) = (Script::new(replies), Switches::default());
    let agent = Agent::new(script.clone(), Arc::new(registry(&switches)), AgentOptions::default());
    let (announced, log) = (Arc::new(Announced::default()), Arc::new(TurnLog::default()));
    let mut turn = agent.run(question("Who?"), announced.clone(), log.clone()).boxed();
    for _ in 0..50 {
        assert!(turn.as_mut().now_or_never().is_none(), "the turn has ended");
    }
    while_it_runs(&script, &switches);
    drop(turn);
    (script, switches, announced, log)
}

#[tokio::test]
async fn a_stop_while_the_model_speaks_closes_its_stream_and_keeps_what_was_shown() {
    let (script, _, announced, log) =
        run_and_drop([search("call_1", "who"), Reply::Hangs(vec![said("Ada [1].")])], |script, _| {
            assert_eq!(script.open_streams(), 1)
        });
    assert_eq!(script.open_streams(), 0);
    assert_eq!(announced.lines().last().map(String::as_str), Some(r#"delta "Ada [1].""#));
    let work = log.work();
    assert_eq!(work.exchange.messages.len(), 2);
    assert_eq!(work.record.requests[1].outcome, "unfinished");
}

#[tokio::test]
async fn a_stop_while_a_tool_runs_drops_it_and_leaves_no_call_without_a_result() {
    let (_, switches, announced, log) = run_and_drop(
        [
            search("call_1", "who"),
            calls(
                "",
                &[
                    ("call_2", "search", r#"{"query":"nothing"}"#),
                    ("call_3", "search", r#"{"query":"for ever"}"#),
                ],
            ),
        ],
        |_, switches| assert_eq!(switches.running.load(Ordering::SeqCst), 1),
    );
    assert_eq!(switches.running.load(Ordering::SeqCst), 0);
    assert_eq!(log.work().exchange.messages.len(), 2, "only the first reply has all its results");
    assert_eq!(log.work().record.tools, ["search", "search"]);
    assert!(announced.lines().last().unwrap().contains("Searched for nothing"));
}

#[tokio::test]
async fn a_stop_before_the_first_word_shows_nothing() {
    let (script, _, announced, log) = run_and_drop([Reply::Hangs(vec![])], |_, _| ());
    assert_eq!(script.open_streams(), 0);
    assert_eq!(announced.lines(), [""; 0]);
    assert_eq!(log.work().exchange.messages, []);
}

/// Ready for a number of times, then never again.
struct Slow {
    announced: AtomicUsize,
    left: AtomicUsize,
}

#[async_trait]
impl TurnSink for Slow {
    fn delta(&self, _text: &str) {
        self.announced.fetch_add(1, Ordering::SeqCst);
    }

    fn step(&self, _tool: &str, _step: &StepText) {}

    fn sources(&self, _sources: &[Source]) {}

    async fn ready(&self) {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 0 {
            std::future::pending::<()>().await;
        }
    }
}

#[tokio::test]
async fn a_sink_that_is_not_ready_holds_the_model_back() {
    let script = Script::new([search("call_1", "who"), Reply::Endless("more ")]);
    let agent = Agent::new(script, Arc::new(registry(&Switches::default())), AgentOptions::default());
    let sink = Arc::new(Slow { announced: AtomicUsize::new(0), left: AtomicUsize::new(200) });
    let turn = agent.run(question("Who?"), sink.clone(), Arc::new(TurnLog::default()));
    let mut turn = turn.boxed();
    for _ in 0..1000 {
        assert!(turn.as_mut().now_or_never().is_none(), "the turn has ended");
    }
    let announced = sink.announced.load(Ordering::SeqCst);
    assert!((1..1000).contains(&announced), "{announced}");
}
