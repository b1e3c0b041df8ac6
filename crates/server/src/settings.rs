//! The settings: `config/default.toml` is their manual and their first layer, then a file, then the environment.
//!
//! Start at [`sections`], which has one struct for each section. To add a setting: a field, the line that reads it,
//! and the key with its comment in the manual; a test insists on all three.

mod effective;
mod layers;
mod mistake;
mod names;
mod reader;
pub mod sections;

pub use effective::EffectiveSetting;
pub(crate) use effective::without_passwords;
pub use layers::{LOCAL_FILE, Origin, Sources};
pub use mistake::{Mistake, Mistakes};
pub use sections::Settings;

use layers::Layers;
use reader::Reader;

/// The manual, which is also the first layer.
pub const MANUAL: &str = include_str!("../../../config/default.toml");

/// Settings, and where each of them came from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What is in force.
    pub settings: Settings,
    /// The same, key by key in the order of the manual, fit to be shown.
    pub effective: Vec<EffectiveSetting>,
}

/// Reads all layers.
///
/// # Errors
/// [`Mistakes`] with every mistake in every layer.
pub fn load(sources: Sources) -> Result<Loaded, Mistakes> {
    let (layers, mut mistakes) = Layers::read(sources);
    let mut reader = Reader::new(&layers);
    let settings = Settings::read(&mut reader);
    let (effective, wrong_values) = reader.into_parts();
    mistakes.extend(wrong_values);
    if mistakes.is_empty() { Ok(Loaded { settings, effective }) } else { Err(Mistakes(mistakes)) }
}

impl Settings {
    /// The settings of the manual alone. Tests start from them and change fields.
    #[must_use]
    pub fn of_the_manual() -> Self {
        let (layers, _) = Layers::read(Sources::nothing());
        Self::read(&mut Reader::new(&layers))
    }
}

#[cfg(test)]
mod tests;
