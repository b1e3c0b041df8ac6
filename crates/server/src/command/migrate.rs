//! `attest migrate`

use std::process::ExitCode;

use attest_llm::endpoint::install_crypto_provider;

use super::terminal::{complain, say, start_log};
use crate::app::{Database, StartError};
use crate::settings::Settings;

/// Brings the schema up to date, of the private database too, and ends.
pub(super) async fn run(settings: Settings) -> ExitCode {
    start_log(&settings.log);
    install_crypto_provider();
    match migrate(&settings).await {
        Ok(database) => {
            say(&format!("the schema is up to date: {database}"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}

async fn migrate(settings: &Settings) -> Result<String, StartError> {
    let database = Database::open(settings).await?;
    let in_words = database.in_words().await;
    database.close().await;
    in_words
}
