//! Sizes, names and calls.

use attest_tidy::{files, none};

fn sources() -> Vec<(String, String)> {
    files(&["crates", "tests"], ".rs")
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/")
        || path.ends_with("/tests.rs")
        || path.starts_with("tests/")
        || path.contains("testkit")
}

/// Lines of code without the comments that stand alone on theirs, with their numbers from 1.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(n, line)| (n + 1, line))
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
}

#[test]
fn files_stay_under_400_lines() {
    let faults: Vec<String> = sources()
        .into_iter()
        .filter(|(_, text)| text.lines().count() > 400)
        .map(|(path, text)| format!("{path}: {} lines; split it by what it is about", text.lines().count()))
        .collect();
    none("a file is too long", &faults);
}

#[test]
fn names_say_what_a_file_is_about() {
    let banned = ["mod", "utils", "util", "helpers", "helper", "common", "manager", "misc"];
    let faults: Vec<String> = sources()
        .into_iter()
        .filter(|(path, _)| {
            let stem = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".rs");
            banned.contains(&stem) || banned.iter().any(|b| path.contains(&format!("/{b}/")))
        })
        .map(|(path, _)| path)
        .collect();
    none("a file's name says nothing", &faults);
}

#[test]
fn every_crate_opens_with_what_it_is() {
    let faults: Vec<String> = sources()
        .into_iter()
        .filter(|(path, _)| path.ends_with("src/lib.rs"))
        .filter(|(_, text)| text.lines().take_while(|line| line.starts_with("//!")).count() < 4)
        .map(|(path, _)| format!("{path}: what it is, what it does not do, where to start reading"))
        .collect();
    none("a crate does not introduce itself", &faults);
}

#[test]
fn nothing_is_left_undone_or_skipped() {
    let banned = [
        concat!("todo", "!("),
        concat!("unimplemented", "!("),
        concat!("#[ig", "nore"),
        concat!("dbg", "!("),
    ];
    let mut faults = Vec::new();
    for (path, text) in sources() {
        for (n, line) in lines(&text) {
            faults.extend(banned.iter().filter(|b| line.contains(*b)).map(|b| format!("{path}:{n}: {b}")));
        }
    }
    none("something is undone or skipped", &faults);
}

#[test]
fn tests_wait_for_events_and_not_for_time() {
    let call = concat!("sleep", "(");
    // On a paused clock a sleep takes no time and is how a test says what the time is.
    let paused = |text: &str| text.contains("start_paused = true");
    let mut faults = Vec::new();
    for (path, text) in sources().into_iter().filter(|(path, text)| is_test(path) && !paused(text)) {
        faults.extend(lines(&text).filter(|(_, l)| l.contains(call)).map(|(n, _)| format!("{path}:{n}")));
    }
    none("a test sleeps", &faults);
}

#[test]
fn only_the_private_database_needs_unsafe_code() {
    let word = concat!("unsafe", " {");
    let mut faults = Vec::new();
    for (path, text) in sources().into_iter().filter(|(path, _)| !path.starts_with("crates/embedded-pg/")) {
        faults.extend(lines(&text).filter(|(_, l)| l.contains(word)).map(|(n, _)| format!("{path}:{n}")));
    }
    none("unsafe code stands outside its crate", &faults);
}

#[test]
fn contracts_are_typed() {
    let mut faults = Vec::new();
    for folder in ["crates/protocol/src", "crates/tools/src", "crates/chat/src"] {
        for (path, text) in files(&[folder], ".rs").into_iter().filter(|(path, _)| !is_test(path)) {
            let untyped = |line: &str| line.trim_start().starts_with("pub ") && line.contains("Value");
            faults.extend(
                lines(&text).filter(|(_, l)| untyped(l)).map(|(n, l)| format!("{path}:{n}: {}", l.trim())),
            );
        }
    }
    none("a public signature is untyped JSON", &faults);
}

#[test]
fn handlers_only_extract_call_and_wrap() {
    let mut faults = Vec::new();
    for (path, text) in files(&["crates/server/src/routes"], ".rs") {
        let mut begun: Option<(usize, &str)> = None;
        for (n, line) in text.lines().enumerate() {
            if line.starts_with("pub(crate) async fn ") {
                begun = Some((n, line));
            } else if line == "}"
                && let Some((start, head)) = begun.take()
                && n - start > 25
            {
                faults.push(format!("{path}:{}: {} lines: {head}", start + 1, n - start));
            }
        }
        for word in ["json!", "sqlx"] {
            faults.extend(
                lines(&text).filter(|(_, l)| l.contains(word)).map(|(n, _)| format!("{path}:{n}: {word}")),
            );
        }
    }
    none("a handler does too much", &faults);
}
