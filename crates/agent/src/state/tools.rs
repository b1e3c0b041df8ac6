//! Tools: they run side by side, and are put into words, numbered, logged and shown in the order of their calls.

use attest_domain::text::without_nul;
use attest_protocol::frame::{Source, StepKind};
use attest_tools::{NO_EVIDENCE_NEEDED, Rendered, StepText, ToolError};

use super::{Ending, Inner, TurnState};
use crate::calls::{CallResult, Settled};
use crate::failure;
use crate::policy::calls::CallVerdict;
use crate::prompts;

/// A result for the tool-free answer call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gathered {
    /// The tool.
    pub(crate) tool: String,
    /// Its arguments, as they were written.
    pub(crate) arguments: String,
    /// The result, as the model read it.
    pub(crate) result: String,
}

impl TurnState {
    /// Settles a call that does not run; `None` when it is to run.
    pub(crate) fn settle_without_running(&self, index: usize) -> Option<()> {
        let inner = &mut *self.lock();
        let settled = match &inner.calls.get(index)?.verdict {
            CallVerdict::Run(_) => return None,
            CallVerdict::Refuse(refusal) => Settled::Refused(refusal.sentence.clone()),
            CallVerdict::SameAs(_) => Settled::Repeated,
        };
        inner.calls.settle(index, settled);
        self.publish(inner);
        Some(())
    }

    /// Runs a call. A failure on our side ends the turn: a model never reads "no results" for a fault.
    pub(crate) async fn run_call(&self, index: usize) {
        let checked = match self.lock().calls.get(index).map(|entry| &entry.verdict) {
            Some(CallVerdict::Run(checked)) => checked.clone(),
            _ => return,
        };
        let tool = self.registry.name_of(&checked);
        let ran = self.registry.run(&checked, &self.context).await;
        let inner = &mut *self.lock();
        match ran {
            Ok(outcome) => {
                let reads_only = self.registry.offers().any(|offer| offer.name == tool && offer.reads_only);
                inner.policy.tool_ran(reads_only);
                inner.consulted |= tool != NO_EVIDENCE_NEEDED;
                inner.calls.settle(index, Settled::Ran(outcome));
            }
            Err(ToolError::Refused(sentence)) => {
                inner.policy.call_was_refused(index);
                inner.calls.settle(index, Settled::Refused(sentence));
            }
            Err(ToolError::Failed(source)) => {
                let chain = causes(source.as_ref());
                tracing::error!(tool.name = tool, error = %chain, "A tool failed, which ends the turn");
                inner.ending = Some(Ending::Failed(failure::of_tool(source.as_ref())));
                inner.halted = true;
            }
        }
        self.publish(inner);
    }

    /// Publishes the calls that are settled, up to the first one that is not.
    fn publish(&self, inner: &mut Inner) {
        while let Some((index, settled)) = inner.calls.take_next() {
            let tool = inner.calls.get(index).map(|entry| entry.tool.clone()).unwrap_or_default();
            let result = match settled {
                Settled::Ran(outcome) => {
                    let rendered = outcome.render(&mut inner.numbering);
                    self.log.update(|work| work.record.tools.push(tool.clone()));
                    self.rendered(inner, &tool, rendered)
                }
                Settled::Refused(sentence) => {
                    self.sink.step(&tool, &refused_step(&tool, &sentence));
                    self.log.update(|work| work.record.refusals.push(sentence.clone()));
                    CallResult { text: sentence, is_error: true }
                }
                Settled::Repeated => {
                    CallResult { text: prompts::SAME_CALL_AGAIN.to_owned(), is_error: false }
                }
            };
            inner.calls.answer(index, result);
        }
        self.log.update(|work| inner.calls.close_reply(&mut work.exchange));
    }

    fn rendered(&self, inner: &mut Inner, tool: &str, rendered: Rendered) -> CallResult {
        if let Some(step) = &rendered.step {
            self.sink.step(tool, step);
        }
        if merge_sources(&mut inner.sources, rendered.sources) {
            self.sink.sources(&inner.sources);
        }
        if rendered.exit_reason.is_some() {
            inner.exit_reason = rendered.exit_reason;
        }
        let numbers = inner.numbering.issued_now().to_vec();
        self.log.update(|work| {
            work.numbers = numbers;
            for entity in rendered.resolved {
                if !work.resolved.iter().any(|known| known.id == entity.id) {
                    work.resolved.push(entity);
                }
            }
        });
        CallResult { text: without_nul(&rendered.text).into_owned(), is_error: false }
    }

    /// Every result that was gathered, for the answer call; refusals and the honest exit are none.
    pub(crate) fn gathered(&self) -> Vec<Gathered> {
        let inner = self.lock();
        let gathered = |entry: &crate::calls::CallEntry| {
            let result = entry.result.as_ref().filter(|result| !result.is_error)?;
            let ran = matches!(entry.verdict, CallVerdict::Run(_)) && entry.tool != NO_EVIDENCE_NEEDED;
            ran.then(|| Gathered {
                tool: entry.tool.clone(),
                arguments: entry.written.arguments.clone(),
                result: result.text.clone(),
            })
        };
        inner.calls.entries().iter().filter_map(gathered).collect()
    }
}

fn refused_step(tool: &str, sentence: &str) -> StepText {
    StepText {
        kind: StepKind::Refused,
        label: format!("Refused a call of {tool}"),
        detail: sentence.to_owned(),
        count: None,
    }
}

/// Adds what is new, in order of first numbering; true when the list has changed. A passage that was read at
/// greater length shows what was read.
fn merge_sources(sources: &mut Vec<Source>, new: Vec<Source>) -> bool {
    let mut changed = false;
    for source in new {
        match sources.iter_mut().find(|known| known.n == source.n) {
            None => {
                sources.push(source);
                changed = true;
            }
            Some(known) => {
                if source.excerpt.len() > known.excerpt.len() {
                    known.excerpt = source.excerpt;
                    changed = true;
                }
                for quote in source.quotes {
                    if !known.quotes.contains(&quote) {
                        known.quotes.push(quote);
                        changed = true;
                    }
                }
            }
        }
    }
    changed
}

fn causes(source: &(dyn std::error::Error + 'static)) -> String {
    let mut text = source.to_string();
    let mut next = source.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}
