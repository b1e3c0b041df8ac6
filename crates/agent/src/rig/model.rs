//! Our wire client as a model of the agent library: what to send ([`ChatWire`]), how to read the reply
//! ([`EventDecoder`]) and how it travels ([`RigModel`]).

use std::sync::Arc;

use attest_llm::chat::{ChatBackend, ChatEvent, ChatStream, TokenUsage, ToolCall};
use attest_llm::failure::{FailureClass, ModelFailure};
use attest_llm::ladder::Level;
use attest_protocol::view::RequestPurpose;
use futures::{Stream, StreamExt};
use rig_core::completion::options::{Mapping, OptionFields, OptionMap};
use rig_core::completion::{Accepts, CompletionRequest, ReplayTarget, Usage};
use rig_core::driver::{Exchange, Opened, Opening, Transport};
use rig_core::error::{EncodeError, ProviderError};
use rig_core::message::Api;
use rig_core::operation::{Block, CallFragment, Completion, Finish};
use rig_core::wire::{Capabilities, Decoder, Descriptor, Flow, Mode, Out, Wire, WireEvent};

use super::REFUSED_CALL;
use super::messages::{CallRecords, parts};
use crate::failure;
use crate::policy::window::PastShape;
use crate::state::TurnState;

/// One unit of a reply, as the library is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Words.
    Text(String),
    /// A call, under an offered name and with the number of our record.
    Call { id: String, tool: String, index: usize },
    /// Nothing that it needs to know of.
    Nothing,
    /// The end. The reason stays with us: the library would fail a reply that a filter or the token limit cut.
    End(Option<TokenUsage>),
}

/// What there is to know about the model.
#[derive(Clone, Debug)]
pub(crate) struct ChatWire {
    pub(crate) model: String,
}

impl ReplayTarget for ChatWire {
    fn api(&self) -> Api {
        Api::from_static("attest.chat")
    }

    fn provider(&self) -> &str {
        "attest"
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn accepts(&self, _model: &str) -> Accepts {
        Accepts::TEXT
    }

    fn map_options(&self, _request: &CompletionRequest, fields: OptionFields<'_>) -> OptionMap {
        fn unset<T>(value: Option<T>) -> Mapping {
            Mapping::of(value, |_| Mapping::unsupported("a turn sets no such option"))
        }
        OptionMap {
            reasoning: unset(fields.reasoning),
            cache: unset(fields.cache),
            service_tier: unset(fields.service_tier),
            verbosity: unset(fields.verbosity),
            top_p: unset(fields.top_p),
            seed: unset(fields.seed),
            parallel_tool_calls: unset(fields.parallel_tool_calls),
            stop: Mapping::of_stop(fields.stop, |_| Mapping::unsupported("a turn sets no such option")),
        }
    }

    fn states_finish_reason(&self) -> bool {
        false
    }

    fn takes_documents(&self) -> bool {
        true
    }
}

impl Wire for ChatWire {
    type Op = Completion;
    type Payload = CompletionRequest;
    type Frame = Piece;
    type Decoder<'id> = EventDecoder;
    type Reassembler = NoDocument;

    fn describe(&self) -> Descriptor<'_> {
        Descriptor::new("attest")
            .model(self.model.as_str())
            .capabilities(Capabilities::default())
            .replay(self)
    }

    fn encode(&self, request: CompletionRequest, _mode: Mode) -> Result<CompletionRequest, EncodeError> {
        Ok(request)
    }

    fn decoder<'id>(&self) -> Self::Decoder<'id> {
        EventDecoder
    }
}

/// There is no document of a reply to keep.
#[derive(Default)]
pub(crate) struct NoDocument;

impl rig_core::wire::document::Serves<Completion> for NoDocument {}

impl rig_core::wire::document::Reassemble<Piece> for NoDocument {
    fn absorb(&mut self, _piece: &Piece) {}

    fn finish(self) -> serde_json::Value {
        serde_json::Value::Null
    }
}

/// Reads a reply into the library's own.
pub(crate) struct EventDecoder;

impl<'id> Decoder<'id, Completion, Piece> for EventDecoder {
    type Event = Piece;

    fn classify(&self, piece: Piece) -> WireEvent<Piece> {
        WireEvent::Known(piece)
    }

    fn decode(&mut self, piece: Piece, mut out: Out<'id, Completion>) -> Result<Flow, ProviderError> {
        match piece {
            Piece::Text(text) => {
                out.run(Block::Text, &text)?;
            }
            Piece::Call { id, tool, index } => {
                out.end_run()?;
                let item = out.fresh_index();
                let arguments = serde_json::json!({ "call": index }).to_string();
                let fragment = CallFragment { id: Some(&id), name: Some(&tool), arguments: Some(&arguments) };
                out.fragment(Some(item), fragment)?;
                out.finish(item)?;
            }
            Piece::Nothing => {}
            Piece::End(tokens) => {
                out.end_run()?;
                out.finish_open()?;
                return Ok(out.end(Finish { usage: usage(tokens), ..Finish::default() }));
            }
        }
        Ok(Flow::More)
    }
}

fn usage(tokens: Option<TokenUsage>) -> Usage {
    let mut usage = Usage::new();
    if let Some(tokens) = tokens {
        usage.input_tokens = tokens.prompt_tokens;
        usage.output_tokens = tokens.completion_tokens;
        usage.total_tokens = tokens
            .prompt_tokens
            .zip(tokens.completion_tokens)
            .map(|(read, written)| read.saturating_add(written));
    }
    usage
}

/// A chat backend as the library's transport, for one turn.
#[derive(Clone)]
pub(crate) struct RigModel {
    pub(crate) backend: Arc<dyn ChatBackend>,
    pub(crate) state: Arc<TurnState>,
    pub(crate) shape: PastShape,
}

impl Transport<ChatWire> for RigModel {
    fn send(&self, request: CompletionRequest, _exchange: Exchange) -> Opening<Piece> {
        let model = self.clone();
        Opening::new(async move { model.open(request).await.map_err(|failure| to_library(&failure)) })
    }
}

impl RigModel {
    async fn open(self, request: CompletionRequest) -> Result<Opened<Piece>, ModelFailure> {
        let parts = parts(request, &self.shape, &*self.state);
        let past = self.state.past_to_send(parts.past.clone(), &self.shape);
        self.state.request_begins(RequestPurpose::Work);
        let mut opened = self.backend.chat(parts.request(past)).await;
        if let Err(ModelFailure { class: FailureClass::ContextTooLong { window }, .. }) = &opened {
            let fixed = [parts.system.clone(), parts.turn.clone()].concat();
            if let Some(past) = self.state.context_refused(&parts.past, &self.shape, &fixed, *window) {
                opened = self.backend.chat(parts.request(past)).await;
            }
        }
        let state = self.state;
        let standing = self.backend.standing();
        let needs_retrieval = standing.level == Level::Retrieval;
        state.note_standing(standing);
        match opened {
            Ok(events) => Ok(Opened::new(pieces(state, events))),
            // No tools can be given to this model. Nothing was shown: the turn goes another way.
            Err(_) if needs_retrieval => {
                state.retrieval_needed();
                Ok(Opened::new(futures::stream::iter([Ok(Piece::End(None))])))
            }
            Err(failure) if state.request_failed(&failure) => {
                Ok(Opened::new(futures::stream::iter([Ok(Piece::End(None))])))
            }
            Err(failure) => Err(failure),
        }
    }
}

/// The reply piece by piece, up to its end or its failure. A stream that ends without either has failed.
fn pieces(
    state: Arc<TurnState>,
    events: ChatStream,
) -> impl Stream<Item = Result<Piece, ProviderError>> + Send + 'static {
    futures::stream::unfold((state, events, false), |(state, mut events, over)| async move {
        if over {
            return None;
        }
        let event = events.next().await.unwrap_or_else(|| Err(failure::without_end()));
        let over = matches!(event, Err(_) | Ok(ChatEvent::End { .. }));
        Some((piece(&state, event), (state, events, over)))
    })
}

#[allow(clippy::result_large_err, reason = "the size is that of the library's own error")]
fn piece(state: &TurnState, event: Result<ChatEvent, ModelFailure>) -> Result<Piece, ProviderError> {
    let event = match event {
        Ok(event) => event,
        Err(failure) if state.request_failed(&failure) => return Ok(Piece::End(None)),
        Err(failure) => return Err(to_library(&failure)),
    };
    let call = state.reply_event(&event);
    Ok(match (event, call) {
        (_, Some(ticket)) => Piece::Call {
            id: ticket.id,
            tool: ticket.tool.unwrap_or_else(|| REFUSED_CALL.to_owned()),
            index: ticket.index,
        },
        (ChatEvent::Text(text), None) => Piece::Text(text),
        (ChatEvent::End { usage, .. }, None) => Piece::End(usage),
        (
            ChatEvent::Reasoning(_)
            | ChatEvent::KeepsFloor
            | ChatEvent::Call(_)
            | ChatEvent::FaultyCall { .. },
            None,
        ) => Piece::Nothing,
    })
}

/// A failure on its way through the library, which keeps no error of ours but keeps a body as text.
fn to_library(failure: &ModelFailure) -> ProviderError {
    match serde_json::to_string(failure) {
        Ok(body) => ProviderError::from_provider_body(body),
        Err(error) => ProviderError::request(error),
    }
}

/// The failure on its way back.
pub(crate) fn from_library(body: Option<&str>) -> Option<ModelFailure> {
    serde_json::from_str(body?).ok()
}

impl CallRecords for TurnState {
    fn call_as_written(&self, id: &str) -> Option<ToolCall> {
        Self::call_as_written(self, id)
    }

    fn result_of(&self, id: &str) -> Option<String> {
        Self::result_of(self, id)
    }
}
