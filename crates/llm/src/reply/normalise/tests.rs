use std::convert::Infallible;

use eventsource_stream::EventStream;
use futures::StreamExt;
use futures::executor::block_on;
use proptest::prelude::*;

use super::*;

/// Name and data of each event, or the error's sentence.
fn events(pieces: &[&[u8]]) -> Vec<(String, String)> {
    let pieces: Vec<Result<Bytes, Infallible>> =
        pieces.iter().map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    let normaliser = Normaliser::new(futures::stream::iter(pieces), Arc::default());
    block_on(
        EventStream::new(normaliser)
            .map(|event| match event {
                Ok(event) => (event.event, event.data),
                Err(error) => ("failed".to_owned(), error.to_string()),
            })
            .collect(),
    )
}

fn message(data: &str) -> (String, String) {
    ("message".to_owned(), data.to_owned())
}

#[test]
fn every_line_end_and_every_legal_shape_of_an_event_gives_its_data() {
    let cases: [(&str, &[&str]); 14] = [
        ("data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]),
        ("data: a\r\rdata: b\r\r", &["a", "b"]),
        ("data: a\n\r\ndata: b\r\n\n", &["a", "b"]),
        ("data:a\n\n", &["a"]),
        ("data:  third\n\n", &[" third"]),
        ("\u{feff}data: first\n\ndata: second\n\n", &["first", "second"]),
        ("\u{feff}\u{feff}data: not a field\n\ndata: second\n\n", &["second"]),
        (": OPENROUTER PROCESSING\n\n:\n\ndata: a\n: inside\ndata: b\n\n", &["a\nb"]),
        ("id: 7\nevent: message\ndata: {\"a\":\ndata: 1}\n\n", &["{\"a\":\n1}"]),
        ("data: a\u{2028}b\u{85}c\n\n", &["a\u{2028}b\u{85}c"]),
        ("data: open at the end", &["open at the end"]),
        ("data: open at the end\n", &["open at the end"]),
        ("\n\n\ndata: after blanks\n\n", &["after blanks"]),
        (" \n", &[]),
    ];
    for (bytes, expected) in cases {
        let expected: Vec<_> = expected.iter().map(|data| message(data)).collect();
        assert_eq!(events(&[bytes.as_bytes()]), expected, "{bytes:?}");
        let bytewise: Vec<&[u8]> = bytes.as_bytes().chunks(1).collect();
        assert_eq!(events(&bytewise), expected, "{bytes:?} byte by byte");
    }
}

#[test]
fn the_error_field_becomes_an_error_event_of_its_own() {
    let expected = vec![message("a"), ("error".to_owned(), "{\"code\":400}".to_owned())];
    assert_eq!(events(&[b"data: a\n\nerror: {\"code\":400}\n\n"]), expected);
    assert_eq!(events(&[b"data: a\nerror: {\"code\":400}\n"]), expected);
}

#[test]
fn a_whole_json_body_becomes_one_event_and_the_end_mark() {
    let expected = vec![message("{  \"a\": 1 }"), message("[DONE]")];
    assert_eq!(events(&[b"\xEF\xBB\xBF{\r\n\"a\": 1 }"]), expected);
    assert_eq!(events(&[b"\n {  ", b"\"a\": 1 }"]), expected);
}

#[test]
fn a_body_that_is_no_reply_is_named() {
    let sentence = |pieces: &[&[u8]]| events(pieces).pop().map(|(_, sentence)| sentence);
    assert_eq!(
        sentence(&[b"<!DOCTYPE html><html></html>"]).as_deref(),
        Some(
            "Transport error: answered with a web page instead of a completion; is the base URL complete? many end in /v1"
        )
    );
    assert_eq!(
        sentence(&[b"{\"choices\":[{\"mess"]).as_deref(),
        Some("Transport error: answered with JSON that is broken or cut off")
    );
    let line = vec![b'x'; MAX_EVENT + 1];
    assert_eq!(
        sentence(&[b"data: ", &line]).as_deref(),
        Some("Transport error: sent an event of more than 4 MiB; is this a chat completion?")
    );
}

#[test]
fn bad_bytes_are_replaced_only_where_the_endpoint_sent_them() {
    assert_eq!(events(&[b"data: a\xFFb\n\n"]), [message("a\u{fffd}b")]);
    assert_eq!(events(&[b"data: \xE4\xBD", b"\xA0\xE5\xA5\xBD\n\n"]), [message("你好")]);
}

proptest! {
    #[test]
    fn a_cut_anywhere_and_any_line_end_change_nothing(
        lines in proptest::collection::vec("(data: ?[a-zé{}]{0,6}|: x|event: e|)", 0..12),
        ends in proptest::collection::vec(prop_oneof!["\n", "\r", "\r\n"], 12),
        cuts in proptest::collection::vec(0usize..200, 0..4),
    ) {
        let plain: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        // A lone CR before an empty line that ends in LF would read as one CRLF, so ends are mixed by event.
        let end = &ends[0];
        let mixed: String = lines.iter().flat_map(|line| [line.as_str(), end.as_str()]).collect();
        let bytes = mixed.as_bytes();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).chain([0, bytes.len()]).collect();
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        prop_assert_eq!(events(&pieces), events(&[plain.as_bytes()]));
    }
}
