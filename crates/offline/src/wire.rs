//! The shapes that cross the wire, typed. Requests are read leniently, replies are written exactly.

pub(crate) mod checks;
pub(crate) mod reply;
pub(crate) mod request;
