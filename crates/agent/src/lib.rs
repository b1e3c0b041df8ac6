//! One question, one answer: rig drives, a pure policy decides, a prompt sets the tone.
//!
//! [`Agent::run`] gathers evidence with tools and words an answer. What happens on the way goes to a [`TurnSink`]
//! as it happens; what the turn keeps goes to a [`TurnLog`], which can be read at any time, so that a stopped turn
//! loses nothing. Nothing here knows that conversations are stored or streamed.
//!
//! What it deliberately does not do: it stores nothing, retries no request to the model (the wire does), and has no
//! loop of its own. Every type of the agent library stays inside `rig`.
//!
//! Start at [`Agent::run`], then `policy` (the decisions), `state` (what they are asked of and where events go) and
//! `rig` (how the library carries them out). To add a policy rule: a function in `policy/`, a row in its table test.

mod agent;
mod answer_call;
mod calls;
mod citations;
mod evidence;
mod failure;
pub mod log;
mod partial;
mod past;
mod policy;
mod prompts;
mod retrieval;
mod rig;
mod speech;
mod state;
pub mod turn;

pub use agent::{Agent, AgentOptions};
pub use log::{TurnLog, TurnWork};
pub use partial::{cited_sources, evidence_of_partial};
pub use turn::{Answered, PastMessage, PastRole, TurnFailure, TurnRequest, TurnSink};
