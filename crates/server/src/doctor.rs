//! What `attest doctor` and `GET /api/v1/doctor` have in common: which endpoints are tried, and that one test runs at
//! a time.

use attest_llm::embed::EmbeddingOptions;
use attest_llm::endpoint::{EndpointError, EndpointOptions};
use attest_llm::probe::{Examination, Limits, Report};
use tokio::sync::Semaphore;

use crate::app::{ModelMemory, ModelPlace};
use crate::settings::Settings;

/// Tries the endpoints of the settings.
pub(crate) struct Doctor {
    examination: Examination,
    /// Told what was learned; nobody is, in a process without turns.
    memory: Option<ModelMemory>,
    free: Semaphore,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DoctorError {
    /// Another test has not ended yet.
    #[error("the endpoints are being tried already; ask again when that has ended")]
    Busy,
    /// No request can be made with these settings.
    #[error("{0}")]
    Settings(#[from] EndpointError),
}

impl Doctor {
    /// For the model in this place, and the embedding model of the settings.
    pub(crate) fn new(place: &ModelPlace, settings: &Settings) -> Self {
        let examination = Examination {
            is_offline: place.is_offline,
            embeddings: embeddings(settings),
            fixed: settings.model.level,
            ..Examination::new(place.endpoint.clone())
        };
        Self { examination, memory: None, free: Semaphore::new(1) }
    }

    /// This one, telling the turns of this process what it learns, so that the first question need not find out.
    #[must_use]
    pub(crate) fn telling(mut self, memory: ModelMemory) -> Self {
        self.examination.lessons = Some(memory.lessons.clone());
        self.memory = Some(memory);
        self
    }

    /// Tries everything once.
    ///
    /// # Errors
    /// [`DoctorError::Busy`] while another call does, and for settings that no request can be made with.
    pub(crate) async fn examine(&self, limits: Limits) -> Result<Report, DoctorError> {
        let _turn = self.free.try_acquire().map_err(|_| DoctorError::Busy)?;
        let examination = Examination { limits, ..self.examination.clone() };
        let knowledge = self.memory.as_ref().map(|memory| memory.ladder.knowledge());
        Ok(Box::pin(examination.run(knowledge)).await?)
    }
}

fn embeddings(settings: &Settings) -> Option<EmbeddingOptions> {
    let (model, embeddings) = (&settings.model, &settings.embeddings);
    let (base_url, name) = embeddings.base_url.clone().zip(embeddings.name.clone())?;
    Some(EmbeddingOptions::new(EndpointOptions {
        api_key: embeddings.api_key.clone(),
        connect_timeout: model.connect_timeout,
        ..EndpointOptions::new(base_url, name)
    }))
}
