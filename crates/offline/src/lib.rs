//! An OpenAI-compatible endpoint without a network: an extractive model.
//!
//! It is the model of an installation that has none yet, the second model of the tests and the upstream of the
//! benchmark. It behaves like a model with tools: it reads the tools that a request offers and the results that the
//! request carries, searches for a question, takes the honest exit for a greeting or a rewording, and answers with the
//! best sentences of the results and their `[n]`. When nothing in them fits the question, it says so.
//!
//! What it deliberately does not do: it writes no sentence of its own about the world (there are no canned answers, so
//! with another base it answers from that base), it follows no instruction of a system prompt, it translates nothing,
//! keeps no state between requests (but for the count of
//! those that shall fail), and uses no clock and no randomness in a reply: the same request gets the same bytes.
//! It checks no key.
//!
//! Where to start reading: [`decide`] in `brain.rs` is the whole model as one pure function from a request to a
//! [`Decision`]; `brain/` holds what it is made of, in the order in which a question passes through: `turn` (what was
//! asked, what was already gathered), `intent`, `question` (words, weights, the query), `passages` and `sentences`
//! (reading results), `answer` (choosing sentences: thresholds and shares stand at its top), `phrases` (its few words of its own). `wire/` is the shape of
//! requests and replies, `stream.rs` cuts a decision into events, `embedding.rs` makes vectors, `http.rs` holds the routes.
//!
//! Taught to answer in one tagged block (a system message that ends with `[How to reply]`, a catalogue and no `tools`), it
//! does so: `brain/text_mode.rs` reads such a request into one with native tools and writes the decision as a block.
//!
//! It misbehaves on purpose when [`Behaviour`] says so: `oddities/refusal.rs` refuses, `oddities/decision.rs` distorts what
//! the brain decided, `http/body.rs` what is sent and when.
//!
//! To add a kind of rewording: a variant in `brain/intent.rs` with its words in both languages, a reply in
//! `brain/phrases.rs`, a row in `brain/tests.rs`. To add a deviation: a field in [`Behaviour`], read in the one of the
//! three places above that it belongs to, a test in `tests/oddities/`, a flag of the command that serves the endpoint.

mod behaviour;
mod brain;
mod embedding;
mod hash;
mod http;
mod oddities;
mod options;
mod stream;
mod usage;
mod wire;

pub use behaviour::{Behaviour, Failing, Markup, ReasoningPlace, ToolRefusal};
pub use brain::{Decision, decide};
pub use embedding::{DIMENSIONS, embed};
pub use http::{MAX_BODY_BYTES, router, serve};
pub use options::OfflineOptions;
pub use wire::request::{
    ChatRequest, Content, ContentPart, FunctionCall, FunctionSpec, Message, Role, StreamOptions, ToolCall,
    ToolChoice, ToolSpec,
};
