//! The real binary, as far as it needs no database. That this file exists also makes `cargo test --workspace` build
//! the binary, which the end-to-end tests start.
#![expect(clippy::unwrap_used, reason = "a test may")]

use std::process::{Command, Output};

/// Runs it in an empty folder, without the settings of whoever runs the tests.
fn attest(arguments: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_attest"));
    command.args(arguments).current_dir(folder.path()).env_clear().envs(variables.iter().copied());
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn the_manual_is_the_default_settings_as_they_are_in_the_repository() {
    let manual = include_str!("../../../config/default.toml");
    let (code, out, _) = attest(&["check-config", "--manual"], &[]);
    assert_eq!((code, out.trim_end()), (Some(0), manual.trim_end()));
}

#[test]
fn check_config_tells_where_a_value_comes_from_and_hides_secrets() {
    let variables = [
        ("ATTEST__MODEL__API_KEY", "sk-a-secret"),
        ("OPENAI_BASE_URL", "http://model.test/v1"),
        ("OPENAI_MODEL", "m"),
    ];
    let (code, out, err) = attest(&["check-config"], &variables);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("OPENAI_BASE_URL") && out.contains("***"), "{out}");
    assert!(!out.contains("sk-a-secret") && !err.contains("sk-a-secret"));
}

#[test]
fn wrong_settings_stop_the_start_and_all_are_named_at_once() {
    let variables = [("ATTEST__HTTP__LISTN", "1"), ("ATTEST__TURN__CALLS", "many")];
    let (code, out, err) = attest(&["serve"], &variables);
    assert!(code.is_some_and(|code| code != 0) && out.is_empty(), "{code:?} {out}");
    assert!(err.contains("ATTEST__HTTP__LISTN") && err.contains("ATTEST__TURN__CALLS"), "{err}");
}

#[test]
fn a_database_that_cannot_be_reached_stops_the_start_with_its_setting() {
    let variables =
        [("DATABASE_URL", "postgres://x:y@127.0.0.1:1/z"), ("ATTEST__HTTP__LISTEN", "127.0.0.1:0")];
    let (code, _, err) = attest(&["serve"], &variables);
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("DATABASE_URL") && err.contains("127.0.0.1:1") && !err.contains(":y@"), "{err}");
}

#[test]
fn every_command_explains_itself_with_an_example() {
    for command in ["serve", "migrate", "check-config", "doctor", "offline-model"] {
        let (code, out, err) = attest(&[command, "--help"], &[]);
        assert_eq!(code, Some(0), "{err}");
        assert!(
            out.contains(&format!("attest {command}")) && out.to_lowercase().contains("example"),
            "{command}: {out}"
        );
    }
}
