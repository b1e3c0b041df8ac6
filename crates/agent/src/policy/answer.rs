//! The tool-free answer at the end of the budget: accepted, repaired once, or given up.

use attest_llm::chat::ReplyFinish;
use attest_protocol::frame::Finish;

use super::Fault;
use crate::prompts;

/// What the policy looks at in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AnswerReply {
    /// True when it holds more than blanks.
    pub(crate) said: bool,
    /// True when it called a tool although none was offered.
    pub(crate) called: bool,
    /// How it ended.
    pub(crate) finish: ReplyFinish,
    /// True for the second attempt.
    pub(crate) repaired: bool,
}

/// What becomes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerVerdict {
    /// It is saved and sent.
    Accept(Finish),
    /// Asked once more, with this added.
    Repair(&'static str),
    /// The turn fails.
    Fail(Fault),
}

/// Judges an answer. A second one that was cut is accepted, and says so in its finish.
pub(crate) const fn judge(answer: AnswerReply) -> AnswerVerdict {
    match answer {
        AnswerReply { said: true, finish: ReplyFinish::Filtered, .. } => {
            AnswerVerdict::Accept(Finish::Filtered)
        }
        AnswerReply { finish: ReplyFinish::Filtered, .. } => AnswerVerdict::Fail(Fault::Filtered),
        AnswerReply { called: true, repaired: false, .. } => {
            AnswerVerdict::Repair(prompts::ANSWER_WAS_A_CALL)
        }
        AnswerReply { said: true, called: true, .. } => AnswerVerdict::Accept(Finish::Complete),
        AnswerReply { called: true, .. } => AnswerVerdict::Fail(Fault::AnswerToolText),
        AnswerReply { said: false, repaired: false, .. } => AnswerVerdict::Repair(prompts::ANSWER_WAS_BLANK),
        AnswerReply { said: false, .. } => AnswerVerdict::Fail(Fault::AnswerEmpty),
        AnswerReply { finish: ReplyFinish::Length, repaired: false, .. } => {
            AnswerVerdict::Repair(prompts::ANSWER_WAS_CUT)
        }
        AnswerReply { finish: ReplyFinish::Length, .. } => AnswerVerdict::Accept(Finish::Length),
        AnswerReply { .. } => AnswerVerdict::Accept(Finish::Complete),
    }
}
