//! `search_chunks`: the passages that fit a query best.

use async_trait::async_trait;
use attest_domain::Moment;
use attest_protocol::frame::StepKind;
use attest_search::{SearchHit, SearchQuery};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::numbering::Numbering;
use crate::passage::{PASSAGE_CHARACTERS, quoted, write_passage};
use crate::registry::ToolServices;
use crate::tool::{Rendered, StepText, Tool, ToolContext, ToolError, ToolOutput};

/// How many passages one search shows.
const LIMIT: usize = 6;

pub(crate) struct SearchChunks {
    services: ToolServices,
}

impl SearchChunks {
    pub(crate) const fn new(services: ToolServices) -> Self {
        Self { services }
    }
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct SearchChunksArgs {
    /// Words to look for, in the language of the documents: names, dates, distinctive terms.
    query: String,
    /// Search what was known then: a year, a month (1993-04), a day or an instant. Leave it out for now.
    #[serde(default)]
    as_of: Option<String>,
}

pub(crate) struct Passages {
    query: String,
    hits: Vec<SearchHit>,
}

#[async_trait]
impl Tool for SearchChunks {
    const NAME: &'static str = "search_chunks";
    const DESCRIPTION: &'static str = "Search the knowledge base for passages. Returns up to 6 numbered passages, \
        best first, each with the id of its document. Search again with other words when the first try finds too little.";
    const READS_ONLY: bool = true;
    type Args = SearchChunksArgs;
    type Output = Passages;

    async fn run(&self, context: &ToolContext, args: SearchChunksArgs) -> Result<Passages, ToolError> {
        let as_of = match args.as_of.as_deref() {
            None => None,
            Some(text) => {
                Some(text.parse::<Moment>().map_err(|e| ToolError::Refused(format!("as_of: {e}.")))?)
            }
        };
        let query = SearchQuery { kb_id: context.kb_id, text: args.query.clone(), limit: LIMIT, as_of };
        let hits = self.services.search.search(query).await.map_err(ToolError::failed)?;
        Ok(Passages { query: args.query, hits })
    }
}

impl ToolOutput for Passages {
    fn render(&self, numbers: &mut Numbering) -> Rendered {
        let count = u32::try_from(self.hits.len()).unwrap_or(u32::MAX);
        let step = StepText {
            kind: StepKind::Search,
            label: format!("Searched for {}", quoted(&self.query)),
            detail: match count {
                0 => "nothing found".to_owned(),
                1 => "1 passage".to_owned(),
                n => format!("{n} passages"),
            },
            count: Some(count),
        };
        if self.hits.is_empty() {
            let text = format!(
                "No passages found for {}. Try other words, or say that the knowledge base does not hold it.",
                quoted(&self.query)
            );
            return Rendered { text, step: Some(step), ..Rendered::default() };
        }
        let mut text = String::new();
        let mut sources = Vec::with_capacity(self.hits.len());
        for hit in &self.hits {
            if !text.is_empty() {
                text.push('\n');
            }
            sources.push(write_passage(&mut text, numbers, &hit.chunk, &hit.filename, PASSAGE_CHARACTERS));
        }
        Rendered { text, step: Some(step), sources, ..Rendered::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_found_is_a_fact_and_not_a_failure() {
        let rendered = Passages { query: "goats".into(), hits: Vec::new() }.render(&mut Numbering::default());
        assert!(rendered.text.starts_with("No passages found for “goats”."));
        assert_eq!(
            rendered.step.map(|step| (step.detail, step.count)),
            Some(("nothing found".to_owned(), Some(0)))
        );
    }
}
