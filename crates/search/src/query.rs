//! A question as a query of the index: any of its terms, the best match first.

use attest_domain::{ChunkId, KbId};
use std::ops::Bound;
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, BoostQuery, ConstScoreQuery, Occur, Query, RangeQuery, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{Searcher, Term};
use time::OffsetDateTime;

use crate::schema::{self, Fields, NEVER};

/// A heading or a file name says what a passage is about, but is no evidence: it counts half.
const TITLE_WEIGHT: f32 = 0.5;

/// A passage that matched, before the store was asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) chunk_id: ChunkId,
    pub(crate) score: f32,
}

/// The `limit` best passages of a base for these terms, best first: live ones, or those of an earlier time.
pub(crate) fn find_candidates(
    searcher: &Searcher,
    fields: &Fields,
    kb_id: KbId,
    terms: &[String],
    as_of: Option<OffsetDateTime>,
    limit: usize,
) -> tantivy::Result<Vec<Candidate>> {
    let query = build(fields, kb_id, terms, as_of);
    let found = searcher.search(&query, &TopDocs::with_limit(limit).order_by_score())?;
    let mut candidates = Vec::with_capacity(found.len());
    for (score, address) in found {
        if let Some(chunk_id) = schema::chunk_id(fields, &searcher.doc(address)?) {
            candidates.push(Candidate { chunk_id, score });
        }
    }
    Ok(candidates)
}

fn build(fields: &Fields, kb_id: KbId, terms: &[String], as_of: Option<OffsetDateTime>) -> BooleanQuery {
    let any_term = terms.iter().flat_map(|term| {
        let in_field = |field| -> Box<dyn Query> {
            Box::new(TermQuery::new(Term::from_field_text(field, term), IndexRecordOption::WithFreqs))
        };
        let title: Box<dyn Query> = Box::new(BoostQuery::new(in_field(fields.title), TITLE_WEIGHT));
        [(Occur::Should, in_field(fields.body)), (Occur::Should, title)]
    });
    let in_base = TermQuery::new(schema::id_term(fields.kb_id, kb_id.as_uuid()), IndexRecordOption::Basic);
    let mut clauses: Vec<(Occur, Box<dyn Query>)> = vec![
        (Occur::Must, Box::new(BooleanQuery::new(any_term.collect()))),
        (Occur::Must, unscored(Box::new(in_base))),
    ];
    let at = |field, value| Term::from_field_i64(field, value);
    match as_of {
        None => {
            let live = Bound::Included(at(fields.removed_at, NEVER));
            clauses.push((Occur::Must, unscored(Box::new(RangeQuery::new(live.clone(), live)))));
        }
        Some(as_of) => {
            let then = schema::micros(as_of);
            let recorded = RangeQuery::new(Bound::Unbounded, Bound::Included(at(fields.recorded_at, then)));
            let not_yet_removed =
                RangeQuery::new(Bound::Excluded(at(fields.removed_at, then)), Bound::Unbounded);
            clauses.push((Occur::Must, unscored(Box::new(recorded))));
            clauses.push((Occur::Must, unscored(Box::new(not_yet_removed))));
        }
    }
    BooleanQuery::new(clauses)
}

/// A condition decides what is found, not how good it is.
fn unscored(query: Box<dyn Query>) -> Box<dyn Query> {
    Box::new(ConstScoreQuery::new(query, 0.0))
}
