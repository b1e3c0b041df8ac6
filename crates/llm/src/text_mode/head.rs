//! The head of a reply: what stands before the payload, and the letter that says what the payload is.
//!
//! A head that is decided stays decided whatever follows, and deciding looks at a bounded piece of text each time.

use std::ops::Range;

use super::catalogue::Catalogue;
use super::marks::{Fence, beginning, leading_blanks};
use super::shape::{BLANKS_LIMIT, Read, Shape, result, shape};

/// The tags round a thought.
const THOUGHTS: &[(&str, &str)] = &[
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
];
/// Thoughts that close themselves.
const NO_THOUGHTS: &[&str] = &["<think/>", "<think />", "<thinking/>"];
/// How many thoughts may stand before the head.
const THOUGHTS_LIMIT: u8 = 3;
/// The longest line that opens a fence round a whole reply, in bytes.
const FENCE_LINE_LIMIT: usize = 80;
const SPEAKER: &str = "assistant";

/// What a reply is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `T`.
    Tell,
    /// `E`.
    End,
    /// `C`, and where the tool's name stands.
    Call { name: Range<usize> },
    /// `R`: a result that no tool gave.
    Result,
    /// No head.
    Untagged,
    /// A thought that nothing closed.
    ReasoningOnly,
}

/// A head that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) kind: Kind,
    /// Where the payload begins; for a call, what follows the name.
    pub(super) payload: usize,
    /// A fence stands round the whole reply.
    pub(super) wrapped: bool,
}

#[derive(Clone, Debug)]
enum Stage {
    /// A closing tag may come of a thought that began before the reply. Looked for up to there.
    LoneClose(usize),
    Start,
    /// Inside of a thought, looked through up to there.
    Thinking {
        closer: &'static str,
        seen: usize,
    },
    Letter,
}

/// Reads a head while the reply comes in.
#[derive(Clone, Debug)]
pub(super) struct HeadReader {
    stage: Stage,
    /// Everything before is read.
    pos: usize,
    thoughts: u8,
    /// Where the fence begins that may stand round the reply.
    fence: Option<usize>,
    /// Where the text goes on behind `assistant:`.
    spoken: Option<usize>,
}

impl HeadReader {
    pub(super) fn new(starts_in_reasoning: bool) -> Self {
        let stage = if starts_in_reasoning { Stage::LoneClose(0) } else { Stage::Start };
        Self { stage, pos: 0, thoughts: 0, fence: None, spoken: None }
    }

    /// Reads on. `thoughts` takes the places of what was thought; `end` says that no more text comes, and then the
    /// answer is never `None`.
    pub(super) fn read(
        &mut self,
        text: &str,
        end: bool,
        catalogue: &Catalogue,
        thoughts: &mut Vec<Range<usize>>,
    ) -> Option<Head> {
        loop {
            match self.stage.clone() {
                Stage::LoneClose(seen) => self.lone_close(text, end, seen, thoughts)?,
                Stage::Start => match self.start(text, end) {
                    Read::Yes(()) => {}
                    Read::No => return Some(self.untagged()),
                    Read::Undecided => return None,
                },
                Stage::Thinking { closer, seen } => match find(text, seen, closer) {
                    Ok(at) => {
                        thoughts.push(self.pos..at);
                        self.pos = at + closer.len();
                        self.stage = Stage::Start;
                    }
                    Err(certain) => {
                        let certain = if end { text.len() } else { certain };
                        thoughts.push(self.pos..certain);
                        self.pos = certain;
                        self.stage = Stage::Thinking { closer, seen: certain };
                        return end.then(|| self.head(Kind::ReasoningOnly, text.len()));
                    }
                },
                Stage::Letter => return self.letter(text, end, catalogue),
            }
        }
    }

    /// The head of a text that has none.
    fn untagged(&self) -> Head {
        Head { kind: Kind::Untagged, payload: self.fence.unwrap_or(self.pos), wrapped: false }
    }

    fn head(&self, kind: Kind, payload: usize) -> Head {
        Head { kind, payload, wrapped: self.fence.is_some() }
    }

    fn lone_close(
        &mut self,
        text: &str,
        end: bool,
        seen: usize,
        thoughts: &mut Vec<Range<usize>>,
    ) -> Option<()> {
        self.pos += leading_blanks(&text[self.pos..]);
        let rest = &text[self.pos..];
        let opened = THOUGHTS.iter().any(|(opener, _)| starts(rest, opener));
        let first = THOUGHTS
            .iter()
            .filter_map(|(_, closer)| find(text, seen, closer).ok().map(|at| (at, closer.len())))
            .min();
        match first {
            _ if opened => self.stage = Stage::Start,
            Some((at, length)) => {
                thoughts.push(self.pos..at);
                self.pos = at + length;
                self.thoughts = 1;
                self.stage = Stage::Start;
            }
            None if end => self.stage = Stage::Start,
            None => {
                // The longest closing tag may have begun this many bytes before the end.
                self.stage = Stage::LoneClose(text.floor_char_boundary(text.len().saturating_sub(12)));
                return None;
            }
        }
        Some(())
    }

    /// One step at the start. `No` is a text without a head.
    fn start(&mut self, text: &str, end: bool) -> Read<()> {
        self.pos += leading_blanks(&text[self.pos..]);
        let rest = &text[self.pos..];
        if rest.is_empty() {
            return if end { Read::No } else { Read::Undecided };
        }
        if self.thoughts < THOUGHTS_LIMIT {
            if let Some((opener, closer)) = THOUGHTS.iter().find(|(opener, _)| starts(rest, opener)) {
                self.pos += opener.len();
                self.thoughts += 1;
                self.stage = Stage::Thinking { closer, seen: self.pos };
                return Read::Yes(());
            }
            if let Some(tag) = NO_THOUGHTS.iter().find(|tag| starts(rest, tag)) {
                self.pos += tag.len();
                self.thoughts += 1;
                return Read::Yes(());
            }
            let mut tags = THOUGHTS.iter().map(|(opener, _)| *opener).chain(NO_THOUGHTS.iter().copied());
            if !end && tags.any(|tag| starts(tag, rest)) {
                return Read::Undecided;
            }
        }
        if rest.starts_with("```") || rest.starts_with("~~~") {
            match beginning(rest, FENCE_LINE_LIMIT).split_once('\n') {
                Some((line, _)) if Fence::opened_by(line).is_some() => {
                    self.fence = Some(self.pos);
                    self.pos += line.len() + 1;
                }
                None if !end && rest.len() < FENCE_LINE_LIMIT => return Read::Undecided,
                _ => return Read::No,
            }
        } else if !end && ["```", "~~~"].iter().any(|fence| fence.starts_with(rest)) {
            return Read::Undecided;
        }
        self.stage = Stage::Letter;
        Read::Yes(())
    }

    fn letter(&mut self, text: &str, end: bool, catalogue: &Catalogue) -> Option<Head> {
        if self.fence.is_some() && self.spoken.is_none() {
            self.pos += leading_blanks(&text[self.pos..]);
        }
        if self.spoken.is_none() {
            let rest = &text[self.pos..];
            if rest.is_empty() && !end {
                return None;
            }
            if starts(rest, SPEAKER) {
                match rest[SPEAKER.len()..].chars().next() {
                    Some(colon @ (':' | '：')) => {
                        self.spoken = Some(self.pos + SPEAKER.len() + colon.len_utf8());
                    }
                    None if !end => return None,
                    _ => {}
                }
            } else if !end && !rest.is_empty() && starts(SPEAKER, rest) {
                return None;
            }
        }
        if let Some(spoken) = &mut self.spoken {
            *spoken += leading_blanks(&text[*spoken..]);
            if *spoken == text.len() && !end {
                return None;
            }
        }
        let at = self.spoken.unwrap_or(self.pos);
        match tagged(&text[at..], end, catalogue) {
            Read::Yes((kind, payload)) => {
                let kind = match kind {
                    Kind::Call { name } => Kind::Call { name: at + name.start..at + name.end },
                    kind => kind,
                };
                Some(self.head(kind, at + payload))
            }
            Read::No => Some(self.untagged()),
            Read::Undecided => None,
        }
    }
}

/// Whether a text begins with a word, whatever the case of its letters.
fn starts(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(word))
}

/// Where a tag stands, or up to where it certainly does not begin.
fn find(text: &str, from: usize, tag: &str) -> Result<usize, usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(found) = text[at..].find('<') {
        at += found;
        let rest = &bytes[at..];
        let length = rest.len().min(tag.len());
        if rest[..length].eq_ignore_ascii_case(&tag.as_bytes()[..length]) {
            return if length == tag.len() { Ok(at) } else { Err(at) };
        }
        at += 1;
    }
    Err(text.len())
}

/// The letter at the beginning of a text, with its separator. Places count from there.
fn tagged(text: &str, end: bool, catalogue: &Catalogue) -> Read<(Kind, usize)> {
    for letter in ['T', 'C', 'E'] {
        let forms = [
            format!("**{letter}**"),
            format!("[{letter}]"),
            format!("<{letter}>"),
            format!("({letter})"),
            format!("`{letter}`"),
        ];
        for form in &forms {
            if !text.starts_with(form.as_str()) {
                if !end && form.starts_with(text) {
                    return Read::Undecided;
                }
                continue;
            }
            let payload = match text[form.len()..].chars().next() {
                None if !end => return Read::Undecided,
                Some(c) if c.is_whitespace() => form.len() + c.len_utf8(),
                _ => form.len(),
            };
            return kind_of(letter, text, payload, end, catalogue);
        }
    }
    let Some(letter) = text.chars().next() else {
        return if end { Read::No } else { Read::Undecided };
    };
    let after = letter.len_utf8();
    match letter {
        'T' | 'Ｔ' | 'E' | 'Ｅ' | 'C' | 'Ｃ' => {
            let letter = match letter {
                'Ｔ' => 'T',
                'Ｅ' => 'E',
                'Ｃ' => 'C',
                letter => letter,
            };
            match separator(&text[after..], end) {
                Read::Yes(length) => kind_of(letter, text, after + length, end, catalogue),
                Read::Undecided => Read::Undecided,
                Read::No if letter == 'E' => lone_end(text, after, end),
                Read::No => Read::No,
            }
        }
        'e' => lone_end(text, after, end),
        'c' => match separator(&text[after..], end) {
            Read::Yes(length) => match shape(&text[after + length..], end, catalogue) {
                Read::Yes(shape)
                    if shape.opened
                        && catalogue.exact(&text[after + length..][shape.name.clone()]).is_some() =>
                {
                    Read::Yes(shape.head(after + length))
                }
                Read::Undecided => Read::Undecided,
                _ => Read::No,
            },
            Read::No => Read::No,
            Read::Undecided => Read::Undecided,
        },
        'R' => match result(text, end, catalogue) {
            Read::Yes(()) => Read::Yes((Kind::Result, after)),
            Read::No => Read::No,
            Read::Undecided => Read::Undecided,
        },
        _ => Read::No,
    }
}

fn kind_of(
    letter: char,
    text: &str,
    payload: usize,
    end: bool,
    catalogue: &Catalogue,
) -> Read<(Kind, usize)> {
    match letter {
        'T' => Read::Yes((Kind::Tell, payload)),
        'E' => Read::Yes((Kind::End, payload)),
        _ => match shape(&text[payload..], end, catalogue) {
            Read::Yes(shape) => Read::Yes(shape.head(payload)),
            Read::No => Read::No,
            Read::Undecided => Read::Undecided,
        },
    }
}

/// How long the separator behind a letter is. Nothing more is one too, once nothing more comes.
fn separator(text: &str, end: bool) -> Read<usize> {
    let mut chars = text.chars();
    match chars.next() {
        None if end => Read::Yes(0),
        None => Read::Undecided,
        Some(blank) if blank.is_whitespace() => Read::Yes(blank.len_utf8()),
        Some(colon @ (':' | '：')) => match chars.next() {
            None if !end => Read::Undecided,
            Some(blank) if blank.is_whitespace() => Read::Yes(colon.len_utf8() + blank.len_utf8()),
            _ => Read::Yes(colon.len_utf8()),
        },
        Some(_) => Read::No,
    }
}

/// An `E` that is the whole reply, but for a full stop or blanks.
fn lone_end(text: &str, after: usize, end: bool) -> Read<(Kind, usize)> {
    let stops = if text.starts_with('e') { &[][..] } else { &['.', '。', '!', '！'][..] };
    let rest = beginning(text, BLANKS_LIMIT)[after..].trim_start_matches(stops).trim_start();
    if !rest.is_empty() || text.len() > BLANKS_LIMIT {
        Read::No
    } else if end {
        Read::Yes((Kind::End, text.len()))
    } else {
        Read::Undecided
    }
}

impl Shape {
    fn head(self, at: usize) -> (Kind, usize) {
        (Kind::Call { name: at + self.name.start..at + self.name.end }, at + self.after)
    }
}
