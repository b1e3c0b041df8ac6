//! `Thought: … Action: … Action Input: …`

use crate::text_mode::call::{self, Notes, Values, json};
use crate::text_mode::catalogue::Catalogue;
use crate::text_mode::marks::beginning;
use crate::text_mode::outcome::{Fault, Outcome};

use super::Hope;

/// How much may stand before the name of the tool, in bytes.
const LIMIT: usize = 2_048;

/// What follows a label and its colon; how much of the label is there when it may yet come.
fn labelled<'a>(text: &'a str, label: &str) -> Result<&'a str, Hope> {
    match text.strip_prefix(label).map(|rest| rest.trim_start_matches([' ', '\t'])) {
        Some("") => Err(Hope::Open),
        Some(rest) => rest.strip_prefix([':', '：']).ok_or(Hope::No),
        None if label.starts_with(text) => Err(Hope::Open),
        None => Err(Hope::No),
    }
}

/// The text behind the line that it begins with.
fn next_line(text: &str) -> Option<(&str, &str)> {
    text.split_once('\n').map(|(line, rest)| (line.trim(), rest.trim_start()))
}

fn bare(name: &str) -> &str {
    name.trim().trim_matches(['`', '*', '"']).trim()
}

pub(super) fn hope(text: &str, catalogue: &Catalogue) -> Hope {
    let looked = beginning(text, LIMIT);
    let open = if looked.len() < text.len() { Hope::No } else { Hope::Open };
    let action = match labelled(looked, "Thought") {
        Ok(thought) => match next_line(thought) {
            Some((_, rest)) => rest,
            None => return open,
        },
        Err(Hope::No) => looked,
        Err(_) => return open,
    };
    match labelled(action, "Action") {
        Ok(action) => match next_line(action) {
            Some((line, _)) if tool_of(line, catalogue) => Hope::AtTheEnd,
            Some(_) => Hope::No,
            None => open,
        },
        Err(Hope::No) => Hope::No,
        Err(_) => open,
    }
}

/// Whether an action names an offered tool: `kb_search`, or `kb_search[refund]`.
fn tool_of(action: &str, catalogue: &Catalogue) -> bool {
    let name = action.split(['[', '{']).next().unwrap_or_default();
    catalogue.resolve(bare(name)).is_some()
}

pub(super) fn whole(text: &str, catalogue: &Catalogue) -> Option<Outcome> {
    let action =
        labelled(text, "Thought").map_or(Some(text), |thought| next_line(thought).map(|(_, rest)| rest))?;
    let action = labelled(action, "Action").ok()?;
    let (line, rest) = next_line(action).unwrap_or((action.trim(), ""));
    if !tool_of(line, catalogue) {
        return None;
    }
    let notes = |tail: &str| Notes { foreign: true, tail_dropped: !call::is_nothing(tail) };
    if let Some(at) = line.find(['[', '{']) {
        let block = call::block(&line[at..], false);
        let tail = if rest.is_empty() { &line[at + block.end..] } else { rest };
        return Some(call::outcome(bare(&line[..at]), block.raw, block.values, catalogue, notes(tail)));
    }
    let name = bare(line);
    if rest.is_empty() {
        return Some(call::outcome(name, "", Ok(Values::None), catalogue, notes("")));
    }
    let input = labelled(rest, "Action Input").ok()?;
    // What follows is a result that no tool gave.
    let (input, tail) = input.split_once("\nObservation").unwrap_or((input, ""));
    let input = input.trim();
    let values = if input.starts_with('{') {
        match json::extent(input) {
            json::Extent::Closed(length) => json::object(&input[..length]),
            json::Extent::Open { .. } => None,
        }
        .map(Values::Object)
        .ok_or(Fault::BadJson)
    } else if input.len() > call::BLOCK_LIMIT {
        Err(Fault::TooLong)
    } else {
        Ok(Values::Positional { content: input, full_width: false })
    };
    Some(call::outcome(name, input, values, catalogue, notes(tail)))
}
