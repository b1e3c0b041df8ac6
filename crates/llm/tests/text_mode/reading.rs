//! The tools of the tests, and how a reply is read in them.

use std::sync::Arc;

use attest_llm::chat::{ChatMessage, ToolChoice, ToolSpec};
use attest_llm::text_mode::{
    Catalogue, Emptiness, Fault, Floor, Outcome, Piece, ReplyReader, TurnSoFar, WrittenCall,
};
use serde_json::json;

fn tool(name: &str, description: &str, properties: serde_json::Value, required: &[&str]) -> ToolSpec {
    let parameters = json!({"type": "object", "properties": properties, "required": required});
    ToolSpec { name: name.into(), description: description.into(), parameters }
}

/// The tools of the table in the design.
pub(crate) fn tools() -> Vec<ToolSpec> {
    vec![
        tool(
            "kb_search",
            "search the help centre.",
            json!({
                "query": {"type": "string", "description": "words to look for."},
                "top_k": {"type": "integer", "minimum": 1, "maximum": 10, "x-text-optional": true},
            }),
            &["query"],
        ),
        tool("faq", "answer a common question.", json!({"question": {"type": "string"}}), &["question"]),
        tool(
            "get_order",
            "read one order.",
            json!({"order_id": {"type": "string"}, "verbose": {"type": "boolean", "x-text-optional": true}}),
            &["order_id"],
        ),
        tool("today", "the date.", json!({}), &[]),
        tool(
            "make_report",
            "write a report.",
            json!({"title": {"type": "string"}, "filters": {"type": "object", "x-text-optional": true}}),
            &["title"],
        ),
        tool(
            "send_mail",
            "send a mail.",
            json!({"to": {"type": "string"}, "subject": {"type": "string"}, "body": {"type": "string"}}),
            &["to", "subject", "body"],
        ),
    ]
}

pub(crate) fn catalogue() -> Arc<Catalogue> {
    Arc::new(Catalogue::new(&tools(), &ToolChoice::Auto, &[]))
}

/// What a reply comes to: what is shown, what was thought, and the outcome.
pub(crate) type Read = (String, String, Outcome);

pub(crate) fn reader() -> ReplyReader {
    ReplyReader::new(catalogue(), TurnSoFar::default(), false)
}

pub(crate) fn reader_after(messages: &[ChatMessage]) -> ReplyReader {
    ReplyReader::new(catalogue(), TurnSoFar::of(messages), false)
}

pub(crate) fn read(reply: &str, cut: bool) -> Read {
    attest_llm::text_mode::read(reader(), reply, cut)
}

/// Reads a reply in pieces. What is shown can only grow, because it is handed out and never taken back.
pub(crate) fn read_in_pieces<'a>(
    mut reader: ReplyReader,
    pieces: impl IntoIterator<Item = &'a str>,
    cut: bool,
) -> Read {
    let mut out = Vec::new();
    for piece in pieces {
        reader.take(piece, &mut out);
    }
    let outcome = reader.finish(cut, &mut out);
    let (mut shown, mut thought) = (String::new(), String::new());
    for piece in out {
        match piece {
            Piece::Text(text) => shown.push_str(&text),
            Piece::Reasoning(text) => thought.push_str(&text),
        }
    }
    (shown, thought, outcome)
}

/// A reply in the words of the table.
pub(crate) fn in_words((shown, thought, outcome): &Read) -> String {
    let thought = if thought.is_empty() { String::new() } else { format!(" thought {thought:?}") };
    let call = |call: &WrittenCall| {
        let foreign = if call.foreign { " foreign" } else { "" };
        let tail = if call.tail_dropped { " tail dropped" } else { "" };
        format!("{foreign}{tail}")
    };
    let outcome = match outcome {
        Outcome::Done { cut, untagged } => {
            let untagged = if *untagged { " untagged" } else { "" };
            let cut = if *cut { " cut" } else { "" };
            format!("DONE{untagged}{cut} {shown:?}")
        }
        Outcome::Say(floor) => {
            let floor = match floor {
                Floor::Told => "",
                Floor::Repeated => "(repeated)",
                Floor::Announced => "(announce)",
                Floor::SecondCall => "(second_call)",
                Floor::ForeignMarkup => "(foreign_markup)",
                Floor::FabricatedResult => "(fabricated_result)",
            };
            format!("SAY{floor} {shown:?}")
        }
        Outcome::Call(written) => {
            assert_eq!(shown, "", "a call is not shown");
            format!("CALL {} {}{}", written.name, written.arguments, call(written))
        }
        Outcome::CallError { call: written, fault, sentence } => {
            assert_eq!(shown, "", "a call is not shown");
            assert!(sentence.starts_with(fault.name()), "{sentence}");
            let fault = match fault {
                Fault::Missing(names) => format!("missing:{}", names.join(",")),
                Fault::BadType { name, .. } => format!("bad_type:{name}"),
                Fault::UseJson(name) => format!("use_json:{name}"),
                Fault::UnknownArg(name) => format!("unknown_arg:{name}"),
                Fault::UnknownTool { closest, .. } => {
                    format!("unknown_tool, closest {}", closest.as_deref().unwrap_or("none"))
                }
                fault => fault.name().to_owned(),
            };
            format!("CALL_ERROR {} {:?} {fault}{}", written.name, written.arguments, call(written))
        }
        Outcome::Empty(why) => {
            assert_eq!(shown, "", "nothing is shown");
            let why = match why {
                Emptiness::Blank => "blank",
                Emptiness::ReasoningOnly => "reasoning_only",
                Emptiness::EmptyTell => "empty_T",
                Emptiness::NoAnswer => "no_answer",
                Emptiness::FabricatedResult => "fabricated_result",
                Emptiness::ForeignMarkup => "foreign_markup",
            };
            format!("EMPTY({why})")
        }
    };
    format!("{outcome}{thought}")
}

/// Every way to read a reply: at once, cut in two at every place, character by character.
pub(crate) fn assert_comes_to(reply: &str, cut: bool, expected: &str) {
    let whole = read(reply, cut);
    assert_eq!(in_words(&whole), expected, "{reply:?}");
    for (at, _) in reply.char_indices() {
        let (before, after) = reply.split_at(at);
        assert_eq!(read_in_pieces(reader(), [before, after], cut), whole, "{before:?} then {after:?}");
    }
    let characters = reply.char_indices().map(|(at, c)| &reply[at..at + c.len_utf8()]);
    assert_eq!(read_in_pieces(reader(), characters, cut), whole, "{reply:?} in single characters");
}
