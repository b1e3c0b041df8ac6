//! The command line: one file for each command.

mod check_config;
mod doctor;
mod migrate;
mod offline_model;
mod serve;
mod terminal;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};

use crate::settings::{Loaded, Sources, load};
use terminal::complain;

/// How long work that blocks may take to end after everything else has: a private PostgreSQL that is still starting
/// is waited for, so that it can be stopped.
const BLOCKING_WORK: Duration = Duration::from_secs(70);

/// Answers questions from documents, and shows where each answer comes from.
#[derive(Parser, Debug)]
#[command(name = "attest", version, after_help = "Example:\n  attest serve --config config/local.toml")]
struct Cli {
    /// A TOML file of settings, read in place of config/local.toml
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Starts the service; this is what happens without a command, too
    #[command(after_help = "Example:\n  ATTEST__HTTP__LISTEN=127.0.0.1:9000 attest serve")]
    Serve,
    /// Brings the database's schema up to date and ends; `serve` does it too
    #[command(after_help = "Example:\n  DATABASE_URL=postgres://attest@localhost/attest attest migrate")]
    Migrate,
    /// Prints the settings in force and where each comes from, or every mistake in them
    #[command(after_help = "Example:\n  attest check-config --config config/local.toml")]
    CheckConfig(check_config::Arguments),
    /// Tries the configured model with every shape of request that a turn uses, and says what works
    #[command(after_help = doctor::HELP)]
    Doctor(doctor::Arguments),
    /// Serves the offline model by itself: an OpenAI-compatible endpoint without a network
    #[command(after_help = "Example:\n  attest offline-model --listen 127.0.0.1:8081 --pace-ms 20")]
    OfflineModel(offline_model::Arguments),
}

/// Parses the command line and does what it says.
#[must_use]
pub fn run() -> ExitCode {
    let Cli { config, command } = Cli::parse();
    match command.unwrap_or(Command::Serve) {
        Command::Serve => with_settings(config, |loaded| in_runtime(serve::run(loaded.settings))),
        Command::Migrate => with_settings(config, |loaded| in_runtime(migrate::run(loaded.settings))),
        Command::CheckConfig(arguments) if arguments.manual => check_config::print_manual(),
        Command::CheckConfig(_) => with_settings(config, |loaded| check_config::run(&loaded.effective)),
        Command::Doctor(arguments) => doctor::run(config, arguments),
        Command::OfflineModel(arguments) => in_runtime(offline_model::run(arguments)),
    }
}

fn with_settings(config: Option<PathBuf>, command: impl FnOnce(Loaded) -> ExitCode) -> ExitCode {
    match load(Sources::of_this_process(config)) {
        Ok(loaded) => command(loaded),
        Err(mistakes) => {
            complain(&mistakes);
            ExitCode::FAILURE
        }
    }
}

fn in_runtime(command: impl Future<Output = ExitCode>) -> ExitCode {
    match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => {
            let code = runtime.block_on(command);
            runtime.shutdown_timeout(BLOCKING_WORK);
            code
        }
        Err(error) => {
            complain(&format!("the runtime cannot be started: {error}"));
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn every_command_shows_an_example() {
        let cli = Cli::command();
        cli.clone().debug_assert();
        for command in cli.get_subcommands().chain([&cli]) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Example:\n") && help.contains("attest"), "{}", command.get_name());
        }
    }
}
