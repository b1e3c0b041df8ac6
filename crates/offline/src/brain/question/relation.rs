//! Questions about how things are related: their sides, free of the words that only frame the question.

use crate::brain::words::{Token, TokenKind};

/// Words that ask for a relation.
const FRAME: &[&str] = &[
    "related",
    "relate",
    "relation",
    "relations",
    "relationship",
    "relationships",
    "connected",
    "connect",
    "connects",
    "connection",
    "connections",
    "linked",
    "link",
    "links",
    "tied",
    "ties",
    "associated",
    "association",
];
/// Of these, the ones that ask for it wherever they stand; the others only after "how", "what" or before "between".
const ALWAYS: &[&str] = &["relation", "relations", "relationship", "relationships"];
/// Words between two sides.
const BETWEEN: &[&str] = &["and", "or", "both", "between", "to", "with", "from", "each", "other"];

const WIDE_FRAME: &[&str] = &["关系", "联系", "关联", "有关", "相关"];
/// What turns such a word into a question about two sides.
const WIDE_ASKING: &[&str] = &["什么", "何", "怎", "吗", "哪", "有没有", "是否", "的关系", "的联系", "之间"];
const WIDE_BETWEEN: &[char] = &['和', '与', '跟', '同', '及'];

/// The tokens of every side, in order; `None` when the question is about no relation.
pub(super) fn sides(tokens: &[Token]) -> Option<Vec<Vec<Token>>> {
    if !is_asked_for(tokens) {
        return None;
    }
    let mut sides = vec![Vec::new()];
    let mut add = |token: Option<Token>| match (token, sides.last_mut()) {
        (Some(token), Some(side)) => side.push(token),
        _ => sides.push(Vec::new()),
    };
    for token in tokens {
        match token.kind {
            TokenKind::Cjk => {
                for (at, text) in split_wide(&token.text).into_iter().enumerate() {
                    if at > 0 {
                        add(None);
                    }
                    if !text.is_empty() {
                        add(Some(Token { text: text.to_owned(), ..token.clone() }));
                    }
                }
            }
            _ => {
                let word = token.text.to_lowercase();
                let lists = [FRAME, BETWEEN];
                let frames = lists.iter().any(|list| list.contains(&word.as_str()));
                // "Association" with a capital is part of a name.
                let named = !token.opens_sentence && token.text.starts_with(char::is_uppercase);
                add((!frames || named).then(|| token.clone()));
            }
        }
    }
    sides.retain(|side| !side.is_empty());
    Some(sides)
}

fn is_asked_for(tokens: &[Token]) -> bool {
    let words: Vec<String> = tokens.iter().map(|token| token.text.to_lowercase()).collect();
    let framed = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let opens = words.iter().any(|word| matches!(word.as_str(), "how" | "what"));
    let to_do_with = words.windows(3).any(|three| three == ["to", "do", "with"]);
    if framed(ALWAYS) || (opens && to_do_with) {
        return true;
    }
    let joined = words.iter().any(|word| matches!(word.as_str(), "to" | "with" | "between" | "and"));
    // "How many links lead to…" counts links; "Who linked…" asks for a person.
    let counts = words.iter().any(|word| matches!(word.as_str(), "many" | "much" | "who" | "when" | "where"));
    if opens && joined && !counts && framed(FRAME) {
        return true;
    }
    tokens.iter().filter(|token| token.kind == TokenKind::Cjk).any(|token| {
        let has = |list: &[&str]| list.iter().any(|word| token.text.contains(word));
        has(WIDE_FRAME) && has(WIDE_ASKING) && !token.text.contains('谁')
    })
}

/// Cuts a run at the words between two sides. Such a character inside a name has a single one before or after it.
fn split_wide(run: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, c) in run.char_indices().filter(|(_, c)| WIDE_BETWEEN.contains(c)) {
        let after = at + c.len_utf8();
        let (Some(left), Some(right)) = (run.get(from..at), run.get(after..)) else { continue };
        let long = |side: &str| side.chars().count() != 1;
        if long(left) && long(right) {
            parts.push(left);
            from = after;
        }
    }
    parts.extend(run.get(from..));
    parts
}

#[cfg(test)]
mod tests {
    use super::sides;
    use crate::brain::words::tokens;

    #[test]
    fn a_relation_has_sides_and_no_frame() {
        for (question, expected) in [
            (
                "How is Odo Brask related to the Skarn Institute?",
                Some("How is Odo Brask|the Skarn Institute"),
            ),
            ("What is the relationship between Odo Brask and Skarn?", Some("What is the|Odo Brask|Skarn")),
            ("How are Varnholt and Skarn connected?", Some("How are Varnholt|Skarn")),
            ("What does Varnholt have to do with Skarn?", Some("What does Varnholt have|do|Skarn")),
            ("How is Odo related to both ARTA and Skarn?", Some("How is Odo|ARTA|Skarn")),
            ("奥多和谭诺琳是什么关系？", Some("奥多|谭诺琳是什么关系")),
            ("Varnholt与Skarn有什么联系", Some("Varnholt|Skarn 有什么联系")),
            ("How many links lead to Skarn?", None),
            ("Who linked Varnholt and Skarn?", None),
            ("How is the Varnholt lamp made?", None),
            ("奥多写了什么？", None),
        ] {
            let found = sides(&tokens(question, 200)).map(|sides| {
                let texts = |side: Vec<crate::brain::words::Token>| {
                    side.into_iter().map(|token| token.text).collect::<Vec<_>>().join(" ")
                };
                sides.into_iter().map(texts).collect::<Vec<_>>().join("|")
            });
            assert_eq!(found.as_deref(), expected, "{question}");
        }
    }
}
