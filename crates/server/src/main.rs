//! The `attest` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    attest_server::command::run()
}
