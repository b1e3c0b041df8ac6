//! A reply that has ended: run its calls, take it as the answer, send it back, or give up.

use attest_llm::chat::ReplyFinish;
use attest_protocol::frame::Finish;

use super::{Fault, Nudge, ReplyVerdict, Rule, TurnPolicy};
use crate::prompts;

/// The limit that is doubled when neither we nor the endpoint named one.
const ASSUMED_LIMIT: u32 = 4096;
/// No limit of ours goes beyond this.
const HIGHEST_LIMIT: u32 = 131_072;

/// What the policy looks at in a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    /// True when it holds more than blanks; reasoning does not count.
    pub(crate) said: bool,
    /// Its calls.
    pub(crate) calls: usize,
    /// How it ended.
    pub(crate) finish: ReplyFinish,
    /// Tokens written, where the endpoint says so.
    pub(crate) completion_tokens: Option<u64>,
    /// True when the reader has seen text of the turn.
    pub(crate) shown_before: bool,
    /// True when the reader has seen text of this reply.
    pub(crate) shown: bool,
    /// True when it brought the words with which the model is asked to go on.
    pub(crate) continues: bool,
}

impl TurnPolicy {
    /// Judges a reply. The order of the rules is part of the specification: a reply that was cut or is empty is
    /// no deliberate one, a reply that keeps the floor is no answer, and the evidence gate only looks at what would
    /// otherwise be the answer.
    pub(crate) fn judge_reply(&mut self, reply: Reply) -> ReplyVerdict {
        if reply.finish == ReplyFinish::Filtered {
            return filtered(reply);
        }
        if reply.calls > 0 {
            return ReplyVerdict::RunCalls;
        }
        let verdict = self
            .cut_and_empty(reply)
            .or_else(|| self.empty(reply))
            .or_else(|| reply.continues.then_some(ReplyVerdict::GoOn))
            .or_else(|| self.evidence_gate(reply))
            .unwrap_or_else(|| end(reply));
        match verdict {
            ReplyVerdict::AskAgain { .. } | ReplyVerdict::GoOn if self.budget_is_spent() => {
                ReplyVerdict::AnswerCall
            }
            verdict => verdict,
        }
    }

    fn cut_and_empty(&mut self, reply: Reply) -> Option<ReplyVerdict> {
        if reply.said || reply.finish != ReplyFinish::Length {
            return None;
        }
        if reply.completion_tokens == Some(0) {
            return Some(ReplyVerdict::Fail(Fault::ContextTooLong));
        }
        if self.asked_after_cut {
            return Some(ReplyVerdict::Fail(Fault::AnswerEmpty));
        }
        self.asked_after_cut = true;
        let spent = reply.completion_tokens.and_then(|tokens| u32::try_from(tokens).ok());
        let limit = self.max_tokens.or(spent).unwrap_or(ASSUMED_LIMIT);
        self.max_tokens = Some(limit.saturating_mul(2).min(HIGHEST_LIMIT));
        Some(ReplyVerdict::AskAgain { rule: Rule::CutAndEmpty, nudge: Nudge::Nothing })
    }

    fn empty(&mut self, reply: Reply) -> Option<ReplyVerdict> {
        if reply.said {
            return None;
        }
        if self.asked_after_empty {
            return Some(ReplyVerdict::Fail(Fault::AnswerEmpty));
        }
        self.asked_after_empty = true;
        let nudge = match (reply.continues, self.gate_open) {
            (true, _) => Nudge::OfTheReply,
            (false, true) => Nudge::Words(prompts::EMPTY_REPLY),
            (false, false) => Nudge::Words(prompts::EMPTY_FIRST_REPLY),
        };
        Some(ReplyVerdict::AskAgain { rule: Rule::EmptyReply, nudge })
    }

    fn evidence_gate(&mut self, reply: Reply) -> Option<ReplyVerdict> {
        if self.gate_open || self.sent_back {
            return None;
        }
        self.sent_back = true;
        let nudge = Nudge::Words(if reply.shown {
            prompts::NOTHING_LOOKED_UP
        } else {
            prompts::TEXT_ONLY_FIRST_REPLY
        });
        Some(ReplyVerdict::AskAgain { rule: Rule::TextOnlyFirstReply, nudge })
    }
}

fn filtered(reply: Reply) -> ReplyVerdict {
    if reply.said || reply.shown_before {
        ReplyVerdict::End(Finish::Filtered)
    } else {
        ReplyVerdict::Fail(Fault::Filtered)
    }
}

fn end(reply: Reply) -> ReplyVerdict {
    ReplyVerdict::End(match reply.finish {
        ReplyFinish::Length => Finish::Length,
        ReplyFinish::Stop | ReplyFinish::ToolCalls | ReplyFinish::Filtered => Finish::Complete,
    })
}
