//! The turn of a model that can be given no tools: one look-up with the question, whose passages go into the answer call.

use crate::failure;
use crate::state::{Ending, TurnState};
use crate::turn::{PastRole, TurnFailure, TurnRequest};

/// So much of the question before is looked for too: a follow-up such as "and in 1998?" names nothing by itself.
const QUESTION_BEFORE: usize = 300;

/// Looks up. What is found goes the way of every result: shown, numbered, kept.
///
/// # Errors
/// When the look-up fails: that is never told as "nothing was found".
pub(crate) async fn run(request: &TurnRequest, state: &TurnState, tool: &str) -> Result<(), TurnFailure> {
    // A turn that goes on has looked up before it was interrupted.
    if !request.resumed.messages.is_empty() {
        return Ok(());
    }
    let arguments = serde_json::json!({ "query": query(request) }).to_string();
    let index = state.look_up(tool, arguments);
    state.run_call(index).await;
    if let Some(Ending::Failed(failure)) = state.ending() {
        return Err(failure);
    }
    if state.gathered().is_empty() {
        tracing::error!(tool.name = tool, "The look-up of a turn without tools was refused");
        return Err(failure::of_library());
    }
    Ok(())
}

/// The question, and the one before it.
fn query(request: &TurnRequest) -> String {
    let before = request.history.iter().rev().find(|said| said.role == PastRole::User);
    match before.map(|said| said.content.trim()).filter(|words| !words.is_empty()) {
        Some(words) => {
            let words: String = words.chars().take(QUESTION_BEFORE).collect();
            format!("{} {words}", request.question)
        }
        None => request.question.clone(),
    }
}
