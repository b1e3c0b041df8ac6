//! Markdown: the text as it was written, and its headings.
//!
//! Front matter stays in the text, because titles, authors and dates in it are worth finding; it is no heading.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::decode::decode;
use super::{Format, Heading, Markup, Parsed};
use crate::error::Refusal;

pub(super) const FORMAT: Format =
    Format { endings: &["md", "markdown"], media_type: "text/markdown", check, parse };

/// Longer headings are cut in heading paths, in characters; the text keeps them whole.
const MAX_TITLE_CHARACTERS: usize = 200;

fn check(bytes: &[u8]) -> Result<(), Refusal> {
    decode(bytes).map(drop)
}

fn parse(bytes: &[u8]) -> Result<Parsed, Refusal> {
    let text = decode(bytes)?;
    let headings = find_headings(&text);
    Ok(Parsed { text, headings, markup: Markup::Markdown })
}

/// The headings of the document. Those in code are code, and those in quotations and lists are someone else's: they
/// do not divide the document.
fn find_headings(text: &str) -> Vec<Heading> {
    let options = Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS
        | Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_HEADING_ATTRIBUTES;
    let mut headings = Vec::new();
    let mut inside = 0_usize;
    let mut current: Option<Heading> = None;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::BlockQuote(_) | Tag::List(_) | Tag::FootnoteDefinition(_)) => inside += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::FootnoteDefinition) => {
                inside = inside.saturating_sub(1);
            }
            Event::Start(Tag::Heading { level, .. }) if inside == 0 => {
                current = Some(Heading { level: number(level), title: String::new(), start: range.start });
            }
            Event::End(TagEnd::Heading(_)) => headings.extend(current.take().map(tidied)),
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut current {
                    heading.title.push_str(&words);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(heading) = &mut current {
                    heading.title.push(' ');
                }
            }
            _ => {}
        }
    }
    headings
}

fn tidied(heading: Heading) -> Heading {
    let words: Vec<&str> = heading.title.split_whitespace().collect();
    Heading { title: words.join(" ").chars().take(MAX_TITLE_CHARACTERS).collect(), ..heading }
}

const fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(text: &str) -> Vec<(u8, String, usize)> {
        find_headings(text).into_iter().map(|h| (h.level, h.title, h.start)).collect()
    }

    #[test]
    fn headings_of_both_styles_are_found() {
        assert_eq!(
            outline("# One `x` *y*\n\ntext\n\nTwo\nlines\n===\n\n### 三 {#c}\n\n#\n"),
            [
                (1, "One x y".to_owned(), 0),
                (1, "Two lines".to_owned(), 21),
                (3, "三".to_owned(), 36),
                (1, String::new(), 50),
            ]
        );
    }

    #[test]
    fn what_only_looks_like_a_heading_is_none() {
        let text = "---\ntitle: Front\n---\n\n```\n# code\n```\n\n    # code too\n\n> # quoted\n\n- # listed\n\n#hashtag\n\n`# x`\n";
        assert_eq!(outline(text), []);
    }

    #[test]
    fn a_very_long_heading_is_cut_in_the_outline() {
        let title = "字".repeat(300);
        assert_eq!(outline(&format!("# {title}")), [(1, "字".repeat(200), 0)]);
    }
}
