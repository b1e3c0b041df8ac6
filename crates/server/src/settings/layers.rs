//! The layers, one over the other, before any value is understood.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use toml::{Table, Value};

use super::MANUAL;
use super::mistake::Mistake;
use super::names::{self, GivesWay};

/// The file that is read when no other is named and it exists.
pub const LOCAL_FILE: &str = "config/local.toml";

/// What there is to read besides the manual.
#[derive(Clone, Debug)]
pub struct Sources {
    /// A file that was named and must exist.
    pub named_file: Option<PathBuf>,
    /// The file that is read when none was named and it exists.
    pub local_file: Option<PathBuf>,
    /// The environment.
    pub variables: Vec<(OsString, OsString)>,
}

impl Sources {
    /// The environment of this process, and the file that its command line names or [`LOCAL_FILE`].
    #[must_use]
    pub fn of_this_process(named_file: Option<PathBuf>) -> Self {
        Self {
            named_file,
            local_file: Some(PathBuf::from(LOCAL_FILE)),
            variables: std::env::vars_os().collect(),
        }
    }

    /// The manual alone.
    #[must_use]
    pub const fn nothing() -> Self {
        Self { named_file: None, local_file: None, variables: Vec::new() }
    }
}

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The manual.
    Manual,
    /// A file.
    File(PathBuf),
    /// An environment variable.
    Variable(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Manual => f.write_str("default"),
            Self::File(path) => path.display().fmt(f),
            Self::Variable(name) => f.write_str(name),
        }
    }
}

/// A value and where it came from.
#[derive(Clone, Debug)]
pub(super) struct Layered {
    pub(super) value: Value,
    pub(super) origin: Origin,
}

/// The value in force for every key of the manual.
pub(super) struct Layers(BTreeMap<String, Layered>);

impl Layers {
    /// Reads all layers. What is wrong with their form comes back beside them; the rest is still read, so that
    /// all mistakes can be reported at once.
    pub(super) fn read(sources: Sources) -> (Self, Vec<Mistake>) {
        let manual = MANUAL.parse::<Table>().unwrap_or_default();
        let entries =
            flatten(manual).into_iter().map(|(key, value)| (key, Layered { value, origin: Origin::Manual }));
        let mut layers = Self(entries.collect());
        let mut mistakes = Vec::new();
        if let Some(path) = sources.named_file {
            layers.lay_file(path, true, &mut mistakes);
        } else if let Some(path) = sources.local_file {
            layers.lay_file(path, false, &mut mistakes);
        }
        layers.lay_variables(sources.variables, &mut mistakes);
        (layers, mistakes)
    }

    pub(super) fn find(&self, key: &str) -> Option<&Layered> {
        self.0.get(key)
    }

    #[cfg(test)]
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    fn lay_file(&mut self, path: PathBuf, must_exist: bool, mistakes: &mut Vec<Mistake>) {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !must_exist => return,
            Err(error) => {
                let right = if must_exist { "; --config must name a TOML file" } else { "" };
                let sentence = format!("this file of settings cannot be read: {error}{right}");
                mistakes.push(Mistake { origin: Origin::File(path), sentence });
                return;
            }
        };
        let origin = Origin::File(path);
        let table = match text.parse::<Table>() {
            Ok(table) => table,
            Err(error) => {
                let line = error.span().map_or(1, |span| {
                    text.as_bytes().iter().take(span.start).filter(|byte| **byte == b'\n').count() + 1
                });
                let sentence = format!("line {line} is not TOML: {}", error.message());
                mistakes.push(Mistake { origin, sentence });
                return;
            }
        };
        for (key, value) in flatten(table) {
            if let Some(entry) = self.0.get_mut(&key) {
                *entry = Layered { value, origin: origin.clone() };
            } else {
                let sentence = self.unknown(&key, |known| known.to_owned());
                mistakes.push(Mistake { origin: origin.clone(), sentence });
            }
        }
    }

    fn lay_variables(&mut self, variables: Vec<(OsString, OsString)>, mistakes: &mut Vec<Mistake>) {
        let by_variable: BTreeMap<String, String> =
            self.0.keys().map(|key| (names::variable_of(key), key.clone())).collect();
        let mut ours = Vec::new();
        for (name, value) in variables {
            let Some(name) = name.to_str().map(str::to_owned) else { continue };
            let conventional = names::CONVENTIONAL.iter().find(|(theirs, ..)| *theirs == name);
            if conventional.is_none() && !name.to_ascii_uppercase().starts_with("ATTEST_") {
                continue;
            }
            let origin = Origin::Variable(name.clone());
            let Some(value) = value.to_str().map(|value| value.trim().to_owned()) else {
                mistakes.push(Mistake { origin, sentence: "its value is not UTF-8 text".to_owned() });
                continue;
            };
            if value.is_empty() {
                continue;
            }
            if let Some((_, key, gives_way)) = conventional {
                self.lay_conventional(key, *gives_way, Layered { value: Value::String(value), origin });
            } else if let Some(key) = by_variable.get(&name) {
                ours.push((key.clone(), Layered { value: Value::String(value), origin }));
            } else if let Some(sentence) = self.unknown_variable(&name) {
                mistakes.push(Mistake { origin, sentence });
            }
        }
        // Ours last: they win, in whatever order the environment lists them.
        self.0.extend(ours);
    }

    fn lay_conventional(&mut self, key: &str, gives_way: GivesWay, theirs: Layered) {
        let unset = |layered: &Layered| {
            layered.origin == Origin::Manual || layered.value.as_str().is_some_and(|v| v.trim().is_empty())
        };
        if let Some(entry) = self.0.get_mut(key)
            && (gives_way == GivesWay::ToOurVariable || unset(entry))
        {
            *entry = theirs;
        }
    }

    /// Variables such as `ATTEST_HTTP_LISTEN` are ours but for a slip; others with one underscore are not ours.
    fn unknown_variable(&self, name: &str) -> Option<String> {
        let known = || self.0.keys().map(String::as_str);
        if let Some(key) = names::misspelt(name, known()) {
            return Some(format!("this variable is not read; write it as {}", names::variable_of(key)));
        }
        name.starts_with(names::PREFIX).then(|| self.unknown(&names::key_of(name), names::variable_of))
    }

    fn unknown(&self, key: &str, spell: impl Fn(&str) -> String) -> String {
        let nearest = names::nearest(key, self.0.keys().map(String::as_str)).map(spell);
        let hint = nearest.map_or_else(
            || "`attest check-config --manual` explains those there are".to_owned(),
            |near| format!("did you mean {near}?"),
        );
        format!("there is no setting {key}; {hint}")
    }
}

/// `section.key` and the value, for every key of every section; what stands outside of a section keeps its name.
fn flatten(table: Table) -> Vec<(String, Value)> {
    let mut flat = Vec::new();
    for (section, value) in table {
        match value {
            Value::Table(keys) => {
                flat.extend(keys.into_iter().map(|(key, value)| (format!("{section}.{key}"), value)));
            }
            other => flat.push((section, other)),
        }
    }
    flat
}
