//! The envelope of a result: a message that the model can tell from one that it made up.

use super::marks::beginning;

/// The longest body, in characters.
const BODY_LIMIT: usize = 24_000;
const REMINDER: &str = "Reply with one block: T, C or E.";
const FIRST_ONLY: &str = "Only the first call was run.";

/// How a call went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Ok,
    Error,
}

impl Status {
    const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
        }
    }
}

/// One result, on its way to the model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Envelope<'a> {
    pub(super) tool: &'a str,
    pub(super) status: Status,
    pub(super) call_id: &'a str,
    pub(super) body: &'a str,
    /// More stood behind the call and was dropped.
    pub(super) first_only: bool,
    /// How to reply is said once more.
    pub(super) reminds: bool,
}

impl Envelope<'_> {
    /// The message. The mark that closes it does not occur in the body, so a body cannot close it itself.
    pub(super) fn to_message(self) -> String {
        let body = body(self.body);
        let mark = mark(self.call_id, &body);
        let mut message = format!("R {} {} {mark}\n{body}\nR end {mark}", self.tool, self.status.name());
        for (said, line) in [(self.first_only, FIRST_ONLY), (self.reminds, REMINDER)] {
            if said {
                message.push('\n');
                message.push_str(line);
            }
        }
        message
    }
}

fn body(body: &str) -> String {
    if body.trim().is_empty() {
        return "(no content)".to_owned();
    }
    match body.char_indices().nth(BODY_LIMIT) {
        None => body.to_owned(),
        Some((at, _)) => {
            let total = body.chars().count();
            format!("{}\n[cut: shown {BODY_LIMIT} of {total} characters]", beginning(body, at))
        }
    }
}

/// Four to eight hexadecimal digits that do not occur in the body, the same ones for the same result.
fn mark(call_id: &str, body: &str) -> String {
    let mut seed = hash(0xcbf2_9ce4_8422_2325, call_id.as_bytes());
    seed = hash(seed, body.as_bytes());
    for round in 0_u32.. {
        let digits = format!("{:016x}", hash(seed, &round.to_le_bytes()));
        // Longer marks once short ones were taken.
        let length = usize::try_from(4 + round / 4).map_or(8, |length| length.min(8));
        let mark = digits.get(..length).unwrap_or(&digits);
        if !body.contains(mark) {
            return mark.to_owned();
        }
    }
    String::new()
}

/// FNV-1a: a mark needs to be stable, not secret, because it is compared with the body.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(seed, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
