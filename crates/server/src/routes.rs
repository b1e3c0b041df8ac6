//! One file for each resource. A handler extracts, calls one service, wraps.

pub(crate) mod chat;
pub(crate) mod conversations;
pub(crate) mod doctor;
pub(crate) mod documents;
pub(crate) mod health;
pub(crate) mod kbs;
pub(crate) mod page;
pub(crate) mod search;
pub(crate) mod turns;
