//! The ladder: with what of tools a request is sent, chosen by what the endpoint refused and remembered.
//!
//! The levels are those of [`Level`]. A configured one wins; else the remembered one; else native tools. A refusal that
//! speaks of the request's shape ([`RefusedShape`]) sends the same request one level lower at once, each class at most
//! once, and only while no request of the turn has been answered. What was proved is remembered ([`memory`]), so the
//! next turn asks at its level with one request. The same memory keeps the shapes that the wire was taught (`lessons`). A rate limit, a server's failure and a timeout prove nothing.
//!
//! [`Ladder`] serves a process, [`turn::LadderTurn`] one turn: a turn that stepped down stays down.

use std::sync::Arc;

use async_trait::async_trait;
use time::OffsetDateTime;

use crate::chat::{ChatBackend, ChatRequest, ChatStream};
use crate::failure::{ModelFailure, RefusedShape};

pub mod knowledge;
mod lessons;
pub mod memory;
mod schemas;
mod turn;

pub use knowledge::Knowledge;
pub use memory::{Capability, CapabilityKey, CapabilityMemory, Proof};
pub use turn::LadderTurn;

#[cfg(test)]
mod tests;

/// With what of tools a request is sent, from the most to the least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Native tools.
    #[default]
    Native,
    /// Native tools, and `tool_choice` left away.
    NativeWithoutChoice,
    /// Tools taught in words, calls read from the reply's text.
    Text,
    /// No tools at all: the caller looks up once and asks plainly.
    Retrieval,
}

impl Level {
    /// Its name in records, in the memory and in logs. Never changes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::NativeWithoutChoice => "native_without_choice",
            Self::Text => "text",
            Self::Retrieval => "retrieval",
        }
    }

    /// The level of this name; `None` for one that this version does not know.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Native, Self::NativeWithoutChoice, Self::Text, Self::Retrieval]
            .into_iter()
            .find(|level| level.name() == name)
    }
}

/// Where a turn stands on the ladder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The level of its last request with tools.
    pub level: Level,
    /// What it had to give up and why, in order; one short line each, without words of the endpoint.
    pub degradations: Vec<String>,
}

/// A backend that goes down the ladder when it must.
#[derive(Clone)]
pub struct Ladder(Arc<Rungs>);

/// What every turn shares.
struct Rungs {
    native: Arc<dyn ChatBackend>,
    text: Arc<dyn ChatBackend>,
    fixed: Option<Level>,
    knowledge: Arc<Knowledge>,
}

impl Ladder {
    /// A ladder over the wire (`native`) and text mode over the same wire. Both must give a failed request back as an
    /// `Err` of `chat` while nothing was handed out, as [`crate::retry::RetryingBackend`] does. With a `fixed` level
    /// nothing is chosen, asked of the memory or learned.
    pub fn new(
        native: Arc<dyn ChatBackend>,
        text: Arc<dyn ChatBackend>,
        fixed: Option<Level>,
        knowledge: impl Into<Arc<Knowledge>>,
    ) -> Self {
        Self(Arc::new(Rungs { native, text, fixed, knowledge: knowledge.into() }))
    }

    /// What is known of the endpoint, for those who test it.
    pub fn knowledge(&self) -> &Knowledge {
        &self.0.knowledge
    }
}

#[async_trait]
impl ChatBackend for Ladder {
    async fn chat(&self, request: ChatRequest) -> Result<ChatStream, ModelFailure> {
        LadderTurn::new(Arc::clone(&self.0)).chat(request).await
    }

    fn model(&self) -> &str {
        self.0.native.model()
    }

    fn for_turn(&self) -> Option<Arc<dyn ChatBackend>> {
        Some(Arc::new(LadderTurn::new(Arc::clone(&self.0))))
    }
}

/// Why a level was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// What was refused; `None` when the endpoint did not say, and the lower request was accepted.
    pub shape: Option<RefusedShape>,
    /// The HTTP status.
    pub status: u16,
}

impl Refused {
    /// The class in records and in the memory.
    pub const fn class(self) -> &'static str {
        match self.shape {
            Some(shape) => shape.name(),
            None => "unclassified",
        }
    }
}

/// The clock; a test has its own.
pub type Now = Arc<dyn Fn() -> OffsetDateTime + Send + Sync>;
