//! From a refusal to its class: a pure function over status, headers and body.

use std::time::Duration;

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;

use super::body::{ErrorBody, is_html};
use super::scrub::presentable;
use super::shape::{RefusedShape, refused_shape};
use super::wordings::{
    is_filtered, is_out_of_credit, is_overloaded, is_throttled, is_unauthorized, overflow_window,
};
use super::{FailureClass, ModelFailure};
use crate::secret::Secret;

#[cfg(test)]
mod tests;

/// What came instead of a reply.
#[derive(Clone, Copy, Debug)]
pub struct Refusal<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The headers, for `Retry-After` and `Location`.
    pub headers: &'a HeaderMap,
    /// The body as text, possibly cut.
    pub body: &'a str,
    /// When it came; a `Retry-After` date counts from the answer's own `Date`, else from here.
    pub received_at: OffsetDateTime,
}

/// The failure behind a refusal. The key is taken out of the endpoint's words.
pub fn classify(refusal: &Refusal<'_>, key: Option<&Secret>) -> ModelFailure {
    let error = ErrorBody::read(refusal.body);
    let class = class_of(refusal.status, &error, refusal.body);
    let shape = refused_shape(class, &error, refusal.body);
    let message = match error.sentence() {
        Some(words) if is_html(refusal.body) => page_instead(refusal.status, &words),
        Some(words) if shape == Some(RefusedShape::ModelMissing) => {
            format!("{}; check the model's name in the settings", words.trim_end_matches('.'))
        }
        Some(words) => words,
        None => unexplained(refusal, class),
    };
    ModelFailure {
        class,
        message: presentable(&message, key),
        retry_after_seconds: retry_after(refusal.headers, refusal.received_at).map(|wait| wait.as_secs()),
        timed_out: false,
        shape,
    }
}

/// The failure behind an error that came inside of a stream which began with 200. A status that the body states counts
/// as if it were the answer's.
pub(crate) fn classify_in_stream(data: &str, key: Option<&Secret>) -> ModelFailure {
    let error = ErrorBody::read(data);
    let status = error.status.unwrap_or(200);
    let class = class_of(status, &error, data);
    let message = error.sentence().unwrap_or_else(|| match &error.provider {
        Some(provider) => format!("the provider {provider} broke off with an error that it did not explain"),
        None => "the endpoint broke off with an error that it did not explain".to_owned(),
    });
    let shape = refused_shape(class, &error, data);
    ModelFailure { shape, ..ModelFailure::new(class, presentable(&message, key)) }
}

fn class_of(status: u16, error: &ErrorBody, body: &str) -> FailureClass {
    let words = error.haystack();
    if status == 402 || is_out_of_credit(&words) {
        return FailureClass::OutOfCredit;
    }
    if status == 429 || is_throttled(&words) && !matches!(status, 401 | 403) {
        return FailureClass::RateLimited;
    }
    match status {
        401 | 403 => return FailureClass::Unauthorized,
        408 | 502..=504 | 520..=529 => return FailureClass::Unavailable,
        _ => {}
    }
    if is_filtered(&error.codes) {
        return FailureClass::Filtered;
    }
    if let Some(window) = overflow_window(&words) {
        return FailureClass::ContextTooLong { window: error.window.or(window) };
    }
    // Some endpoints say "too long" with a bare status. 413 with this one code means too many texts in one batch.
    let says_nothing = body.trim().is_empty();
    let batch_too_large = error.codes.iter().any(|code| code == "20042");
    if status == 413 && !batch_too_large || status == 400 && says_nothing {
        return FailureClass::ContextTooLong { window: None };
    }
    if status == 200 && is_overloaded(&words) {
        return FailureClass::Unavailable;
    }
    if status == 200 && is_unauthorized(&error.codes) {
        return FailureClass::Unauthorized;
    }
    FailureClass::Rejected { status }
}

fn page_instead(status: u16, title: &str) -> String {
    // A page under these statuses is the site around the endpoint and not the endpoint.
    let advice = match status {
        400 | 404 | 405 => "; is the base URL complete? many end in /v1",
        _ => "",
    };
    format!("HTTP {status} with a web page titled \"{title}\"{advice}")
}

fn unexplained(refusal: &Refusal<'_>, class: FailureClass) -> String {
    let status = refusal.status;
    let location = refusal.headers.get("location").and_then(|value| value.to_str().ok());
    match (status, location) {
        (300..=399, Some(target)) => {
            format!("the base URL redirects (HTTP {status}) to {target}; set the base URL to the address behind it")
        }
        (403, _) => "HTTP 403 without an explanation: the key is wrong, lacks a permission, or its account has no balance".to_owned(),
        (404 | 405, _) => {
            format!("HTTP {status} without an explanation: is the base URL complete (many end in /v1), and does the model exist?")
        }
        _ if matches!(class, FailureClass::ContextTooLong { .. }) => {
            format!("HTTP {status} without an explanation, which this kind of endpoint sends when the request is too long")
        }
        _ => format!("HTTP {status} without an explanation"),
    }
}

/// `Retry-After` in seconds or as a date, `retry-after-ms` before both.
fn retry_after(headers: &HeaderMap, received_at: OffsetDateTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(milliseconds) = text("retry-after-ms").and_then(|value| value.parse::<f64>().ok()) {
        return seconds(milliseconds / 1000.0);
    }
    let value = text(RETRY_AFTER.as_str())?;
    if let Ok(number) = value.parse::<f64>() {
        return seconds(number);
    }
    let at = OffsetDateTime::parse(value, &Rfc2822).ok()?;
    let now = text(DATE.as_str())
        .and_then(|date| OffsetDateTime::parse(date, &Rfc2822).ok())
        .unwrap_or(received_at);
    seconds((at - now).as_seconds_f64())
}

fn seconds(number: f64) -> Option<Duration> {
    // A date in the past means now.
    Duration::try_from_secs_f64(number.max(0.0).ceil()).ok()
}
