//! The one place where text and JSON become SQL values. PostgreSQL refuses NUL in both (22021, 22P05), and one
//! forgotten column would lose a whole document or answer; so every text is bound through [`text`] or [`texts`]
//! and every JSON through [`Jsonb`].

use std::borrow::Cow;

use attest_domain::text::without_nul;
use serde::Serialize;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo};
use sqlx::types::Json;
use sqlx::{Encode, Postgres, Type};

/// A text to bind.
pub(crate) fn text(value: &str) -> Cow<'_, str> {
    without_nul(value)
}

/// A list of texts to bind.
pub(crate) fn texts(values: &[String]) -> Vec<String> {
    values.iter().map(|value| without_nul(value).into_owned()).collect()
}

/// A value to bind as JSONB.
pub(crate) struct Jsonb<'a, T>(pub(crate) &'a T);

impl<T> Type<Postgres> for Jsonb<'_, T> {
    fn type_info() -> PgTypeInfo {
        <Json<T> as Type<Postgres>>::type_info()
    }
}

impl<T: Serialize> Encode<'_, Postgres> for Jsonb<'_, T> {
    fn encode_by_ref(&self, buf: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        let json = serde_json::to_string(self.0)?;
        // The version of the binary form.
        buf.push(1);
        buf.extend_from_slice(without_nul_escapes(&json).as_bytes());
        Ok(IsNull::No)
    }
}

/// JSON as serde writes it, without its `\u0000` escapes. A backslash that is itself escaped keeps its text.
pub(crate) fn without_nul_escapes(json: &str) -> Cow<'_, str> {
    const NUL: &str = "\\u0000";
    if !json.contains(NUL) {
        return Cow::Borrowed(json);
    }
    let mut clean = String::with_capacity(json.len());
    let mut rest = json;
    while let Some((before, _)) = rest.split_once('\\') {
        clean.push_str(before);
        let escape = &rest[before.len()..];
        rest = if let Some(after) = escape.strip_prefix(NUL) {
            after
        } else {
            // `\\`, `\"`, `\n` or the first two characters of `\u….`, all of them ASCII.
            let (head, after) = escape.split_at_checked(2).unwrap_or((escape, ""));
            clean.push_str(head);
            after
        };
    }
    clean.push_str(rest);
    Cow::Owned(clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nul_leaves_json_and_nothing_else_does() {
        for value in [
            "",
            "\0",
            "a\0b",
            "\0\0",
            "\\u0000",
            "\\\0",
            "\\\\u0000",
            "\"\0\"",
            "\u{1}\0\u{1f}",
            "😀\0图谱\n",
            "plain",
        ] {
            let json = serde_json::to_string(&[value]).unwrap();
            let clean: Vec<String> = serde_json::from_str(&without_nul_escapes(&json)).unwrap();
            assert_eq!(clean, [value.replace('\0', "")], "{value:?}");
        }
    }
}
