//! Why the service does not start: one sentence each, with the setting to look at.

use std::error::Error;
use std::io;
use std::net::SocketAddr;

use attest_ingest::IntakeError;
use attest_llm::endpoint::EndpointError;
use attest_search::SearchError;
use attest_store::StoreError;

use crate::settings::Settings;

/// Why the service does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The private database did not start.
    #[error("data.dir: the private PostgreSQL did not start: {}", one_line(.0))]
    PrivatePostgres(#[source] attest_embedded_pg::Error),
    /// The private database started, but cannot be used.
    #[error("data.dir: the private PostgreSQL cannot be used: {}", chain(.0))]
    PrivateStore(#[source] StoreError),
    /// The database of the settings cannot be used.
    #[error(
        "database.url (DATABASE_URL): the database at {url} cannot be used: {}; start it, correct the URL, or unset it \
         to use a private PostgreSQL",
        chain(.source)
    )]
    Database {
        /// Where it is, without a password.
        url: String,
        /// What it said.
        source: StoreError,
    },
    /// The index cannot be used.
    #[error("data.dir: {}", chain(.0))]
    Search(#[source] SearchError),
    /// The sample base cannot be put in.
    #[error("sample.seed: the sample documents cannot be put in: {}", chain(.0))]
    Samples(#[source] IntakeError),
    /// The model's endpoint cannot be used as it is set.
    #[error("model.base_url: {}", chain(.0))]
    Model(#[source] EndpointError),
    /// The offline model found no port.
    #[error(
        "the offline model cannot listen on 127.0.0.1: {0}; set model.base_url and model.name to use another"
    )]
    OfflineModel(#[source] io::Error),
    /// The address cannot be listened on.
    #[error(
        "http.listen: cannot listen on {addr}: {source}; stop what listens there, or set ATTEST__HTTP__LISTEN to \
         another address or port"
    )]
    Listen {
        /// The address.
        addr: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// A task of the start broke off.
    #[error("the start was cut short: {0}")]
    CutShort(#[from] tokio::task::JoinError),
}

impl StartError {
    pub(super) const fn listen(settings: &Settings, source: io::Error) -> Self {
        Self::Listen { addr: settings.http.listen, source }
    }
}

/// An error and its causes in one line. A cause that its effect repeats is left out.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = one_line(error);
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = one_line(error);
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        cause = error.source();
    }
    text
}

fn one_line(error: &dyn Error) -> String {
    let text = error.to_string();
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_that_fails_is_told_in_one_line_with_its_setting() {
        let in_use = || io::Error::new(io::ErrorKind::AddrInUse, "Address already in use (os error 98)");
        let addr = SocketAddr::from(([127, 0, 0, 1], 8080));
        let initdb = attest_embedded_pg::Error::Initdb { output: "no space\n\n  left on device".to_owned() };
        let errors = [
            StartError::Listen { addr, source: in_use() },
            StartError::PrivatePostgres(initdb),
            StartError::Search(SearchError::Folder { dir: "/data/index".into(), source: in_use() }),
            StartError::Database {
                url: "postgres://u:***@db/attest".to_owned(),
                source: StoreError::Missing("database"),
            },
        ];
        insta::assert_snapshot!(errors.map(|error| error.to_string()).join("\n"));
    }
}
