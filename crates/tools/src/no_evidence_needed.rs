//! `no_evidence_needed`: the honest exit, for what no knowledge base can answer.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::numbering::Numbering;
use crate::tool::{Rendered, Tool, ToolContext, ToolError, ToolOutput};

/// The tool's name: it makes no step, and its reason is stored with the answer.
pub const NO_EVIDENCE_NEEDED: &str = "no_evidence_needed";

pub(crate) struct NoEvidenceNeeded;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct NoEvidenceNeededArgs {
    /// Why no look-up is needed, in one sentence.
    reason: String,
}

pub(crate) struct Exit {
    reason: String,
}

#[async_trait]
impl Tool for NoEvidenceNeeded {
    const NAME: &'static str = NO_EVIDENCE_NEEDED;
    const DESCRIPTION: &'static str = "Answer without looking anything up. Only for a greeting, a question about this \
        conversation itself, or a request to reword the last answer. Never for a question about facts, however well known.";
    const READS_ONLY: bool = true;
    type Args = NoEvidenceNeededArgs;
    type Output = Exit;

    async fn run(&self, _context: &ToolContext, args: NoEvidenceNeededArgs) -> Result<Exit, ToolError> {
        Ok(Exit { reason: args.reason.trim().to_owned() })
    }
}

impl ToolOutput for Exit {
    fn render(&self, _numbers: &mut Numbering) -> Rendered {
        Rendered {
            text: "Noted. Answer now. If the question does ask for facts, search instead.".to_owned(),
            exit_reason: Some(self.reason.clone()),
            ..Rendered::default()
        }
    }
}
