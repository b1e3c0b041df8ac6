//! Identifiers: UUID version 7, one type for each thing, so that one cannot stand where another belongs.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// An identifier that is no UUID.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not {kind}: a UUID such as 0192f0c1-2b3a-7c4d-8e5f-001122334455 is expected")]
pub struct InvalidId {
    kind: &'static str,
    text: String,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, $kind:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// A new id; later ids sort after earlier ones.
            #[must_use]
            #[allow(clippy::new_without_default, reason = "a default id would hide that ids are made, not assumed")]
            pub fn new() -> Self {
                Self(Uuid::now_v7())
            }

            /// The id that a stored row holds.
            #[must_use]
            pub const fn from_uuid(id: Uuid) -> Self {
                Self(id)
            }

            /// The bare UUID, for the store.
            #[must_use]
            pub const fn as_uuid(&self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                Uuid::try_parse(text.trim())
                    .map(Self)
                    .map_err(|_| InvalidId { kind: $kind, text: text.chars().take(80).collect() })
            }
        }
    )+};
}

ids! {
    /// A knowledge base.
    KbId, "the id of a knowledge base";
    /// A document of a knowledge base.
    DocumentId, "a document id";
    /// A passage of a document.
    ChunkId, "a passage id";
    /// A conversation.
    ConversationId, "a conversation id";
    /// A stored message: a question or an answer.
    MessageId, "a message id";
    /// One turn: a question and what was done to answer it.
    TurnId, "a turn id";
    /// Whoever asks.
    PrincipalId, "a principal id";
    /// A person, organisation or thing that facts are about.
    EntityId, "an entity id";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_survives_its_text() {
        let id = TurnId::new();
        assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn later_ids_sort_after_earlier_ones() {
        let first = TurnId::new();
        let second = TurnId::new();
        assert!(first < second);
    }

    #[test]
    fn a_wrong_id_names_what_was_expected() {
        let error = "seven".parse::<DocumentId>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "\"seven\" is not a document id: a UUID such as 0192f0c1-2b3a-7c4d-8e5f-001122334455 is expected"
        );
    }
}
