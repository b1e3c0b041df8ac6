//! Between HTTP and the handlers: what is taken from a request, and how an answer is sent.

pub(crate) mod accept;
pub(crate) mod body;
pub(crate) mod extract;
pub(crate) mod query;
pub(crate) mod sse;
pub(crate) mod trace;
pub(crate) mod upload;
