//! Recorded and hand-written answers of real endpoints, read whole, byte by byte, cut at every byte, and with every kind
//! of line end: the events are the same each time.

use std::convert::Infallible;
use std::time::Duration;

use attest_llm::chat::ChatEvent;
use attest_llm::failure::ModelFailure;
use attest_llm::reply::{ReplyOptions, read_reply};
use bytes::Bytes;
use futures::StreamExt;
use futures::executor::block_on;

/// Longer files are cut in two at every 29th byte only, to keep the test short.
const ALL_CUTS_UP_TO: usize = 800;

/// (file under `fixtures`, its events)
const CASES: &[(&str, &str)] = &[
    (
        "recorded/llamacpp-text-with-usage.txt",
        r#"text "1" | text "," | text " " | text "2" | text "," | text " " | text "3" | text "," | text " " | text "4" | text "," | text " " | text "5" | end Stop 37 read 14 written"#,
    ),
    (
        "recorded/llamacpp-cut-by-limit.txt",
        r#"text "Hello" | text "!" | text " How" | text " can" | end Length"#,
    ),
    (
        "recorded/llamacpp-one-call.txt",
        r#"call vC81jOScV4TnjuY8KeoeHV8URU9gDEu7 get_weather {"city": "Rome", "days": 3, "hourly": true} | end ToolCalls 209 read 38 written"#,
    ),
    (
        "recorded/llamacpp-two-calls-cut-by-limit.txt",
        r#"call h6ISXRf2tbaBloQe2fHlp8FdRXLMS4m0 get_weather {"city": "Rome", "days": 3, "hourly": true} | call lc0JTC8gHB5zxIop8tUJoKuIU0KloUM0 get_weather {"city": "Rome", "days": 3, "hourly": false | end Length 209 read 60 written"#,
    ),
    (
        "recorded/llamacpp-whole-completion.json",
        r#"text "Hello! How can I assist you today?" | end Stop 32 read 10 written"#,
    ),
    (
        "recorded/litellm-text-broken-off.txt",
        r#"text "lorem " | text "ipsum " | text "dolor " | Interrupted: the stream ended without an end mark and without a finish reason"#,
    ),
    ("recorded/litellm-one-call.txt", r#"call call_9748 search {"query":"hi #n=3 #d=5"} | end ToolCalls"#),
    (
        "recorded/litellm-upstream-cut.txt",
        r#"text "lorem " | text "ipsum " | text "dolor " | Rejected { status: 500 }: litellm.APIConnectionError: APIConnectionError: OpenAIException - Connection error."#,
    ),
    ("written/azure-metadata-around-the-text.txt", r#"text "Hi" | end Stop"#),
    (
        "written/bom-comments-and-no-blanks.txt",
        "text \"café 你好 😀\" | text \"a\\u{2028}b\\u{85}c\" | end Stop",
    ),
    (
        "written/thoughts-as-parts.txt",
        r#"reasoning "Hm. " | reasoning "Yes." | text "It is " | text "1969." | end Stop 9 read 12 written"#,
    ),
    (
        "written/calls-all-on-index-zero-and-a-ghost.txt",
        r#"text "Let me look." | call a search {"q":"x"} | call b search {"q":"y"} | end ToolCalls"#,
    ),
    ("written/finish-in-an-open-last-event.txt", r#"text "whole" | end Stop"#),
    (
        "written/half-a-chunk-at-the-end.txt",
        r#"text "first sentence. " | Interrupted: the stream ended without an end mark and without a finish reason"#,
    ),
    (
        "written/call-of-a-broken-stream.txt",
        "Interrupted: the stream ended without an end mark and without a finish reason",
    ),
    (
        "written/error-event-then-done.txt",
        r#"text "so far" | Rejected { status: 400 }: the grammar is too large"#,
    ),
    (
        "written/error-field-of-llamacpp.txt",
        "ContextTooLong { window: Some(4096) }: request (20030 tokens) exceeds the available context size (4096 tokens)",
    ),
    ("written/numbers-that-are-not-finite.txt", r#"text "NaN is a word" | end Stop"#),
    (
        "written/done-alone.txt",
        "EmptyStream: the endpoint answered 200 and closed the stream without a single event",
    ),
    (
        "written/a-web-page.txt",
        "Unreachable: h answered with a web page instead of a completion; is the base URL complete? many end in /v1",
    ),
    ("written/an-error-as-whole-json.txt", "Unavailable: Model is loading"),
];

fn events<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> String {
    let pieces: Vec<Result<Bytes, Infallible>> =
        pieces.map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    let options = ReplyOptions {
        endpoint: "h".into(),
        first_event_timeout: Duration::from_secs(1),
        idle_timeout: Duration::from_secs(1),
        key: None,
    };
    let events: Vec<String> =
        block_on(read_reply(futures::stream::iter(pieces), options).map(|event| shown(&event)).collect());
    events.join(" | ")
}

fn shown(event: &Result<ChatEvent, ModelFailure>) -> String {
    match event {
        Ok(ChatEvent::Text(text)) => format!("text {text:?}"),
        Ok(ChatEvent::Reasoning(text)) => format!("reasoning {text:?}"),
        Ok(ChatEvent::Call(call)) => format!("call {} {} {}", call.id, call.name, call.arguments),
        Ok(ChatEvent::FaultyCall { call, fault }) => format!("faulty call {} {fault}", call.name),
        Ok(ChatEvent::End { finish, usage: None, .. }) => format!("end {finish:?}"),
        Ok(ChatEvent::End { finish, usage: Some(usage), .. }) => {
            let count = |tokens: Option<u64>| tokens.map_or("?".to_owned(), |tokens| tokens.to_string());
            let (read, written) = (count(usage.prompt_tokens), count(usage.completion_tokens));
            format!("end {finish:?} {read} read {written} written")
        }
        Err(failure) => failure.to_string(),
    }
}

fn fixture(name: &str) -> String {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn a_recorded_stream_gives_its_events_wherever_it_is_cut_and_however_its_lines_end() {
    for (name, expected) in CASES {
        let text = fixture(name);
        assert_eq!(&events([text.as_bytes()].into_iter()), expected, "{name}");
        for end in ["\n", "\r\n", "\r"] {
            let text = text.replace('\n', end);
            let bytes = text.as_bytes();
            assert_eq!(&events(bytes.chunks(1)), expected, "{name} byte by byte, lines end in {end:?}");
            // The reading byte by byte cuts everywhere; two pieces add where the rest of a piece goes.
            let step = if bytes.len() > ALL_CUTS_UP_TO { 29 } else { 1 };
            for cut in (0..=bytes.len()).step_by(step) {
                let (head, tail) = bytes.split_at(cut);
                assert_eq!(
                    &events([head, tail].into_iter()),
                    expected,
                    "{name} cut at {cut}, lines end in {end:?}"
                );
            }
        }
    }
}

#[test]
fn every_fixture_has_its_row() {
    let folder = format!("{}/tests/fixtures", env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for kind in ["recorded", "written"] {
        for entry in std::fs::read_dir(format!("{folder}/{kind}")).unwrap() {
            files.push(format!("{kind}/{}", entry.unwrap().file_name().to_str().unwrap()));
        }
    }
    files.sort();
    let mut rows: Vec<_> = CASES.iter().map(|(name, _)| (*name).to_owned()).collect();
    rows.sort();
    assert_eq!(files, rows);
}
