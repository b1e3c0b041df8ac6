//! What a scripted model replies.

use serde_json::{Value, json};

use super::wire;

/// One reply of the script.
#[derive(Clone, Debug)]
pub struct Reply(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Streamed { text: String, calls: Vec<(String, String)>, finish: Option<&'static str>, counted: bool },
    Raw { status: u16, content_type: &'static str, headers: Vec<(&'static str, String)>, body: Vec<u8> },
}

/// A reply as it goes over the wire.
pub(crate) struct Rendered {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

/// Words.
pub fn text(text: impl Into<String>) -> Reply {
    Reply(Kind::Streamed { text: text.into(), calls: Vec::new(), finish: Some("stop"), counted: true })
}

/// Calls of tools, with their arguments.
pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> Reply {
    calls_as_text(calls.into_iter().map(|(name, arguments)| (name, arguments.to_string())))
}

/// Calls of tools whose arguments are this text, JSON or not.
pub fn calls_as_text<'a>(calls: impl IntoIterator<Item = (&'a str, String)>) -> Reply {
    let calls = calls.into_iter().map(|(name, arguments)| (name.to_owned(), arguments)).collect();
    Reply(Kind::Streamed { text: String::new(), calls, finish: Some("tool_calls"), counted: true })
}

/// One search.
pub fn search(query: &str) -> Reply {
    calls([("search_chunks", json!({"query": query}))])
}

/// The honest exit.
pub fn no_evidence(reason: &str) -> Reply {
    calls([("no_evidence_needed", json!({"reason": reason}))])
}

/// A refusal with a body, JSON when it reads as JSON.
pub fn status(status: u16, body: impl Into<String>) -> Reply {
    let body = body.into();
    let content_type =
        if serde_json::from_str::<Value>(&body).is_ok() { "application/json" } else { "text/plain" };
    Reply(Kind::Raw { status, content_type, headers: Vec::new(), body: body.into_bytes() })
}

/// A 200 that is a page instead of a stream.
pub fn html(page: &str) -> Reply {
    Reply(Kind::Raw {
        status: 200,
        content_type: "text/html",
        headers: Vec::new(),
        body: page.as_bytes().to_vec(),
    })
}

/// A stream of exactly these bytes.
pub fn raw_sse(bytes: impl Into<Vec<u8>>) -> Reply {
    Reply(Kind::Raw {
        status: 200,
        content_type: "text/event-stream",
        headers: Vec::new(),
        body: bytes.into(),
    })
}

impl Reply {
    /// Words before the calls.
    #[must_use]
    pub fn with_narration(self, narration: &str) -> Self {
        self.streamed(|text, _, _| narration.clone_into(text))
    }

    /// Cut by the token limit.
    #[must_use]
    pub fn cut(self) -> Self {
        self.streamed(|_, finish, _| *finish = Some("length"))
    }

    /// Cut by a content filter.
    #[must_use]
    pub fn filtered(self) -> Self {
        self.streamed(|_, finish, _| *finish = Some("content_filter"))
    }

    /// The stream ends after its words, without a finish reason and without the mark.
    #[must_use]
    pub fn broken_off(self) -> Self {
        self.streamed(|_, finish, _| *finish = None)
    }

    /// Tokens are not counted.
    #[must_use]
    pub fn without_usage(self) -> Self {
        self.streamed(|_, _, counted| *counted = false)
    }

    /// A header beside a refusal.
    ///
    /// # Panics
    /// For a streamed reply.
    #[must_use]
    pub fn with_header(mut self, name: &'static str, value: &str) -> Self {
        match &mut self.0 {
            Kind::Raw { headers, .. } => headers.push((name, value.to_owned())),
            Kind::Streamed { .. } => panic!("a streamed reply has no header of its own"),
        }
        self
    }

    fn streamed(mut self, change: impl FnOnce(&mut String, &mut Option<&'static str>, &mut bool)) -> Self {
        match &mut self.0 {
            Kind::Streamed { text, finish, counted, .. } => change(text, finish, counted),
            Kind::Raw { .. } => panic!("raw bytes cannot be changed"),
        }
        self
    }

    /// The bytes; `number` is that of the request, from 1, and makes the ids of calls unique.
    pub(crate) fn render(&self, number: usize) -> Rendered {
        match &self.0 {
            Kind::Raw { status, content_type, headers, body } => {
                Rendered { status: *status, content_type, headers: headers.clone(), body: body.clone() }
            }
            Kind::Streamed { text, calls, finish, counted } => {
                let mut events = vec![wire::chunk(&json!({"role": "assistant", "content": ""}), None)];
                events.extend(wire::text(text));
                for (index, (name, arguments)) in calls.iter().enumerate() {
                    events.extend(wire::call(index, &format!("call_{number}_{index}"), name, arguments));
                }
                if let Some(finish) = finish {
                    events.push(wire::chunk(&json!({}), Some(finish)));
                    if *counted {
                        events.push(wire::usage(100, 20));
                    }
                    events.push(wire::DONE.to_owned());
                }
                let body = events.concat().into_bytes();
                Rendered { status: 200, content_type: "text/event-stream", headers: Vec::new(), body }
            }
        }
    }
}
