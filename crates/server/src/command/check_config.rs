//! `attest check-config`

use std::process::ExitCode;

use super::terminal::say;
use crate::settings::EffectiveSetting;

/// Prints the settings in force as TOML, each with where it comes from.
pub(super) fn run(effective: &[EffectiveSetting]) -> ExitCode {
    for setting in effective {
        say(setting);
    }
    ExitCode::SUCCESS
}
