//! The table of endpoint differences: each row is shown by a fixture, each fixture has a row, and the document for people
//! is written from it.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use attest_llm::quirks::{document, quirks};

/// Products and companies. They are named in the table, which is where a reader looks for them, and nowhere else in the
/// code: what the client does depends on what an endpoint says, never on who it is.
const NAMES: &[&str] = &[
    "anthropic",
    "azure",
    "bedrock",
    "cerebras",
    "claude",
    "cloudflare",
    "dashscope",
    "deepseek",
    "gemini",
    "groq",
    "litellm",
    "llama.cpp",
    "llamacpp",
    "lm studio",
    "lmstudio",
    "minimax",
    "mistral",
    "moonshot",
    "ollama",
    "openrouter",
    "scaleway",
    "sglang",
    "siliconflow",
    "vllm",
];

/// Public cases of the wire and of thoughts that need no stream of their own here, and where they are kept.
const ELSEWHERE: &[(u16, &str)] = &[
    (16, "the server compresses no event stream"),
    (26, "the server's own stream"),
    (31, "the server's own stream"),
    (40, "retry/tests.rs: nothing is sent again after the first event"),
    (63, "the agent's policy"),
    (95, "refusals/stream-options.txt"),
    (96, "client/prompt_size.rs"),
    (97, "only /chat/completions is called"),
    (109, "the agent builds its own replay"),
    (110, "the agent stores what was streamed"),
    (115, "client/prompt_size.rs"),
    (122, "no balance is asked for"),
];

/// The numbers of wire.md, history.md and the reasoning part of text-calls.md, in that order.
const CASES: &[u16] = &[
    1, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 15, 16, 17, 19, 20, 21, 22, 23, 25, 26, 27, 28, 29, 30, 31, 32, 34,
    35, 36, 37, 38, 40, 41, 42, 43, 44, 46, 48, 49, 50, 51, 52, 54, 55, 57, 58, 59, 60, 62, 63, 64, 87, 88,
    90, 91, 92, 93, 95, 96, 97, 111, 114, 115, 117, 118, 119, 120, 122, 98, 99, 100, 102, 103, 105, 107, 108,
    109, 110, 77, 78, 79, 80, 81, 83, 84, 86,
];

fn crate_root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_in(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn every_row_has_its_fixture_and_every_written_fixture_its_row() {
    let fixtures = crate_root().join("tests/fixtures");
    let named: BTreeSet<&str> = quirks().map(|(_, quirk)| quirk.fixture).collect();
    for (_, quirk) in quirks() {
        let path = fixtures.join(quirk.fixture);
        assert!(path.is_file(), "{}: there is no {}", quirk.name, path.display());
        // Only what a test reads has events beside it.
        assert!(path.with_extension("events").is_file(), "{}: no test reads {}", quirk.name, path.display());
    }
    for folder in ["written", "refusals"] {
        for path in files_in(&fixtures.join(folder)) {
            let name = path.strip_prefix(&fixtures).unwrap().to_str().unwrap();
            assert!(name.ends_with(".events") || named.contains(name), "{name} has no row in quirks/table");
        }
    }
}

#[test]
fn every_row_says_what_happens_under_a_name_of_its_own() {
    let mut names = BTreeSet::new();
    for (area, quirk) in quirks() {
        assert!(names.insert(quirk.name), "{} is there twice", quirk.name);
        for text in [quirk.name, quirk.endpoint, quirk.ours, quirk.seen] {
            assert!(!text.trim().is_empty() && !text.ends_with('.'), "{area:?} {}: {text:?}", quirk.name);
        }
    }
}

#[test]
fn every_public_case_has_a_row_or_another_home() {
    let homes: BTreeSet<u16> = quirks()
        .flat_map(|(_, quirk)| quirk.cases.iter().copied())
        .chain(ELSEWHERE.iter().map(|(case, _)| *case))
        .collect();
    assert_eq!(homes, CASES.iter().copied().collect());
}

#[test]
fn products_are_named_in_the_table_alone() {
    let source = crate_root().join("src");
    for path in files_in(&source) {
        let name = path.strip_prefix(&source).unwrap().to_str().unwrap();
        // What a test sends is what an endpoint said, names included.
        if name.starts_with("quirks/table/") || name.ends_with("tests.rs") || name.contains("/tests/") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap().to_lowercase();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        // One router's field of the wire has its maker's name in it.
        let code = code.replace("x_groq", "");
        for product in NAMES {
            assert!(
                !code.contains(product),
                "src/{name} names {product}; say what it does, and name it in quirks/table"
            );
        }
    }
}

#[test]
fn the_document_is_what_the_table_says() {
    let path = crate_root().join("../../docs/endpoints.md");
    if std::env::var_os("ATTEST_UPDATE_DOCS").is_some() {
        std::fs::write(&path, document()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == document(),
        "docs/endpoints.md is not what quirks/table says; write it anew with ATTEST_UPDATE_DOCS=1 cargo test -p \
         attest-llm --test quirks"
    );
}
