use super::*;

fn check(feature: Feature, verdict: Verdict, seen: &str, refusal: Option<&str>) -> Check {
    Check {
        feature,
        verdict,
        seen: seen.to_owned(),
        meaning: "what it means".to_owned(),
        refusal: refusal.map(str::to_owned),
        duration_ms: Some(12),
    }
}

fn target(model: &str, offline: bool) -> Target {
    Target { endpoint: "models.example:8443".to_owned(), model: model.to_owned(), offline }
}

#[test]
fn a_report_reads_as_a_table_and_ends_in_its_conclusion() {
    let report = Report {
        chat_works: true,
        level: Some(Level::Text),
        advice: None,
        chat: target("m", false),
        embeddings: Some(target("e", false)),
        window_tokens: Some(4_096),
        checks: vec![
            check(Feature::Plain, Verdict::Works, "answered", None),
            check(Feature::Tools, Verdict::Refused, "HTTP 400", Some("m does not\u{1b}[2J support tools")),
            check(Feature::ToolRequired, Verdict::Skipped, "because tools are refused", None),
        ],
        duration_ms: 34,
    };
    insta::assert_snapshot!(Table(&report));
}

#[test]
fn a_report_of_chat_that_does_not_work_ends_in_what_to_change() {
    let report = Report {
        chat_works: false,
        level: None,
        advice: Some("Set model.api_key: models.example asks for a key and none is set.".to_owned()),
        chat: target("m", false),
        embeddings: None,
        window_tokens: None,
        checks: vec![check(
            Feature::Key,
            Verdict::Refused,
            "none is set, and one is asked for",
            Some("no key"),
        )],
        duration_ms: 3,
    };
    insta::assert_snapshot!(Table(&report));
}
