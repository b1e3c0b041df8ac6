//! Every decision of a turn, as one pure value: no IO, no clock, no library. Its table test reads as the
//! specification; the hook only carries out what is decided here.
//!
//! One file a rule, or a family of rules: [`reply`] judges a reply when it has ended, [`calls`] a call before it
//! runs, [`answer`] the tool-free answer at the end of the budget, [`window`] what is left away when a request is
//! too long.

pub(crate) mod answer;
pub(crate) mod calls;
pub(crate) mod reply;
pub(crate) mod window;

use std::collections::HashMap;

use attest_protocol::frame::Finish;

/// What is asked next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextRequest {
    /// One more request with tools.
    Ask {
        /// True while the evidence gate is closed: some tool must be called.
        must_call: bool,
        /// A token limit of our own, once a reply was cut before it said anything.
        max_tokens: Option<u32>,
    },
    /// The budget is spent: the tool-free answer call.
    AnswerCall,
}

/// Rules that send a reply back. Each fires at most once a turn and costs one request of the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// The token limit cut a reply that had said nothing.
    CutAndEmpty,
    /// No call and only blank text.
    EmptyReply,
    /// Text before any tool has run.
    TextOnlyFirstReply,
    /// The answer call brought nothing that can be shown.
    AnswerRepair,
}

impl Rule {
    /// The name in the turn's record.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::CutAndEmpty => "cut_and_empty",
            Self::EmptyReply => "empty_reply",
            Self::TextOnlyFirstReply => "text_only_first_reply",
            Self::AnswerRepair => "answer_repair",
        }
    }
}

/// Failures that the policy itself finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing was said, again.
    AnswerEmpty,
    /// A tool call where none was offered, again.
    AnswerToolText,
    /// There was no room left for a reply.
    ContextTooLong,
    /// A content filter ended the reply before anything was shown.
    Filtered,
}

/// What the model is told with a reply that is sent back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nudge {
    /// Nothing: the same is asked once more.
    Nothing,
    /// These words.
    Words(&'static str),
    /// The words that came with the reply.
    OfTheReply,
}

/// What to do with a reply that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyVerdict {
    /// Its calls go on to the tools.
    RunCalls,
    /// It is the answer.
    End(Finish),
    /// It is sent back; nothing of it was shown.
    AskAgain {
        /// Why.
        rule: Rule,
        /// What the model is told.
        nudge: Nudge,
    },
    /// It keeps the floor: its words are shown, and the model goes on after the nudge that the reply brought.
    GoOn,
    /// It would be sent back, but the budget is spent.
    AnswerCall,
    /// The turn fails.
    Fail(Fault),
}

/// The decisions of one turn, and what they depend on.
#[derive(Clone, Debug)]
pub(crate) struct TurnPolicy {
    budget: u32,
    requests: u32,
    gate_open: bool,
    sent_back: bool,
    asked_after_empty: bool,
    asked_after_cut: bool,
    max_tokens: Option<u32>,
    trimmed: bool,
    seen: HashMap<(String, String), usize>,
}

impl TurnPolicy {
    /// A turn of `budget` requests with tools. A resumed turn has evidence already: its gate is open.
    pub(crate) fn new(budget: u32, resumed: bool) -> Self {
        Self {
            budget,
            requests: 0,
            gate_open: resumed,
            sent_back: false,
            asked_after_empty: false,
            asked_after_cut: false,
            max_tokens: None,
            trimmed: false,
            seen: HashMap::new(),
        }
    }

    /// Decides the next request, and counts it.
    pub(crate) fn next_request(&mut self) -> NextRequest {
        if self.requests >= self.budget {
            return NextRequest::AnswerCall;
        }
        self.requests += 1;
        NextRequest::Ask { must_call: !self.gate_open, max_tokens: self.max_tokens }
    }

    /// True while the text of a reply waits for a call or the end of the reply, because it may yet be sent back.
    pub(crate) const fn text_is_held(&self) -> bool {
        !self.gate_open && !self.sent_back
    }

    /// A tool's body has returned. Only a tool that reads is evidence; what writes is none.
    pub(crate) fn tool_ran(&mut self, reads_only: bool) {
        self.gate_open |= reads_only;
    }

    const fn budget_is_spent(&self) -> bool {
        self.requests >= self.budget
    }
}

#[cfg(test)]
mod tests;
