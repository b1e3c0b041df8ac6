//! Keys and their environment variables.

/// What every variable of ours begins with.
pub(super) const PREFIX: &str = "ATTEST__";

/// Conventional variables, the key that each stands for, and whether it gives way to a file.
/// A database is named for one start more often than a model is, so its variable wins over the file.
pub(super) const CONVENTIONAL: [(&str, &str, GivesWay); 4] = [
    ("DATABASE_URL", "database.url", GivesWay::ToOurVariable),
    ("OPENAI_BASE_URL", "model.base_url", GivesWay::ToAll),
    ("OPENAI_MODEL", "model.name", GivesWay::ToAll),
    ("OPENAI_API_KEY", "model.api_key", GivesWay::ToAll),
];

/// What a conventional variable gives way to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GivesWay {
    /// Only to the variable of ours.
    ToOurVariable,
    /// To a value of ours anywhere, in a file too.
    ToAll,
}

/// The variable of a key: `http.listen` is `ATTEST__HTTP__LISTEN`.
pub(super) fn variable_of(key: &str) -> String {
    format!("{PREFIX}{}", key.replace('.', "__").to_ascii_uppercase())
}

/// The key that a variable with our prefix names, known or not.
pub(super) fn key_of(variable: &str) -> String {
    variable.trim_start_matches(PREFIX).replace("__", ".").to_ascii_lowercase()
}

/// The known key whose variable this one is but for its underscores and its case: `ATTEST_HTTP_LISTEN`.
pub(super) fn misspelt<'a>(variable: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let bare = |name: &str| name.replace('_', "").to_ascii_uppercase();
    let wanted = bare(variable);
    known.into_iter().find(|key| bare(&variable_of(key)) == wanted)
}

/// The known key that was most likely meant.
pub(super) fn nearest<'a>(key: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let leaf = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
    let likeness = |candidate: &str| {
        let whole = strsim::normalized_damerau_levenshtein(key, candidate);
        // The right key in the wrong section.
        if leaf(candidate) == leaf(key) { whole.max(0.75) } else { whole }
    };
    known
        .map(|candidate| (likeness(candidate), candidate))
        .filter(|(likeness, _)| *likeness >= 0.6)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
