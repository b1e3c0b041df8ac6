//! Text mode: tools for a model that cannot be given any.
//!
//! What this is: a [`ChatBackend`] round another one. It teaches the model a protocol of one tagged block a reply (`T`
//! says something and keeps the floor, `C` calls a tool, `E` answers), writes the conversation in it, and reads the
//! replies back into the events of a reply with tools. Nothing above it asks which mode a model runs in.
//!
//! What it deliberately does not do: it asks nothing twice, counts nothing and keeps nothing between requests. One call
//! of it is one request to the endpoint. Words of a tagged reply are never looked through for calls that would run.
//!
//! Where to start reading: `head` (what a reply is), `call` (what a call says), `prose` (what is shown, and when), then
//! `reader` (the three together) and `stream`. The way out is `teach`, `render` and `envelope`.
//!
//! How to add one more: a reply that a model really wrote is a row of the table in `tests/text_mode/rows.rs`; another
//! protocol's call is an opener in `marks` and a form in `foreign`.

use std::sync::Arc;

use async_trait::async_trait;

use crate::chat::{ChatBackend, ChatRequest, ChatStream, ToolChoice, ToolSpec};
use crate::failure::ModelFailure;

mod call;
mod catalogue;
mod envelope;
mod foreign;
mod head;
mod marks;
mod outcome;
mod prose;
mod reader;
mod render;
mod shape;
mod stream;
mod teach;
mod turn;

pub use catalogue::{Catalogue, OPTIONAL_IN_TEXT};
pub use outcome::{Emptiness, Fault, Floor, NEXT, Outcome, WrittenCall, is_nudge};
pub use reader::{Piece, REPLY_LIMIT, ReplyReader, read};
pub use turn::TurnSoFar;

/// How the id of a call begins that more followed in the same reply.
const FIRST_OF_SEVERAL: &str = "first_";

/// What differs between the uses of text mode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextModeOptions {
    /// Tools that are not offered in text mode: those that write.
    pub hidden_tools: Vec<String>,
    /// The endpoint's replies begin inside of a thought: a closing tag counts without an opening one.
    pub starts_in_reasoning: bool,
}

/// Tools through text, over a backend that is given none.
#[derive(Clone)]
pub struct TextMode {
    inner: Arc<dyn ChatBackend>,
    options: TextModeOptions,
}

impl TextMode {
    /// Text mode over a backend.
    #[must_use]
    pub fn new(inner: Arc<dyn ChatBackend>, options: TextModeOptions) -> Self {
        Self { inner, options }
    }

    /// The request as it is sent: what stands in `tools` is taught, what was called is written out, and no tool field
    /// is left.
    #[must_use]
    pub fn written(&self, request: &ChatRequest) -> ChatRequest {
        self.write(request, &self.catalogue(request))
    }

    fn catalogue(&self, request: &ChatRequest) -> Catalogue {
        Catalogue::new(&request.tools, &request.tool_choice, &self.options.hidden_tools)
    }

    fn write(&self, request: &ChatRequest, catalogue: &Catalogue) -> ChatRequest {
        let taught = (!catalogue.is_empty()).then_some(catalogue);
        let mut messages = render::conversation(&request.messages, taught);
        if taught.is_some() {
            messages = teach::taught(messages, &teach::lesson(catalogue, &request.tool_choice));
        }
        ChatRequest { messages, tools: Vec::new(), tool_choice: ToolChoice::None, ..request.clone() }
    }
}

#[async_trait]
impl ChatBackend for TextMode {
    /// Sends the request in text. Without a tool to offer it is a plain request, and its reply is not read for blocks.
    async fn chat(&self, request: ChatRequest) -> Result<ChatStream, ModelFailure> {
        let catalogue = Arc::new(self.catalogue(&request));
        let inner = self.inner.chat(self.write(&request, &catalogue)).await?;
        if catalogue.is_empty() {
            return Ok(inner);
        }
        let turn = TurnSoFar::of(&request.messages);
        let reader = ReplyReader::new(Arc::clone(&catalogue), turn, self.options.starts_in_reasoning);
        Ok(Box::pin(stream::TextReply::new(inner, reader, catalogue)))
    }

    fn model(&self) -> &str {
        self.inner.model()
    }

    /// Whether these tools can be taught: at most 24, in about 3,000 tokens. Hidden ones do not count.
    fn can_offer(&self, tools: &[ToolSpec]) -> bool {
        teach::fits(&Catalogue::new(tools, &ToolChoice::Auto, &self.options.hidden_tools))
    }
}
