//! The name of a file, as it is kept.

/// Longest name, in characters.
const MAX_CHARACTERS: usize = 255;

/// The name without its folders (of either slash), control characters and marks that reorder text (`gnp.exe` made to
/// read `exe.png`). `None` when nothing is left, it is longer than 255 characters, or it is `.` or `..`.
pub(crate) fn clean(given: &str) -> Option<String> {
    let last = given.rsplit(['/', '\\']).next()?;
    let name: String = last.chars().filter(|c| !c.is_control() && !is_reordering(*c)).collect();
    let name = name.trim();
    let length = name.chars().count();
    let kept = (1..=MAX_CHARACTERS).contains(&length) && name != "." && name != "..";
    kept.then(|| name.to_owned())
}

/// What stands after the last dot, in lower case, when it can be an ending: up to ten letters and digits with a letter
/// among them. `README`, `.profile`, `notes v1.2` and `Bell Labs, est. 1925` have none.
pub(crate) fn ending(name: &str) -> Option<String> {
    let (stem, end) = name.rsplit_once('.')?;
    let is_ending = !stem.is_empty()
        && (1..=10).contains(&end.len())
        && end.bytes().all(|b| b.is_ascii_alphanumeric())
        && end.bytes().any(|b| b.is_ascii_alphabetic());
    is_ending.then(|| end.to_ascii_lowercase())
}

const fn is_reordering(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_without_folders_and_invisible_characters() {
        for (given, kept) in [
            ("notes.md", Some("notes.md")),
            ("../../etc/passwd", Some("passwd")),
            ("C:\\Users\\me\\笔记.txt", Some("笔记.txt")),
            ("  a b .txt ", Some("a b .txt")),
            ("a\0b\r\nc.txt", Some("abc.txt")),
            ("exe\u{202e}gnp.md", Some("exegnp.md")),
            ("", None),
            ("   ", None),
            ("folder/", None),
            ("..", None),
            ("a/..", None),
            ("\u{202e}", None),
        ] {
            assert_eq!(clean(given).as_deref(), kept, "{given:?}");
        }
        assert!(clean(&"名".repeat(255)).is_some());
        assert_eq!(clean(&"a".repeat(256)), None);
    }

    #[test]
    fn an_ending_is_short_and_holds_a_letter() {
        for (name, expected) in [
            ("a.TXT", Some("txt")),
            ("a.tar.gz", Some("gz")),
            ("a.mp3", Some("mp3")),
            ("README", None),
            (".profile", None),
            ("notes v1.2", None),
            ("Bell Labs, est. 1925", None),
            ("ends with a dot.", None),
            ("文件.文本", None),
        ] {
            assert_eq!(ending(name).as_deref(), expected, "{name}");
        }
    }
}
