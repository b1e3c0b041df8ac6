//! English plurals, lightly.

/// Drops the plural s of an English word, and the e that some plurals need (`boxes`, `classes`). What is left need be
/// no word: documents and questions meet in it, which is all that matters. Words of other scripts, short words and
/// words with digits stay as they are.
pub(super) fn stem(word: &str) -> std::borrow::Cow<'_, str> {
    use std::borrow::Cow;
    if word.len() < 4 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    if let Some(root) = word.strip_suffix("ies")
        && root.len() >= 2
        && !root.ends_with(['a', 'e'])
    {
        return Cow::Owned(format!("{root}y"));
    }
    let singular = match word.strip_suffix('s') {
        Some(root) if !root.ends_with(['u', 's', 'i']) => root,
        _ => word,
    };
    // "caches" and "cache" meet "cach", "searches" and "search" meet "search".
    let needs_e = ["sse", "xe", "che", "she", "ze"].iter().any(|end| singular.ends_with(end));
    Cow::Borrowed(if needs_e { singular.strip_suffix('e').unwrap_or(singular) } else { singular })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plural_meets_its_singular() {
        for (one, many) in [
            ("lab", "labs"),
            ("machine", "machines"),
            ("company", "companies"),
            ("class", "classes"),
            ("box", "boxes"),
            ("search", "searches"),
            ("cache", "caches"),
            ("prize", "prizes"),
            ("size", "sizes"),
            ("key", "keys"),
        ] {
            assert_eq!(stem(one), stem(many), "{one} and {many}");
        }
    }

    #[test]
    fn words_that_only_look_like_plurals_stay() {
        for word in ["analysis", "campus", "glass", "this", "was", "gas", "r2s", "größes", "s", ""] {
            assert_eq!(stem(word), word);
        }
    }
}
