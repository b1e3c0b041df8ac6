//! Documents that explain the product stay true.

use std::collections::BTreeSet;
use std::path::Path;

use attest_protocol::ErrorCode;
use attest_tidy::{files, none, read, root};

#[test]
fn the_contract_names_every_error_code_with_its_status() {
    let contract = read("docs/contract.md");
    let faults: Vec<String> = ErrorCode::ALL
        .iter()
        .map(|code| format!("| `{}` | {} | {} |", code.as_str(), code.status(), code.meaning().trim()))
        .filter(|row| !contract.contains(row.as_str()))
        .collect();
    none("docs/contract.md lacks a row", &faults);
}

#[test]
fn the_contract_names_every_frame() {
    let contract = read("docs/contract.md");
    let events = ["conversation", "step", "sources", "delta", "done", "error", "snapshot", "live", "idle"];
    let faults: Vec<String> = events
        .iter()
        .filter(|event| !contract.contains(&format!("| `{event}` |")))
        .map(|e| (*e).to_owned())
        .collect();
    none("docs/contract.md lacks a frame", &faults);
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut faults = Vec::new();
    let mut documents = files(&["docs", "migrations"], ".md");
    documents.push(("README.md".to_owned(), read("README.md")));
    for (path, text) in documents {
        let folder = Path::new(&path).parent().unwrap_or(Path::new("")).to_owned();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or_default();
            if file.is_empty() || file.contains("://") {
                continue;
            }
            if !root().join(&folder).join(file).exists() {
                faults.push(format!("{path}: {target}"));
            }
        }
    }
    none("a link leads nowhere", &faults);
}

#[test]
fn the_readme_links_every_document() {
    let readme = read("README.md");
    let faults: Vec<String> = files(&["docs"], ".md")
        .into_iter()
        .map(|(path, _)| path)
        .filter(|path| !path.starts_with("docs/adr/") && !readme.contains(path.as_str()))
        .collect();
    none("README.md does not link a document", &faults);
}

#[test]
fn make_targets_named_in_documents_exist() {
    let makefile = read("Makefile");
    let targets: BTreeSet<&str> =
        makefile.lines().filter_map(|line| line.split_once(':')).map(|(t, _)| t.trim()).collect();
    let mut faults = Vec::new();
    let mut documents = files(&["docs", "migrations"], ".md");
    documents.push(("README.md".to_owned(), read("README.md")));
    for (path, text) in documents {
        for rest in text.split("`make ").skip(1) {
            let target = rest.split([' ', '`']).next().unwrap_or_default();
            if !target.is_empty() && !targets.contains(target) {
                faults.push(format!("{path}: make {target}"));
            }
        }
    }
    none("a document names a make target that does not exist", &faults);
}

#[test]
fn migrations_are_named_by_time_and_verb() {
    let faults: Vec<String> = files(&["migrations"], ".sql")
        .into_iter()
        .map(|(path, _)| path)
        .filter(|path| {
            let name = path.trim_start_matches("migrations/").trim_end_matches(".sql");
            let (time, what) = name.split_once('_').unwrap_or_default();
            time.len() != 14 || !time.bytes().all(|b| b.is_ascii_digit()) || what.split('_').count() < 2
        })
        .collect();
    none("a migration is not named <timestamp>_<verb>_<object>.sql", &faults);
}

#[test]
fn the_container_files_name_only_what_exists() {
    let dockerfile = read("Dockerfile");
    let mut faults = Vec::new();
    for line in dockerfile.lines().filter(|line| line.starts_with("COPY ") && !line.contains("--from")) {
        let words: Vec<&str> = line.split_whitespace().skip(1).filter(|w| !w.starts_with("--")).collect();
        faults.extend(
            words[..words.len().saturating_sub(1)]
                .iter()
                .filter(|w| !root().join(w).exists())
                .map(|w| format!("Dockerfile: {w}")),
        );
    }
    none("the Dockerfile copies what does not exist", &faults);
    let compose = read("docker-compose.yml");
    assert!(
        compose.contains("DATABASE_URL"),
        "docker-compose.yml does not connect the service with its database"
    );
}
