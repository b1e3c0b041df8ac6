//! The model's endpoint, as a test plays it.

pub(crate) mod check;
pub(crate) mod gated;
pub mod reply;
pub(crate) mod scripted;
pub(crate) mod wire;

/// The name of the model in requests.
pub const MODEL_NAME: &str = "test-model";
/// The key that the server is given. It may stand in the `Authorization` header of a request and nowhere else.
pub const MODEL_KEY: &str = "sk-testkit-4f1d9a7c52e84b0e9d36";
