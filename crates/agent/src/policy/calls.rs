//! A call before it runs: refused, run, or answered with a pointer to the same call.

use attest_tools::{CheckedCall, Refusal};

use super::TurnPolicy;

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CallVerdict {
    /// It runs.
    Run(CheckedCall),
    /// It did not pass the argument check; its siblings still run.
    Refuse(Refusal),
    /// It was made before in this turn: the number of the first one among the turn's calls.
    SameAs(usize),
}

impl TurnPolicy {
    /// Judges the turn's `index`-th call. `checked` is what the argument check said of it, `tool` its offered name.
    pub(crate) fn judge_call(
        &mut self,
        index: usize,
        tool: &str,
        checked: Result<CheckedCall, Refusal>,
    ) -> CallVerdict {
        let checked = match checked {
            Ok(checked) => checked,
            Err(refusal) => return CallVerdict::Refuse(refusal),
        };
        let key = (tool.to_owned(), checked.canonical_arguments().to_owned());
        match self.seen.get(&key) {
            Some(first) => CallVerdict::SameAs(*first),
            None => {
                self.seen.insert(key, index);
                CallVerdict::Run(checked)
            }
        }
    }

    /// The tool itself refused the call: it has no result that a repeat could be pointed to.
    pub(crate) fn call_was_refused(&mut self, index: usize) {
        self.seen.retain(|_, first| *first != index);
    }
}
