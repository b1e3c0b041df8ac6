#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use super::*;
use crate::ladder::memory::CapabilityKey;
use url::Url;

const SUBJECT: Subject<'_> =
    Subject { is_offline: false, has_key: true, model: "m", endpoint: "models.example", fixed: None };

/// What does not work.
type But<'a> = &'a [(Feature, Verdict)];

/// Everything works but these.
fn checks(but: But<'_>) -> Vec<Check> {
    Feature::ALL
        .iter()
        .map(|feature| Check {
            feature: *feature,
            verdict: but.iter().find(|(of, _)| of == feature).map_or(Verdict::Works, |(_, verdict)| *verdict),
            seen: String::new(),
            meaning: String::new(),
            refusal: None,
            duration_ms: None,
        })
        .collect()
}

#[test]
fn the_level_is_what_the_refusals_leave() {
    use Feature::{LateNote, LongInput, Plain, TextMode, ToolNamed, ToolRequired, ToolResult, Tools};
    use Verdict::{Differs, Ignored, Refused, Skipped, Unclear};
    let rows: [(But<'_>, Option<Level>, bool); 18] = [
        (&[], Some(Level::Native), false),
        (&[(ToolNamed, Refused)], Some(Level::Native), false),
        (&[(ToolRequired, Ignored)], Some(Level::Native), false),
        (&[(Tools, Ignored), (ToolRequired, Ignored)], Some(Level::Native), true),
        (&[(Tools, Unclear), (ToolRequired, Unclear)], Some(Level::Native), true),
        (&[(ToolRequired, Refused)], Some(Level::NativeWithoutChoice), false),
        (&[(ToolRequired, Refused), (Tools, Ignored)], Some(Level::NativeWithoutChoice), true),
        (&[(Tools, Refused), (ToolRequired, Skipped)], Some(Level::Text), false),
        (&[(Tools, Refused), (TextMode, Ignored)], Some(Level::Text), true),
        (&[(Tools, Refused), (TextMode, Unclear)], Some(Level::Text), false),
        (&[(Tools, Refused), (TextMode, Refused)], Some(Level::Retrieval), false),
        (&[(TextMode, Refused)], Some(Level::Native), false),
        (&[(LongInput, Refused)], Some(Level::Native), false),
        (&[(LongInput, Differs)], Some(Level::Native), true),
        (&[(LateNote, Differs)], Some(Level::Native), false),
        (&[(LateNote, Refused)], None, true),
        (&[(ToolResult, Refused)], None, true),
        (&[(Plain, Ignored)], None, true),
    ];
    for (but, level, advised) in rows {
        let conclusion = conclude(&checks(but), None, &SUBJECT);
        let got = (conclusion.chat_works, conclusion.level, conclusion.advice.is_some());
        assert_eq!(got, (level.is_some(), level, advised), "{but:?}: {conclusion:?}");
    }
}

#[test]
fn a_fixed_level_wins_and_fails_where_it_is_refused() {
    let at = |fixed, but: &[(Feature, Verdict)]| {
        let conclusion = conclude(&checks(but), None, &Subject { fixed: Some(fixed), ..SUBJECT });
        (conclusion.level, conclusion.advice)
    };
    assert_eq!(at(Level::Text, &[]), (Some(Level::Text), None));
    assert_eq!(at(Level::Text, &[(Feature::ToolResult, Verdict::Refused)]), (Some(Level::Text), None));
    let advice =
        "Set model.level to \"auto\" or \"text\": it is fixed at \"native\", which the endpoint refuses.";
    assert_eq!(at(Level::Native, &[(Feature::Tools, Verdict::Refused)]), (None, Some(advice.to_owned())));
}

#[test]
fn a_plain_question_that_fails_is_answered_with_what_to_change() {
    let rows = [
        (
            FailureClass::Rejected { status: 404 },
            Some(RefusedShape::ModelMissing),
            "The model does not exist",
            "Correct model.name: models.example has no model named m.",
        ),
        (
            FailureClass::Rejected { status: 404 },
            None,
            "HTTP 404 with a web page titled \"Not found\"",
            "Correct model.base_url: what it names at models.example is a website and not the API; many base URLs end in /v1.",
        ),
        (
            FailureClass::Rejected { status: 404 },
            None,
            "HTTP 404 without an explanation",
            "Correct model.base_url or model.name: models.example has nothing at this address for m; many base URLs end in /v1.",
        ),
        (
            FailureClass::Rejected { status: 308 },
            None,
            "redirects",
            "Correct model.base_url: set it to the address that it redirects to.",
        ),
        (
            FailureClass::Unreachable,
            None,
            "answered with a web page instead of a completion",
            "Correct model.base_url: what it names at models.example is a website and not the API; many base URLs end in /v1.",
        ),
        (
            FailureClass::Unreachable,
            None,
            "invalid peer certificate: Expired",
            "Repair the certificate of models.example or of this machine: they do not fit each other, so no connection is made.",
        ),
        (
            FailureClass::Unreachable,
            None,
            "connection refused",
            "Check model.base_url and that models.example is up: a name, a port or a firewall is in the way.",
        ),
        (
            FailureClass::Unauthorized,
            None,
            "no",
            "Correct model.api_key: models.example does not accept this key for m.",
        ),
        (
            FailureClass::OutOfCredit,
            None,
            "no",
            "Add credit to the account behind model.api_key at models.example.",
        ),
        (
            FailureClass::RateLimited,
            None,
            "no",
            "Wait a little and run the test again: there were too many requests for now.",
        ),
        (
            FailureClass::Rejected { status: 500 },
            None,
            "boom",
            "Look at the server of models.example and run the test again: it failed on its own side.",
        ),
    ];
    for (class, shape, words, advice) in rows {
        let failure = ModelFailure { shape, ..ModelFailure::new(class, words) };
        let expected = Conclusion { chat_works: false, level: None, advice: Some(advice.to_owned()) };
        assert_eq!(conclude(&checks(&[]), Some(&failure), &SUBJECT), expected);
    }
    let keyless = Subject { has_key: false, ..SUBJECT };
    let failure = ModelFailure::new(FailureClass::Unauthorized, "no");
    let advice = conclude(&checks(&[]), Some(&failure), &keyless).advice.unwrap();
    assert_eq!(advice, "Set model.api_key: models.example asks for a key and none is set.");
}

#[tokio::test]
async fn the_memory_of_turns_is_told_what_was_proved_and_nothing_else() {
    let in_words = |feature, shape| {
        let class = FailureClass::Rejected { status: 400 };
        vec![(feature, ModelFailure { shape, ..ModelFailure::new(class, "no") })]
    };
    let tools = (Feature::Tools, Verdict::Refused);
    let required = (Feature::ToolRequired, Verdict::Refused);
    let rows = [
        (vec![tools], in_words(Feature::Tools, Some(RefusedShape::Tools)), Some(("text", Proof::Words))),
        (vec![tools], in_words(Feature::Tools, None), Some(("text", Proof::Differential))),
        (
            vec![tools, (Feature::TextMode, Verdict::Refused)],
            in_words(Feature::Tools, None),
            Some(("retrieval", Proof::Differential)),
        ),
        (
            vec![required],
            in_words(Feature::ToolRequired, Some(RefusedShape::ToolChoice)),
            Some(("native_without_choice", Proof::Words)),
        ),
        (
            vec![(Feature::Tools, Verdict::Unclear), (Feature::ToolRequired, Verdict::Unclear)],
            Vec::new(),
            None,
        ),
        (vec![], Vec::new(), None),
    ];
    for (but, refused, expected) in rows {
        let key = CapabilityKey::new(&Url::parse("http://models.example/v1").unwrap(), "m", None);
        let knowledge = Knowledge::of_the_process(key);
        remember(&knowledge, &checks(&but), &refused).await;
        let entry = knowledge.remembered(TOOLS, "any", false).await.entry;
        let got = entry.as_ref().map(|entry| (entry.value.as_deref().unwrap(), entry.proof.unwrap()));
        assert_eq!(got, expected, "{but:?}");
    }
}
