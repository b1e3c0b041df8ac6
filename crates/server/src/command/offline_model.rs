//! `attest offline-model`

mod oddities;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use attest_offline::OfflineOptions;
use clap::Args;
use tokio::net::TcpListener;

use super::serve::Signals;
use super::terminal::{complain, say, start_log};
use crate::settings::sections::{LogFormat, LogSettings};
use oddities::Oddities;

const EXAMPLES: &str = "Examples:
  attest offline-model --listen 127.0.0.1:8081 --pace-ms 20
  attest offline-model --reject-tools unsupported
  attest offline-model --fail 429 --fail-requests 2 --retry-after 1
  attest offline-model --pace-ms 50 --drop-after 10

Point the service at it with model.base_url = \"http://127.0.0.1:8081/v1\" and model.name = \"attest-offline\".
A reader that leaves before the end of a reply leaves a line on standard error.";

/// Where, how fast and how badly.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8081")]
    listen: SocketAddr,
    /// Milliseconds between two words; 0 streams as fast as it is read
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 8, value_parser = clap::value_parser!(u64).range(0..=1000))]
    pace_ms: u64,
    #[command(flatten)]
    oddities: Oddities,
}

/// Serves the offline model until it is told to stop.
pub(super) async fn run(arguments: Arguments) -> ExitCode {
    // The command reads no settings: it stands for an endpoint that is not ours.
    start_log(&LogSettings { format: LogFormat::Text, filter: "info".to_owned() });
    match serve(arguments).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            complain(&sentence);
            ExitCode::FAILURE
        }
    }
}

async fn serve(Arguments { listen, pace_ms, oddities }: Arguments) -> Result<(), String> {
    let refused =
        |error| format!("--listen: cannot listen on {listen}: {error}; name another address or port");
    let mut signals = Signals::new().map_err(|error| format!("signals cannot be received: {error}"))?;
    let listener = TcpListener::bind(listen).await.map_err(refused)?;
    let addr = listener.local_addr().map_err(refused)?;
    let options = OfflineOptions {
        pace: Duration::from_millis(pace_ms),
        behaviour: oddities.behaviour(),
        ..OfflineOptions::default()
    };
    say(&format!("listening on http://{addr}/v1"));
    attest_offline::serve(listener, options, async move { signals.next().await })
        .await
        .map_err(|error| format!("the offline model has ended: {error}"))
}
