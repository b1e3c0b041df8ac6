//! What endpoints do differently from each other, as data: one row a difference that this client acts on.
//!
//! A row says what the endpoint does, what we do about it, where it was met, and names a file under `tests/fixtures`
//! that shows it. A row whose refusal teaches something also holds the words by which it is known. The rows are the only
//! place that names products; `docs/endpoints.md` is written from them by a test.
//!
//! How to add one more: a row in the file of its area under `quirks/table/`, a recorded exchange under
//! `tests/fixtures`, then the test with `ATTEST_UPDATE_DOCS=1`.

use std::fmt::Write as _;

use crate::learned::Lesson;

mod table;

/// What a difference is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// The bytes of an event stream.
    Framing,
    /// How a reply ends or fails after a 200.
    Endings,
    /// Calls of tools.
    Calls,
    /// Thoughts of the model.
    Reasoning,
    /// The request and its fields.
    Requests,
    /// The messages of a request.
    Histories,
    /// Refusals with a status.
    Refusals,
}

impl Area {
    /// All of them, in the order of the document.
    pub const ALL: [Self; 7] = [
        Self::Framing,
        Self::Endings,
        Self::Calls,
        Self::Reasoning,
        Self::Requests,
        Self::Histories,
        Self::Refusals,
    ];

    const fn heading(self) -> &'static str {
        match self {
            Self::Framing => "The event stream",
            Self::Endings => "Endings and errors inside of a stream",
            Self::Calls => "Tool calls",
            Self::Reasoning => "Thoughts",
            Self::Requests => "Fields of a request",
            Self::Histories => "Messages of a request",
            Self::Refusals => "Refusals",
        }
    }
}

/// One difference.
#[derive(Clone, Copy, Debug)]
pub struct Quirk {
    /// Its name, in words.
    pub name: &'static str,
    /// What the endpoint does.
    pub endpoint: &'static str,
    /// What we do.
    pub ours: &'static str,
    /// Where it was met.
    pub seen: &'static str,
    /// The numbers of the public cases behind it.
    pub cases: &'static [u16],
    /// The file under `tests/fixtures` that shows it.
    pub fixture: &'static str,
    /// What its refusal teaches about the endpoint.
    pub teaches: Option<Teaching>,
}

/// How a refusal is known that asks for another shape of the request.
#[derive(Clone, Copy, Debug)]
pub struct Teaching {
    /// What is done differently from then on.
    pub lesson: Lesson,
    /// The statuses with which it comes.
    pub statuses: &'static [u16],
    /// Each group is one wording: all of its parts stand in the body, in lower case.
    pub says: &'static [&'static [&'static str]],
    /// Words that make it something else.
    pub unless: &'static [&'static str],
}

impl Teaching {
    fn is_in(&self, status: u16, body: &str) -> bool {
        self.statuses.contains(&status)
            && self.says.iter().any(|parts| parts.iter().all(|part| body.contains(part)))
            && !self.unless.iter().any(|word| body.contains(word))
    }
}

/// Every difference with its area, in the order of the document.
pub fn quirks() -> impl Iterator<Item = (Area, &'static Quirk)> {
    Area::ALL.into_iter().flat_map(|area| table::rows(area).iter().map(move |quirk| (area, quirk)))
}

/// What a refusal teaches, the most particular first.
pub fn lessons_of(status: u16, body: &str) -> impl Iterator<Item = Lesson> + use<> {
    let body = body.to_lowercase();
    quirks()
        .filter_map(|(_, quirk)| quirk.teaches)
        .filter(move |teaching| teaching.is_in(status, &body))
        .map(|teaching| teaching.lesson)
}

/// The document for people.
pub fn document() -> String {
    let mut out = String::from(
        "# Endpoints and their differences\n\n\
         <!-- Written by a test from crates/llm/src/quirks/table. To change it, change the rows and run\n     \
         ATTEST_UPDATE_DOCS=1 cargo test -p attest-llm --test quirks -->\n\n\
         attest talks to any endpoint that offers the OpenAI-compatible routes `/chat/completions` and `/embeddings`. \
         They differ. These are the differences that attest knows and what it does about each. Every row has a recorded \
         or written exchange beside it (a file under `crates/llm/tests/fixtures`) that is read in every test run: \
         streams whole, byte by byte and cut at every byte, with every kind of line end.\n\n\
         A row marked *learned* is tried the common way first. When the refusal says the words of that row, the request \
         goes out once more in the other shape, and once that is accepted the endpoint and model are asked that way by every \
         instance for a day, after which one request tries the common way again. Nothing is learned from a rate limit, a timeout or \
         a failure without those words.\n",
    );
    for area in Area::ALL {
        let _ = write!(
            out,
            "\n## {}\n\n| difference | what the endpoint does | what attest does | met at | fixture |\n|---|---|---|---|---|\n",
            area.heading()
        );
        for quirk in table::rows(area) {
            let learned = if quirk.teaches.is_some() { " (*learned*)" } else { "" };
            let cells = [quirk.name, quirk.endpoint, quirk.ours, quirk.seen, quirk.fixture].map(cell);
            let [name, endpoint, ours, seen, fixture] = cells;
            let _ = writeln!(out, "| {name}{learned} | {endpoint} | {ours} | {seen} | `{fixture}` |");
        }
    }
    out
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
