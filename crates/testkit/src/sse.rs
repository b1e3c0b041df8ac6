//! Event streams, as a client of ours reads them.

pub mod client;
pub(crate) mod comments;
pub mod turn;
