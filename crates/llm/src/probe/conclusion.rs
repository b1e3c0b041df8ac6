//! Whether chat will work, at which level a turn will run, and what to change: pure, over the verdicts.

use super::report::{Check, Feature, Verdict};
use crate::failure::{FailureClass, ModelFailure, RefusedShape};
use crate::ladder::memory::{Lesson, TOOLS};
use crate::ladder::{Knowledge, Level, Proof, Refused};

/// Whom the advice is about.
pub(super) struct Subject<'a> {
    pub(super) is_offline: bool,
    pub(super) has_key: bool,
    pub(super) model: &'a str,
    pub(super) endpoint: &'a str,
    pub(super) fixed: Option<Level>,
}

/// What all verdicts come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conclusion {
    pub(super) chat_works: bool,
    pub(super) level: Option<Level>,
    pub(super) advice: Option<String>,
}

/// The verdict on one feature; skipped when it has none.
pub(super) fn verdict_of(checks: &[Check], feature: Feature) -> Verdict {
    checks.iter().find(|check| check.feature == feature).map_or(Verdict::Skipped, |check| check.verdict)
}

/// Concludes. A verdict that is unclear counts as if the feature worked: a turn would try it, too.
pub(super) fn conclude(
    checks: &[Check],
    plain_failure: Option<&ModelFailure>,
    subject: &Subject<'_>,
) -> Conclusion {
    let broken = |advice: String| Conclusion { chat_works: false, level: None, advice: Some(advice) };
    if let Some(failure) = plain_failure {
        return broken(advice_for(failure, subject));
    }
    let of = |feature| verdict_of(checks, feature);
    match of(Feature::Plain) {
        Verdict::Works | Verdict::Differs => {}
        Verdict::Ignored => {
            return broken(format!(
                "Choose another model (model.name): {} answers a plain question with nothing.",
                subject.model
            ));
        }
        _ => return broken("Run the test again: there was no time for a plain question.".to_owned()),
    }
    let learned = learned_level(checks);
    let level = subject.fixed.unwrap_or(learned);
    if of(Feature::LateNote) == Verdict::Refused {
        return broken(format!(
            "Choose another model (model.name): the endpoint of {} refuses a conversation with a note in it, in every \
             place.",
            subject.model
        ));
    }
    if level < learned {
        return broken(format!(
            "Set model.level to \"auto\" or \"{}\": it is fixed at \"{}\", which the endpoint refuses.",
            as_set(learned),
            as_set(level)
        ));
    }
    if level < Level::Text && of(Feature::ToolResult) == Verdict::Refused {
        return broken(format!(
            "Set model.level to \"text\": the endpoint of {} accepts tools and refuses their results, so answers would \
             break off after the first search.",
            subject.model
        ));
    }
    Conclusion { chat_works: true, level: Some(level), advice: warning(checks, level, subject) }
}

/// The word for a level in the settings.
const fn as_set(level: Level) -> &'static str {
    match level {
        Level::Native => "native",
        Level::NativeWithoutChoice => "native-no-choice",
        Level::Text => "text",
        Level::Retrieval => "rag",
    }
}

/// The level that the refusals leave.
fn learned_level(checks: &[Check]) -> Level {
    let refused = |feature| verdict_of(checks, feature) == Verdict::Refused;
    match (refused(Feature::Tools), refused(Feature::TextMode), refused(Feature::ToolRequired)) {
        (true, true, _) => Level::Retrieval,
        (true, false, _) => Level::Text,
        (false, _, true) => Level::NativeWithoutChoice,
        (false, _, false) => Level::Native,
    }
}

/// What to know about answers that will come, but not as they should.
fn warning(checks: &[Check], level: Level, subject: &Subject<'_>) -> Option<String> {
    let of = |feature| verdict_of(checks, feature);
    let model = subject.model;
    if subject.is_offline {
        return Some(
            "No model is configured, so the built-in offline model answers with sentences of the documents; set \
             model.base_url and model.name to ask a real one."
                .to_owned(),
        );
    }
    let searches = |verdict| !matches!(verdict, Verdict::Ignored | Verdict::Differs);
    match level {
        Level::Native | Level::NativeWithoutChoice
            if !searches(of(Feature::Tools)) && of(Feature::ToolRequired) != Verdict::Works =>
        {
            Some(format!(
                "Answers may lack evidence: {model} is offered tools and did not call one; a model that calls tools \
                 answers better."
            ))
        }
        Level::Text if !searches(of(Feature::TextMode)) => Some(format!(
            "Answers may lack evidence: {model} cannot be given tools and did not keep to the format of text mode; \
             choose a model or an endpoint with tools."
        )),
        Level::Native if subject.fixed.is_none() && of(Feature::Tools) == Verdict::Unclear => Some(format!(
            "Run the test again: tools could not be tried, so {model} is asked with native tools first and for less when \
             it refuses them."
        )),
        _ if of(Feature::LongInput) == Verdict::Differs => Some(format!(
            "Give {model} a larger context on its server: it drops the beginning of long prompts without saying so."
        )),
        _ if of(Feature::EmbeddingBatch) == Verdict::Differs => Some(
            "Choose another embedding model: its vectors do not belong to the texts that were sent."
                .to_owned(),
        ),
        _ => None,
    }
}

/// One sentence on what to change when a plain question fails.
fn advice_for(failure: &ModelFailure, subject: &Subject<'_>) -> String {
    let Subject { model, endpoint, .. } = subject;
    let says = |words: &str| failure.message.to_lowercase().contains(words);
    match failure.class {
        _ if failure.shape == Some(RefusedShape::ModelMissing) => {
            format!("Correct model.name: {endpoint} has no model named {model}.")
        }
        FailureClass::Unreachable | FailureClass::Rejected { .. } if says("web page") => format!(
            "Correct model.base_url: what it names at {endpoint} is a website and not the API; many base URLs end in /v1."
        ),
        FailureClass::Rejected { status: 300..400 } => {
            "Correct model.base_url: set it to the address that it redirects to.".to_owned()
        }
        FailureClass::Rejected { status: 404 | 405 } => format!(
            "Correct model.base_url or model.name: {endpoint} has nothing at this address for {model}; many base URLs \
             end in /v1."
        ),
        FailureClass::Unreachable if says("certificate") => format!(
            "Repair the certificate of {endpoint} or of this machine: they do not fit each other, so no connection is \
             made."
        ),
        FailureClass::Unreachable => format!(
            "Check model.base_url and that {endpoint} is up: a name, a port or a firewall is in the way."
        ),
        FailureClass::Unauthorized if subject.has_key => {
            format!("Correct model.api_key: {endpoint} does not accept this key for {model}.")
        }
        FailureClass::Unauthorized => {
            format!("Set model.api_key: {endpoint} asks for a key and none is set.")
        }
        FailureClass::OutOfCredit => format!("Add credit to the account behind model.api_key at {endpoint}."),
        FailureClass::RateLimited => {
            "Wait a little and run the test again: there were too many requests for now.".to_owned()
        }
        FailureClass::ContextTooLong { .. } => {
            format!("Give {model} a larger context: not even a short question fits into it.")
        }
        FailureClass::Filtered => {
            format!(
                "Choose another model (model.name): a filter before {model} stops even a harmless question."
            )
        }
        FailureClass::Rejected { status: 400..500 } => format!(
            "Choose another model (model.name): {endpoint} refuses even a plain question to {model}, in the words above."
        ),
        FailureClass::Stalled => format!(
            "Look at the server of {endpoint}, or allow more time with --timeout-seconds: {model} was not done in time."
        ),
        _ => format!("Look at the server of {endpoint} and run the test again: it failed on its own side."),
    }
}

/// Tells the memory of turns what was proved. Words of the endpoint prove by themselves; a refusal without words proves
/// something because a plain question was accepted by the same endpoint.
pub(super) async fn remember(knowledge: &Knowledge, checks: &[Check], refused: &[(Feature, ModelFailure)]) {
    let level = learned_level(checks);
    let wanted = match level {
        Level::Native if verdict_of(checks, Feature::ToolRequired) == Verdict::Works => {
            return knowledge.succeeded(TOOLS, "").await;
        }
        Level::Native => return,
        Level::NativeWithoutChoice => Feature::ToolRequired,
        Level::Text | Level::Retrieval => Feature::Tools,
    };
    let failure = refused.iter().find(|(feature, _)| *feature == wanted).map(|(_, failure)| failure);
    if let Some(failure) = failure
        && let FailureClass::Rejected { status } = failure.class
    {
        let proof = if failure.shape.is_some() { Proof::Words } else { Proof::Differential };
        let refused = Refused { shape: failure.shape, status };
        let lesson = Lesson { value: level.name().to_owned(), refused, proof, tool_set: None };
        knowledge.refused(TOOLS, &lesson).await;
    }
}

#[cfg(test)]
mod tests;
