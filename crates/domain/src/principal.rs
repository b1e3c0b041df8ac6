//! Whoever asks.

use uuid::Uuid;

use crate::ids::PrincipalId;

/// A person or program on whose behalf something is done. Every request has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// Who.
    pub id: PrincipalId,
    /// What to call them in records.
    pub name: String,
}

impl Principal {
    /// The one person of a server without access control. Its id is the same on every server.
    #[must_use]
    pub fn local() -> Self {
        Self {
            id: PrincipalId::from_uuid(Uuid::from_u128(0x0000_0000_0000_7000_8000_0000_0000_0001)),
            name: "local".to_owned(),
        }
    }
}
