//! `attest doctor`

mod table;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use attest_llm::endpoint::install_crypto_provider;
use attest_llm::probe::{Limits, Report};
use clap::Args;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::terminal::{complain, say};
use super::{Sources, in_runtime, load};
use crate::app::{ModelPlace, StartError};
use crate::doctor::{Doctor, DoctorError};
use crate::settings::Settings;

/// What it returns when chat will not work.
const CHAT_FAILS: u8 = 1;

/// What it returns when the settings are wrong: nothing was tried.
const WRONG_SETTINGS: u8 = 2;

/// The example and the exit codes.
pub(super) const HELP: &str = "\
Example:
  OPENAI_BASE_URL=https://api.example.com/v1 OPENAI_MODEL=example OPENAI_API_KEY=... attest doctor

It ends with 0 when chat will work, with 1 when it will not, and with 2 when the settings are wrong.
About ten small requests and one of 32,000 characters are sent. Without a model, the built-in one is tried.";

/// How it is told, and how long it may take.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Prints JSON for programs instead of the table
    #[arg(long)]
    json: bool,
    /// The most seconds that one request may take; all together take three minutes at most, or six times this
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=600))]
    timeout_seconds: u64,
}

impl Arguments {
    fn limits(&self) -> Limits {
        let each = Duration::from_secs(self.timeout_seconds);
        Limits { each, all: each.saturating_mul(6).max(Limits::default().all) }
    }
}

/// Why nothing could be tried.
#[derive(Debug, thiserror::Error)]
enum Failed {
    /// The built-in model did not start.
    #[error("{0}")]
    Start(#[from] StartError),
    /// No client can be made.
    #[error("{0}")]
    Doctor(#[from] DoctorError),
    /// The report is no JSON.
    #[error("the report cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Reads the settings itself, because a mistake in them has an exit code of its own here.
pub(super) fn run(config: Option<PathBuf>, arguments: Arguments) -> ExitCode {
    match load(Sources::of_this_process(config)) {
        Ok(loaded) => in_runtime(examine(loaded.settings, arguments)),
        Err(mistakes) => {
            complain(&mistakes);
            ExitCode::from(WRONG_SETTINGS)
        }
    }
}

async fn examine(settings: Settings, arguments: Arguments) -> ExitCode {
    install_crypto_provider();
    let examined = report(settings, arguments.limits()).await;
    let code = exit_code(&examined);
    let told = examined.and_then(|report| {
        let json = arguments.json.then(|| serde_json::to_string_pretty(&report)).transpose()?;
        match json {
            Some(json) => say(&json),
            None => say(&table::Table(&report)),
        }
        Ok(())
    });
    if let Err(error) = told {
        complain(&error);
    }
    ExitCode::from(code)
}

/// Tries everything, the built-in model where none is configured.
async fn report(mut settings: Settings, limits: Limits) -> Result<Report, Failed> {
    // Nobody reads along here.
    settings.offline.pace = Duration::ZERO;
    let (background, ending) = (TaskTracker::new(), CancellationToken::new());
    let place = ModelPlace::find(&settings, &background, &ending).await?;
    let report = Doctor::new(&place, &settings).examine(limits).await;
    ending.cancel();
    Ok(report?)
}

const fn exit_code(examined: &Result<Report, Failed>) -> u8 {
    match examined {
        Ok(report) if report.chat_works => 0,
        Err(Failed::Doctor(DoctorError::Settings(_))) => WRONG_SETTINGS,
        Ok(_) | Err(_) => CHAT_FAILS,
    }
}

#[cfg(test)]
mod tests;
