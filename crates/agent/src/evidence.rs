//! What an answer rests on.

use std::collections::BTreeSet;

use attest_protocol::frame::{Evidence, EvidenceKind, Source};

/// What the turn knows when its answer is complete.
#[derive(Debug)]
pub(crate) struct Grounds<'a> {
    /// The issued numbers that the answer cites.
    pub(crate) cited: &'a BTreeSet<u32>,
    /// The sources this turn has gathered.
    pub(crate) sources: &'a [Source],
    /// The sources of the answer before.
    pub(crate) previous: &'a [Source],
    /// True when a tool other than the honest exit has run.
    pub(crate) consulted: bool,
    /// The reason of the honest exit, when it was taken.
    pub(crate) exit_reason: Option<&'a str>,
}

/// What the answer rests on, and its sources where they are not those that the turn has gathered: an answer that
/// gathered nothing keeps those of the one before, but only when every number it cites was among them.
pub(crate) fn judge(grounds: &Grounds<'_>) -> (Evidence, Option<Vec<Source>>) {
    let among = |sources: &[Source], n: u32| sources.iter().any(|source| source.n == n);
    let of_kind = |kind| Evidence { kind, reason: None };
    if grounds.cited.iter().any(|n| among(grounds.sources, *n)) {
        return (of_kind(EvidenceKind::Cited), None);
    }
    let repeats = grounds.sources.is_empty()
        && !grounds.cited.is_empty()
        && grounds.cited.iter().all(|n| among(grounds.previous, *n));
    if repeats {
        let kept = grounds.previous.iter().filter(|source| grounds.cited.contains(&source.n));
        return (of_kind(EvidenceKind::Kept), Some(kept.cloned().collect()));
    }
    if grounds.consulted {
        return (of_kind(EvidenceKind::Consulted), None);
    }
    (Evidence { kind: EvidenceKind::None, reason: grounds.exit_reason.map(str::to_owned) }, None)
}

#[cfg(test)]
mod tests;
