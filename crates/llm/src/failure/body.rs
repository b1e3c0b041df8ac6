//! The many shapes of an error body, read into one. Cold path: only failures come here.

use serde_json::Value;

/// What an error body says, whatever its shape.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ErrorBody {
    /// The sentence for people.
    pub(super) message: Option<String>,
    /// `code`, `type` and `status` as text, lower case, in the order found.
    pub(super) codes: Vec<String>,
    /// An HTTP status that the body states as a number or as a numeric string.
    pub(super) status: Option<u16>,
    /// The window, where the body has a field for it (`n_ctx`).
    pub(super) window: Option<u64>,
    /// Who stands behind a router.
    pub(super) provider: Option<String>,
    /// The provider's own words, nested by a router.
    pub(super) nested: Vec<String>,
}

impl ErrorBody {
    /// Reads JSON in any known shape, an HTML page's title, or plain text.
    pub(super) fn read(body: &str) -> Self {
        let text = body.trim_start_matches('\u{feff}').trim();
        let mut found = Self::default();
        if text.is_empty() {
            return found;
        }
        match serde_json::from_str::<Value>(text) {
            Ok(value) => found.take(&value, 0),
            Err(_) if text.starts_with('<') => found.message = html_title(text),
            Err(_) => found.message = Some(text.to_owned()),
        }
        found
    }

    /// Everything there is to match a wording against, in lower case.
    pub(super) fn haystack(&self) -> String {
        let mut all = self.codes.join("\n");
        for part in self.message.iter().chain(&self.nested) {
            all.push('\n');
            all.push_str(part);
        }
        all.to_lowercase()
    }

    /// The sentence, with the provider and its own words where a router names them.
    pub(super) fn sentence(&self) -> Option<String> {
        let message = self.message.clone().or_else(|| self.codes.first().cloned())?;
        let nested = self.nested.first().map(String::as_str).filter(|words| !message.contains(words));
        Some(match (&self.provider, nested) {
            (Some(provider), Some(words)) => format!("{message} ({provider}: {words})"),
            (Some(provider), None) => format!("{message} ({provider})"),
            (None, Some(words)) => format!("{message} ({words})"),
            (None, None) => message,
        })
    }

    fn take(&mut self, value: &Value, depth: u8) {
        if depth > 4 {
            return;
        }
        match value {
            Value::String(text) => self.say(text),
            // One large endpoint wraps its error in a list; validators send a list of findings.
            Value::Array(items) => items.iter().for_each(|item| self.take(item, depth + 1)),
            Value::Object(fields) => {
                for (name, value) in fields {
                    self.take_field(name, value, depth);
                }
            }
            _ => {}
        }
    }

    fn take_field(&mut self, name: &str, value: &Value, depth: u8) {
        match (name, value) {
            ("error" | "errors" | "detail" | "details", _) => self.take(value, depth + 1),
            ("message" | "msg" | "error_message" | "error_msg", Value::String(text)) => {
                // The field that is named so wins over an `error` that holds a bare code.
                if let Some(code) = self.message.take() {
                    self.codes.push(code.to_lowercase());
                }
                self.say(text);
            }
            ("code" | "type" | "status" | "status_code" | "error_code", Value::String(text)) => {
                if let Ok(number) = text.parse() {
                    self.note_status(number);
                }
                self.codes.push(text.to_lowercase());
            }
            ("code" | "status" | "status_code" | "error_code", Value::Number(number)) => {
                if let Some(number) = number.as_u64() {
                    self.note_status(number);
                }
                self.codes.push(number.to_string());
            }
            ("n_ctx", Value::Number(number)) => self.window = number.as_u64(),
            ("provider_name" | "provider", Value::String(name)) => self.provider = Some(name.clone()),
            ("metadata", Value::Object(fields)) => {
                for (name, value) in fields {
                    match (name.as_str(), value) {
                        ("raw", Value::String(text)) => self.nested.push(text.clone()),
                        ("raw" | "previous_errors", other) => self.nest(other),
                        _ => self.take_field(name, value, depth + 1),
                    }
                }
            }
            _ => {}
        }
    }

    fn say(&mut self, text: &str) {
        if !text.trim().is_empty() && self.message.is_none() {
            self.message = Some(text.trim().to_owned());
        }
    }

    fn nest(&mut self, value: &Value) {
        let mut inner = Self::default();
        inner.take(value, 1);
        self.nested.extend(inner.message);
        self.codes.extend(inner.codes.into_iter().filter(|code| code.parse::<u64>().is_err()));
    }

    fn note_status(&mut self, number: u64) {
        if self.status.is_none() {
            self.status = u16::try_from(number).ok().filter(|status| (400..600).contains(status));
        }
    }
}

/// True for JSON that carries a code and a sentence: an error, though nothing marks it as one.
pub(crate) fn says_error(data: &str) -> bool {
    let body = ErrorBody::read(data);
    body.message.is_some() && !body.codes.is_empty()
}

/// True for a body that is a page for people.
pub(super) fn is_html(body: &str) -> bool {
    body.trim_start_matches('\u{feff}').trim_start().starts_with('<')
}

/// The title of an HTML page.
pub(super) fn html_title(page: &str) -> Option<String> {
    // ASCII lower case keeps every byte in its place.
    let lower = page.to_ascii_lowercase();
    let open = lower.find("<title")?;
    let start = open + lower[open..].find('>')? + 1;
    let end = start + lower[start..].find("</title")?;
    let title = page[start..end].split_whitespace().collect::<Vec<_>>().join(" ");
    (!title.is_empty()).then_some(title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_of_an_error_body_gives_its_sentence() {
        let cases = [
            (
                r#"{"error":{"message":"Insufficient Balance","code":"invalid_request_error"}}"#,
                Some("Insufficient Balance"),
            ),
            (r#"{"error":"model crashed"}"#, Some("model crashed")),
            (r#"{"error":{"message":"Compute error."},"message":"Compute error."}"#, Some("Compute error.")),
            (
                r#"{"status":429,"error":"INSUFFICIENT QUOTA","message":"too many at once"}"#,
                Some("too many at once"),
            ),
            (r#"{"code":20015,"message":"field required","data":null}"#, Some("field required")),
            (r#"{"code":400,"details":"bad"}"#, Some("bad")),
            (
                r#"{"detail":[{"loc":["body"],"msg":"Field required","type":"missing"}]}"#,
                Some("Field required"),
            ),
            (
                r#"[{"error":{"code":400,"message":"in a list","status":"INVALID_ARGUMENT"}}]"#,
                Some("in a list"),
            ),
            ("<html><head><TITLE>\n 524: A timeout\n occurred</TITLE>", Some("524: A timeout occurred")),
            ("upstream connect error", Some("upstream connect error")),
            (r#"{"error":{"code":"boom"}}"#, Some("boom")),
            (
                r#"{"error":{"message":"Provider returned error","code":502,"metadata":{"provider_name":"Hoster","raw":"out of memory"}}}"#,
                Some("Provider returned error (Hoster: out of memory)"),
            ),
            ("", None),
            ("{}", None),
        ];
        for (body, expected) in cases {
            assert_eq!(ErrorBody::read(body).sentence().as_deref(), expected, "{body}");
        }
    }

    #[test]
    fn a_status_is_read_from_a_number_and_from_a_numeric_string() {
        assert_eq!(ErrorBody::read(r#"{"error":{"code":502}}"#).status, Some(502));
        assert_eq!(ErrorBody::read(r#"{"error":{"code":"500"}}"#).status, Some(500));
        assert_eq!(ErrorBody::read(r#"{"code":20012}"#).status, None);
    }
}
