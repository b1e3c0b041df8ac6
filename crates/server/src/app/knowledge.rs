//! The base, the index, the workers, and the sample documents.

use std::time::Duration;

use attest_domain::{DocumentState, KbId};
use attest_ingest::{Intake, IntakeOptions};
use attest_search::{SearchIndex, SearchOptions};
use attest_store::{Store, StoreError};
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::samples;
use super::start_error::StartError;
use crate::settings::Settings;

/// How long a first start waits for the sample documents, so that the first question finds them.
const SAMPLES_PATIENCE: Duration = Duration::from_secs(20);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What questions are answered from.
pub(super) struct Knowledge {
    pub(super) search: SearchIndex,
    pub(super) intake: Intake,
}

impl Knowledge {
    /// Opens the index, starts what keeps it up to date and what reads documents, and puts the samples into a new
    /// database.
    pub(super) async fn open(
        settings: &Settings,
        store: &Store,
        now: OffsetDateTime,
        background: &TaskTracker,
        ending: &CancellationToken,
    ) -> Result<Self, StartError> {
        let unusable = |error: StoreError| StartError::Search(error.into());
        let kb = store.ensure_default_kb(now).await.map_err(unusable)?;
        let options = SearchOptions { dir: settings.data.dir.join("index"), store: store.clone() };
        let search = SearchIndex::open(options).await.map_err(StartError::Search)?;
        background.spawn(search.clone().follow(ending.clone()));
        let intake = Intake::new(store.clone(), search.clone(), intake_options(settings));
        background.spawn(intake.clone().run(ending.clone()));
        if settings.sample.seed {
            seed(store, &search, &intake, kb.id).await?;
        }
        Ok(Self { search, intake })
    }
}

async fn seed(store: &Store, search: &SearchIndex, intake: &Intake, kb_id: KbId) -> Result<(), StartError> {
    let added = intake.seed(samples::MARK, kb_id, samples::files()).await.map_err(StartError::Samples)?;
    if added == 0 {
        return Ok(());
    }
    tracing::info!(documents = added, "Put in the sample documents");
    let read = async {
        while !all_read(store, kb_id).await? {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        search.catch_up().await
    };
    match tokio::time::timeout(SAMPLES_PATIENCE, read).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(StartError::Search(error)),
        Err(_) => {
            tracing::warn!("The sample documents are still being read");
            Ok(())
        }
    }
}

async fn all_read(store: &Store, kb_id: KbId) -> Result<bool, StoreError> {
    let documents = store.list_documents(kb_id, 200, None).await?;
    let waits = |state: &DocumentState| matches!(state, DocumentState::Queued | DocumentState::Reading);
    Ok(!documents.iter().any(|document| waits(&document.state)))
}

fn intake_options(settings: &Settings) -> IntakeOptions {
    IntakeOptions {
        max_document_bytes: settings.documents.max_bytes as u64,
        max_files: settings.documents.max_files,
        workers: settings.documents.workers,
        chunk_tokens: settings.documents.chunk_tokens,
        ..IntakeOptions::default()
    }
}
