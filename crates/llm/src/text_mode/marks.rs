//! The marks that the parser knows: blanks, fences of code, openers of other protocols.

/// What opens a call in another protocol. Kept in the order in which they are tried; none is a prefix of a word of prose.
pub(super) const FOREIGN: &[&str] = &[
    "<tool_call",
    "<|tool_call",
    "<｜tool▁call",
    "<｜DSML｜",
    "<|DSML|",
    "<invoke name=",
    "<function=",
    "<function_calls>",
    "<toolcall",
    "[TOOL_CALLS]",
];

/// Marks without a width that some models put before their words.
pub(super) const fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{feff}' | '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}')
}

/// How many bytes of blanks and marks without a width a text begins with.
pub(super) fn leading_blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches(|c: char| c.is_whitespace() || is_zero_width(c)).len()
}

/// A beginning of a text, at most that many bytes, cut between characters.
pub(super) fn beginning(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit)).unwrap_or(text)
}

/// A fence round code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    /// The fence that a line opens.
    pub(super) fn opened_by(line: &str) -> Option<Self> {
        let (fence, rest) = Self::run(line)?;
        (fence.mark == '~' || !rest.contains('`')).then_some(fence)
    }

    /// Whether a line is this fence's end.
    pub(super) fn is_closed_by(self, line: &str) -> bool {
        Self::run(line).is_some_and(|(fence, rest)| {
            fence.mark == self.mark && fence.length >= self.length && rest.trim().is_empty()
        })
    }

    /// Whether a line is a fence and nothing else.
    pub(super) fn is_bare(line: &str) -> bool {
        Self::run(line).is_some_and(|(_, rest)| rest.trim().is_empty())
    }

    fn run(line: &str) -> Option<(Self, &str)> {
        let text = line.trim_start_matches(' ');
        let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let rest = text.trim_start_matches(mark);
        let length = text.len() - rest.len();
        (length >= 3 && line.len() - text.len() <= 3).then_some((Self { mark, length }, rest))
    }
}
