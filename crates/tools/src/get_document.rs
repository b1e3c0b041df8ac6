//! `get_document`: one document in order, numbered passage by passage.

use async_trait::async_trait;
use attest_domain::DocumentId;
use attest_protocol::frame::StepKind;
use attest_store::{Passage, Store};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::numbering::Numbering;
use crate::passage::{quoted, write_passage};
use crate::tool::{Rendered, StepText, Tool, ToolContext, ToolError, ToolOutput};

/// How many characters of a document are shown.
const LIMIT: usize = 24_000;

pub(crate) struct GetDocument {
    store: Store,
}

impl GetDocument {
    pub(crate) const fn new(store: Store) -> Self {
        Self { store }
    }
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct GetDocumentArgs {
    /// The document's id, as it stands beside a passage.
    #[schemars(extend("format" = "uuid"))]
    document_id: String,
}

pub(crate) struct WholeDocument {
    passages: Vec<Passage>,
}

#[async_trait]
impl Tool for GetDocument {
    const NAME: &'static str = "get_document";
    const DESCRIPTION: &'static str = "Read one document from its beginning, as numbered passages in order, up to 24,000 \
        characters. Use it when single passages of a search do not tell enough.";
    const READS_ONLY: bool = true;
    type Args = GetDocumentArgs;
    type Output = WholeDocument;

    async fn run(&self, context: &ToolContext, args: GetDocumentArgs) -> Result<WholeDocument, ToolError> {
        let id: DocumentId =
            args.document_id.parse().map_err(|e| ToolError::Refused(format!("document_id: {e}.")))?;
        let passages =
            self.store.list_document_passages(context.kb_id, id, None).await.map_err(ToolError::failed)?;
        if passages.is_empty() {
            let sentence = format!(
                "There is no document {id} in this knowledge base. Use an id from a result of search_chunks."
            );
            return Err(ToolError::Refused(sentence));
        }
        Ok(WholeDocument { passages })
    }
}

impl ToolOutput for WholeDocument {
    fn render(&self, numbers: &mut Numbering) -> Rendered {
        let mut text = String::new();
        let mut sources = Vec::new();
        let mut left = LIMIT;
        for passage in &self.passages {
            if left == 0 {
                break;
            }
            if !text.is_empty() {
                text.push('\n');
            }
            let length = passage.chunk.text.chars().count();
            sources.push(write_passage(&mut text, numbers, &passage.chunk, &passage.filename, left));
            left = left.saturating_sub(length);
        }
        let (shown, total) = (sources.len(), self.passages.len());
        if shown < total {
            text.push_str(&format!("\n[cut: shown {shown} of {total} passages]\n"));
        }
        let name = self.passages.first().map_or("", |p| p.filename.as_str());
        let step = StepText {
            kind: StepKind::Document,
            label: format!("Read {}", quoted(name)),
            detail: if shown < total {
                format!("{shown} of {total} passages")
            } else {
                format!("{total} passages")
            },
            count: u32::try_from(shown).ok(),
        };
        Rendered { text, step: Some(step), sources, ..Rendered::default() }
    }
}

#[cfg(test)]
mod tests {
    use attest_domain::{Chunk, ChunkId, ChunkSpan};

    use super::*;

    #[test]
    fn a_long_document_is_cut_and_says_so() {
        let document_id = DocumentId::new();
        let passage = |ordinal: u32| Passage {
            chunk: Chunk {
                id: ChunkId::new(),
                document_id,
                ordinal,
                heading_path: Vec::new(),
                span: ChunkSpan { start: u64::from(ordinal) * 10_000, end: u64::from(ordinal + 1) * 10_000 },
                text: "x".repeat(10_000),
            },
            filename: "long.md".into(),
        };
        let rendered =
            WholeDocument { passages: (0..5).map(passage).collect() }.render(&mut Numbering::default());
        assert!(rendered.text.ends_with("\n[cut: shown 3 of 5 passages]\n"));
        assert_eq!(rendered.sources.iter().map(|source| source.n).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(
            rendered.sources.iter().map(|s| s.excerpt.chars().filter(|c| *c == 'x').count()).sum::<usize>(),
            LIMIT
        );
    }
}
