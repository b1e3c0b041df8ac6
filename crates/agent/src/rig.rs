//! Everything that touches the agent library stays in here: it changes its interface every few weeks, and none of
//! its types is stored or seen outside.
//!
//! [`model`] is our wire client as its model, [`messages`] the way of a request from its words to ours, [`hook`]
//! carries the policy's decisions out, [`run`] drives a turn.
//!
//! The library is told of every call under an offered name, with nothing but the number of our own record as its
//! argument, and of every result that it is there. Calls and results are put back, as they were written and as they
//! were put into words, when a request leaves. So unknown tools, arguments that are no object and numbers that
//! depend on the order of the calls never reach its own rules for them.

pub(crate) mod hook;
pub(crate) mod messages;
pub(crate) mod model;
pub(crate) mod run;

/// The tool that stands for every call that does not run. It is never offered to the model.
pub(crate) const REFUSED_CALL: &str = "refused_call";
