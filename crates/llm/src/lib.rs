//! The model's wire: chat and embeddings over any OpenAI-compatible endpoint.
pub mod chat;
pub mod failure;
