//! One chunk of a reply as it may come: every field optional, several of them in more than one type.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::lenient::{Count, List, Maybe, Word, absent, drain_list, drain_object};

/// A chunk of a stream, or a whole completion (`message` in place of `delta`).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Chunk {
    /// `None` when the field is absent or null: then this is no chunk of a completion.
    pub(super) choices: Option<List<Choice>>,
    pub(super) usage: Maybe<Usage>,
    /// One router puts its usage here.
    pub(super) x_groq: Maybe<UsageHolder>,
    pub(super) error: ErrorMark,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct UsageHolder {
    pub(super) usage: Maybe<Usage>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice {
    pub(super) delta: Maybe<Delta>,
    pub(super) message: Maybe<Delta>,
    pub(super) finish_reason: FinishWord,
    /// Some put the usage beside the finish reason.
    pub(super) usage: Maybe<Usage>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta {
    pub(super) content: Content,
    pub(super) reasoning_content: Content,
    pub(super) reasoning: Content,
    pub(super) refusal: Word,
    pub(super) tool_calls: List<Fragment>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Fragment {
    pub(super) index: Count,
    pub(super) id: Word,
    pub(super) function: Maybe<FunctionPart>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FunctionPart {
    pub(super) name: Word,
    pub(super) arguments: Arguments,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    pub(super) prompt_tokens: Count,
    pub(super) completion_tokens: Count,
}

/// True for an `error` that is an object with something in it or a string that is not empty.
#[derive(Debug, Default)]
pub(super) struct ErrorMark(pub(super) bool);

impl<'de> Deserialize<'de> for ErrorMark {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = ErrorMark;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an error")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<ErrorMark, E> {
                Ok(ErrorMark(!text.trim().is_empty()))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<ErrorMark, A::Error> {
                let filled = object.next_entry::<serde::de::IgnoredAny, serde::de::IgnoredAny>()?.is_some();
                drain_object(object)?;
                Ok(ErrorMark(filled))
            }
            absent!(unit bool number list);
        }
        deserializer.deserialize_any(Any)
    }
}

/// Why a choice says that it ended. The empty string and null say nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FinishWord {
    /// Not ended.
    #[default]
    Open,
    /// Complete.
    Stop,
    /// Wants its calls answered.
    ToolCalls,
    /// Cut by the token limit.
    Length,
    /// Cut by a content filter.
    Filtered,
    /// Broken off behind the endpoint.
    Failed,
}

impl FinishWord {
    fn read(word: &str) -> Self {
        match word {
            "" => Self::Open,
            "length" | "max_tokens" | "MAX_TOKENS" => Self::Length,
            "tool_calls" | "function_call" | "tool_use" => Self::ToolCalls,
            "content_filter" | "sensitive" | "safety" | "SAFETY" | "refusal" => Self::Filtered,
            "error" | "network_error" | "insufficient_system_resource" | "abort" => Self::Failed,
            _ => Self::Stop,
        }
    }
}

impl<'de> Deserialize<'de> for FinishWord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = FinishWord;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a finish reason")
            }
            fn visit_str<E: Error>(self, word: &str) -> Result<FinishWord, E> {
                Ok(FinishWord::read(word))
            }
            absent!(unit bool number list object);
        }
        deserializer.deserialize_any(Any)
    }
}

/// The arguments of a call as text; an object is written out.
#[derive(Debug, Default)]
pub(super) struct Arguments(pub(super) Option<String>);

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Arguments;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("arguments")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Arguments, E> {
                Ok(Arguments(Some(text.to_owned())))
            }
            fn visit_string<E: Error>(self, text: String) -> Result<Arguments, E> {
                Ok(Arguments(Some(text)))
            }
            fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Arguments, A::Error> {
                let object = serde_json::Map::deserialize(MapAccessDeserializer::new(object))?;
                Ok(Arguments(Some(serde_json::Value::Object(object).to_string())))
            }
            absent!(unit bool number list);
        }
        deserializer.deserialize_any(Any)
    }
}

/// What a delta says: a string, or a list of parts with words and thoughts in turn.
#[derive(Debug, Default, PartialEq)]
pub(super) enum Content {
    #[default]
    Nothing,
    Text(String),
    Parts(Vec<Piece>),
}

impl Content {
    /// All of it as one text, for a field that holds thoughts alone.
    pub(super) fn into_text(self) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Text(text) => text,
            Self::Parts(pieces) => pieces
                .into_iter()
                .map(|piece| match piece {
                    Piece::Text(text) | Piece::Reasoning(text) => text,
                })
                .collect(),
        }
    }
}

#[derive(Debug, PartialEq)]
pub(super) enum Piece {
    Text(String),
    Reasoning(String),
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Part {
    text: Word,
    thinking: Box<Content>,
}

impl Part {
    fn pieces(self, into: &mut Vec<Piece>) {
        match *self.thinking {
            Content::Nothing => {}
            Content::Text(text) => into.push(Piece::Reasoning(text)),
            Content::Parts(parts) => into.extend(parts.into_iter().map(|piece| match piece {
                Piece::Text(text) | Piece::Reasoning(text) => Piece::Reasoning(text),
            })),
        }
        into.extend(self.text.filled().map(Piece::Text));
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Content;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("content")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Content, E> {
                Ok(Content::Text(text.to_owned()))
            }
            fn visit_string<E: Error>(self, text: String) -> Result<Content, E> {
                Ok(Content::Text(text))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Content, A::Error> {
                let mut pieces = Vec::new();
                while let Some(Maybe(part)) = list.next_element::<Maybe<Part>>()? {
                    if let Some(part) = part {
                        part.pieces(&mut pieces);
                    }
                }
                drain_list(list)?;
                Ok(Content::Parts(pieces))
            }
            absent!(unit bool number object);
        }
        deserializer.deserialize_any(Any)
    }
}
