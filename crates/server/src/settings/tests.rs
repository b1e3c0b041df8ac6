use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::*;

fn variables(pairs: &[(&str, &str)]) -> Sources {
    let variables = pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    Sources { variables: variables.collect(), ..Sources::nothing() }
}

/// A file in a folder of its own; mistakes name it `local.toml`.
fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("local.toml");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

fn mistakes(sources: Sources) -> String {
    load(sources).unwrap_err().to_string()
}

fn origins(loaded: &Loaded) -> BTreeMap<&str, String> {
    let set = loaded.effective.iter().filter(|setting| setting.origin != Origin::Manual);
    set.map(|setting| (setting.key, format!("{} from {}", setting.shown, setting.origin))).collect()
}

#[test]
fn the_manual_alone_is_without_mistakes() {
    let loaded = load(Sources::nothing()).unwrap();
    assert_eq!(loaded.settings.http.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(loaded.settings.documents.max_bytes, 20 * 1024 * 1024);
    assert_eq!(format!("{:?}", loaded.settings), format!("{:?}", Settings::of_the_manual()));
    let shown: Vec<String> = loaded.effective.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn every_setting_has_a_key_and_every_key_a_setting() {
    let loaded = load(Sources::nothing()).unwrap();
    let mut read: Vec<&str> = loaded.effective.iter().map(|setting| setting.key).collect();
    read.sort_unstable();
    let (layers, _) = Layers::read(Sources::nothing());
    assert_eq!(read, layers.keys().collect::<Vec<_>>());
}

#[test]
fn every_key_of_the_manual_is_explained_with_its_variable() {
    let mut section = "";
    let mut comment = String::new();
    let mut explained = Vec::new();
    for line in MANUAL.lines() {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
        } else if let Some(text) = line.strip_prefix('#') {
            comment.push_str(text);
            continue;
        } else if let Some((key, value)) = line.split_once(" = ") {
            let key = format!("{section}.{key}");
            let named = format!("Environment: {}", names::variable_of(&key));
            assert!(comment.contains(&named), "{key}: the comment does not name its variable");
            assert!(comment.trim().len() > named.len() + 20, "{key}: the comment explains nothing");
            let number = value.parse::<u64>().is_ok();
            assert!(!number || comment.contains("from ") || comment.contains("up to "), "{key}: no bounds");
            explained.push(key);
        } else {
            assert_eq!(line, "");
        }
        comment.clear();
    }
    let loaded = load(Sources::nothing()).unwrap();
    assert_eq!(explained, loaded.effective.iter().map(|setting| setting.key).collect::<Vec<_>>());
}

#[test]
fn the_bounds_in_the_manual_are_those_that_are_checked() {
    let mut comment = String::new();
    let mut section = "";
    for line in MANUAL.lines() {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
        } else if let Some(text) = line.strip_prefix('#') {
            comment.push_str(text);
            continue;
        } else if let Some((key, value)) = line.split_once(" = ")
            && value.parse::<u64>().is_ok()
        {
            let too_much = (names::variable_of(&format!("{section}.{key}")), "99999999999");
            let mistake = mistakes(variables(&[(&too_much.0, too_much.1)]));
            let bounds = mistake.split_once("a whole number ").unwrap().1;
            let short = bounds.replace("from 0 to ", "up to ");
            assert!(comment.contains(bounds) || comment.contains(&short), "{section}.{key}: {bounds}");
        }
        comment.clear();
    }
}

#[test]
fn the_example_file_is_right_with_every_line_in_use() {
    let example = include_str!("../../../../config/local.example.toml");
    let used: Vec<&str> = example
        .lines()
        .map(|line| if line.contains(" = ") { line.trim_start_matches("# ") } else { line })
        .collect();
    let (_folder, path) = file(&used.join("\n"));
    let loaded = load(Sources { named_file: Some(path), ..Sources::nothing() }).unwrap();
    assert_eq!(loaded.settings.model.name.as_deref(), Some("the-name-of-a-model"));
}

#[test]
fn a_variable_wins_over_a_file_and_a_file_over_the_manual() {
    let (_folder, path) =
        file("[http]\nlisten = \"[::1]:9000\"\nkeep_alive_seconds = 20\n[sample]\nseed = false");
    let environment = variables(&[
        ("ATTEST__HTTP__LISTEN", " 0.0.0.0:80 "),
        ("ATTEST__LOG__FORMAT", "json"),
        ("ATTEST__HTTP__SHUTDOWN_GRACE_SECONDS", ""),
        ("PATH", "/bin"),
        ("ATTEST_TEST_DATABASE_URL", "not ours"),
    ]);
    let loaded = load(Sources { local_file: Some(path.clone()), ..environment }).unwrap();
    let from = |shown: &str| format!("{shown} from {}", path.display());
    assert_eq!(
        origins(&loaded),
        BTreeMap::from([
            ("http.listen", "\"0.0.0.0:80\" from ATTEST__HTTP__LISTEN".to_owned()),
            ("http.keep_alive_seconds", from("20")),
            ("sample.seed", from("false")),
            ("log.format", "\"json\" from ATTEST__LOG__FORMAT".to_owned()),
        ])
    );
    assert_eq!(loaded.settings.http.shutdown_grace.as_secs(), 10);
}

#[test]
fn conventional_variables_give_way_to_ours() {
    let conventional = [
        ("OPENAI_BASE_URL", "https://api.example.com/v1/"),
        ("OPENAI_MODEL", "theirs"),
        ("OPENAI_API_KEY", "sk-theirs"),
        ("DATABASE_URL", "postgres://theirs:hunter2@db/attest"),
    ];
    let loaded = load(variables(&conventional)).unwrap();
    assert_eq!(
        origins(&loaded),
        BTreeMap::from([
            ("model.base_url", "\"https://api.example.com/v1/\" from OPENAI_BASE_URL".to_owned()),
            ("model.name", "\"theirs\" from OPENAI_MODEL".to_owned()),
            ("model.api_key", "\"***\" from OPENAI_API_KEY".to_owned()),
            ("database.url", "\"postgres://theirs:***@db/attest\" from DATABASE_URL".to_owned()),
        ])
    );
    let (_folder, path) = file("[model]\nname = \"ours\"\n[database]\nurl = \"postgres://file/attest\"");
    let both = [&conventional[..], &[("ATTEST__MODEL__API_KEY", "sk-ours")]].concat();
    let loaded = load(Sources { named_file: Some(path), ..variables(&both) }).unwrap();
    assert_eq!(loaded.settings.model.name.as_deref(), Some("ours"));
    assert_eq!(loaded.settings.model.api_key.unwrap().expose(), "sk-ours");
    assert_eq!(loaded.settings.database.url.unwrap().expose(), "postgres://theirs:hunter2@db/attest");
    let ours = [&conventional[..], &[("ATTEST__DATABASE__URL", "postgres://ours/attest")]].concat();
    let loaded = load(variables(&ours)).unwrap();
    assert_eq!(loaded.settings.database.url.unwrap().expose(), "postgres://ours/attest");
}

#[test]
fn a_secret_is_in_no_debug_print_and_in_no_mistake() {
    let secrets = [
        ("ATTEST__MODEL__API_KEY", "sk-hunter2"),
        ("ATTEST__EMBEDDINGS__API_KEY", "sk-hunter2"),
        ("ATTEST__DATABASE__URL", "postgres://u:hunter2@db/attest"),
    ];
    let loaded = load(variables(&secrets)).unwrap();
    assert!(!format!("{loaded:?}").contains("hunter2"));
    let unusable = [
        ("ATTEST__MODEL__API_KEY", "sk hunter2"),
        ("ATTEST__DATABASE__URL", "mysql://u:hunter2@db/attest"),
        ("ATTEST__MODEL__BASE_URL", "https://u:hunter2@example.com/v1"),
    ];
    let told = mistakes(variables(&unusable));
    assert!(!told.contains("hunter2"), "{told}");
}

#[test]
fn all_mistakes_of_the_environment_are_told_at_once() {
    insta::assert_snapshot!(mistakes(variables(&[
        ("ATTEST__HTTP__LISTEN", "localhost"),
        ("ATTEST__HTTP__KEEP_ALIVE_SECONDS", "0"),
        ("ATTEST__HTTP__SHUTDOWN_GRACE_SECONDS", "ten"),
        ("ATTEST__TURN__CALLS", "-1"),
        ("ATTEST__DATABASE__URL", "db:5432"),
        ("ATTEST__MODEL__BASE_URL", "https://api.example.com/v1/chat/completions"),
        ("ATTEST__MODEL__NAME", "m"),
        ("ATTEST__MODEL__API_KEY", "two words"),
        ("ATTEST__EMBEDDINGS__NAME", "e"),
        ("ATTEST__SAMPLE__SEED", "maybe"),
        ("ATTEST__LOG__FORMAT", "xml"),
        ("ATTEST__LOG__FILTER", "info,attest_chat=loud"),
        ("ATTEST__HTTP__LISTN", "127.0.0.1:1"),
        ("ATTEST__SERVER__LISTEN", "127.0.0.1:1"),
        ("ATTEST__QUITE__DIFFERENT", "1"),
        ("ATTEST_HTTP_LISTEN", "127.0.0.1:1"),
        ("Attest__Data__Dir", "/data"),
    ])));
}

#[test]
fn all_mistakes_of_a_file_are_told_at_once_and_name_it() {
    let (folder, path) = file(
        "listen = \"127.0.0.1:1\"\n[http]\nlisten = 8080\nkeepalive_seconds = 1\n[data]\ndir = \" \"\n[turn]\ncalls = \"6\"\n\
         [sample]\nseed = \"true\"\n[log]\nfilter = [\"info\"]\n[log.format]\ntext = true\n[model]\napi_key = 7",
    );
    let told = mistakes(Sources { named_file: Some(path), ..Sources::nothing() });
    insta::assert_snapshot!(told.replace(&format!("{}/", folder.path().display()), ""));
}

#[test]
fn a_file_that_cannot_be_read_is_a_mistake_beside_the_others() {
    let told = |path: &Path| {
        let environment = variables(&[("ATTEST__TURN__CALLS", "0")]);
        let told = mistakes(Sources { named_file: Some(path.to_owned()), ..environment });
        told.replace(&format!("{}/", path.parent().unwrap().display()), "")
    };
    let (folder, path) = file("[http]\nlisten = \"127.0.0.1:1\"\nlisten = \"127.0.0.1:2\"\n");
    insta::assert_snapshot!([told(&path), told(&folder.path().join("missing.toml"))].join("\n"));
}

#[test]
fn a_local_file_need_not_exist() {
    let sources = Sources { local_file: Some(PathBuf::from("/nowhere/local.toml")), ..Sources::nothing() };
    assert!(load(sources).is_ok());
}
