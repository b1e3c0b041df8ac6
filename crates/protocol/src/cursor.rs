//! Event ids: `<turn_id>:<seq>`, what a reader sends back to go on.

use std::fmt;
use std::str::FromStr;

use attest_domain::TurnId;

/// The id of a frame: its turn, and its number in it from 1. Number 0 means before the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventId {
    /// The turn.
    pub turn_id: TurnId,
    /// The number.
    pub seq: u64,
}

/// A text that is no event id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no event id: `<turn id>:<number>`, the `id` of a frame, is expected")]
pub struct InvalidEventId {
    text: String,
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.turn_id, self.seq)
    }
}

impl FromStr for EventId {
    type Err = InvalidEventId;

    fn from_str(text: &str) -> Result<Self, InvalidEventId> {
        let wrong = || InvalidEventId { text: text.chars().take(80).collect() };
        let (turn, seq) = text.trim().rsplit_once(':').ok_or_else(wrong)?;
        if !seq.bytes().all(|b| b.is_ascii_digit()) {
            return Err(wrong());
        }
        Ok(Self { turn_id: turn.parse().map_err(|_| wrong())?, seq: seq.parse().map_err(|_| wrong())? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_id_survives_its_text() {
        let id = EventId { turn_id: TurnId::new(), seq: 17 };
        assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn what_is_no_event_id_is_refused() {
        for text in [
            "",
            ":",
            "1",
            "x:1",
            "0192f0c1-2b3a-7c4d-8e5f-001122334455",
            "0192f0c1-2b3a-7c4d-8e5f-001122334455:-1",
            "0192f0c1-2b3a-7c4d-8e5f-001122334455:+1",
            "0192f0c1-2b3a-7c4d-8e5f-001122334455:",
            "0192f0c1-2b3a-7c4d-8e5f-001122334455:99999999999999999999999",
        ] {
            assert!(text.parse::<EventId>().is_err(), "{text}");
        }
    }
}
