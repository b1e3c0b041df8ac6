//! How a test's server is set up: always through the real settings, as variables.

use std::ffi::OsString;
use std::path::Path;

use crate::model::gated::GatedModel;
use crate::model::scripted::ScriptedModel;
use crate::model::{MODEL_KEY, MODEL_NAME};

/// Which model answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelChoice {
    /// The offline one, at no pace.
    Offline,
    /// The endpoint with this base URL.
    Endpoint(String),
}

/// What a test wants of its server.
#[derive(Clone, Debug)]
pub struct TestOptions {
    pub(crate) model: ModelChoice,
    pub(crate) settings: Vec<(String, String)>,
    pub(crate) behind_proxy: bool,
}

impl TestOptions {
    /// A server with the offline model and no documents.
    #[must_use]
    pub fn offline() -> Self {
        Self { model: ModelChoice::Offline, settings: Vec::new(), behind_proxy: false }
    }

    /// A server with the model at this base URL.
    #[must_use]
    pub fn endpoint(base_url: impl Into<String>) -> Self {
        Self { model: ModelChoice::Endpoint(base_url.into()), ..Self::offline() }
    }

    /// A server with a scripted model.
    #[must_use]
    pub fn scripted(model: &ScriptedModel) -> Self {
        Self::endpoint(model.base_url())
    }

    /// A server with a model that is played by hand.
    #[must_use]
    pub fn gated(model: &GatedModel) -> Self {
        Self::endpoint(model.base_url())
    }

    /// Sets one setting: `.with("http.keep_alive_seconds", "1")`.
    #[must_use]
    pub fn with(mut self, key: &str, value: &str) -> Self {
        self.settings.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Puts a network between server and database that the test can cut.
    #[must_use]
    pub fn behind_proxy(mut self) -> Self {
        self.behind_proxy = true;
        self
    }

    /// The environment that a server with these options gets.
    pub(crate) fn variables(&self, data_dir: &Path, database_url: Option<&str>) -> Vec<(OsString, OsString)> {
        let mut settings: Vec<(String, String)> = [
            ("http.listen", "127.0.0.1:0"),
            // What runs at the end of a test is not waited for.
            ("http.shutdown_grace_seconds", "0"),
            // Many tests share one database server.
            ("database.max_connections", "4"),
            ("model.connect_timeout_seconds", "5"),
            ("offline.pace_ms", "0"),
            ("sample.seed", "false"),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .to_vec();
        settings.push(("data.dir".to_owned(), data_dir.to_string_lossy().into_owned()));
        if let Some(url) = database_url {
            settings.push(("database.url".to_owned(), url.to_owned()));
        }
        if let ModelChoice::Endpoint(base_url) = &self.model {
            settings.push(("model.base_url".to_owned(), base_url.clone()));
            settings.push(("model.name".to_owned(), MODEL_NAME.to_owned()));
            settings.push(("model.api_key".to_owned(), MODEL_KEY.to_owned()));
        }
        for (key, value) in &self.settings {
            settings.retain(|(known, _)| known != key);
            settings.push((key.clone(), value.clone()));
        }
        settings.into_iter().map(|(key, value)| (variable_of(&key).into(), value.into())).collect()
    }
}

/// `http.listen` is `ATTEST__HTTP__LISTEN`.
fn variable_of(key: &str) -> String {
    format!("ATTEST__{}", key.replace('.', "__").to_uppercase())
}
