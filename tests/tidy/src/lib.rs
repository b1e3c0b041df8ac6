//! House rules as tests: layers, sizes, names, banned calls, and documents that must not drift from the code.
//!
//! Nothing here runs the product or needs a database. The rules stand in `docs/architecture.md`; each test says
//! which file breaks which rule. Start at `tests/layers.rs`; a new crate is a line of its table.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the workspace.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Reads a file of the workspace; a test without its file fails here, with the file's name.
///
/// # Panics
/// When the file cannot be read as text.
#[must_use]
pub fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files below the folders of the workspace that end so, with their path from the root and their text.
#[must_use]
pub fn files(folders: &[&str], ending: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in folders {
        walk(&root().join(folder), ending, &mut found);
    }
    found.sort();
    found
}

fn walk(folder: &Path, ending: &str, found: &mut Vec<(String, String)>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && name != "node_modules" {
            walk(&path, ending, found);
        } else if name.ends_with(ending)
            && let Ok(text) = fs::read_to_string(&path)
        {
            let shown = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
            found.push((shown, text));
        }
    }
}

/// Fails with every line of `faults`, or passes when there is none.
///
/// # Panics
/// When there are faults.
pub fn none(rule: &str, faults: &[String]) {
    assert!(faults.is_empty(), "{rule}:\n  {}", faults.join("\n  "));
}
