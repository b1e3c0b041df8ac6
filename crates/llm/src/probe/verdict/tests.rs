#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::time::Duration;

use super::*;
use crate::chat::{ReplyFinish, TokenUsage, ToolCall};

fn said(text: &str) -> Heard {
    Heard { text: text.to_owned(), pieces: 1, ..Heard::default() }
}

fn calling(name: &str, arguments: &str) -> Heard {
    let call = ToolCall { id: "call_1".into(), name: name.into(), arguments: arguments.into() };
    Heard { calls: vec![call], finish: ReplyFinish::ToolCalls, ..Heard::default() }
}

fn read(tokens: u64) -> Option<TokenUsage> {
    Some(TokenUsage { prompt_tokens: Some(tokens), completion_tokens: Some(3) })
}

fn got(heard: Heard) -> Exchange {
    Exchange { reply: Ok(heard), lessons: Vec::new(), took: Duration::ZERO }
}

fn failed(failure: ModelFailure) -> Exchange {
    Exchange { reply: Err(failure), lessons: Vec::new(), took: Duration::ZERO }
}

fn after(lesson: Lesson, heard: Heard) -> Exchange {
    Exchange { lessons: vec![(lesson, Some("its words".to_owned()))], ..got(heard) }
}

fn failure(class: FailureClass) -> ModelFailure {
    ModelFailure::new(class, "its words")
}

#[test]
fn only_a_refusal_of_the_request_itself_is_a_verdict() {
    let rejected = |status, shape| ModelFailure { shape, ..failure(FailureClass::Rejected { status }) };
    let refused = [
        rejected(400, None),
        rejected(404, Some(RefusedShape::Tools)),
        rejected(422, None),
        rejected(501, None),
        rejected(500, Some(RefusedShape::Template)),
        rejected(200, Some(RefusedShape::Tools)),
        failure(FailureClass::ContextTooLong { window: None }),
        failure(FailureClass::Filtered),
    ];
    let unclear = [
        rejected(500, None),
        rejected(500, Some(RefusedShape::OwnCall)),
        rejected(200, None),
        rejected(0, None),
        failure(FailureClass::RateLimited),
        failure(FailureClass::Unavailable),
        failure(FailureClass::OutOfCredit),
        failure(FailureClass::Unauthorized),
        failure(FailureClass::Interrupted),
        failure(FailureClass::Stalled),
        failure(FailureClass::EmptyStream),
        failure(FailureClass::Unreachable),
    ];
    for (failures, verdict) in [(refused.to_vec(), Verdict::Refused), (unclear.to_vec(), Verdict::Unclear)] {
        for failure in failures {
            let finding = tools(&failed(failure.clone()));
            assert_eq!(
                (finding.verdict, finding.refusal.as_deref()),
                (verdict, Some("its words")),
                "{failure:?}"
            );
        }
    }
}

#[test]
fn every_outcome_of_every_feature_has_its_verdict() {
    use Verdict::{Differs, Ignored, Refused, Skipped, Unclear, Works};
    let unauthorized = || failed(failure(FailureClass::Unauthorized));
    let unreachable = || failed(failure(FailureClass::Unreachable));
    let rate_limited = || failed(failure(FailureClass::RateLimited));
    let cut = || got(Heard { finish: ReplyFinish::Length, has_thoughts: true, ..Heard::default() });
    let markup = "<tool_call>{\"name\":\"search_chunks\"}</tool_call>";
    let json = r#"{"name":"search_chunks","arguments":{"query":"x"}}"#;
    let rows = [
        (connection(&got(said("hi"))), Works),
        (connection(&unauthorized()), Works),
        (connection(&unreachable()), Refused),
        (key(&got(said("hi")), true), Works),
        (key(&got(said("hi")), false), Works),
        (key(&unauthorized(), true), Refused),
        (key(&unreachable(), true), Skipped),
        (key(&rate_limited(), true), Skipped),
        (key(&failed(failure(FailureClass::OutOfCredit)), true), Works),
        (plain(&got(said("one"))), Works),
        (plain(&cut()), Works),
        (plain(&got(said(" "))), Ignored),
        (plain(&after(Lesson::CompletionTokens, said("one"))), Differs),
        (plain(&after(Lesson::NoStreamOptions, said("one"))), Works),
        (plain(&rate_limited()), Unclear),
        (plain(&unauthorized()), Refused),
        (plain(&failed(failure(FailureClass::OutOfCredit))), Refused),
        (streamed(&got(Heard { pieces: 9, ..said("one") })), Works),
        (streamed(&got(said("one"))), Differs),
        (streamed(&cut()), Unclear),
        (usage(&got(Heard { usage: read(20), ..said("one") })), Works),
        (usage(&got(said("one"))), Ignored),
        (usage(&after(Lesson::NoStreamOptions, said("one"))), Refused),
        (usage(&after(Lesson::NoStreamOptions, Heard { usage: read(20), ..said("one") })), Works),
        (tools(&got(calling("search_chunks", "{\"query\":\"x\"}"))), Works),
        (tools(&got(calling("search_chunks", "{\"query\":"))), Differs),
        (tools(&got(calling("search_chunks", "[1]"))), Differs),
        (tools(&got(said("In 1862."))), Ignored),
        (tools(&got(said(markup))), Differs),
        (tools(&got(said(json))), Differs),
        (tools(&cut()), Unclear),
        (tool_required(&got(calling("no_evidence_needed", "{}"))), Works),
        (tool_required(&got(said("Hello!"))), Ignored),
        (tool_named(&got(calling("no_evidence_needed", "{}")), "no_evidence_needed"), Works),
        (tool_named(&got(calling("search_chunks", "{}")), "no_evidence_needed"), Ignored),
        (tool_named(&got(said("In 1862.")), "no_evidence_needed"), Ignored),
        (tool_result(&got(said("It was lit in 1862 [1]."))), Works),
        (tool_result(&after(Lesson::NullContent, said("In 1862."))), Differs),
        (tool_result(&got(said("I do not know."))), Ignored),
        (tool_result(&got(calling("search_chunks", "{}"))), Differs),
        (late_note(&got(said("Larkspur."))), Works),
        (late_note(&after(Lesson::StrictRoles, said("larkspur"))), Differs),
        (late_note(&got(said("I do not know."))), Ignored),
        (text_mode(&got(calling("search_chunks", "{}"))), Works),
        (text_mode(&got(Heard { fault: Some("no bracket".into()), ..Heard::default() })), Differs),
        (text_mode(&got(said("In 1862."))), Ignored),
        (long_input(&got(Heard { usage: read(7_000), ..said("larkspur") }), 32_000), Works),
        (long_input(&got(said("larkspur")), 32_000), Works),
        (long_input(&got(Heard { usage: read(0), ..said("larkspur") }), 32_000), Works),
        (long_input(&got(Heard { usage: read(2_048), ..said("larkspur") }), 32_000), Differs),
        (long_input(&got(said("I do not know.")), 32_000), Ignored),
        (long_input(&failed(failure(FailureClass::ContextTooLong { window: Some(4_096) })), 32_000), Refused),
    ];
    for (at, (finding, verdict)) in rows.iter().enumerate() {
        assert_eq!(finding.verdict, *verdict, "row {at}: {finding:?}");
    }
}

#[test]
fn the_words_of_a_refusal_that_was_obeyed_stand_beside_its_verdict() {
    let finding = late_note(&after(Lesson::StrictRoles, said("larkspur")));
    let expected = Finding {
        verdict: Verdict::Differs,
        seen: "read, once it was moved to another place".to_owned(),
        refusal: Some("its words".to_owned()),
    };
    assert_eq!(finding, expected);
}

#[test]
fn vectors_in_another_order_are_told_from_those_in_order() {
    let (one, other, third) = (vec![1.0, 0.1], vec![0.0, 1.0], vec![-1.0, 0.2]);
    let batch = |vectors: [&Vec<f32>; 3]| vectors.map(Clone::clone).to_vec();
    let verdict = |vectors: Vec<Vec<f32>>| embedding_batch(&one, &vectors, 1).verdict;
    assert_eq!(verdict(batch([&other, &one, &third])), Verdict::Works);
    assert_eq!(verdict(batch([&one, &other, &third])), Verdict::Differs);
    assert_eq!(verdict(vec![one.clone()]), Verdict::Differs);
    assert_eq!(verdict(vec![vec![0.0, 0.0]; 3]), Verdict::Works);
}
