//! What holds for every reply: no input panics, and pieces come to the same as the whole.

use attest_llm::chat::{ChatEvent, ChatMessage, ToolCall, ToolChoice};
use attest_llm::text_mode::{Catalogue, Outcome, Piece, TurnSoFar};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::reading::{read, read_in_pieces, reader, reader_after, tools};
use crate::request::{rendered_call, written};
use crate::{foreign_rows, rows};

/// Pieces of replies that mean something to the parser, mixed with pieces that mean nothing.
fn fragments() -> impl Strategy<Value = String> {
    let marks = vec![
        "T ",
        "C ",
        "E ",
        "E",
        "T",
        "C",
        "R ",
        "e",
        "c ",
        "**T**",
        "[E]",
        "`C`",
        "Ｅ：",
        "Ｃ",
        "\n",
        "\r",
        "\r\n",
        " ",
        "\t",
        "\u{3000}",
        "\u{feff}",
        "```",
        "```json\n",
        "~~~",
        "`",
        "kb_search",
        "faq",
        "today",
        "get_order",
        "make_report",
        "weather",
        "[",
        "]",
        "{",
        "}",
        "［",
        "］",
        "｛",
        "｝",
        "|",
        "｜",
        "\\",
        "\"",
        "'",
        "“",
        "”",
        ":",
        "：",
        ",",
        "=",
        "query",
        "question",
        "\"query\":",
        "ok",
        "error",
        "<think>",
        "</think>",
        "<",
        "<tool_call>",
        "</tool_call>",
        "<tool",
        "<invoke name=\"faq\">",
        "<parameter name=\"question\">",
        "</parameter>",
        "</invoke>",
        "<function=faq>",
        "<parameter=question>",
        "</function>",
        "｜DSML｜",
        "<｜DSML｜",
        "<｜tool▁call",
        "[TOOL_CALLS]",
        "Thought: ",
        "Action: ",
        "Action Input: ",
        "Observation",
        "assistant: ",
        "{\"name\":\"faq\",\"arguments\":",
        "{\"question\":\"x\"}",
        "R faq ok\n",
        "C faq[x]\n",
        "\nE\n",
        "...",
        "…",
        "null",
        "functions.",
        "call:",
        ":0",
        "3",
        "yes",
        "x",
        "ab",
        "답변",
        "²",
        ".",
        ";",
        "(",
        ")",
        "-",
        "_",
    ];
    let mark = proptest::sample::select(marks).prop_map(str::to_owned);
    let piece = prop_oneof![8 => mark, 1 => any::<char>().prop_map(String::from), 1 => "[ -~]{0,6}"];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Rows of the tables with a piece put into them, taken out, or behind them.
fn broken_rows() -> impl Strategy<Value = String> {
    let all: Vec<&str> = [rows::ROWS, rows::MORE_ROWS, rows::CUT_ROWS, foreign_rows::ROWS]
        .iter()
        .flat_map(|rows| rows.iter().map(|(reply, _)| *reply))
        .collect();
    (proptest::sample::select(all), any::<prop::sample::Index>(), fragments(), any::<bool>()).prop_map(
        |(row, at, piece, remove)| {
            let characters: Vec<char> = row.chars().collect();
            let at = at.index(characters.len() + 1);
            let after = if remove { (at + 1).min(characters.len()) } else { at };
            let piece: String = piece.chars().take(12).collect();
            characters[..at]
                .iter()
                .copied()
                .chain(piece.chars())
                .chain(characters[after..].iter().copied())
                .collect()
        },
    )
}

fn replies() -> impl Strategy<Value = String> {
    prop_oneof![fragments(), broken_rows(), any::<String>()]
}

/// A reply in pieces at these places.
fn split<'a>(reply: &'a str, places: &[prop::sample::Index]) -> Vec<&'a str> {
    let mut ends: Vec<usize> =
        places.iter().map(|place| reply.floor_char_boundary(place.index(reply.len() + 1))).collect();
    ends.push(reply.len());
    ends.sort_unstable();
    let mut start = 0;
    ends.into_iter().map(|end| &reply[std::mem::replace(&mut start, end)..end]).collect()
}

proptest! {
    #[test]
    fn pieces_come_to_the_same_as_the_whole(
        reply in replies(),
        places in proptest::collection::vec(any::<prop::sample::Index>(), 0..8),
        cut in any::<bool>(),
        told in any::<bool>(),
    ) {
        let turn = if told {
            vec![
                ChatMessage::User { content: "q".into() },
                ChatMessage::Assistant { content: Some("ab".into()), tool_calls: vec![] },
            ]
        } else {
            vec![]
        };
        let whole = attest_llm::text_mode::read(reader_after(&turn), &reply, cut);
        let pieces = split(&reply, &places);
        prop_assert_eq!(&read_in_pieces(reader_after(&turn), pieces, cut), &whole);
        let characters = reply.char_indices().map(|(at, c)| &reply[at..at + c.len_utf8()]);
        prop_assert_eq!(&read_in_pieces(reader_after(&turn), characters, cut), &whole);
    }

    #[test]
    fn a_reply_that_is_left_early_comes_to_the_same(reply in replies()) {
        let whole = read(&reply, false);
        let mut reader = reader();
        let mut out: Vec<Piece> = Vec::new();
        for (at, c) in reply.char_indices() {
            reader.take(&reply[at..at + c.len_utf8()], &mut out);
            if reader.is_complete() {
                break;
            }
        }
        let left_early = reader.is_complete();
        let outcome = reader.finish(false, &mut out);
        prop_assert_eq!(&outcome, &whole.2);
        if left_early {
            prop_assert!(matches!(outcome, Outcome::Call(_) | Outcome::CallError { .. }), "{:?}", outcome);
        }
    }

    #[test]
    fn a_call_is_json_of_an_offered_tool(reply in replies(), cut in any::<bool>()) {
        match read(&reply, cut).2 {
            Outcome::Call(call) => {
                prop_assert!(tools().iter().any(|tool| tool.name == call.name), "{}", call.name);
                prop_assert!(serde_json::from_str::<Map<String, Value>>(&call.arguments).is_ok(), "{}", call.arguments);
            }
            Outcome::CallError { call, .. } => prop_assert!(call.arguments.len() <= 4096),
            Outcome::Done { .. } | Outcome::Say(_) | Outcome::Empty(_) => {}
        }
    }

    #[test]
    fn what_an_answer_says_is_shown_as_it_is(words in "[^\r]{1,60}") {
        let (shown, _, outcome) = read(&format!("E {words}"), false);
        prop_assert_eq!(&shown, words.trim_end());
        if !words.trim().is_empty() {
            prop_assert_eq!(outcome, Outcome::Done { cut: false, untagged: false });
        }
    }

    #[test]
    fn a_written_call_is_read_back_with_the_same_arguments(
        text in prop_oneof![fragments().prop_filter("no NUL", |text| !text.contains('\0')), any::<String>()],
        number in proptest::option::of(any::<i64>()),
        flag in proptest::option::of(any::<bool>()),
    ) {
        let mut search = json!({"query": text});
        if let Some(number) = number {
            search["top_k"] = json!(number);
        }
        let mut order = json!({"order_id": text});
        if let Some(flag) = flag {
            order["verbose"] = json!(flag);
        }
        let calls = [
            ("kb_search", search),
            ("get_order", order),
            ("faq", json!({"question": text})),
            ("today", json!({})),
            ("make_report", json!({"title": text, "filters": {"b": [text], "a": null}})),
            ("send_mail", json!({"to": text, "subject": "x", "body": text})),
        ];
        for (name, arguments) in calls {
            let reply = rendered_call(name, &arguments);
            prop_assert!(!reply.contains('\n'), "{reply}");
            let read = read(&reply, false);
            let Outcome::Call(call) = &read.2 else { panic!("{reply:?} is {:?}", read.2) };
            prop_assert_eq!(call.name.as_str(), name);
            prop_assert_eq!(serde_json::from_str::<Value>(&call.arguments).unwrap(), arguments);
            prop_assert!(!call.tail_dropped);
        }
    }

    #[test]
    fn a_result_cannot_close_its_own_envelope(body in prop_oneof![any::<String>(), "[0-9a-f\n]{0,2000}"]) {
        let call = ToolCall { id: "call_1".into(), name: "today".into(), arguments: "{}".into() };
        let messages = vec![
            ChatMessage::User { content: "q".into() },
            ChatMessage::Assistant { content: None, tool_calls: vec![call] },
            ChatMessage::Tool { tool_call_id: "call_1".into(), content: body.clone() },
        ];
        let message = written(messages).pop();
        let Some(ChatMessage::User { content }) = message else { panic!("{message:?}") };
        let mark = content.lines().next().and_then(|line| line.strip_prefix("R today ok ")).unwrap().to_owned();
        prop_assert!((4..=8).contains(&mark.len()));
        prop_assert!(!body.contains(&mark));
        prop_assert_eq!(content.matches(&mark).count(), 2);
    }

    #[test]
    fn any_catalogue_is_taught_and_its_example_is_a_call(
        name in "[a-z_][a-z0-9_.-]{0,30}[a-z]",
        description in any::<String>(),
        kinds in proptest::collection::vec((proptest::sample::select(vec!["string", "integer", "number", "boolean", "object", "array"]), any::<bool>(), any::<bool>()), 0..5),
    ) {
        let properties: Map<String, Value> = kinds
            .iter()
            .enumerate()
            .map(|(n, (kind, _, opted))| {
                (format!("a{n}"), json!({"type": kind, "description": description, "x-text-optional": opted}))
            })
            .collect();
        let required: Vec<String> =
            kinds.iter().enumerate().filter(|(_, (_, required, _))| *required).map(|(n, _)| format!("a{n}")).collect();
        let spec = attest_llm::chat::ToolSpec {
            name: name.clone(),
            description: description.clone(),
            parameters: json!({"type": "object", "properties": properties, "required": required}),
        };
        let lesson = crate::request::lesson(std::slice::from_ref(&spec), ToolChoice::Auto);
        let at_line_start = lesson.lines().filter(|line| line.starts_with(['T', 'C', 'E', 'R']) && line.chars().nth(1) == Some(' '));
        prop_assert_eq!(at_line_start.count(), 0, "{}", lesson);
        let example = lesson.lines().find_map(|line| line.strip_prefix("  you   ")).unwrap();
        let catalogue = std::sync::Arc::new(Catalogue::new(&[spec], &ToolChoice::Auto, &[]));
        let reader = attest_llm::text_mode::ReplyReader::new(catalogue, TurnSoFar::default(), false);
        let read = attest_llm::text_mode::read(reader, example, false);
        prop_assert!(matches!(&read.2, Outcome::Call(call) if call.name == name), "{example} is {:?}", read.2);
    }

    #[test]
    fn a_reply_through_the_decorator_ends_once_and_shows_what_the_reader_shows(reply in replies()) {
        let events = crate::events::events_of(&reply);
        let shown: String = events.iter().filter_map(|event| match event {
            ChatEvent::Text(text) => Some(text.as_str()),
            _ => None,
        }).collect();
        prop_assert_eq!(shown, read(&reply, false).0);
        prop_assert_eq!(events.iter().filter(|event| matches!(event, ChatEvent::End { .. })).count(), 1);
        let last = events.last();
        prop_assert!(matches!(last, Some(ChatEvent::End { .. })), "{:?}", last);
    }
}
