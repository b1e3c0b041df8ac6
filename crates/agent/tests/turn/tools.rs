//! Tools that need no database.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use attest_domain::{ChunkId, DocumentId};
use attest_protocol::frame::{Source, StepKind};
use attest_store::StoreError;
use attest_tools::tool::{Tool, ToolError, ToolOutput};
use attest_tools::{Numbering, Registry, Rendered, StepText, ToolContext};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::Notify;
use uuid::Uuid;

/// What the tools do beside answering.
#[derive(Clone, Default)]
pub(crate) struct Switches {
    /// `search` for "second" tells `search` for "first" that it has finished.
    pub(crate) second_done: Arc<Notify>,
    /// Tools that run.
    pub(crate) running: Arc<AtomicUsize>,
}

pub(crate) fn registry(switches: &Switches) -> Registry {
    Registry::default().with(Search(switches.clone())).with(NoEvidenceNeeded)
}

struct Search(Switches);

#[derive(Deserialize, JsonSchema)]
struct SearchArgs {
    /// What to look for.
    query: String,
}

struct Found {
    query: String,
    passages: Vec<u128>,
}

struct Running(Arc<AtomicUsize>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Tool for Search {
    const NAME: &'static str = "search";
    const DESCRIPTION: &'static str = "Search.";
    const READS_ONLY: bool = true;
    type Args = SearchArgs;
    type Output = Found;

    async fn run(&self, _context: &ToolContext, args: SearchArgs) -> Result<Found, ToolError> {
        self.0.running.fetch_add(1, Ordering::SeqCst);
        let _running = Running(Arc::clone(&self.0.running));
        let passages = match args.query.as_str() {
            "first" => {
                self.0.second_done.notified().await;
                vec![1, 2]
            }
            "second" => {
                self.0.second_done.notify_one();
                vec![2, 3]
            }
            "for ever" => std::future::pending().await,
            "nothing" => vec![],
            "refused" => return Err(ToolError::Refused("That cannot be searched for.".to_owned())),
            "database is down" => {
                return Err(ToolError::failed(StoreError::Unavailable(io::Error::other("gone").into())));
            }
            "row is broken" => return Err(ToolError::failed(StoreError::Corrupt("a row".to_owned()))),
            _ => vec![1],
        };
        Ok(Found { query: args.query, passages })
    }
}

impl ToolOutput for Found {
    fn render(&self, numbers: &mut Numbering) -> Rendered {
        let sources: Vec<Source> = self.passages.iter().map(|passage| source(numbers, *passage)).collect();
        let text =
            sources.iter().map(|s| format!("[{}] {}: {}", s.n, s.filename, s.excerpt)).collect::<Vec<_>>();
        let step = StepText {
            kind: StepKind::Search,
            label: format!("Searched for {}", self.query),
            detail: format!("{} passages", sources.len()),
            count: u32::try_from(sources.len()).ok(),
        };
        let text = if text.is_empty() { "No passages.".to_owned() } else { text.join("\n") };
        Rendered { text, step: Some(step), sources, ..Rendered::default() }
    }
}

/// The chunk of a passage.
pub(crate) fn chunk(passage: u128) -> ChunkId {
    ChunkId::from_uuid(Uuid::from_u128(passage))
}

fn source(numbers: &mut Numbering, passage: u128) -> Source {
    numbered_source(numbers.number(chunk(passage)), passage)
}

/// A passage under a number.
pub(crate) fn numbered_source(n: u32, passage: u128) -> Source {
    Source {
        n,
        chunk_id: chunk(passage),
        document_id: DocumentId::from_uuid(Uuid::from_u128(100 + passage)),
        filename: format!("{passage}.md"),
        heading: None,
        excerpt: format!("passage {passage}"),
        from: 0,
        to: 9,
        quotes: Vec::new(),
    }
}

struct NoEvidenceNeeded;

#[derive(Deserialize, JsonSchema)]
struct NoEvidenceNeededArgs {
    /// Why.
    reason: String,
}

struct Exit(String);

#[async_trait]
impl Tool for NoEvidenceNeeded {
    const NAME: &'static str = attest_tools::NO_EVIDENCE_NEEDED;
    const DESCRIPTION: &'static str = "Answer without a search.";
    const READS_ONLY: bool = true;
    type Args = NoEvidenceNeededArgs;
    type Output = Exit;

    async fn run(&self, _context: &ToolContext, args: NoEvidenceNeededArgs) -> Result<Exit, ToolError> {
        Ok(Exit(args.reason))
    }
}

impl ToolOutput for Exit {
    fn render(&self, _numbers: &mut Numbering) -> Rendered {
        Rendered {
            text: "Noted. Answer now.".to_owned(),
            exit_reason: Some(self.0.clone()),
            ..Rendered::default()
        }
    }
}
