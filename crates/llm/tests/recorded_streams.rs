//! Recorded and hand-written answers of real endpoints, read whole, byte by byte, cut at every byte, and with every kind
//! of line end: the whole list of events is the same each time.
//!
//! The events of `fixtures/…/x.txt` stand in `x.events` beside it, one a line. `ATTEST_UPDATE_EVENTS=1` writes them anew:
//! read what it wrote.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::time::Duration;

use attest_llm::chat::ChatEvent;
use attest_llm::failure::ModelFailure;
use attest_llm::reply::{ReplyOptions, read_reply};
use bytes::Bytes;
use futures::StreamExt;
use futures::executor::block_on;

/// Longer files are not cut in two at every byte, which costs the square of their length. They are read in pieces of
/// [`STRIDE`] bytes from every offset instead: that too cuts at every byte, with a piece on either side.
const CUT_IN_TWO_UP_TO: usize = 900;
const STRIDE: usize = 47;

/// Files of endpoints that are marked as starting inside of a thought.
const STARTS_IN_REASONING: &[&str] = &["starts-in-reasoning"];

struct Fixture {
    path: PathBuf,
    text: String,
    expected: Vec<String>,
    starts_in_reasoning: bool,
}

impl Fixture {
    fn events<'a>(&self, pieces: impl Iterator<Item = &'a [u8]>) -> Vec<String> {
        let pieces: Vec<Result<Bytes, Infallible>> =
            pieces.map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
        let options = ReplyOptions {
            endpoint: "h".into(),
            first_event_timeout: Duration::from_secs(1),
            idle_timeout: Duration::from_secs(1),
            key: None,
            starts_in_reasoning: self.starts_in_reasoning,
        };
        block_on(read_reply(futures::stream::iter(pieces), options).map(|event| shown(&event)).collect())
    }

    fn check<'a>(&self, pieces: impl Iterator<Item = &'a [u8]>, how: impl FnOnce() -> String) {
        let events = self.events(pieces);
        assert!(
            events == self.expected,
            "{} {}: {events:#?}\nis not {:#?}",
            self.path.display(),
            how(),
            self.expected
        );
    }
}

fn shown(event: &Result<ChatEvent, ModelFailure>) -> String {
    match event {
        Ok(ChatEvent::Text(text)) => format!("text {text:?}"),
        Ok(ChatEvent::Reasoning(text)) => format!("reasoning {text:?}"),
        Ok(ChatEvent::Call(call)) => format!("call {} {} {}", call.id, call.name, call.arguments),
        Ok(ChatEvent::End { finish, usage: None, .. }) => format!("end {finish:?}"),
        Ok(ChatEvent::End { finish, usage: Some(usage), .. }) => {
            let count = |tokens: Option<u64>| tokens.map_or("?".to_owned(), |tokens| tokens.to_string());
            let (read, written) = (count(usage.prompt_tokens), count(usage.completion_tokens));
            format!("end {finish:?}, {read} read, {written} written")
        }
        Ok(other) => format!("{other:?}"),
        Err(failure) => format!("failure {failure}"),
    }
}

/// Every stream with its events.
fn fixtures() -> Vec<Fixture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut paths: Vec<PathBuf> = ["recorded", "written"]
        .into_iter()
        .flat_map(|kind| std::fs::read_dir(folder.join(kind)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension != "events"))
        .collect();
    paths.sort();
    paths.into_iter().map(fixture).collect()
}

fn fixture(path: PathBuf) -> Fixture {
    let text = std::fs::read_to_string(&path).unwrap();
    let stem = path.file_stem().unwrap().to_str().unwrap();
    let starts_in_reasoning = STARTS_IN_REASONING.contains(&stem);
    let events = path.with_extension("events");
    let mut fixture = Fixture { path, text, expected: Vec::new(), starts_in_reasoning };
    if std::env::var_os("ATTEST_UPDATE_EVENTS").is_some() {
        let lines = fixture.events([fixture.text.as_bytes()].into_iter());
        std::fs::write(&events, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    }
    let expected = std::fs::read_to_string(&events).unwrap_or_else(|error| {
        panic!("{}: {error}; ATTEST_UPDATE_EVENTS=1 writes it, then read it", events.display())
    });
    fixture.expected = expected.lines().map(str::to_owned).collect();
    fixture
}

fn cut_everywhere(end: &str) {
    for fixture in fixtures() {
        let text = fixture.text.replace('\n', end);
        let bytes = text.as_bytes();
        fixture.check(bytes.chunks(1), || format!("byte by byte, lines end in {end:?}"));
        if bytes.len() <= CUT_IN_TWO_UP_TO {
            for cut in 0..=bytes.len() {
                let (head, tail) = bytes.split_at(cut);
                fixture.check([head, tail].into_iter(), || format!("cut at {cut}, lines end in {end:?}"));
            }
        } else {
            for offset in 0..STRIDE {
                let (head, tail) = bytes.split_at(offset);
                let pieces = std::iter::once(head).chain(tail.chunks(STRIDE));
                fixture.check(pieces, || format!("in pieces from {offset}, lines end in {end:?}"));
            }
        }
    }
}

#[test]
fn a_stream_read_whole_gives_its_events() {
    for fixture in fixtures() {
        fixture.check([fixture.text.as_bytes()].into_iter(), || "whole".to_owned());
    }
}

#[test]
fn a_stream_gives_its_events_wherever_it_is_cut() {
    cut_everywhere("\n");
}

#[test]
fn a_stream_with_crlf_gives_its_events_wherever_it_is_cut() {
    cut_everywhere("\r\n");
}

#[test]
fn a_stream_with_lone_cr_gives_its_events_byte_by_byte() {
    for fixture in fixtures() {
        let text = fixture.text.replace('\n', "\r");
        fixture.check(text.as_bytes().chunks(1), || "byte by byte, lines end in CR".to_owned());
    }
}
