//! Deviations on purpose, in a request's way from its first byte to the decision about it.

mod decision;
mod refusal;

pub(crate) use decision::decide;
pub(crate) use refusal::{Refusal, Sent, of_request, of_status};
