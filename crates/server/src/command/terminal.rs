//! The terminal: answers on standard output, complaints and logs on standard error.

use std::fmt::Display;
use std::io::{IsTerminal as _, Write as _};

use tracing_subscriber::EnvFilter;

use crate::settings::sections::{LogFormat, LogSettings};

/// Prints a line at once. A reader that has left is no reason to end.
pub(super) fn say(line: &dyn Display) {
    let mut out = std::io::stdout().lock();
    drop(writeln!(out, "{line}").and_then(|()| out.flush()));
}

/// Prints why the command ends.
pub(super) fn complain(sentence: &dyn Display) {
    drop(writeln!(std::io::stderr().lock(), "{sentence}"));
}

/// Sends log lines to standard error.
pub(super) fn start_log(settings: &LogSettings) {
    let builder = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(&settings.filter))
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let started = match settings.format {
        LogFormat::Text => builder.with_target(false).try_init(),
        LogFormat::Json => builder.json().try_init(),
    };
    if let Err(error) = started {
        complain(&format!("log lines go nowhere: {error}"));
    }
}
