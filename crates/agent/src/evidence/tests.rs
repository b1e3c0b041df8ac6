use attest_domain::{ChunkId, DocumentId};

use super::*;

fn source(n: u32) -> Source {
    Source {
        n,
        chunk_id: ChunkId::new(),
        document_id: DocumentId::new(),
        filename: "a.md".to_owned(),
        heading: None,
        excerpt: String::new(),
        from: 0,
        to: 0,
        quotes: Vec::new(),
    }
}

fn kind(
    cited: &[u32],
    sources: &[Source],
    previous: &[Source],
    consulted: bool,
) -> (EvidenceKind, Option<Vec<u32>>) {
    let cited = cited.iter().copied().collect();
    let grounds = Grounds { cited: &cited, sources, previous, consulted, exit_reason: Some("greeting") };
    let (evidence, kept) = judge(&grounds);
    assert_eq!(evidence.reason.is_some(), evidence.kind == EvidenceKind::None);
    (evidence.kind, kept.map(|kept| kept.iter().map(|source| source.n).collect()))
}

#[test]
fn an_answer_that_cites_what_was_gathered_is_cited() {
    assert_eq!(kind(&[2, 9], &[source(1), source(2)], &[], true), (EvidenceKind::Cited, None));
}

#[test]
fn an_answer_that_looked_and_cites_nothing_is_consulted() {
    assert_eq!(kind(&[], &[source(1)], &[source(1)], true), (EvidenceKind::Consulted, None));
    assert_eq!(kind(&[], &[], &[source(1)], true), (EvidenceKind::Consulted, None));
}

#[test]
fn a_restatement_keeps_the_last_sources_it_cites_and_only_if_all_were_there() {
    let previous = [source(1), source(2), source(3)];
    assert_eq!(kind(&[1, 3], &[], &previous, false), (EvidenceKind::Kept, Some(vec![1, 3])));
    assert_eq!(kind(&[1, 4], &[], &previous, false), (EvidenceKind::None, None));
    assert_eq!(kind(&[1], &[source(5)], &previous, true), (EvidenceKind::Consulted, None));
}

#[test]
fn the_honest_exit_is_none_with_its_reason() {
    assert_eq!(kind(&[], &[], &[source(1)], false), (EvidenceKind::None, None));
}
