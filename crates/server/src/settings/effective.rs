//! Settings as they may be shown: without secrets.

use std::fmt;

use url::Url;

use super::layers::Origin;

/// One setting in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectiveSetting {
    /// `section.key`.
    pub key: &'static str,
    /// Its value as TOML; a secret is `"***"`.
    pub shown: String,
    /// Where it came from.
    pub origin: Origin,
}

impl fmt::Display for EffectiveSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}  # {}", self.key, self.shown, self.origin)
    }
}

/// A text as a TOML string.
pub(super) fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A database URL without its passwords: those before the `@`, and those that libpq takes as parameters.
pub(crate) fn without_passwords(url: &str) -> String {
    let Ok(mut parsed) = Url::parse(url) else { return "***".to_owned() };
    if parsed.password().is_some() && parsed.set_password(Some("***")).is_err() {
        return "***".to_owned();
    }
    if parsed.query_pairs().any(|(name, _)| is_password(&name)) {
        let kept: Vec<(String, String)> = parsed
            .query_pairs()
            .map(|(name, value)| {
                let value = if is_password(&name) { "***".to_owned() } else { value.into_owned() };
                (name.into_owned(), value)
            })
            .collect();
        parsed.query_pairs_mut().clear().extend_pairs(kept);
    }
    parsed.to_string()
}

fn is_password(name: &str) -> bool {
    name.to_ascii_lowercase().contains("password")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_url_is_shown_without_any_password() {
        for (url, shown) in [
            ("postgres://u:hunter2@db:5432/attest", "postgres://u:***@db:5432/attest"),
            ("postgres://u@db/attest?sslmode=require", "postgres://u@db/attest?sslmode=require"),
            ("postgres:///attest?host=/run&password=hunter2", "postgres:///attest?host=%2Frun&password=***"),
            ("hunter2", "***"),
        ] {
            assert_eq!(without_passwords(url), shown);
        }
    }
}
