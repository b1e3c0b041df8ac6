//! From a layered value to a typed one, noting every mistake on the way.

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use attest_llm::endpoint::{validate_api_key, validate_base_url};
use attest_llm::secret::Secret;
use toml::Value;
use tracing_subscriber::EnvFilter;
use url::Url;

use super::effective::{EffectiveSetting, quoted, without_passwords};
use super::layers::{Layered, Layers, Origin};
use super::mistake::Mistake;
use super::names::variable_of;

/// Reads settings one after the other. A value that cannot be used is noted, and something harmless stands in for
/// it: nobody sees it, because with a mistake there are no settings.
pub(super) struct Reader<'a> {
    layers: &'a Layers,
    effective: Vec<EffectiveSetting>,
    mistakes: Vec<Mistake>,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(layers: &'a Layers) -> Self {
        Self { layers, effective: Vec::new(), mistakes: Vec::new() }
    }

    pub(super) fn into_parts(self) -> (Vec<EffectiveSetting>, Vec<Mistake>) {
        (self.effective, self.mistakes)
    }

    /// A whole number within bounds.
    pub(super) fn number(&mut self, key: &'static str, bounds: RangeInclusive<u64>) -> u64 {
        let found = self.layers.find(key);
        let given = found.and_then(|layered| match &layered.value {
            Value::Integer(number) => u64::try_from(*number).ok(),
            Value::String(text) if from_variable(layered) => text.parse().ok(),
            _ => None,
        });
        match given {
            Some(number) if bounds.contains(&number) => {
                self.show(key, number.to_string());
                number
            }
            _ => {
                let right = format!("a whole number from {} to {}", bounds.start(), bounds.end());
                self.wrong(key, &right);
                *bounds.start()
            }
        }
    }

    /// A whole number of seconds within bounds.
    pub(super) fn seconds(&mut self, key: &'static str, bounds: RangeInclusive<u64>) -> Duration {
        Duration::from_secs(self.number(key, bounds))
    }

    /// A whole number that fits into 32 bits, as its bounds say.
    pub(super) fn count(&mut self, key: &'static str, bounds: RangeInclusive<u32>) -> u32 {
        let number = self.number(key, u64::from(*bounds.start())..=u64::from(*bounds.end()));
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// A whole number of bytes or things in memory.
    pub(super) fn size(&mut self, key: &'static str, bounds: RangeInclusive<u64>) -> usize {
        usize::try_from(self.number(key, bounds)).unwrap_or(usize::MAX)
    }

    /// True or false.
    pub(super) fn flag(&mut self, key: &'static str) -> bool {
        let given = self.layers.find(key).and_then(|layered| match &layered.value {
            Value::Boolean(flag) => Some(*flag),
            Value::String(text) if from_variable(layered) => match text.to_ascii_lowercase().as_str() {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            },
            _ => None,
        });
        match given {
            Some(flag) => self.show(key, flag.to_string()),
            None => self.wrong(key, "true or false"),
        }
        given.unwrap_or_default()
    }

    /// A text, which may be empty.
    pub(super) fn text(&mut self, key: &'static str) -> String {
        match self.layers.find(key).and_then(|layered| layered.value.as_str()) {
            Some(text) => {
                let text = text.trim().to_owned();
                self.show(key, quoted(&text));
                text
            }
            None => {
                self.wrong(key, "text in quotes");
                String::new()
            }
        }
    }

    /// A text; `None` when it is empty.
    pub(super) fn optional_text(&mut self, key: &'static str) -> Option<String> {
        Some(self.text(key)).filter(|text| !text.is_empty())
    }

    /// One of a few words.
    pub(super) fn choice<T: Copy + Default>(&mut self, key: &'static str, choices: &[(&str, T)]) -> T {
        let given = self.layers.find(key).and_then(|layered| layered.value.as_str()).map(str::trim);
        match choices.iter().find(|(word, _)| Some(*word) == given) {
            Some((word, choice)) => {
                self.show(key, quoted(word));
                *choice
            }
            None => {
                let words: Vec<String> = choices.iter().map(|(word, _)| format!("{word:?}")).collect();
                let (last, others) =
                    words.split_last().map_or((String::new(), String::new()), |(last, others)| {
                        (last.clone(), others.join(", "))
                    });
                self.wrong(key, &format!("{others} or {last}"));
                T::default()
            }
        }
    }

    /// An address with its port.
    pub(super) fn address(&mut self, key: &'static str) -> SocketAddr {
        let text = self.layers.find(key).and_then(|layered| layered.value.as_str()).map(str::trim);
        match text.and_then(|text| text.parse().ok()) {
            Some(address) => {
                self.show(key, quoted(&SocketAddr::to_string(&address)));
                address
            }
            None => {
                self.wrong(key, "an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080");
                SocketAddr::from((Ipv4Addr::LOCALHOST, 0))
            }
        }
    }

    /// A path.
    pub(super) fn path(&mut self, key: &'static str) -> PathBuf {
        let path = self.text(key);
        if path.is_empty() {
            self.wrong(key, "a path");
        }
        PathBuf::from(path)
    }

    /// A filter of log lines.
    pub(super) fn log_filter(&mut self, key: &'static str) -> String {
        let filter = self.text(key);
        if let Err(error) = EnvFilter::try_new(&filter) {
            self.wrong(
                key,
                &format!("a log filter such as \"info\" or \"info,attest_chat=debug\" ({error})"),
            );
        }
        filter
    }

    /// The URL of a database; never shown or repeated with its password.
    pub(super) fn database_url(&mut self, key: &'static str) -> Option<Secret> {
        let url = self.hidden(key)?;
        let known_scheme = ["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme));
        if !known_scheme || Url::parse(&url).is_err() {
            let right = "must look like postgres://user:password@host:5432/database";
            self.mistake(key, format!("{key} {right}, with special characters of the password as %XX"));
            return None;
        }
        self.show(key, quoted(&without_passwords(&url)));
        Some(Secret::new(url))
    }

    /// The base URL of an endpoint.
    pub(super) fn base_url(&mut self, key: &'static str) -> Option<Url> {
        let text = self.optional_text(key)?;
        match validate_base_url(&text) {
            Ok(url) => Some(url),
            Err(error) => {
                self.mistake(key, format!("{key} cannot be used: {error}"));
                None
            }
        }
    }

    /// A key that is sent in a header.
    pub(super) fn api_key(&mut self, key: &'static str) -> Option<Secret> {
        let secret = Secret::new(self.hidden(key)?);
        self.show(key, quoted("***"));
        match validate_api_key(&secret) {
            Ok(()) => Some(secret),
            Err(error) => {
                self.mistake(key, format!("{key} cannot be used: {error}"));
                None
            }
        }
    }

    /// Two settings that only make sense together.
    pub(super) fn together(&mut self, one: &'static str, other: &'static str, otherwise: &str) {
        for (set, missing) in [(one, other), (other, one)] {
            if self.is_given(set) && !self.is_given(missing) {
                let variable = variable_of(missing);
                self.mistake(
                    set,
                    format!("{set} is set and {missing} is not; set {variable} too, or neither {otherwise}"),
                );
            }
        }
    }

    fn is_given(&self, key: &str) -> bool {
        let found = self.layers.find(key);
        found.is_some_and(|layered| layered.value.as_str().is_none_or(|text| !text.trim().is_empty()))
    }

    /// A secret text; `None` when it is empty.
    fn hidden(&mut self, key: &'static str) -> Option<String> {
        match self.layers.find(key).and_then(|layered| layered.value.as_str()) {
            Some(text) if text.trim().is_empty() => {
                self.show(key, quoted(""));
                None
            }
            Some(text) => Some(text.trim().to_owned()),
            None => {
                self.mistake(key, format!("{key} must be text in quotes"));
                None
            }
        }
    }

    fn show(&mut self, key: &'static str, shown: String) {
        let origin = self.origin(key);
        self.effective.push(EffectiveSetting { key, shown, origin });
    }

    fn wrong(&mut self, key: &'static str, right: &str) {
        let given = self.layers.find(key).map_or_else(String::new, |layered| match &layered.value {
            Value::Table(_) => "is a section".to_owned(),
            Value::Array(_) => "is a list".to_owned(),
            value => format!("is {value}"),
        });
        self.mistake(key, format!("{key} {given}; it must be {right}"));
    }

    fn mistake(&mut self, key: &'static str, sentence: String) {
        let origin = self.origin(key);
        self.mistakes.push(Mistake { origin, sentence });
    }

    fn origin(&self, key: &str) -> Origin {
        self.layers.find(key).map_or(Origin::Manual, |layered| layered.origin.clone())
    }
}

/// A variable holds text, whatever it means.
fn from_variable(layered: &Layered) -> bool {
    matches!(layered.origin, Origin::Variable(_))
}
