//! What is wrong with the settings.

use std::fmt;

use super::layers::Origin;

/// One mistake: where it stands, and one sentence that says what is wrong and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The file or the variable.
    pub origin: Origin,
    /// The sentence.
    pub sentence: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.origin, self.sentence)
    }
}

/// Every mistake that was found, one a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Mistakes(pub Vec<Mistake>);

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, mistake) in self.0.iter().enumerate() {
            if n > 0 {
                f.write_str("\n")?;
            }
            mistake.fmt(f)?;
        }
        Ok(())
    }
}
