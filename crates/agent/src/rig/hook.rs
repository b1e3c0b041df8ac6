//! Carries the policy's decisions out. It decides nothing and waits for nothing: hooks run inside the poll of the
//! model's stream.

use std::sync::Arc;

use rig_agent::agent::{
    AgentHook, CompletionCallAction, CompletionCallEvent, DispatchAction, DispatchEvent, HookContext,
    ModelTurnAction, ModelTurnFinished, OutcomeAction, OutcomeEvent, RequestPatch,
};
use rig_core::message::ToolChoice;

use crate::policy::{NextRequest, Nudge, ReplyVerdict};
use crate::state::TurnState;

/// The hook of one turn.
pub(crate) struct TurnHook {
    pub(crate) state: Arc<TurnState>,
}

impl AgentHook for TurnHook {
    async fn on_completion_call(
        &self,
        _context: &HookContext,
        _event: CompletionCallEvent<'_>,
    ) -> CompletionCallAction {
        match self.state.next_request() {
            NextRequest::AnswerCall => CompletionCallAction::stop("the budget is spent"),
            NextRequest::Ask { must_call, max_tokens } => {
                let mut patch = RequestPatch::new();
                if must_call {
                    patch = patch.tool_choice(ToolChoice::Required);
                }
                if let Some(tokens) = max_tokens {
                    patch = patch.max_tokens(u64::from(tokens));
                }
                CompletionCallAction::patch(patch)
            }
        }
    }

    async fn on_model_turn_finished(
        &self,
        _context: &HookContext,
        _event: ModelTurnFinished<'_>,
    ) -> ModelTurnAction {
        match self.state.verdict() {
            Some(ReplyVerdict::AskAgain { nudge: Nudge::Words(nudge), .. }) => {
                ModelTurnAction::retry_with_feedback(nudge)
            }
            // The library's advice is to take back what was shown of such a turn; what was shown stays.
            Some(ReplyVerdict::GoOn | ReplyVerdict::AskAgain { nudge: Nudge::OfTheReply, .. }) => {
                ModelTurnAction::retry_with_feedback(self.state.words_to_go_on())
            }
            Some(ReplyVerdict::AskAgain { nudge: Nudge::Nothing, .. }) => ModelTurnAction::repeat(),
            Some(ReplyVerdict::RunCalls) => ModelTurnAction::continue_run(),
            // An end is a stop too: a reply that a filter cut may hold calls, and they must not run.
            Some(ReplyVerdict::End(_) | ReplyVerdict::AnswerCall | ReplyVerdict::Fail(_)) | None => {
                ModelTurnAction::stop("the turn has its outcome")
            }
        }
    }

    async fn on_dispatch(&self, _context: &HookContext, event: DispatchEvent<'_>) -> DispatchAction {
        let Some(index) = event.tool_args().and_then(call_index) else { return DispatchAction::proceed() };
        match self.state.settle_without_running(index) {
            Some(()) => DispatchAction::skip("not run"),
            None => DispatchAction::proceed(),
        }
    }

    async fn on_outcome(&self, _context: &HookContext, event: OutcomeEvent<'_>) -> OutcomeAction {
        if event.tool_name().is_some() && self.state.is_halted() {
            return OutcomeAction::stop("a tool failed");
        }
        OutcomeAction::proceed()
    }
}

/// The number of our record, which is all that the library knows of a call's arguments.
pub(crate) fn call_index(arguments: &str) -> Option<usize> {
    let arguments: serde_json::Value = serde_json::from_str(arguments).ok()?;
    arguments.get("call")?.as_u64().and_then(|index| usize::try_from(index).ok())
}
