//! One question, one answer: rig drives, a pure policy decides, a prompt sets the tone.
//!
//! [`Agent::run`] gathers evidence with tools and words an answer. What happens on the way goes to a [`TurnSink`]
//! as it happens; what the turn keeps goes to a [`TurnLog`], which can be read at any time, so that a stopped turn
//! loses nothing. Nothing here knows that conversations are stored or streamed.
//!
//! Start at [`Agent::run`], then `policy`. To add a policy rule: a function in `policy/`, a row in its table test.

pub mod log;
pub mod turn;

pub use log::{TurnLog, TurnWork};
pub use turn::{Answered, PastMessage, PastRole, TurnFailure, TurnRequest, TurnSink};
