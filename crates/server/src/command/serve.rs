//! `attest serve`

use std::io;
use std::process::ExitCode;

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::terminal::{complain, say, start_log};
use crate::app::{App, RunningApp};
use crate::settings::Settings;

/// What a process returns that was told twice to end.
const HURRIED: u8 = 130;

/// Starts the service, says where it is, and stops it when told to. Told twice, it only stops the database.
pub(super) async fn run(settings: Settings) -> ExitCode {
    start_log(&settings.log);
    let mut signals = match Signals::new() {
        Ok(signals) => signals,
        Err(error) => {
            complain(&format!("signals cannot be received: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let started = tokio::select! {
        started = Box::pin(App::start(settings)) => started,
        () = signals.next() => return ExitCode::from(HURRIED),
    };
    let app = match started {
        Ok(app) => app,
        Err(error) => {
            complain(&error);
            return ExitCode::FAILURE;
        }
    };
    announce(&app);
    let code = tokio::select! {
        () = signals.next() => ExitCode::SUCCESS,
        () = app.failed() => {
            complain(&"the private PostgreSQL has ended by itself, so the service ends too; start it again");
            ExitCode::FAILURE
        }
    };
    tracing::info!("Stopping; running answers get a moment to finish");
    tokio::select! {
        () = app.stop() => code,
        () = signals.next() => {
            app.stop_database().await;
            ExitCode::from(HURRIED)
        }
    }
}

/// Scripts wait for the first line.
fn announce(app: &RunningApp) {
    say(&format!("listening on {}", app.url()));
    say(&format!("database: {}; model: {}", app.database(), app.model()));
    say(&app.example());
}

/// The signals that tell a process to end: Ctrl-C and a supervisor's request. A terminal that is closed is left to
/// `nohup`, which a handler of ours would defeat.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    /// Receives them from now on; before, each of them would just kill the process.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// The next one.
    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
