//! Markdown to sentences that can be quoted.

/// A sentence may not be longer than this many characters when it is quoted; what is longer is cut with an ellipsis.
const MAX_QUOTE_CHARACTERS: usize = 600;

/// One line of thought in a passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A heading: context for what follows, never quoted.
    Heading(String),
    /// A sentence, a list item or a table row, free of markup.
    Sentence {
        /// The text.
        text: String,
        /// Whether it ends the way a sentence does; the last one of a cut passage does not.
        whole: bool,
    },
}

/// The pieces of a Markdown text, at most `limit` of them.
pub(crate) fn pieces(markdown: &str, limit: usize) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut paragraph = String::new();
    let mut fenced = false;
    for line in markdown.lines() {
        if found.len() >= limit {
            break;
        }
        let line = line.trim().trim_start_matches("> ").trim_start();
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
            flush(&mut paragraph, &mut found);
        } else if line.is_empty() || is_rule(line) {
            flush(&mut paragraph, &mut found);
        } else if fenced {
            continue;
        } else if let Some(heading) = heading(line) {
            flush(&mut paragraph, &mut found);
            found.push(Piece::Heading(plain(heading)));
        } else if let Some(row) = table_row(line) {
            flush(&mut paragraph, &mut found);
            found.extend((!row.is_empty()).then_some(Piece::Sentence { text: row, whole: true }));
        } else if let Some(item) = list_item(line) {
            flush(&mut paragraph, &mut found);
            paragraph.push_str(item);
            paragraph.push('\u{0}'); // an item is whole without a full stop
        } else {
            join(&mut paragraph, line);
        }
    }
    flush(&mut paragraph, &mut found);
    found.truncate(limit);
    found
}

fn join(paragraph: &mut String, line: &str) {
    let item = paragraph.ends_with('\u{0}');
    if item {
        paragraph.pop();
    }
    let wide = |c: Option<char>| c.is_none_or(|c| u32::from(c) >= 0x2E80);
    if !wide(paragraph.chars().next_back()) || !wide(line.chars().next()) {
        paragraph.push(' ');
    }
    paragraph.push_str(line);
    if item {
        paragraph.push('\u{0}');
    }
}

fn flush(paragraph: &mut String, found: &mut Vec<Piece>) {
    let taken = std::mem::take(paragraph);
    let item = taken.ends_with('\u{0}');
    let text = plain(taken.trim_end_matches('\u{0}'));
    for sentence in split(&text) {
        let whole = item || ends_sentence(sentence);
        let text = quotable(sentence);
        if text.chars().any(char::is_alphanumeric) {
            found.push(Piece::Sentence { text, whole });
        }
    }
}

fn ends_sentence(text: &str) -> bool {
    text.trim_end_matches(['"', '”', '’', '\'', ')', '）', '」', '』', '*', ']'])
        .ends_with(['.', '!', '?', '。', '！', '？', ';', '；'])
}

fn quotable(sentence: &str) -> String {
    let sentence = sentence.trim();
    match sentence.char_indices().nth(MAX_QUOTE_CHARACTERS) {
        Some((end, _)) => format!("{}…", sentence.get(..end).unwrap_or(sentence).trim_end()),
        None => sentence.to_owned(),
    }
}

fn is_rule(line: &str) -> bool {
    line.len() >= 3 && line.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | ' '))
}

fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    let depth = line.len() - rest.len();
    ((1..=6).contains(&depth) && rest.starts_with(' ')).then(|| rest.trim().trim_end_matches('#').trim_end())
}

fn table_row(line: &str) -> Option<String> {
    let inner = line.strip_prefix('|')?;
    let cells: Vec<String> = inner.split('|').map(plain).filter(|cell| !cell.is_empty()).collect();
    let ruled = cells.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':' | ' ')));
    Some(if ruled { String::new() } else { cells.join(", ") })
}

fn list_item(line: &str) -> Option<&str> {
    for marker in ["- ", "* ", "+ ", "• "] {
        if let Some(item) = line.strip_prefix(marker) {
            return Some(item.trim_start());
        }
    }
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == line.len() || line.len() - rest.len() > 3 {
        return None;
    }
    rest.strip_prefix(". ")
        .or_else(|| rest.strip_prefix(") "))
        .or_else(|| rest.strip_prefix('、'))
        .map(str::trim_start)
}

/// The text without emphasis, code marks, links and bracketed numbers, which would read as citations of ours.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == '[' || rest.starts_with("![") {
            let body = rest.get(if c == '[' { 1 } else { 2 }..).unwrap_or_default();
            // A label is short; looking further would make a text of brackets quadratic.
            let near = body.char_indices().take(300).find(|(_, c)| matches!(c, ']' | '['));
            if let Some((end, ']')) = near
                && let (Some(label), Some(after)) = (body.get(..end), body.get(end + 1..))
            {
                if let Some(target) = after.strip_prefix('(')
                    && let Some((close, ')')) =
                        target.char_indices().take(2_000).find(|(_, c)| matches!(c, ')' | '['))
                {
                    out.push_str(label);
                    rest = target.get(close + 1..).unwrap_or_default();
                    continue;
                }
                if is_number(label) {
                    if out.ends_with(' ') && after.starts_with(['.', ',', '。', '，', ' ']) {
                        out.pop();
                    }
                    rest = after;
                    continue;
                }
            }
        }
        match c {
            '*' | '`' => {}
            '_' if rest.starts_with("__") => {
                rest = rest.get(2..).unwrap_or_default();
                continue;
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    out.trim().to_owned()
}

fn is_number(label: &str) -> bool {
    !label.is_empty() && label.len() <= 6 && label.bytes().all(|b| b.is_ascii_digit())
}

/// The sentences of a text, in order. Citations such as ` [3]` stay with the sentence that they follow.
pub(crate) fn split(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let wide = matches!(c, '。' | '！' | '？' | '；');
        if !wide && !matches!(c, '.' | '!' | '?') {
            continue;
        }
        let mut end = at + c.len_utf8();
        while let Some((next, closing)) = chars.next_if(|(_, c)| {
            matches!(c, '"' | '”' | '’' | ')' | '）' | '」' | '』' | '.' | '!' | '?' | '。' | '！' | '？')
        }) {
            end = next + closing.len_utf8();
        }
        let end_with_citations = after_citations(text, end);
        let cited = end_with_citations > end;
        let after = text.get(end..).unwrap_or_default();
        let ends = wide
            || cited
            || after.is_empty()
            || (after.starts_with(char::is_whitespace)
                && !(c == '.' && is_abbreviation(text.get(from..at).unwrap_or_default()))
                && !after.trim_start().starts_with(char::is_lowercase));
        if ends {
            while chars.next_if(|(next, _)| *next < end_with_citations).is_some() {}
            found.extend(text.get(from..end_with_citations).map(str::trim).filter(|s| !s.is_empty()));
            from = end_with_citations;
        }
    }
    found.extend(text.get(from..).map(str::trim).filter(|s| !s.is_empty()));
    found
}

/// Where the run of ` [n]` that begins at `end` ends.
fn after_citations(text: &str, end: usize) -> usize {
    let mut at = end;
    while let Some(rest) = text.get(at..) {
        let trimmed = rest.trim_start_matches(' ');
        let Some(close) = trimmed.strip_prefix('[').and_then(|inner| {
            let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
            (digits > 0 && inner.get(digits..)?.starts_with(']')).then_some(digits + 2)
        }) else {
            break;
        };
        at += rest.len() - trimmed.len() + close;
    }
    at
}

fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    initial
        || (word.contains('.') && word.split('.').all(is_letter_or_two))
        || matches!(
            word,
            "Mr" | "Mrs"
                | "Ms"
                | "Dr"
                | "Prof"
                | "St"
                | "Sr"
                | "Jr"
                | "No"
                | "vs"
                | "etc"
                | "Inc"
                | "Ltd"
                | "Co"
                | "Corp"
                | "ca"
                | "cf"
                | "Fig"
                | "Vol"
                | "Gen"
                | "Col"
                | "Rev"
                | "Mt"
                | "Jan"
                | "Feb"
                | "Aug"
                | "Sept"
                | "Oct"
                | "Nov"
                | "Dec"
        )
}

/// "U.S" and "e.g" are abbreviations, "example.org" and "4.19" are not.
fn is_letter_or_two(part: &str) -> bool {
    (1..=2).contains(&part.chars().count()) && part.chars().all(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::{Piece, pieces, split};

    fn texts(markdown: &str) -> Vec<String> {
        pieces(markdown, 100)
            .into_iter()
            .map(|piece| match piece {
                Piece::Heading(text) => format!("# {text}"),
                Piece::Sentence { text, whole } => format!("{}{text}", if whole { "" } else { "~" }),
            })
            .collect()
    }

    #[test]
    fn markdown_becomes_sentences_without_markup() {
        let markdown = "# The **Varnholt** log\n\nDr. M. Tannoth built it in\n1871.[2] It has `84` steps [see](http://x.y/z).\n\n\
             - Keeper: Odo Brask\n- Second keeper,\n  since 1903\n\n| Year | Keeper |\n|---|---|\n| 1903 | **Odo** |\n\nThe last sen";
        assert_eq!(
            texts(markdown),
            [
                "# The Varnholt log",
                "Dr. M. Tannoth built it in 1871.",
                "It has 84 steps see.",
                "Keeper: Odo Brask",
                "Second keeper, since 1903",
                "Year, Keeper",
                "1903, Odo",
                "~The last sen",
            ]
        );
    }

    #[test]
    fn chinese_sentences_end_at_their_own_marks() {
        assert_eq!(
            texts("瓦伦灯塔于1871年\n建成。“它很高。”看守人是谁？没有人"),
            ["瓦伦灯塔于1871年建成。", "“它很高。”", "看守人是谁？", "~没有人"]
        );
    }

    #[test]
    fn a_name_or_number_with_a_dot_inside_may_end_a_sentence() {
        assert_eq!(
            split("It is called skarn.example. Odo named it."),
            ["It is called skarn.example.", "Odo named it."]
        );
        assert_eq!(
            split("Odo released Zorvath 4.19. Mira rested."),
            ["Odo released Zorvath 4.19.", "Mira rested."]
        );
        assert_eq!(
            split("The U.S. Navy came at 5 p.m. on Monday."),
            ["The U.S. Navy came at 5 p.m. on Monday."]
        );
    }

    #[test]
    fn citations_stay_with_the_sentence_before_them() {
        assert_eq!(split("It is 84 m. [3] [4] It is old. [5]"), ["It is 84 m. [3] [4]", "It is old. [5]"]);
        assert_eq!(split("它很高。[3]它很老。[5]"), ["它很高。[3]", "它很老。[5]"]);
    }
}
