//! Reading what a search returned: numbered passages in text.

/// More passages than this in one turn are not looked at.
const MAX_PASSAGES: usize = 500;

/// One numbered passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Passage<'a> {
    /// The number to cite.
    pub(crate) number: u32,
    /// File name and headings, without the document id; empty when there was no header line.
    pub(crate) header: &'a str,
    /// The id in the header, if there was one.
    pub(crate) document_id: Option<&'a str>,
    /// The text, markup and all.
    pub(crate) text: &'a str,
}

/// The passages of one result, in order. A text without `[n]` at the start of a line holds none.
pub(crate) fn parse(result: &str) -> Vec<Passage<'_>> {
    let mut openings: Vec<(usize, u32, usize)> = Vec::new();
    let mut at = 0;
    for line in result.split_inclusive('\n') {
        if let Some((number, length)) = opening(line) {
            openings.push((at, number, at + length));
        }
        at += line.len();
        if openings.len() > MAX_PASSAGES {
            break;
        }
    }
    let ends = openings.iter().skip(1).map(|(start, ..)| *start).chain([result.len()]);
    openings
        .iter()
        .zip(ends)
        .take(MAX_PASSAGES)
        .filter_map(|((_, number, body), end)| Some(passage(*number, result.get(*body..end)?)))
        .collect()
}

fn passage(number: u32, body: &str) -> Passage<'_> {
    let (first, rest) = body.split_once('\n').unwrap_or((body, ""));
    match first.rsplit_once("(document ") {
        Some((header, id)) => Passage {
            number,
            header: header.trim(),
            document_id: id.split([')', ' ', ',']).next().filter(|id| !id.is_empty()),
            text: rest.trim(),
        },
        None => Passage { number, header: "", document_id: None, text: body.trim() },
    }
}

/// The number of a line that opens a passage, and how many bytes the mark takes.
fn opening(line: &str) -> Option<(u32, usize)> {
    let inner = line.strip_prefix('[')?;
    let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
    let number = inner.get(..digits)?.parse().ok()?;
    inner.get(digits..)?.starts_with(']').then_some((number, digits + 2))
}

#[cfg(test)]
mod tests {
    use super::{Passage, parse};

    #[test]
    fn a_line_that_begins_with_a_number_in_brackets_opens_a_passage() {
        let result = "[3] varnholt.md › Keepers (document 0190f2c4-aa)\nOdo Brask kept it.\n\n- see [9]\n\n[12] No header here.\nMore.";
        assert_eq!(
            parse(result),
            [
                Passage {
                    number: 3,
                    header: "varnholt.md › Keepers",
                    document_id: Some("0190f2c4-aa"),
                    text: "Odo Brask kept it.\n\n- see [9]",
                },
                Passage { number: 12, header: "", document_id: None, text: "No header here.\nMore." },
            ]
        );
    }

    #[test]
    fn a_result_without_numbers_holds_no_passage() {
        for result in ["", "No passages found for “Varnholt”.", "[x] y", "[99999999999999] z", "[]"] {
            assert_eq!(parse(result), [], "{result}");
        }
    }
}
