//! What the model is told. Files, so that they are reviewed as prose; plain words, for any language of question.

/// The system prompt of a turn.
pub(crate) const SYSTEM: &str = include_str!("prompts/system.md");
/// The system prompt of the tool-free answer call.
pub(crate) const ANSWER: &str = include_str!("prompts/answer.md");

// What is said between two requests stands in round brackets, as the protocol of text mode teaches: so it is told
// from what the person says.

/// After a first reply that looked nothing up.
pub(crate) const TEXT_ONLY_FIRST_REPLY: &str = "(You have not looked anything up yet, so the reader has not seen that reply. Call a tool now: search the \
     knowledge base, or no_evidence_needed if this is only a greeting, about this conversation, or a rewording.)";
/// After a first reply that was shown, because it began as one that keeps the floor, and then ended the turn.
pub(crate) const NOTHING_LOOKED_UP: &str = "(You have not looked anything up yet. Call a tool now: search the knowledge base, or no_evidence_needed if this \
     is only a greeting, about this conversation, or a rewording.)";
/// After an empty reply, once something has been looked up.
pub(crate) const EMPTY_REPLY: &str =
    "(Your last reply was empty. Answer the question now from the results above, or call another tool.)";
/// After an empty reply, while nothing has been looked up.
pub(crate) const EMPTY_FIRST_REPLY: &str =
    "(Your last reply was empty. Call a tool now: search the knowledge base for what the question asks.)";
/// After an answer call that called a tool.
pub(crate) const ANSWER_WAS_A_CALL: &str =
    "Your last reply called a tool. There are no tools now. Write the answer itself.";
/// After an answer call that said nothing.
pub(crate) const ANSWER_WAS_BLANK: &str = "Your last reply was empty. Write the answer itself.";
/// After an answer call that was cut.
pub(crate) const ANSWER_WAS_CUT: &str =
    "Your last reply was cut off because it was too long. Write a shorter answer that comes to its end.";

/// The result of a call that was made before in the turn.
pub(crate) const SAME_CALL_AGAIN: &str = "You have made this same call before. Its result stands above and has not changed: use it, or call with other \
     arguments.";

/// The prompt without the blank line at the end of its file.
pub(crate) fn text(prompt: &'static str) -> &'static str {
    prompt.trim()
}
