//! How the endpoint is set up.

use std::time::Duration;

use crate::behaviour::Behaviour;

/// The settings of one endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfflineOptions {
    /// The pause between two words of a streamed reply; zero streams as fast as the reader takes it.
    pub pace: Duration,
    /// The name that `/v1/models` lists and that every reply carries. A request may name any model.
    pub model_name: String,
    /// Deviations from a well-behaved endpoint.
    pub behaviour: Behaviour,
}

impl Default for OfflineOptions {
    fn default() -> Self {
        Self {
            pace: Duration::from_millis(8),
            model_name: "attest-offline".to_owned(),
            behaviour: Behaviour::default(),
        }
    }
}
