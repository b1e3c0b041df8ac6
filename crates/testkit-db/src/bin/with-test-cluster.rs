//! Runs a command beside a throwaway PostgreSQL: `with-test-cluster cargo test --workspace`. The command
//! finds it in `TEST_DATABASE_URL`. Exits as the command does.

use std::{
    env,
    process::{Command, ExitCode},
};

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln(&format!("with-test-cluster: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut arguments = env::args_os().skip(1);
    let program = arguments.next().ok_or("name a command to run, for example `cargo test --workspace`")?;
    if env::var_os("TEST_DATABASE_URL").is_some_and(|url| !url.is_empty()) {
        eprintln("using the server that TEST_DATABASE_URL names");
        let status = Command::new(program).args(arguments).status()?;
        return Ok(exit_code(status.code()));
    }
    let cluster = attest_testkit_db::start_cluster()?;
    eprintln(&format!(
        "the tests run on PostgreSQL {} in {}",
        cluster.version(),
        cluster.data_dir().display()
    ));
    let status =
        Command::new(program).args(arguments).env("TEST_DATABASE_URL", cluster.url("postgres")).status()?;
    let data_dir = cluster.data_dir().to_path_buf();
    cluster.stop();
    std::fs::remove_dir_all(data_dir)?;
    Ok(exit_code(status.code()))
}

/// A command that a signal ended has no code of its own.
fn exit_code(code: Option<i32>) -> ExitCode {
    code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}

#[expect(clippy::print_stderr, reason = "this is a command for developers")]
fn eprintln(line: &str) {
    std::eprintln!("{line}");
}
