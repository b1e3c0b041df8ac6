//! What a partial answer rests on: one that was stopped, so that nobody judged it when it ended.

use std::collections::BTreeSet;

use attest_protocol::exchange::ExchangeMessage;
use attest_protocol::frame::{Evidence, Source};
use attest_tools::NO_EVIDENCE_NEEDED;

use crate::citations::CitationFilter;
use crate::evidence::{Grounds, judge};
use crate::log::TurnWork;

/// Judges a partial answer by its text, the sources of its turn and the work done so far.
#[must_use]
pub fn evidence_of_partial(content: &str, sources: &[Source], work: &TurnWork) -> Evidence {
    let reason = exit_reason(work);
    let grounds = Grounds {
        cited: &cited_numbers(content, sources),
        sources,
        previous: &[],
        consulted: work.record.tools.iter().any(|tool| tool != NO_EVIDENCE_NEEDED),
        exit_reason: reason.as_deref(),
    };
    judge(&grounds).0
}

/// The sources that a stored answer cites: what a restatement of it may keep.
#[must_use]
pub fn cited_sources(content: &str, sources: Vec<Source>) -> Vec<Source> {
    let cited = cited_numbers(content, &sources);
    sources.into_iter().filter(|source| cited.contains(&source.n)).collect()
}

fn cited_numbers(content: &str, sources: &[Source]) -> BTreeSet<u32> {
    let issued = |n: u32| sources.iter().any(|source| source.n == n);
    let mut filter = CitationFilter::default();
    filter.push(content, issued);
    filter.finish().1.cited
}

/// The reason that the model gave for its honest exit, from its own call.
fn exit_reason(work: &TurnWork) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Exit {
        reason: String,
    }
    let calls = work.exchange.messages.iter().filter_map(|message| match message {
        ExchangeMessage::Assistant { tool_calls, .. } => Some(tool_calls),
        ExchangeMessage::Tool { .. } => None,
    });
    let exit = calls.flatten().find(|call| call.function.name == NO_EVIDENCE_NEEDED)?;
    serde_json::from_str::<Exit>(&exit.function.arguments).ok().map(|exit| exit.reason.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use attest_domain::{ChunkId, DocumentId};
    use attest_protocol::exchange::{CallKind, ExchangeCall, ExchangeFunction};
    use attest_protocol::frame::EvidenceKind;

    use super::*;

    fn source(n: u32) -> Source {
        Source {
            n,
            chunk_id: ChunkId::new(),
            document_id: DocumentId::new(),
            filename: "a.md".into(),
            heading: None,
            excerpt: "…".into(),
            from: 0,
            to: 1,
            quotes: Vec::new(),
        }
    }

    fn after(tool: &str, arguments: &str) -> TurnWork {
        let function = ExchangeFunction { name: tool.into(), arguments: arguments.into() };
        let call = ExchangeCall { id: "call_1".into(), kind: CallKind::Function, function };
        let mut work = TurnWork::default();
        work.record.tools.push(tool.into());
        work.exchange.messages.push(ExchangeMessage::Assistant { content: None, tool_calls: vec![call] });
        work
    }

    #[test]
    fn only_what_an_answer_cites_can_be_kept() {
        let kept = cited_sources("In 1954 [2]. By twelve states [9].", vec![source(1), source(2), source(3)]);
        assert_eq!(kept.iter().map(|source| source.n).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn a_partial_answer_is_judged_by_what_it_cites_and_what_was_done() {
        let search = after("search_chunks", r#"{"query":"x"}"#);
        let exit = after(NO_EVIDENCE_NEEDED, r#"{"reason":" A greeting. "}"#);
        let of = |content: &str, sources: &[Source], work: &TurnWork| {
            let evidence = evidence_of_partial(content, sources, work);
            (evidence.kind, evidence.reason)
        };
        assert_eq!(of("In 1954 [1", &[source(1)], &search), (EvidenceKind::Consulted, None));
        assert_eq!(of("In 1954 [1].", &[source(1)], &search), (EvidenceKind::Cited, None));
        assert_eq!(of("In 1954 [2].", &[source(1)], &search), (EvidenceKind::Consulted, None));
        assert_eq!(of("Hel", &[], &exit), (EvidenceKind::None, Some("A greeting.".to_owned())));
        assert_eq!(of("", &[], &TurnWork::default()), (EvidenceKind::None, None));
    }
}
