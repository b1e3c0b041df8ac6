//! Plain text.

use super::decode::decode;
use super::{Format, Markup, Parsed};
use crate::error::Refusal;

pub(super) const FORMAT: Format =
    Format { endings: &["txt", "text", "log"], media_type: "text/plain", check, parse };

fn check(bytes: &[u8]) -> Result<(), Refusal> {
    decode(bytes).map(drop)
}

fn parse(bytes: &[u8]) -> Result<Parsed, Refusal> {
    Ok(Parsed { text: decode(bytes)?, headings: Vec::new(), markup: Markup::Plain })
}
