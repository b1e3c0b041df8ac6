//! The rows, by area.

use super::{Area, Quirk};

mod calls;
mod endings;
mod framing;
mod histories;
mod reasoning;
mod refusals;
mod requests;

/// The rows of one area.
pub(super) const fn rows(area: Area) -> &'static [Quirk] {
    match area {
        Area::Framing => framing::ROWS,
        Area::Endings => endings::ROWS,
        Area::Calls => calls::ROWS,
        Area::Reasoning => reasoning::ROWS,
        Area::Requests => requests::ROWS,
        Area::Histories => histories::ROWS,
        Area::Refusals => refusals::ROWS,
    }
}

/// A row that teaches nothing: what it tells of is done for every endpoint.
const fn row(
    name: &'static str,
    endpoint: &'static str,
    ours: &'static str,
    seen: &'static str,
    cases: &'static [u16],
    fixture: &'static str,
) -> Quirk {
    Quirk { name, endpoint, ours, seen, cases, fixture, teaches: None }
}
