//! What a tool is.

use std::error::Error;

use async_trait::async_trait;
use attest_domain::{KbId, Principal};
use attest_protocol::exchange::ResolvedEntity;
use attest_protocol::frame::{Source, StepKind};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::numbering::Numbering;

/// On whose behalf a tool runs, and where. A model names none of this.
#[derive(Clone, Debug)]
pub struct ToolContext {
    /// The base that is asked.
    pub kb_id: KbId,
    /// Whoever asks.
    pub principal: Principal,
    /// The question of the turn, to order namesakes by it.
    pub question: String,
}

/// Why a tool came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The call is wrong; the model reads the sentence and may call again.
    #[error("{0}")]
    Refused(String),
    /// The knowledge base cannot be reached or read; the turn ends. A model never reads this as "no results".
    #[error("a tool failed on the server's side")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
}

impl ToolError {
    /// A fault of ours.
    pub fn failed(source: impl Error + Send + Sync + 'static) -> Self {
        Self::Failed(Box::new(source))
    }
}

/// One tool.
#[async_trait]
pub trait Tool: Send + Sync + 'static {
    /// The name the model calls it by.
    const NAME: &'static str;
    /// What it is for, for the model: one to three sentences.
    const DESCRIPTION: &'static str;
    /// True when it changes nothing.
    const READS_ONLY: bool;

    /// Its arguments; their schema is what the model sees.
    type Args: DeserializeOwned + JsonSchema + Send;
    /// What it found.
    type Output: ToolOutput + 'static;

    /// Runs it.
    ///
    /// # Errors
    /// [`ToolError`], by who can do something about it.
    async fn run(&self, context: &ToolContext, args: Self::Args) -> Result<Self::Output, ToolError>;
}

/// What a tool found, not yet numbered.
pub trait ToolOutput: Send {
    /// Words it for the model and for the reader. Called in the order of the calls, because numbers are issued here.
    fn render(&self, numbers: &mut Numbering) -> Rendered;
}

/// What a tool found, whichever tool it was.
pub struct ToolOutcome(pub(crate) Box<dyn ToolOutput>);

impl ToolOutcome {
    /// Words it; see [`ToolOutput::render`].
    #[must_use]
    pub fn render(&self, numbers: &mut Numbering) -> Rendered {
        self.0.render(numbers)
    }

    /// Wraps an output, for tests of the layers above.
    #[must_use]
    pub fn new(output: impl ToolOutput + 'static) -> Self {
        Self(Box::new(output))
    }
}

impl std::fmt::Debug for ToolOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ToolOutcome")
    }
}

/// The words of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepText {
    /// What kind of thing was done.
    pub kind: StepKind,
    /// What was done, in a few words.
    pub label: String,
    /// What came of it, in a few words.
    pub detail: String,
    /// How many things came back.
    pub count: Option<u32>,
}

/// A result in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// For the model.
    pub text: String,
    /// For the reader; `None` for the tool that makes no step.
    pub step: Option<StepText>,
    /// The passages it numbered, in the order in which they stand in the text.
    pub sources: Vec<Source>,
    /// The entities it settled on.
    pub resolved: Vec<ResolvedEntity>,
    /// The reason of the honest exit.
    pub exit_reason: Option<String>,
}
