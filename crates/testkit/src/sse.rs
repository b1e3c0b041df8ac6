//! Event streams, as a client of ours reads them.

pub(crate) mod client;
pub(crate) mod comments;
pub(crate) mod turn;
