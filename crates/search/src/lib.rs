//! Full text over chunks: a disposable index that follows the store.
//!
//! [`SearchIndex`] keeps a tantivy index in a folder of its own. Each commit carries the place in the store's change
//! log that it reached, so index and place never disagree; the folder may be deleted at any time and is then built
//! again. The store has the last word on what is visible: what it no longer shows is in no answer, even before the
//! index has heard of it.
//!
//! What it deliberately does not do: it knows no query syntax (a question is text and cannot break it), no language
//! detection and no dictionaries; it answers with passages, never with text of its own; it holds no truth.
//!
//! Start at [`index`] (opening and searching), then `follow.rs` (keeping up) and `terms.rs` (how text becomes terms,
//! English and Chinese alike). A new field of the index is a line in `schema.rs` and a higher
//! `schema::VERSION`: every index of an older version is then rebuilt on the next start.

mod disk;
mod error;
mod fold;
mod follow;
pub mod index;
mod query;
mod schema;
mod script;
mod terms;
mod tokenizer;

pub use error::SearchError;
pub use index::{SearchHit, SearchIndex, SearchOptions, SearchQuery};
