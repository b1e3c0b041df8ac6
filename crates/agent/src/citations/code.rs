//! Where Markdown text is code, character by character: fences and backtick spans.

/// Where the text stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Text,
    /// In a span that this many backticks opened.
    Span(usize),
    /// In a fence that this many of this character opened.
    Fence(char, usize),
}

/// Follows a text and tells what of it is code.
#[derive(Debug, Default)]
pub(crate) struct CodeSpans {
    place: Place,
    /// The run of fence characters that has just been read, and whether it began its line.
    run: Option<(char, usize, bool)>,
    line_has_text: bool,
    line_is_empty: bool,
}

impl CodeSpans {
    /// Takes the next character; true when it belongs to code.
    pub(crate) fn take(&mut self, c: char) -> bool {
        if let Some((mark, length, at_start)) = self.run {
            if c == mark {
                self.run = Some((mark, length + 1, at_start));
                return true;
            }
            self.run = None;
            self.run_ended(mark, length, at_start);
        }
        if c == '`' || (c == '~' && !self.line_has_text) {
            self.run = Some((c, 1, !self.line_has_text));
            self.line_has_text = true;
            return true;
        }
        self.note_line(c);
        self.place != Place::Text
    }

    /// Takes a character that is known to be text.
    pub(crate) fn note_text(&mut self, c: char) {
        self.run = None;
        self.note_line(c);
    }

    fn run_ended(&mut self, mark: char, length: usize, at_start: bool) {
        self.place = match self.place {
            Place::Text if at_start && length >= 3 => Place::Fence(mark, length),
            Place::Text if mark == '`' => Place::Span(length),
            Place::Span(opened) if mark == '`' && length == opened => Place::Text,
            Place::Fence(fence, opened) if at_start && mark == fence && length >= opened => Place::Text,
            place => place,
        };
    }

    fn note_line(&mut self, c: char) {
        if c == '\n' {
            // A span ends with its paragraph: a stray backtick must not make code of the rest.
            if self.line_is_empty && matches!(self.place, Place::Span(_)) {
                self.place = Place::Text;
            }
            self.line_is_empty = true;
            self.line_has_text = false;
        } else if !c.is_whitespace() {
            self.line_has_text = true;
            self.line_is_empty = false;
        }
    }
}
