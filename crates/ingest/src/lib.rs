//! How knowledge gets in: a file is checked, stored, read, cut into passages and made searchable.
//!
//! [`Intake::accept`] checks what is cheap to check before anything is stored, so that a refused file leaves no
//! trace; [`Intake::run`] are the workers that read what was accepted. A document is `queued`, `reading`, and then
//! `ready` or `failed` with a reason that a person can act on; a worker that dies leaves a lease that runs out.
//!
//! What it deliberately does not do: it never guesses an encoding (a wrong guess is stored for ever, a refusal is
//! mended in a minute), never changes what a text says (only NUL, the byte order mark and CR are taken out), fetches
//! nothing from a network, and knows neither HTTP nor who uploads.
//!
//! Start at [`intake`], then `parse.rs` (the table of formats) and `chunk.rs` (how a text becomes passages). A new
//! format is a file in `parse/` and a row in `parse::FORMATS`.

mod chunk;
mod error;
mod filename;
pub mod intake;
mod parse;

pub use error::{IntakeError, Refusal};
pub use intake::{Intake, IntakeOptions, SeedFile, Upload};
pub use parse::supported_endings;
