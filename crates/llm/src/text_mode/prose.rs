//! Words for the reader, while they come in: what of them is certain to be shown, and where they end.
//!
//! Shown is all but a tail that may yet turn out to be something else. What is held back is decided line by line: a
//! whole call of an offered tool, a lone `E`, the fence that closes the reply, a result that no tool gave; and anywhere
//! in a line of an untagged reply, an opener of another protocol.

use super::call;
use super::catalogue::Catalogue;
use super::head::Kind;
use super::marks::{FOREIGN, Fence};
use super::shape::{Read, result, shape};

/// The longest line that can be anything but words, in bytes; a call may be longer.
const SPECIAL_LIMIT: usize = 512;

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Calls, results and a lone `E`: in all but an answer, whose words are content whatever they are.
    pub(super) lines: bool,
    /// Openers of other protocols.
    pub(super) markers: bool,
    /// A fence stands round the whole reply.
    pub(super) wrapped: bool,
}

impl Rules {
    pub(super) const fn of(kind: &Kind, wrapped: bool) -> Self {
        Self {
            lines: matches!(kind, Kind::Tell | Kind::Untagged),
            markers: matches!(kind, Kind::Untagged),
            wrapped,
        }
    }
}

/// What ended the words before the reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    Call,
    Result,
    Markup,
}

/// What a line that may be left out is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Special {
    Call,
    End,
    Fence,
}

/// What is known of a line that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// It may be special or not.
    Open,
    /// It begins as a call does, up to the bracket.
    Call,
    /// It is words.
    Words,
}

/// How the words ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProseEnd {
    /// Where.
    pub(super) end: usize,
    /// A lone `E` ended them.
    pub(super) by_end_line: bool,
    pub(super) cut: Option<Cut>,
}

/// The words of one reply.
#[derive(Clone, Debug)]
pub(super) struct Prose {
    rules: Rules,
    start: usize,
    line_start: usize,
    line: Line,
    /// Where the first character of the line stands that is no blank, or how far there is none.
    content: usize,
    has_content: bool,
    /// How far the line's end was looked for.
    looked: usize,
    /// How far openers were looked for.
    marked: usize,
    /// Inside of code in the line, for openers.
    in_code: bool,
    fence: Option<Fence>,
    /// Behind the last character that is certain to be shown.
    certain: usize,
    /// How far certain words were looked for.
    read: usize,
    /// Lines behind the certain words that may be left out, with their ends.
    held: Vec<(Special, usize)>,
    cut: Option<Cut>,
}

impl Prose {
    pub(super) fn new(rules: Rules, start: usize) -> Self {
        Self {
            rules,
            start,
            line_start: start,
            line: Line::Open,
            content: start,
            has_content: false,
            looked: start,
            marked: start,
            in_code: false,
            fence: None,
            certain: start,
            read: start,
            held: Vec::new(),
            cut: None,
        }
    }

    /// Up to where the words are certain to be shown.
    pub(super) const fn certain(&self) -> usize {
        self.certain
    }

    /// Reads on; `end` says that no more comes.
    pub(super) fn advance(&mut self, text: &str, end: bool, catalogue: &Catalogue) {
        while self.cut.is_none() {
            let newline = text[self.looked..].find('\n').map(|at| self.looked + at);
            let line_end = newline.unwrap_or(text.len());
            let ended = newline.is_some() || end;
            match self.marker(text, line_end, ended) {
                Read::Yes(at) => {
                    self.line(text, at, true, catalogue);
                    self.cut = self.cut.or(Some(Cut::Markup));
                }
                Read::Undecided => self.line(text, self.marked, false, catalogue),
                Read::No => self.line(text, line_end, ended, catalogue),
            }
            let Some(newline) = newline else {
                self.looked = line_end;
                return;
            };
            self.next_line(newline + 1);
        }
    }

    /// How the words end, once all of them were read.
    pub(super) fn finish(mut self) -> ProseEnd {
        let mut pop = |special| {
            let found = self.held.last().is_some_and(|(last, _)| *last == special);
            if found {
                self.held.pop();
            }
            found
        };
        pop(Special::Fence);
        let by_end_line = pop(Special::End);
        let mut calls = false;
        while pop(Special::Call) {
            calls = true;
        }
        let end = self.held.last().map_or(self.certain, |(_, end)| *end);
        ProseEnd { end, by_end_line, cut: self.cut.or(calls.then_some(Cut::Call)) }
    }

    fn next_line(&mut self, start: usize) {
        self.line_start = start;
        self.line = Line::Open;
        self.content = start;
        self.has_content = false;
        self.looked = start;
        self.marked = start;
        self.in_code = false;
        self.read = start;
    }

    /// Looks for an opener in the line. Undecided from `marked` on when one may begin there.
    fn marker(&mut self, text: &str, line_end: usize, ended: bool) -> Read<usize> {
        if !self.rules.markers || self.fence.is_some() {
            return Read::No;
        }
        for (at, c) in text[self.marked..line_end].char_indices() {
            let at = self.marked + at;
            match c {
                '`' if at == self.line_start || !text[..at].ends_with('`') => self.in_code = !self.in_code,
                '<' | '[' if !self.in_code => {
                    let rest = &text[at..line_end];
                    if FOREIGN.iter().any(|marker| rest.starts_with(marker)) {
                        return Read::Yes(at);
                    }
                    if !ended && FOREIGN.iter().any(|marker| marker.starts_with(rest)) {
                        self.marked = at;
                        return Read::Undecided;
                    }
                }
                _ => {}
            }
        }
        self.marked = line_end;
        Read::No
    }

    /// Reads the line up to there; `ended` says that it ends there.
    fn line(&mut self, text: &str, limit: usize, ended: bool, catalogue: &Catalogue) {
        if !self.has_content {
            let blanks = text[self.content..limit].len() - text[self.content..limit].trim_start().len();
            self.content += blanks;
            self.has_content = self.content < limit;
            if !self.has_content {
                return;
            }
        }
        if self.line == Line::Open {
            self.line = self.kind_of_line(&text[self.content..limit], ended, catalogue);
        }
        if self.cut.is_some() {
            return;
        }
        if self.line == Line::Words {
            self.show(text, limit);
        }
        if ended {
            self.end_line(text, limit, catalogue);
        }
    }

    /// What a line is that begins so; a result cuts.
    fn kind_of_line(&mut self, line: &str, ended: bool, catalogue: &Catalogue) -> Line {
        if self.fence.is_some() {
            return Line::Words;
        }
        if self.rules.lines {
            if self.line_start > self.start {
                match result(line, ended, catalogue) {
                    Read::Yes(()) => {
                        self.cut = Some(Cut::Result);
                        return Line::Open;
                    }
                    Read::Undecided => return Line::Open,
                    Read::No => {}
                }
            }
            match self.call(line, ended, catalogue) {
                Read::Yes(()) => return Line::Call,
                Read::Undecided => return Line::Open,
                Read::No => {}
            }
        }
        if line.len() > SPECIAL_LIMIT {
            return Line::Words;
        }
        let mark = line.trim_end();
        let may_close =
            self.rules.wrapped && (mark.trim_matches('`').is_empty() || mark.trim_matches('~').is_empty());
        if may_close || (self.rules.lines && matches!(mark, "E" | "Ｅ")) { Line::Open } else { Line::Words }
    }

    /// Whether a line begins as a call of an offered tool does.
    fn call(&self, line: &str, ended: bool, catalogue: &Catalogue) -> Read<()> {
        let Some(rest) = line.strip_prefix(['C', 'Ｃ']) else { return Read::No };
        if self.content - self.line_start > 3 {
            return Read::No;
        }
        let rest = match rest.chars().next() {
            None => return if ended { Read::No } else { Read::Undecided },
            Some(separator) if separator.is_whitespace() || matches!(separator, ':' | '：') => {
                &rest[separator.len_utf8()..]
            }
            Some(_) => return Read::No,
        };
        match shape(rest, ended, catalogue) {
            Read::Yes(shape) => {
                let tool = catalogue.resolve(&rest[shape.name]);
                let fits =
                    tool.is_some_and(|tool| shape.opened || tool.parameters.iter().all(|p| !p.required));
                if fits { Read::Yes(()) } else { Read::No }
            }
            Read::No => Read::No,
            Read::Undecided => Read::Undecided,
        }
    }

    /// Words up to there are shown, and so is everything that was held before them.
    fn show(&mut self, text: &str, limit: usize) {
        self.held.clear();
        let from = self.read.max(self.content);
        let shown = text[from..limit].trim_end();
        if !shown.is_empty() {
            self.certain = from + shown.len();
        }
        self.read = limit;
    }

    fn end_line(&mut self, text: &str, limit: usize, catalogue: &Catalogue) {
        let line = text[self.line_start..limit].trim_end();
        let content = text[self.content..limit].trim_end();
        let special = match (self.fence, Fence::opened_by(line)) {
            (Some(fence), _) => {
                if fence.is_closed_by(line) {
                    self.fence = None;
                }
                None
            }
            (None, Some(fence)) => {
                self.fence = Some(fence);
                (self.rules.wrapped && self.line == Line::Open && Fence::is_bare(line))
                    .then_some(Special::Fence)
            }
            (None, None) => match self.line {
                Line::Open if matches!(content, "E" | "Ｅ") => Some(Special::End),
                Line::Call if is_whole_call(content, catalogue) => Some(Special::Call),
                _ => None,
            },
        };
        match special {
            Some(special) => self.held.push((special, self.content + content.len())),
            None => self.show(text, limit),
        }
    }
}

/// Whether a line is one call and nothing else.
fn is_whole_call(line: &str, catalogue: &Catalogue) -> bool {
    let rest = line.trim_start_matches(['C', 'Ｃ']);
    let rest = rest.trim_start_matches([':', '：']);
    let Read::Yes(shape) = shape(rest, true, catalogue) else { return false };
    let block = call::block(&rest[shape.after..], false);
    let bare = !shape.opened && block.values == Ok(call::Values::None);
    (block.closed || bare) && call::is_nothing(&rest[shape.after + block.end..])
}
