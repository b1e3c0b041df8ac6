//! A crate uses only crates of a lower layer, and each big dependency lives in one place.

use std::collections::BTreeMap;

use attest_tidy::{files, none};

/// The layers, bottom first. `testkit` and the test crates stand above everything.
const LAYERS: &[(&str, u8)] = &[
    ("attest-domain", 0),
    ("attest-protocol", 1),
    ("attest-llm", 1),
    ("attest-embedded-pg", 1),
    ("attest-store", 2),
    ("attest-offline", 2),
    ("attest-search", 3),
    ("attest-ingest", 4),
    ("attest-tools", 5),
    ("attest-agent", 6),
    ("attest-chat", 7),
    ("attest-server", 8),
    ("attest-testkit-db", 9),
    ("attest-testkit", 10),
    ("attest-tidy", 11),
    ("attest-e2e", 11),
];

/// Who may use what. `protocol` uses `domain` of the layer below it; crates of one layer do not use each other.
const HOMES: &[(&str, &[&str])] = &[
    ("sqlx", &["attest-store", "attest-testkit-db"]),
    ("axum", &["attest-server", "attest-offline"]),
    ("rig-core", &["attest-agent"]),
    ("rig-agent", &["attest-agent"]),
    ("rmcp", &["attest-mcp"]),
    ("tantivy", &["attest-search"]),
    ("reqwest", &["attest-llm", "attest-bench", "attest-testkit", "attest-server", "attest-e2e"]),
];

fn manifests() -> Vec<(String, toml::Table)> {
    files(&["crates", "tests"], "Cargo.toml")
        .into_iter()
        .map(|(path, text)| {
            let table: toml::Table = text.parse().unwrap_or_else(|error| panic!("{path}: {error}"));
            (table["package"]["name"].as_str().unwrap_or_default().to_owned(), table)
        })
        .collect()
}

fn dependencies(manifest: &toml::Table) -> Vec<String> {
    let table = manifest.get("dependencies").and_then(toml::Value::as_table);
    table.into_iter().flat_map(|table| table.keys().cloned()).collect()
}

#[test]
fn every_crate_has_its_layer() {
    let crates: Vec<String> = manifests().into_iter().map(|(name, _)| name).collect();
    let layers: BTreeMap<_, _> = LAYERS.iter().copied().collect();
    let missing: Vec<String> =
        crates.iter().filter(|name| !layers.contains_key(name.as_str())).cloned().collect();
    none("a crate is missing from the table of layers", &missing);
    let gone: Vec<String> =
        LAYERS.iter().map(|(name, _)| (*name).to_owned()).filter(|name| !crates.contains(name)).collect();
    none("the table of layers names a crate that does not exist", &gone);
}

#[test]
fn a_crate_uses_only_crates_of_a_lower_layer() {
    let layers: BTreeMap<_, _> = LAYERS.iter().copied().collect();
    let mut faults = Vec::new();
    for (name, manifest) in manifests() {
        for used in dependencies(&manifest).iter().filter(|d| d.starts_with("attest-")) {
            if layers.get(used.as_str()) >= layers.get(name.as_str()) {
                faults.push(format!("{name} uses {used}"));
            }
        }
    }
    none("a crate uses one of its own layer or a higher one", &faults);
}

#[test]
fn each_big_dependency_lives_in_one_place() {
    let mut faults = Vec::new();
    for (name, manifest) in manifests() {
        for used in dependencies(&manifest) {
            let home = HOMES.iter().find(|(dependency, _)| *dependency == used);
            if home.is_some_and(|(_, homes)| !homes.contains(&name.as_str())) {
                faults.push(format!("{name} uses {used}"));
            }
        }
    }
    none("a dependency is used outside its home", &faults);
}
