//! The one list of tools: what is offered, how a call is checked, how it runs.

use std::sync::Arc;

use async_trait::async_trait;
use attest_search::SearchIndex;
use attest_store::Store;

use crate::check::{self, ArgumentSchema, Refusal};
use crate::get_document::GetDocument;
use crate::no_evidence_needed::NoEvidenceNeeded;
use crate::search_chunks::SearchChunks;
use crate::tool::{Tool, ToolContext, ToolError, ToolOutcome};

/// What the tools work with.
#[derive(Clone)]
pub struct ToolServices {
    /// The store.
    pub store: Store,
    /// Full text.
    pub search: SearchIndex,
}

/// A tool as it is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// The JSON schema of its arguments, as JSON text: an object, flat, without references.
    pub schema_json: String,
    /// True when it changes nothing.
    pub reads_only: bool,
}

/// A call that passed the argument check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedCall {
    tool: usize,
    arguments: String,
}

impl CheckedCall {
    /// The arguments in one canonical spelling (sorted keys, no nulls): two identical calls have the same.
    #[must_use]
    pub fn canonical_arguments(&self) -> &str {
        &self.arguments
    }
}

#[async_trait]
trait AnyTool: Send + Sync {
    async fn run(&self, context: &ToolContext, arguments: &str) -> Result<ToolOutcome, ToolError>;
}

struct Erased<T>(T);

#[async_trait]
impl<T: Tool> AnyTool for Erased<T> {
    async fn run(&self, context: &ToolContext, arguments: &str) -> Result<ToolOutcome, ToolError> {
        let args = serde_json::from_str(arguments).map_err(|error| ToolError::Refused(error.to_string()))?;
        Ok(ToolOutcome(Box::new(self.0.run(context, args).await?)))
    }
}

struct Entry {
    offer: Offer,
    schema: ArgumentSchema,
    tool: Arc<dyn AnyTool>,
}

/// The tools that one agent may use.
#[derive(Default)]
pub struct Registry {
    entries: Vec<Entry>,
}

impl Registry {
    /// The tools of a chat turn.
    #[must_use]
    pub fn for_chat(services: &ToolServices) -> Self {
        Self::default()
            .with(SearchChunks::new(services.clone()))
            .with(GetDocument::new(services.store.clone()))
            .with(NoEvidenceNeeded)
    }

    /// Adds a tool. The first of two with one name wins.
    #[must_use]
    pub fn with<T: Tool>(mut self, tool: T) -> Self {
        let schema = ArgumentSchema::of::<T::Args>();
        let offer = Offer {
            name: T::NAME,
            description: T::DESCRIPTION,
            schema_json: schema.to_json(),
            reads_only: T::READS_ONLY,
        };
        self.entries.push(Entry { offer, schema, tool: Arc::new(Erased(tool)) });
        self
    }

    /// What is offered, in a fixed order.
    pub fn offers(&self) -> impl Iterator<Item = &Offer> {
        self.entries.iter().map(|entry| &entry.offer)
    }

    /// Checks a call as a model wrote it: the tool exists; the arguments are a JSON object with every required
    /// key present, not null, not blank and of the schema's type. Blanks around the name and prefixes such as
    /// `functions.` are forgiven, unknown keys ignored.
    ///
    /// # Errors
    /// [`Refusal`]: one sentence for the model that names the key and ends with the tool's signature.
    pub fn check(&self, name: &str, arguments: &str) -> Result<CheckedCall, Refusal> {
        let wanted = check::bare_name(name);
        let found = self.entries.iter().position(|entry| entry.offer.name == wanted);
        let Some(tool) = found else {
            return Err(Refusal::unknown_tool(wanted, self.entries.iter().map(|entry| entry.offer.name)));
        };
        let entry = &self.entries[tool];
        let arguments = entry.schema.check(entry.offer.name, arguments)?;
        Ok(CheckedCall { tool, arguments })
    }

    /// The offered name of a checked call's tool.
    #[must_use]
    pub fn name_of(&self, call: &CheckedCall) -> &'static str {
        self.entries[call.tool].offer.name
    }

    /// Runs a checked call.
    ///
    /// # Errors
    /// [`ToolError`], by who can do something about it.
    pub async fn run(&self, call: &CheckedCall, context: &ToolContext) -> Result<ToolOutcome, ToolError> {
        self.entries[call.tool].tool.run(context, &call.arguments).await
    }
}

#[cfg(test)]
mod tests;
