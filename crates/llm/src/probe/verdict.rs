//! From what came back to a verdict: pure functions, one a feature.

use super::exchange::{Exchange, Heard};
use super::question::{CODE_WORD, LIT_IN};
use super::report::Verdict;
use crate::failure::{FailureClass, ModelFailure, RefusedShape};
use crate::learned::Lesson;

/// A verdict before it is told what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) verdict: Verdict,
    pub(super) seen: String,
    pub(super) refusal: Option<String>,
}

impl Finding {
    pub(super) fn new(verdict: Verdict, seen: impl Into<String>) -> Self {
        Self { verdict, seen: seen.into(), refusal: None }
    }

    pub(super) fn skipped(because: &str) -> Self {
        Self::new(Verdict::Skipped, format!("because {because}"))
    }

    fn with_words(self, refusal: Option<String>) -> Self {
        Self { refusal, ..self }
    }
}

/// Markup of calls that stands in the text when a server does not read its own model's calls.
const CALL_MARKUP: &[&str] =
    &["<tool_call", "<|tool_call", "<｜tool", "<function=", "<invoke name=", "[TOOL_CALLS]", "<｜DSML｜"];

/// What a failure says about the shape that was tried. Only a refusal of the request itself is a verdict: a rate
/// limit, a server's failure or a timeout would say the same to any request.
pub(super) fn of_failure(failure: &ModelFailure) -> Finding {
    let speaks_of_shape = failure.shape.is_some_and(|shape| shape != RefusedShape::OwnCall);
    let verdict = match failure.class {
        FailureClass::Rejected { status: 300..=499 | 501 }
        | FailureClass::ContextTooLong { .. }
        | FailureClass::Filtered => Verdict::Refused,
        FailureClass::Rejected { .. } if speaks_of_shape => Verdict::Refused,
        _ => Verdict::Unclear,
    };
    let seen = match failure.class {
        FailureClass::Rejected { status: 0 } => "the request could not be sent".to_owned(),
        FailureClass::Rejected { status: 200 } => "the stream broke off with an error".to_owned(),
        FailureClass::Rejected { status } => format!("HTTP {status}"),
        FailureClass::ContextTooLong { .. } => "too long for the model's window".to_owned(),
        FailureClass::OutOfCredit => "the account has no credit left".to_owned(),
        FailureClass::RateLimited => "too many requests for now".to_owned(),
        FailureClass::Unavailable => "the endpoint is down for now".to_owned(),
        FailureClass::Unauthorized => "the key was not accepted".to_owned(),
        FailureClass::Interrupted => "the stream ended without its end mark".to_owned(),
        FailureClass::Stalled => "no answer in time".to_owned(),
        FailureClass::EmptyStream => "a stream without a single event".to_owned(),
        FailureClass::Filtered => "a content filter stopped it".to_owned(),
        FailureClass::Unreachable => "no usable answer".to_owned(),
    };
    Finding::new(verdict, seen).with_words(Some(failure.message.clone()))
}

/// A reply that spent the test's token limit on thoughts.
fn cut() -> Finding {
    Finding::new(Verdict::Unclear, "the token limit of this test was spent before the model said anything")
}

/// Judges a reply; a failure is judged by its class.
fn judge(exchange: &Exchange, of_reply: impl FnOnce(&Heard) -> Finding) -> Finding {
    match &exchange.reply {
        Err(failure) => of_failure(failure),
        Ok(heard) if heard.was_cut_empty() => cut(),
        Ok(heard) => of_reply(heard),
    }
}

/// The name, the address and TLS, as far as a plain question tells.
pub(super) fn connection(plain: &Exchange) -> Finding {
    match &plain.reply {
        Err(failure) if failure.class == FailureClass::Unreachable => {
            let seen = if failure.timed_out { "no connection in time" } else { "no usable answer" };
            Finding::new(Verdict::Refused, seen).with_words(Some(failure.message.clone()))
        }
        _ => Finding::new(Verdict::Works, "the endpoint answers"),
    }
}

/// The key, as far as a plain question tells.
pub(super) fn key(plain: &Exchange, has_key: bool) -> Finding {
    match &plain.reply {
        Err(failure) if failure.class == FailureClass::Unauthorized => {
            let seen = if has_key { "the key was not accepted" } else { "none is set, and one is asked for" };
            Finding::new(Verdict::Refused, seen).with_words(Some(failure.message.clone()))
        }
        Err(failure) if !says_that_the_key_passed(failure) => {
            Finding::skipped("the answer does not tell whether it was accepted")
        }
        _ if has_key => Finding::new(Verdict::Works, "accepted"),
        _ => Finding::new(Verdict::Works, "none is set, and none is asked for"),
    }
}

const fn says_that_the_key_passed(failure: &ModelFailure) -> bool {
    matches!(
        failure.class,
        FailureClass::OutOfCredit | FailureClass::ContextTooLong { .. } | FailureClass::Filtered
    )
}

pub(super) fn plain(exchange: &Exchange) -> Finding {
    let mut finding = match &exchange.reply {
        // These two refuse every request alike, so here they are a verdict.
        Err(failure) if matches!(failure.class, FailureClass::Unauthorized | FailureClass::OutOfCredit) => {
            Finding { verdict: Verdict::Refused, ..of_failure(failure) }
        }
        Err(failure) => of_failure(failure),
        // The shape was accepted; that a model thinks long is no fault of it.
        Ok(heard) if heard.was_cut_empty() => Finding::new(Verdict::Works, "accepted; the model thinks long"),
        Ok(heard) if heard.text.trim().is_empty() => Finding::new(Verdict::Ignored, "the reply was empty"),
        Ok(heard) if heard.has_thoughts => Finding::new(Verdict::Works, "answered, after thinking"),
        Ok(_) => Finding::new(Verdict::Works, "answered"),
    };
    // A plain question that only passes in another shape works all the same: every request gets that shape.
    let named = |lesson: &Lesson| match lesson {
        Lesson::CompletionTokens => Some("the limit is called max_completion_tokens there"),
        Lesson::NoSystemRole => Some("system messages are refused there, so the question carries them"),
        Lesson::StrictRoles => Some("roles must take turns there"),
        _ => None,
    };
    if finding.verdict == Verdict::Works
        && let Some((words, refusal)) =
            exchange.lessons.iter().find_map(|(lesson, refusal)| Some((named(lesson)?, refusal)))
    {
        finding =
            Finding::new(Verdict::Differs, format!("{}; {words}", finding.seen)).with_words(refusal.clone());
    }
    finding
}

pub(super) fn streamed(plain: &Exchange) -> Finding {
    judge(plain, |heard| match heard.pieces {
        0 => Finding::new(Verdict::Unclear, "the reply was empty"),
        1 => Finding::new(Verdict::Differs, "the whole reply came in one piece"),
        pieces => Finding::new(Verdict::Works, format!("the reply came in {pieces} pieces")),
    })
}

pub(super) fn usage(plain: &Exchange) -> Finding {
    let Ok(heard) = &plain.reply else { return judge(plain, |_| cut()) };
    let counted = heard.usage.and_then(|usage| Some((usage.prompt_tokens?, usage.completion_tokens?)));
    match (counted, plain.taught(&[Lesson::NoStreamOptions])) {
        (Some((read, written)), _) => {
            Finding::new(Verdict::Works, format!("{read} tokens read, {written} written"))
        }
        (None, Some(refusal)) => {
            Finding::new(Verdict::Refused, "the field stream_options is not accepted").with_words(refusal)
        }
        (None, None) => Finding::new(Verdict::Ignored, "the counts were asked for and did not come"),
    }
}

/// Markup of a call, or the JSON of one, where words should be.
fn is_call_in_text(text: &str) -> bool {
    let bare = text.trim();
    CALL_MARKUP.iter().any(|mark| bare.contains(mark))
        || bare.starts_with('{') && bare.contains("\"name\"") && bare.contains("\"arguments\"")
}

/// Whether a reply calls, and with arguments that can be read.
fn called(heard: &Heard, wanted: Option<&str>, otherwise: &str) -> Finding {
    match heard.calls.first() {
        None if is_call_in_text(&heard.text) => {
            Finding::new(Verdict::Differs, "the call stands in the reply's text and not in its place")
        }
        None => Finding::new(Verdict::Ignored, otherwise),
        Some(call) if wanted.is_some_and(|name| name != call.name) => {
            Finding::new(Verdict::Ignored, "the model called another tool")
        }
        Some(call)
            if serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&call.arguments)
                .is_err() =>
        {
            Finding::new(Verdict::Differs, "the model called, with arguments that are no JSON object")
        }
        Some(_) => Finding::new(Verdict::Works, "the model called"),
    }
}

pub(super) fn tools(exchange: &Exchange) -> Finding {
    judge(exchange, |heard| called(heard, None, "accepted, and the model answered without searching"))
}

pub(super) fn tool_required(exchange: &Exchange) -> Finding {
    judge(exchange, |heard| called(heard, None, "accepted, and the model answered without a call"))
}

pub(super) fn tool_named(exchange: &Exchange, name: &str) -> Finding {
    judge(exchange, |heard| called(heard, Some(name), "accepted, and the model answered without a call"))
}

pub(super) fn tool_result(exchange: &Exchange) -> Finding {
    let adapted = exchange.taught(&[Lesson::CallsApart, Lesson::NullContent, Lesson::EmptyReasoning]);
    judge(exchange, |heard| {
        if heard.text.contains(LIT_IN) {
            match adapted {
                Some(words) => {
                    Finding::new(Verdict::Differs, "read, once the call was written in another shape")
                        .with_words(words)
                }
                None => Finding::new(Verdict::Works, "the model read it and answered"),
            }
        } else if heard.calls.is_empty() {
            Finding::new(Verdict::Ignored, "accepted, and the answer does not say what the result says")
        } else {
            Finding::new(Verdict::Differs, "accepted, and the model searched again instead of answering")
        }
    })
}

pub(super) fn late_note(exchange: &Exchange) -> Finding {
    let moved = exchange.taught(&[Lesson::StrictRoles, Lesson::NoSystemRole]);
    judge(exchange, |heard| match (heard.text.to_lowercase().contains(CODE_WORD), moved) {
        (true, None) => Finding::new(Verdict::Works, "the model read it"),
        (true, Some(words)) => {
            Finding::new(Verdict::Differs, "read, once it was moved to another place").with_words(words)
        }
        (false, _) => Finding::new(Verdict::Ignored, "accepted, and the answer does not say what it says"),
    })
}

pub(super) fn text_mode(exchange: &Exchange) -> Finding {
    judge(exchange, |heard| match (&heard.fault, heard.calls.is_empty()) {
        (_, false) => Finding::new(Verdict::Works, "the model called in the format that it was taught"),
        (Some(_), _) => Finding::new(Verdict::Differs, "the model tried to call and missed the format"),
        (None, true) => Finding::new(Verdict::Ignored, "accepted, and the model answered without searching"),
    })
}

/// How many characters a token has at the very most.
const MOST_CHARACTERS_PER_TOKEN: usize = 10;

pub(super) fn long_input(exchange: &Exchange, characters: usize) -> Finding {
    judge(exchange, |heard| {
        let read = heard.usage.and_then(|usage| usage.prompt_tokens).filter(|tokens| *tokens > 0);
        let fits = |tokens: u64| {
            usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(MOST_CHARACTERS_PER_TOKEN)
                >= characters
        };
        match read {
            Some(tokens) if !fits(tokens) => Finding::new(
                Verdict::Differs,
                format!(
                    "of {characters} characters only {tokens} tokens were read; the rest was dropped in silence"
                ),
            ),
            _ if heard.text.to_lowercase().contains(CODE_WORD) => {
                let tokens = read.map(|tokens| format!(" ({tokens} tokens)")).unwrap_or_default();
                Finding::new(Verdict::Works, format!("{characters} characters{tokens} were read"))
            }
            _ => Finding::new(
                Verdict::Ignored,
                "accepted, and the answer does not say what its beginning says",
            ),
        }
    })
}

/// One text, and the same text among others.
pub(super) fn embedding_batch(one: &[f32], batch: &[Vec<f32>], place: usize) -> Finding {
    let Some(same) = batch.get(place) else {
        return Finding::new(Verdict::Differs, "fewer vectors came than texts were sent");
    };
    let nearest = batch.iter().map(|vector| cosine(one, vector)).fold(f32::MIN, f32::max);
    if cosine(one, same) < nearest - 0.01 {
        return Finding::new(Verdict::Differs, "the vectors came in another order than the texts");
    }
    Finding::new(Verdict::Works, format!("{} texts in one request", batch.len()))
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f32>();
    dot(a, b) / (dot(a, a).sqrt() * dot(b, b).sqrt()).max(f32::MIN_POSITIVE)
}

#[cfg(test)]
mod tests;
