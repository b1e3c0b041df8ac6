//! What is kept of a turn, and what its readers are told: pure functions of how it ended.

use attest_agent::{Answered, TurnFailure, TurnWork, evidence_of_partial};
use attest_domain::MessageId;
use attest_protocol::frame::{Delta, Done, ErrorFrame, Evidence, Finish, Source};
use attest_protocol::{ErrorCode, Frame, Transcript};
use attest_store::{NewAnswer, StoreError};

/// How a turn ended.
pub(crate) enum Outcome {
    /// The agent came to its end.
    Agent(Result<Answered, TurnFailure>),
    /// What it starts from could not be read.
    Unprepared(StoreError),
    /// A person stopped it.
    Stopped,
    /// Another process may have ended it.
    LeaseLost,
    /// The server ends.
    ServerStopped,
    /// A fault in our code.
    Panicked,
}

impl Outcome {
    /// Logs a failure, once.
    pub(crate) fn log(&self) {
        match self {
            Self::Agent(Ok(_)) | Self::Stopped => {}
            Self::Agent(Err(failure)) => {
                tracing::warn!(code = failure.code.as_str(), reason = %failure.sentence, "A turn failed");
            }
            Self::Unprepared(error) => {
                tracing::error!(error = error as &dyn std::error::Error, "A turn could not be prepared");
            }
            Self::LeaseLost => tracing::warn!("The lease of a turn was lost; it ends here"),
            Self::ServerStopped => tracing::info!("A turn ends with the server"),
            Self::Panicked => tracing::error!("A turn panicked"),
        }
    }
}

/// What is stored, and what is said once it is.
#[derive(Debug, PartialEq)]
pub(crate) struct Plan {
    /// False when the turn is not ours to save.
    pub(crate) saved: bool,
    /// The answer.
    pub(crate) answer: Option<NewAnswer>,
    /// Frames that come between what was announced and the terminal.
    pub(crate) tail: Vec<Frame>,
    /// The terminal.
    pub(crate) terminal: Frame,
}

/// The plan for a turn that ended so, after these frames and this work.
pub(crate) fn plan(outcome: Outcome, transcript: &Transcript, work: &TurnWork, answer_id: MessageId) -> Plan {
    match outcome {
        Outcome::Agent(Ok(answered)) => answered_plan(answered, transcript, work, answer_id),
        Outcome::Stopped => {
            let evidence = evidence_of_partial(transcript.content(), transcript.sources(), work);
            let done = done_frame(answer_id, Finish::Stopped, evidence.clone(), work);
            let answer = partial(answer_id, Finish::Stopped, Some(evidence), transcript, work);
            Plan { saved: true, answer: Some(answer), tail: Vec::new(), terminal: done }
        }
        Outcome::Agent(Err(failure)) => failed_plan(failure, transcript, work, answer_id),
        Outcome::Unprepared(error) => failed_plan(unprepared(&error), transcript, work, answer_id),
        Outcome::ServerStopped => failed_plan(server_stopped(), transcript, work, answer_id),
        Outcome::Panicked => failed_plan(panicked(), transcript, work, answer_id),
        Outcome::LeaseLost => {
            let terminal = error_frame(server_stopped(), None);
            Plan { saved: false, answer: None, tail: Vec::new(), terminal }
        }
    }
}

fn answered_plan(answered: Answered, transcript: &Transcript, work: &TurnWork, answer_id: MessageId) -> Plan {
    let Answered { finish, evidence, held_text, sources } = answered;
    let terminal = done_frame(answer_id, finish, evidence.clone(), work);
    let mut answer = partial(answer_id, finish, Some(evidence), transcript, work);
    let mut tail = Vec::new();
    if !held_text.is_empty() {
        answer.content.push_str(&held_text);
        tail.push(Frame::Delta(Delta { text: held_text }));
    }
    if let Some(sources) = sources.filter(|sources| *sources != transcript.sources()) {
        answer.sources.clone_from(&sources);
        tail.push(Frame::Sources(sources));
    }
    Plan { saved: true, answer: Some(answer), tail, terminal }
}

/// Nothing shown: the question stays without an answer. Something shown: it is kept and marked.
fn failed_plan(failure: TurnFailure, transcript: &Transcript, work: &TurnWork, answer_id: MessageId) -> Plan {
    let answer = (!transcript.content().is_empty())
        .then(|| partial(answer_id, Finish::Interrupted, None, transcript, work));
    let terminal = error_frame(failure, answer.as_ref().map(|_| answer_id));
    Plan { saved: true, answer, tail: Vec::new(), terminal }
}

fn partial(
    id: MessageId,
    finish: Finish,
    evidence: Option<Evidence>,
    transcript: &Transcript,
    work: &TurnWork,
) -> NewAnswer {
    let sources: Vec<Source> = transcript.sources().to_vec();
    NewAnswer {
        id,
        content: transcript.content().to_owned(),
        finish,
        usage: work.usage,
        evidence,
        steps: transcript.steps().to_vec(),
        sources,
        resolved: work.resolved.clone(),
        tool_exchange: work.exchange.clone(),
    }
}

fn done_frame(answer_id: MessageId, finish: Finish, evidence: Evidence, work: &TurnWork) -> Frame {
    Frame::Done(Done { answer_id, finish, stopped: finish == Finish::Stopped, usage: work.usage, evidence })
}

fn error_frame(failure: TurnFailure, answer_id: Option<MessageId>) -> Frame {
    let TurnFailure { code, sentence, retryable, retry_after } = failure;
    Frame::Error(ErrorFrame { error: sentence, code, retryable, retry_after, answer_id })
}

fn failure(code: ErrorCode, sentence: &str, retryable: bool) -> TurnFailure {
    TurnFailure { code, sentence: sentence.to_owned(), retryable, retry_after: None }
}

fn unprepared(error: &StoreError) -> TurnFailure {
    match error {
        StoreError::Unavailable(_) => failure(
            ErrorCode::StorageUnavailable,
            "The database cannot be reached, so the question was not asked. Retry it in a moment.",
            true,
        ),
        _ => failure(
            ErrorCode::AnswerFailed,
            "The conversation could not be read. The server's log says why.",
            false,
        ),
    }
}

fn server_stopped() -> TurnFailure {
    failure(
        ErrorCode::Interrupted,
        "The server stopped in the middle of the answer. Retry the question.",
        true,
    )
}

fn panicked() -> TurnFailure {
    failure(ErrorCode::AnswerFailed, "The answer failed inside the server. The server's log says why.", false)
}

/// The end of a turn whose task was lost.
pub(crate) fn lost_frame() -> Frame {
    error_frame(panicked(), None)
}

/// The end of a turn whose answer could not be saved.
pub(crate) fn not_saved_frame() -> Frame {
    let sentence = "The answer was written but could not be saved, so it is lost. Retry the question.";
    error_frame(failure(ErrorCode::AnswerNotSaved, sentence, true), None)
}

#[cfg(test)]
mod tests;
