//! Bytes to text, strictly: UTF-8, or UTF-16 that says so. No guessing.

use super::signature;
use crate::error::Refusal;

/// A text with more than one control character in this many is none.
const CHARACTERS_PER_CONTROL: usize = 20;
/// NUL is forgiven more often: converters leave one where they had no character, for each ligature say. UTF-16
/// without its mark has one in two.
const CHARACTERS_PER_NUL: usize = 4;

/// The text of a file. Taken out: the byte order mark, NUL, and CR (line ends become `\n`); everything else stays.
pub(super) fn decode(bytes: &[u8]) -> Result<String, Refusal> {
    if let Some(found) = signature::recognise(bytes) {
        return Err(Refusal::NotText { found });
    }
    let text = match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => return Err(Refusal::NotText { found: "UTF-32" }),
        [0xff, 0xfe, units @ ..] => utf16(units, u16::from_le_bytes)?,
        [0xfe, 0xff, units @ ..] => utf16(units, u16::from_be_bytes)?,
        _ => utf8(bytes)?.to_owned(),
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    refuse_binary(text)?;
    let text = without_nul_and_cr(text);
    if text.chars().all(|c| c.is_whitespace() || is_invisible(c)) {
        return Err(Refusal::Empty);
    }
    Ok(text)
}

fn utf8(bytes: &[u8]) -> Result<&str, Refusal> {
    std::str::from_utf8(bytes).map_err(|error| {
        let offset = error.valid_up_to();
        Refusal::NotUtf8 { offset, byte: bytes.get(offset).copied().unwrap_or(0) }
    })
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, Refusal> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len());
    // The mark took two bytes.
    let mut offset = 2;
    for decoded in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        let c = decoded.map_err(|_| Refusal::BrokenUtf16 { offset })?;
        offset += c.len_utf16() * 2;
        text.push(c);
    }
    if odd.is_empty() { Ok(text) } else { Err(Refusal::BrokenUtf16 { offset }) }
}

fn refuse_binary(text: &str) -> Result<(), Refusal> {
    let (mut controls, mut nuls, mut characters) = (0, 0, 0);
    for c in text.chars() {
        characters += 1;
        match c {
            '\0' => nuls += 1,
            // Tabs, line ends and form feeds are text; so is ESC, with which logs are coloured.
            '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}' => {}
            c if c.is_control() => controls += 1,
            _ => {}
        }
    }
    if controls * CHARACTERS_PER_CONTROL > characters || nuls * CHARACTERS_PER_NUL > characters {
        return Err(Refusal::Binary { controls: controls + nuls, characters });
    }
    Ok(())
}

fn without_nul_and_cr(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut characters = text.chars().filter(|c| *c != '\0').peekable();
    while let Some(c) = characters.next() {
        if c != '\r' {
            kept.push(c);
        } else if characters.peek() != Some(&'\n') {
            kept.push('\n');
        }
    }
    kept
}

const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(bytes: &[u8]) -> String {
        decode(bytes).unwrap_err().to_string()
    }

    #[test]
    fn text_is_kept_but_for_marks_nul_and_cr() {
        for (bytes, text) in [
            ("plain 文 😀".as_bytes(), "plain 文 😀"),
            (b"\xef\xbb\xbfmarked", "marked"),
            (
                b"the \0first of several lines\r\nsecond\rthird\n\r\n",
                "the first of several lines\nsecond\nthird\n\n",
            ),
            (b"\xff\xfeh\0i\0\x87\x65", "hi文"),
            (b"\xfe\xff\0h\0i\x65\x87\xd8\x3d\xde\x00", "hi文😀"),
            (b"\x1b[31mred\x1b[0m log", "\u{1b}[31mred\u{1b}[0m log"),
            (b"short", "short"),
        ] {
            assert_eq!(decode(bytes).as_deref(), Ok(text));
        }
    }

    #[test]
    fn nul_is_taken_out_of_a_text_that_has_some() {
        assert_eq!(decode(b"of\0ce\n").as_deref().ok(), Some("ofce\n"));
    }

    #[test]
    fn what_is_no_text_is_refused_with_a_reason() {
        for (bytes, sentence) in [
            (
                b"caf\xe9".as_slice(),
                "is not UTF-8 text: byte 3 (0xE9) does not belong there; convert it to UTF-8",
            ),
            (
                b"\xc4\xe3\xba\xc3",
                "is not UTF-8 text: byte 0 (0xC4) does not belong there; convert it to UTF-8",
            ),
            (
                b"\xff\xfeh\0\0\xd8i\0",
                "is not whole UTF-16 text: the unit at byte 4 has no partner; convert it to UTF-8",
            ),
            (
                b"\xff\xfeh\0i",
                "is not whole UTF-16 text: the unit at byte 4 has no partner; convert it to UTF-8",
            ),
            (b"h\0e\0l\0l\0o\0", "is no text: 5 of its 10 characters are control characters"),
            (b"\x01\x02\x03abc", "is no text: 3 of its 6 characters are control characters"),
            (b"", "holds no text: it is empty or blank"),
            (b"\xef\xbb\xbf \r\n\t\xe2\x80\x8b\xe3\x80\x80", "holds no text: it is empty or blank"),
            (b"%PDF-1.7\n", "is named like a text, but its content is a PDF file: convert it to text first"),
            (
                b"\xff\xfe\0\0h\0\0\0",
                "is named like a text, but its content is UTF-32: convert it to text first",
            ),
        ] {
            assert_eq!(refused(bytes), sentence);
        }
    }

    #[test]
    fn files_of_other_kinds_are_recognised() {
        let mut tar = vec![b'a'; 257];
        tar.extend_from_slice(b"ustar");
        for (bytes, found) in [
            (
                b"PK\x03\x04rest".as_slice(),
                "a ZIP archive (Word, Excel and PowerPoint files are such archives)",
            ),
            (b"\x89PNG\r\n\x1a\n\0\0", "a PNG picture"),
            (b"\xff\xd8\xff\xe0", "a JPEG picture"),
            (b"GIF89a", "a GIF picture"),
            (b"\x7fELF\x02", "a program"),
            (b"\x1f\x8b\x08", "a gzip archive"),
            (b"RIFF\x10\0\0\0WEBPVP8 ", "a WebP picture"),
            (&tar, "a tar archive"),
        ] {
            assert_eq!(decode(bytes), Err(Refusal::NotText { found }));
        }
        assert!(decode(b"PKI means public key infrastructure").is_ok());
    }
}
