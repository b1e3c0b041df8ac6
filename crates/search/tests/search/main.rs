//! The index over a real store.

mod finding;
mod following;
mod library;
