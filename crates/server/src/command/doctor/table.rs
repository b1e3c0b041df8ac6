//! The report for people.

use std::fmt;

use attest_llm::ladder::Level;
use attest_llm::probe::{Check, Feature, Report, Target, Verdict};

/// A report that prints as a table, then the conclusion.
pub(super) struct Table<'a>(pub(super) &'a Report);

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = self.0;
        writeln!(f, "chat model:      {}", Named(&report.chat))?;
        if let Some(target) = &report.embeddings {
            writeln!(f, "embedding model: {}", Named(target))?;
        }
        writeln!(f)?;
        let features = column(Feature::ALL.iter().map(|feature| feature.in_words()));
        let verdicts = column(Verdict::ALL.iter().map(|verdict| verdict.in_words()));
        for Check { feature, verdict, seen, meaning, refusal, .. } in &report.checks {
            let (feature, verdict) = (feature.in_words(), verdict.in_words());
            writeln!(f, "{feature:features$}  {verdict:verdicts$}  {seen}")?;
            let margin = " ".repeat(features + verdicts + 4);
            if verdict != Verdict::Skipped.in_words() {
                writeln!(f, "{margin}-> {meaning}")?;
            }
            if let Some(words) = refusal {
                writeln!(f, "{margin}in full: {}", printable(words))?;
            }
        }
        writeln!(f)?;
        if let Some(window) = report.window_tokens {
            writeln!(f, "The model's window holds {window} tokens.")?;
        }
        match report.level {
            Some(level) => write!(f, "Chat will work: turns run with {}.", level_in_words(level))?,
            None => write!(f, "Chat will not work.")?,
        }
        match &report.advice {
            Some(advice) => write!(f, "\n{}", printable(advice)),
            None => Ok(()),
        }
    }
}

struct Named<'a>(&'a Target);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Target { endpoint, model, offline } = self.0;
        if *offline {
            write!(f, "the offline model, because no model is configured (model.base_url, model.name)")
        } else {
            write!(f, "{} at {endpoint}", printable(model))
        }
    }
}

const fn level_in_words(level: Level) -> &'static str {
    match level {
        Level::Native => "native tools",
        Level::NativeWithoutChoice => "native tools without tool_choice",
        Level::Text => "text mode (tools taught in words)",
        Level::Retrieval => "retrieval only (one search before each answer)",
    }
}

fn column(words: impl Iterator<Item = &'static str>) -> usize {
    words.map(|word| word.chars().count()).max().unwrap_or_default()
}

/// An endpoint's words must not steer the terminal.
fn printable(words: &str) -> String {
    words.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests;
