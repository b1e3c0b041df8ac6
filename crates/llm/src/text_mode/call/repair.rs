//! Repairs of JSON that is nearly right. Each takes a text and gives the repaired one, or `None` when it has nothing to do.
//! None of them ever closes a string or reads a value in single quotes: what a value is stays the model's word.

/// A repair.
type Repair = fn(&str) -> Option<String>;

/// All of them, in the order in which they are tried.
pub(super) fn repairs() -> impl Iterator<Item = Repair> {
    const ALL: [Repair; 7] = [
        leaked_quotes,
        raw_control_characters,
        curly_quotes,
        trailing_commas,
        unquoted_keys,
        doubled_braces,
        full_width_marks,
    ];
    ALL.into_iter()
}

/// The text with the braces that it lacks.
pub(super) fn closed_with_braces(text: &str, missing: usize) -> String {
    format!("{text}{}", "}".repeat(missing))
}

fn changed(before: &str, after: String) -> Option<String> {
    (after != before).then_some(after)
}

/// A quote that leaked as a token of the model's own.
fn leaked_quotes(text: &str) -> Option<String> {
    changed(text, text.replace("<|\"|>", "\""))
}

/// Walks a text and says of each character whether it stands inside of a string.
fn walk(text: &str, mut each: impl FnMut(char, bool)) {
    let (mut in_string, mut escaped) = (false, false);
    for c in text.chars() {
        if in_string {
            each(c, true);
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => in_string = false,
                _ => {}
            }
        } else {
            each(c, false);
            in_string = c == '"';
        }
    }
}

fn raw_control_characters(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    walk(text, |c, in_string| match c {
        '\n' if in_string => out.push_str("\\n"),
        '\r' if in_string => out.push_str("\\r"),
        '\t' if in_string => out.push_str("\\t"),
        c if in_string && c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
        c => out.push(c),
    });
    changed(text, out)
}

fn curly_quotes(text: &str) -> Option<String> {
    if text.contains('"') {
        return None;
    }
    changed(text, text.replace(['“', '”'], "\""))
}

fn trailing_commas(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    // A comma, and the blanks behind it.
    let mut held = String::new();
    walk(text, |c, in_string| {
        if !in_string && c.is_whitespace() && !held.is_empty() {
            held.push(c);
            return;
        }
        let needless = !in_string && matches!(c, '}' | ']') && !held.is_empty();
        out.push_str(if needless { &held[1..] } else { &held });
        held.clear();
        if c == ',' && !in_string { held.push(c) } else { out.push(c) }
    });
    out.push_str(&held);
    changed(text, out)
}

/// Keys without quotes, in single quotes, or in quotes that do not match.
fn unquoted_keys(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut open = Vec::new();
    let mut rest = text;
    let mut at_key = false;
    while let Some(c) = rest.chars().next() {
        if at_key && let Some((key, after)) = loose_key(rest) {
            out.push_str(&format!("\"{key}\":"));
            rest = after;
            at_key = false;
            continue;
        }
        let length = if c == '"' { string_length(rest) } else { c.len_utf8() };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
        match c {
            '{' | '[' => open.push(c),
            '}' | ']' => {
                open.pop();
            }
            _ => {}
        }
        at_key = match c {
            '{' => true,
            ',' => open.last() == Some(&'{'),
            c if c.is_whitespace() => at_key,
            _ => false,
        };
    }
    changed(text, out)
}

/// The key that a text begins with, and what follows its colon.
fn loose_key(text: &str) -> Option<(&str, &str)> {
    let bare = text.trim_start_matches(['"', '\'']);
    let length =
        bare.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))).filter(|n| *n > 0)?;
    let (key, rest) = bare.split_at(length);
    let after = rest.trim_start_matches(['"', '\'']).trim_start().strip_prefix(':')?;
    let quotes = text.len() - bare.len() <= 1 && rest.len() - rest.trim_start_matches(['"', '\'']).len() <= 1;
    quotes.then_some((key, after))
}

/// How long the string is that a text begins with, quotes included.
fn string_length(text: &str) -> usize {
    let mut escaped = true; // the opening quote closes nothing
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn doubled_braces(text: &str) -> Option<String> {
    let inner = text.strip_prefix(['{', '｛'])?.strip_suffix(['}', '｝'])?.trim();
    (inner.starts_with(['{', '｛']) && inner.ends_with(['}', '｝'])).then(|| inner.to_owned())
}

fn full_width_marks(text: &str) -> Option<String> {
    if !text.starts_with('｛') {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    walk(text, |c, in_string| {
        out.push(match c {
            '｛' if !in_string => '{',
            '｝' if !in_string => '}',
            '：' if !in_string => ':',
            '，' if !in_string => ',',
            c => c,
        });
    });
    changed(text, out)
}
