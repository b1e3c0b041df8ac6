//! The record of the turn's requests: opened when one goes out, so that a stopped turn shows it too.

use attest_llm::chat::{ReplyFinish, TokenUsage};
use attest_protocol::frame::Usage;
use attest_protocol::view::{ModelRequestRecord, RequestPurpose};
use tokio::time::Instant;

use super::{Inner, TurnState};

/// The outcome of a request that has not ended, and of one that a stop cut off.
const UNFINISHED: &str = "unfinished";

/// The outcome of a request that found out that the model can be given no tools.
pub(super) const RETRIEVAL: &str = "retrieval";

impl TurnState {
    pub(super) fn open_record(&self, purpose: RequestPurpose) -> (usize, Instant) {
        let record = ModelRequestRecord {
            purpose,
            outcome: UNFINISHED.to_owned(),
            calls: 0,
            usage: None,
            duration_ms: 0,
        };
        let index = self.log.update(|work| {
            work.record.requests.push(record);
            work.record.requests.len() - 1
        });
        (index, Instant::now())
    }

    pub(super) fn close_record(&self, inner: &mut Inner, outcome: &str, usage: Option<TokenUsage>) {
        let Some((index, began_at)) = inner.request.take() else { return };
        let calls = u32::try_from(inner.calls_in_reply).unwrap_or(u32::MAX);
        let usage = usage
            .map(|u| Usage { prompt_tokens: u.prompt_tokens, completion_tokens: u.completion_tokens })
            .filter(|u| *u != Usage::default());
        let duration_ms = u64::try_from(began_at.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.log.update(|work| {
            if let Some(record) = work.record.requests.get_mut(index) {
                outcome.clone_into(&mut record.outcome);
                *record = ModelRequestRecord { calls, usage, duration_ms, ..record.clone() };
            }
            if let Some(usage) = usage {
                let total = work.usage.get_or_insert_default();
                total.prompt_tokens = sum(total.prompt_tokens, usage.prompt_tokens);
                total.completion_tokens = sum(total.completion_tokens, usage.completion_tokens);
            }
        });
    }

    /// Ends the record of the answer call's request.
    pub(crate) fn answer_request_ended(&self, outcome: &str, usage: Option<TokenUsage>) {
        self.close_record(&mut self.lock(), outcome, usage);
    }

    /// Notes that the answer call was repaired.
    pub(crate) fn note_nudge(&self, rule: &str) {
        self.log.update(|work| work.record.nudges.push(rule.to_owned()));
    }
}

/// How a reply ended, as it stands in the record.
pub(crate) const fn finish_name(finish: ReplyFinish) -> &'static str {
    match finish {
        ReplyFinish::Stop => "stop",
        ReplyFinish::ToolCalls => "tool_calls",
        ReplyFinish::Length => "length",
        ReplyFinish::Filtered => "filtered",
    }
}

const fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, None) => a,
        (None, b) => b,
    }
}
