//! `attest offline-model`

use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use attest_offline::OfflineOptions;
use clap::Args;
use tokio::net::TcpListener;

use super::serve::Signals;
use super::terminal::{complain, say};

/// Where and how fast.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// The address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8081")]
    listen: SocketAddr,
    /// Milliseconds between two words; 0 streams as fast as it is read
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 8, value_parser = clap::value_parser!(u64).range(0..=1000))]
    pace_ms: u64,
}

/// Serves the offline model until it is told to stop.
pub(super) async fn run(arguments: Arguments) -> ExitCode {
    match serve(arguments).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            complain(&sentence);
            ExitCode::FAILURE
        }
    }
}

async fn serve(Arguments { listen, pace_ms }: Arguments) -> Result<(), String> {
    let refused =
        |error| format!("--listen: cannot listen on {listen}: {error}; name another address or port");
    let mut signals = Signals::new().map_err(|error| format!("signals cannot be received: {error}"))?;
    let listener = TcpListener::bind(listen).await.map_err(refused)?;
    let addr = listener.local_addr().map_err(refused)?;
    let options = OfflineOptions { pace: Duration::from_millis(pace_ms), ..OfflineOptions::default() };
    say(&format!("listening on http://{addr}/v1"));
    attest_offline::serve(listener, options, async move { signals.next().await })
        .await
        .map_err(|error| format!("the offline model has ended: {error}"))
}
