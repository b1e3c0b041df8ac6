//! Models that are asked otherwise than with native tools: what text mode hands up, and the look-up of a model without
//! tools.

use attest_llm::chat::ToolCall;
use attest_llm::ladder::Standing;
use attest_tools::RefusalKind;

use super::{Ending, TurnState, record};

/// The id of the one call that the model did not make.
const LOOK_UP: &str = "call_look_up";

impl TurnState {
    /// A faulty call is replayed in later turns only when an endpoint with native tools would take it.
    pub(super) fn kind_of_fault(&self, call: &ToolCall) -> RefusalKind {
        let arguments = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&call.arguments);
        if !self.registry.offers().any(|offer| offer.name == call.name) {
            RefusalKind::UnknownTool
        } else if arguments.is_err() {
            RefusalKind::NotAnObject
        } else {
            RefusalKind::BadArgument
        }
    }

    /// The look-up of a turn whose model can be given no tools, as if the model had called. Gives the call's number.
    pub(crate) fn look_up(&self, tool: &str, arguments: String) -> usize {
        self.call(ToolCall { id: LOOK_UP.to_owned(), name: tool.to_owned(), arguments }, None).index
    }

    /// The model can be given no tools.
    pub(crate) fn retrieval_needed(&self) {
        let inner = &mut *self.lock();
        self.close_record(inner, record::RETRIEVAL, None);
        inner.ending = Some(Ending::Retrieval);
    }

    /// With what of tools the model was asked.
    pub(crate) fn note_standing(&self, standing: Standing) {
        self.log.update(|work| {
            standing.level.name().clone_into(&mut work.record.level);
            work.record.degradations = standing.degradations;
        });
    }

    /// What the reply asked to be answered with, when it does not end the turn.
    pub(crate) fn words_to_go_on(&self) -> String {
        self.lock().continue_turn.clone().unwrap_or_default()
    }
}
