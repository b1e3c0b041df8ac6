//! What the endpoint answers: one completion, or the chunks of a streamed one, or an error.

use serde::Serialize;

/// Token counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Usage {
    pub(crate) prompt_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) completion_tokens: Option<u64>,
    pub(crate) total_tokens: u64,
}

impl Usage {
    pub(crate) fn new(prompt: u64, completion: u64) -> Self {
        Self { prompt_tokens: prompt, completion_tokens: Some(completion), total_tokens: prompt + completion }
    }

    pub(crate) fn of_input(prompt: u64) -> Self {
        Self { prompt_tokens: prompt, completion_tokens: None, total_tokens: prompt }
    }
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FinishReason {
    Stop,
    Length,
    ToolCalls,
}

/// One event of a streamed reply. `usage` is present only when the client asked for it, then null until the last chunk.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Chunk<'a> {
    pub(crate) id: &'a str,
    pub(crate) object: &'static str,
    pub(crate) created: u64,
    pub(crate) model: &'a str,
    pub(crate) choices: Vec<ChunkChoice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) usage: Option<Option<Usage>>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct ChunkChoice<'a> {
    pub(crate) index: u32,
    pub(crate) delta: Delta<'a>,
    pub(crate) finish_reason: Option<FinishReason>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Delta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reasoning_content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reasoning: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tool_calls: Vec<CallFragment<'a>>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct CallFragment<'a> {
    pub(crate) index: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<&'a str>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<&'static str>,
    pub(crate) function: FunctionFragment<'a>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct FunctionFragment<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<&'a str>,
    pub(crate) arguments: &'a str,
}

/// A whole reply in one body.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Completion<'a> {
    pub(crate) id: &'a str,
    pub(crate) object: &'static str,
    pub(crate) created: u64,
    pub(crate) model: &'a str,
    pub(crate) choices: [CompletionChoice<'a>; 1],
    pub(crate) usage: Usage,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct CompletionChoice<'a> {
    pub(crate) index: u32,
    pub(crate) message: CompletionMessage<'a>,
    pub(crate) finish_reason: FinishReason,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct CompletionMessage<'a> {
    pub(crate) role: &'static str,
    pub(crate) content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reasoning_content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reasoning: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tool_calls: Vec<CompletionCall<'a>>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct CompletionCall<'a> {
    pub(crate) id: &'a str,
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) function: FunctionFragment<'a>,
}

/// `GET /v1/models`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ModelList<'a> {
    pub(crate) object: &'static str,
    pub(crate) data: [Model<'a>; 1],
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Model<'a> {
    pub(crate) id: &'a str,
    pub(crate) object: &'static str,
    pub(crate) created: u64,
    pub(crate) owned_by: &'static str,
}

/// `POST /v1/embeddings`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct EmbeddingList<'a> {
    pub(crate) object: &'static str,
    pub(crate) data: Vec<EmbeddingItem>,
    pub(crate) model: &'a str,
    pub(crate) usage: Usage,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct EmbeddingItem {
    pub(crate) object: &'static str,
    pub(crate) index: usize,
    pub(crate) embedding: Vec<f32>,
}

/// The body of every error.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ErrorBody<'a> {
    pub(crate) error: ErrorDetail<'a>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct ErrorDetail<'a> {
    pub(crate) message: &'a str,
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) param: Option<&'static str>,
    pub(crate) code: Option<&'static str>,
}
