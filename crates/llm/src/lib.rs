//! The model's wire: chat and embeddings over any OpenAI-compatible endpoint.
//!
//! What this is: one streaming client for `/chat/completions`, one for `/embeddings`, and the names of what can go
//! wrong with them. An endpoint's oddities end here: above this crate a reply is a list of [`chat::ChatEvent`] that
//! closes with exactly one end, or one typed [`failure::ModelFailure`].
//!
//! What it deliberately does not do: it runs no tool, checks no argument, trims no history and decides nothing about a
//! turn. It sends a request again only before anything of the reply was handed out ([`retry`]). It has no second
//! event-stream parser: [`reply`] tidies the bytes and `eventsource-stream` reads them.
//!
//! Where to start reading: [`chat`] (the shapes), [`client`] (one request), [`reply`] (bytes to events), then
//! `failure/classify.rs` (what a refusal means).
//!
//! How to add one more: a new wording of a refusal is a row in `failure/wordings.rs` and a row in its table test; a new
//! oddity of an endpoint is a row in [`quirks`] and a file under `tests/fixtures` with its expected events beside it.

pub mod chat;
pub mod client;
pub mod embed;
pub mod endpoint;
pub mod failure;
pub mod heal;
pub mod ladder;
pub mod learned;
pub mod probe;
pub mod quirks;
pub mod reply;
pub mod retry;
pub mod secret;
pub mod text_mode;
