//! Drives the part of a turn that has tools.

use std::collections::HashMap;
use std::sync::Arc;
use std::task::Poll;

use attest_llm::chat::{ChatBackend, ChatMessage};
use attest_tools::Registry;
use rig_agent::agent::{AgentBuilder, StreamingResult};
use rig_agent::completion::PromptError;
use rig_agent::tool::{DynamicTool, ToolOutput};
use rig_core::Model;
use rig_core::completion::Document;
use rig_core::message::{Message, ToolName};

use super::REFUSED_CALL;
use super::hook::{TurnHook, call_index};
use super::messages::to_library;
use super::model::{ChatWire, RigModel, from_library};
use crate::failure;
use crate::past::{entities_note, exchange_messages, past_messages};
use crate::prompts;
use crate::state::{Ending, TurnState};
use crate::turn::TurnRequest;

/// Runs the turn until it has an ending. Dropping the future closes the model's connection and drops the tools
/// that run.
pub(crate) async fn run(
    backend: Arc<dyn ChatBackend>,
    registry: &Registry,
    request: &TurnRequest,
    state: &Arc<TurnState>,
    budget: u32,
    tool_concurrency: usize,
) -> Ending {
    let stream = start(backend, registry, request, state, budget, tool_concurrency);
    let error = drive(stream, state).await;
    // What we know of the ending comes first: the library only knows that it was told to stop.
    if let Some(ending) = state.ending() {
        return ending;
    }
    if let Some(model) = error.as_ref().and_then(|error| from_library(error.provider_response_body())) {
        return Ending::Failed(failure::of_model(&model));
    }
    let cause = error.map_or_else(|| "it ended without an outcome".to_owned(), |error| error.to_string());
    tracing::error!(error = %cause, "The agent library ended a turn for a reason of its own");
    Ending::Failed(failure::of_library())
}

fn start(
    backend: Arc<dyn ChatBackend>,
    registry: &Registry,
    request: &TurnRequest,
    state: &Arc<TurnState>,
    budget: u32,
    tool_concurrency: usize,
) -> StreamingResult {
    let (past, shape) = past_messages(&request.history, &request.replay);
    let mut history = past;
    let mut prompt = vec![ChatMessage::User { content: request.question.clone() }];
    if !request.resumed.messages.is_empty() {
        // A turn that goes on starts from the results it has: they are the prompt, and the question is history.
        history.append(&mut prompt);
        prompt = exchange_messages(&request.resumed);
        let last_call =
            prompt.iter().rposition(|message| matches!(message, ChatMessage::Assistant { .. })).unwrap_or(0);
        let results = prompt.split_off(last_call + 1);
        history.append(&mut prompt);
        prompt = results;
    }
    let wire = ChatWire { model: backend.model().to_owned() };
    let model = RigModel { backend, state: Arc::clone(state), shape };
    let agent = AgentBuilder::new(Model::new(wire, model))
        .name("chat")
        .preamble(prompts::text(prompts::SYSTEM))
        .dynamic_tools(tools(registry, state))
        .add_hook(TurnHook { state: Arc::clone(state) })
        .build();
    let prompt = to_library(&prompt).pop().unwrap_or_else(|| Message::user(&request.question));
    let mut runner = agent
        .prompt(prompt)
        .history(to_library(&history))
        // One more than the budget: the hook ends the turn before the library's own limit would.
        .max_turns(budget as usize + 1)
        .tool_concurrency(tool_concurrency);
    if let Some(text) = entities_note(&request.entities) {
        let id = "entities".to_owned();
        runner = runner.document(Document { id, text, additional_props: HashMap::new() });
    }
    runner.stream()
}

/// The tools as the library knows them: the offered ones, and the one that stands for calls that do not run.
fn tools(registry: &Registry, state: &Arc<TurnState>) -> Vec<DynamicTool> {
    let offered = registry.offers().filter_map(|offer| {
        let schema = serde_json::from_str(&offer.schema_json).ok()?;
        tool(offer.name, offer.description, schema, state)
    });
    let refused = tool(REFUSED_CALL, "Stands for a call that is not run.", serde_json::json!({}), state);
    offered.chain(refused).collect()
}

fn tool(
    name: &str,
    description: &str,
    schema: serde_json::Value,
    state: &Arc<TurnState>,
) -> Option<DynamicTool> {
    let state = Arc::clone(state);
    let tool = DynamicTool::new(ToolName::new(name).ok()?, description, schema, move |arguments| {
        let state = Arc::clone(&state);
        Box::pin(async move {
            if let Some(index) = call_index(&arguments.to_string()) {
                state.run_call(index).await;
            }
            // The words of the result are in our own records: they depend on calls before this one.
            Ok(ToolOutput::text("done"))
        })
    });
    Some(tool)
}

/// Polls the stream to its end. Between two polls it waits for the sink; after each it looks whether the turn must
/// stop at once, because the library would wait for the tools that still run.
async fn drive(mut stream: StreamingResult, state: &Arc<TurnState>) -> Option<PromptError> {
    loop {
        state.sink.ready().await;
        let next = futures::future::poll_fn(|cx| {
            let polled = stream.as_mut().poll_next(cx);
            if state.is_halted() { Poll::Ready(None) } else { polled }
        });
        match next.await {
            Some(Ok(_)) => {}
            Some(Err(error)) => return Some(error),
            None => return None,
        }
    }
}
