//! Refusals of real endpoints: what each is called, what its sentence says, and what it teaches.
//!
//! A fixture is the answer as it comes: a status line, headers, an empty line, the body. What is read from it stands in
//! the `.events` file beside it; `ATTEST_UPDATE_EVENTS=1` writes it anew: read what it wrote.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::path::Path;

use attest_llm::failure::{Refusal, classify};
use attest_llm::learned::Lesson;
use attest_llm::quirks::{lessons_of, quirks};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use time::OffsetDateTime;

struct Answer {
    status: u16,
    headers: HeaderMap,
    body: String,
}

fn answer(path: &Path) -> Answer {
    let text = std::fs::read_to_string(path).unwrap();
    let (head, body) = text.split_once("\n\n").unwrap();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap()))
        .collect();
    Answer { status, headers, body: body.to_owned() }
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/refusals")
}

fn read(answer: &Answer) -> String {
    let Answer { status, headers, body } = answer;
    let received_at = OffsetDateTime::UNIX_EPOCH;
    let failure = classify(&Refusal { status: *status, headers, body, received_at }, None);
    let mut lines = vec![failure.to_string()];
    lines.extend(failure.retry_after_seconds.map(|seconds| format!("asks to wait {seconds} s")));
    lines.extend(failure.shape.map(|shape| format!("refuses {}", shape.name())));
    lines.extend(lessons_of(*status, body).map(|lesson| format!("teaches {}", lesson.name())));
    lines.into_iter().map(|line| line + "\n").collect()
}

#[test]
fn a_recorded_refusal_has_its_class_its_sentence_and_its_lesson() {
    let mut paths: Vec<_> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    paths.sort();
    for path in paths {
        let seen = read(&answer(&path));
        let events = path.with_extension("events");
        if std::env::var_os("ATTEST_UPDATE_EVENTS").is_some() {
            std::fs::write(&events, &seen).unwrap();
        }
        let expected = std::fs::read_to_string(&events).unwrap_or_else(|error| {
            panic!("{}: {error}; ATTEST_UPDATE_EVENTS=1 writes it, then read it", events.display())
        });
        assert_eq!(seen, expected, "{}", path.display());
    }
}

#[test]
fn every_lesson_is_taught_by_the_refusal_of_its_row() {
    let mut taught = Vec::new();
    for (_, quirk) in quirks() {
        let Some(teaching) = quirk.teaches else { continue };
        let name = quirk.fixture.strip_prefix("refusals/").unwrap();
        let Answer { status, body, .. } = answer(&folder().join(name));
        assert_eq!(lessons_of(status, &body).next(), Some(teaching.lesson), "{}", quirk.name);
        // The same words under another status are about something else.
        for other in [401, 402, 403, 408, 429, 503] {
            assert_eq!(lessons_of(other, &body).next(), None, "{} with {other}", quirk.name);
        }
        taught.push(teaching.lesson);
    }
    taught.sort();
    taught.dedup();
    assert_eq!(taught, Lesson::ALL);
}

#[test]
fn other_wordings_of_the_same_teach_the_same() {
    let cases: [(u16, &str, Option<Lesson>); 15] = [
        (
            422,
            r#"{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}"#,
            Some(Lesson::NoStreamOptions),
        ),
        (
            400,
            "Conversation roles must alternate user/assistant/user/assistant/...",
            Some(Lesson::NoSystemRole),
        ),
        (400, "Only user and assistant roles are supported!", Some(Lesson::NoSystemRole)),
        (400, "Developer instruction is not enabled for models/small", Some(Lesson::NoSystemRole)),
        (400, "System message must be at the beginning.", Some(Lesson::StrictRoles)),
        (400, "Unexpected role 'user' after role 'tool'", Some(Lesson::StrictRoles)),
        (400, "Unexpected role 'system' after role 'user'", Some(Lesson::StrictRoles)),
        (500, "Failed to apply chat template: undefined", Some(Lesson::NoSystemRole)),
        (400, "Message content must not be empty", Some(Lesson::NullContent)),
        (
            400,
            "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
            Some(Lesson::EmptyReasoning),
        ),
        // These are about tools, and another place's to act on.
        (500, "tools param requires --jinja flag", None),
        (400, "this chat template does not support tools", None),
        (
            400,
            "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
            None,
        ),
        (400, "Invalid API parameter", None),
        (400, "", None),
    ];
    for (status, body, lesson) in cases {
        assert_eq!(lessons_of(status, body).next(), lesson, "{body}");
    }
}
