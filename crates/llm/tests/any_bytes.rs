//! Streams as nobody sends them: pieces of real ones, damaged. Whatever comes, a reply ends once, and a cut changes nothing.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::convert::Infallible;
use std::time::Duration;

use attest_llm::chat::{ChatEvent, ToolCall};
use attest_llm::failure::ModelFailure;
use attest_llm::reply::{ReplyOptions, read_reply};
use bytes::Bytes;
use futures::StreamExt;
use futures::executor::block_on;
use proptest::prelude::*;

type Event = Result<ChatEvent, ModelFailure>;

fn events(pieces: &[&[u8]], starts_in_reasoning: bool) -> Vec<Event> {
    let pieces: Vec<Result<Bytes, Infallible>> =
        pieces.iter().map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    let options = ReplyOptions {
        endpoint: "h".into(),
        first_event_timeout: Duration::from_secs(1),
        idle_timeout: Duration::from_secs(1),
        key: None,
        starts_in_reasoning,
    };
    let reply = read_reply(futures::stream::iter(pieces), options);
    block_on(reply.map(without_minted_id).collect())
}

fn without_minted_id(event: Event) -> Event {
    match event {
        Ok(ChatEvent::Call(call)) if call.id.starts_with("call_") => {
            Ok(ChatEvent::Call(ToolCall { id: "minted".into(), ..call }))
        }
        other => other,
    }
}

fn written() -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/written");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    paths.into_iter().map(|path| std::fs::read(path).unwrap()).filter(|bytes| bytes.len() < 2_000).collect()
}

/// What is done to a stream at one place.
#[derive(Clone, Debug)]
enum Damage {
    Removed(usize),
    Inserted(Vec<u8>),
    Repeated(usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let words = proptest::sample::select(vec![
        "\n\n",
        "\r",
        "data: ",
        ":",
        "event: error\n",
        "error:",
        "\u{feff}",
        "[DONE]",
        "{",
        "}",
        "\"",
        "\\",
        "null",
        "<think>",
        "</think>",
        "<|channel|>",
        "NaN",
        "\u{2028}",
        "[]",
        "{\"error\":\"x\"}",
        ",\"finish_reason\":\"stop\"",
    ]);
    prop_oneof![
        (1usize..40).prop_map(Damage::Removed),
        words.prop_map(|text| Damage::Inserted(text.as_bytes().to_vec())),
        proptest::collection::vec(any::<u8>(), 1..4).prop_map(Damage::Inserted),
        (1usize..80).prop_map(Damage::Repeated),
    ]
}

fn damaged(mut bytes: Vec<u8>, places: &[(prop::sample::Index, Damage)]) -> Vec<u8> {
    for (place, damage) in places {
        let at = place.index(bytes.len() + 1);
        match damage {
            Damage::Removed(count) => {
                bytes.drain(at..(at + count).min(bytes.len()));
            }
            Damage::Inserted(inserted) => {
                bytes.splice(at..at, inserted.iter().copied());
            }
            Damage::Repeated(count) => {
                let again = bytes[at..(at + count).min(bytes.len())].to_vec();
                bytes.splice(at..at, again);
            }
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn a_reply_ends_once_and_no_cut_changes_it(
        stream in proptest::sample::select(written()),
        places in proptest::collection::vec((any::<prop::sample::Index>(), damage()), 0..5),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..5),
        starts_in_reasoning in any::<bool>(),
    ) {
        let bytes = damaged(stream, &places);
        let whole = events(&[&bytes], starts_in_reasoning);
        let ends = |event: &Event| matches!(event, Err(_) | Ok(ChatEvent::End { .. }));
        let (last, before) = whole.split_last().unwrap();
        prop_assert!(ends(last) && !before.iter().any(ends), "{:#?}", whole);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).chain([0, bytes.len()]).collect();
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        prop_assert_eq!(&events(&pieces, starts_in_reasoning), &whole);
        let bytewise: Vec<&[u8]> = bytes.chunks(1).collect();
        prop_assert_eq!(&events(&bytewise, starts_in_reasoning), &whole);
    }
}
