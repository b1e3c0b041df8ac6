//! `attest check-config`

use std::process::ExitCode;

use clap::Args;

use super::terminal::say;
use crate::settings::{EffectiveSetting, MANUAL};

/// What to print.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Prints the manual of every setting instead, which is also the file of their defaults
    #[arg(long)]
    pub(super) manual: bool,
}

/// Prints the manual.
pub(super) fn print_manual() -> ExitCode {
    say(&MANUAL.trim_end());
    ExitCode::SUCCESS
}

/// Prints the settings in force as TOML, each with where it comes from.
pub(super) fn run(effective: &[EffectiveSetting]) -> ExitCode {
    for setting in effective {
        say(setting);
    }
    ExitCode::SUCCESS
}
