//! The agent: one question in, one answer out.

use std::sync::Arc;
use std::time::Duration;

use attest_llm::chat::ChatBackend;
use attest_tools::Registry;

use crate::answer_call;
use crate::failure;
use crate::log::TurnLog;
use crate::rig;
use crate::state::{Ending, TurnState};
use crate::turn::{Answered, TurnFailure, TurnRequest, TurnSink};

/// How turns are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentOptions {
    /// Requests with tools in one turn, those for sent-back replies included. 6, at least 1.
    pub model_calls_with_tools: u32,
    /// The time for the tool-free answer call, both attempts together. 120 s.
    pub answer_deadline: Duration,
    /// The time for a whole turn. 15 minutes.
    pub turn_deadline: Duration,
    /// The most bytes of an answer, in UTF-8; what goes beyond is cut off. 1 MiB.
    pub max_answer_bytes: usize,
    /// Tools of one reply that run at once. 4, at least 1.
    pub tool_concurrency: usize,
}

impl Default for AgentOptions {
    fn default() -> Self {
        Self {
            model_calls_with_tools: 6,
            answer_deadline: Duration::from_secs(120),
            turn_deadline: Duration::from_secs(15 * 60),
            max_answer_bytes: 1024 * 1024,
            tool_concurrency: 4,
        }
    }
}

/// Answers questions with a model and tools. Cheap to clone.
#[derive(Clone)]
pub struct Agent {
    backend: Arc<dyn ChatBackend>,
    tools: Arc<Registry>,
    options: AgentOptions,
}

impl Agent {
    /// An agent of this model and these tools.
    #[must_use]
    pub fn new(backend: Arc<dyn ChatBackend>, tools: Arc<Registry>, options: AgentOptions) -> Self {
        Self { backend, tools, options }
    }

    /// Answers one question. What happens on the way goes to `sink` as it happens, what the turn keeps to `log`.
    /// Dropping the future is how a turn is stopped: it closes the model's connection and drops running tools; the
    /// log then holds everything that was complete.
    ///
    /// A resumed turn (`request.resumed`) goes on from those calls and results with the evidence gate open and a
    /// fresh budget; they stand in the log's exchange again, and their steps and sources are the caller's to show.
    ///
    /// # Errors
    /// [`TurnFailure`] with the code and the words of the error frame. What was announced before it stays.
    pub async fn run(
        &self,
        request: TurnRequest,
        sink: Arc<dyn TurnSink>,
        log: Arc<TurnLog>,
    ) -> Result<Answered, TurnFailure> {
        let deadline = self.options.turn_deadline;
        match tokio::time::timeout(deadline, Box::pin(self.turn(&request, sink, log))).await {
            Ok(outcome) => outcome,
            Err(_) => Err(failure::of_deadline(deadline.as_secs())),
        }
    }

    async fn turn(
        &self,
        request: &TurnRequest,
        sink: Arc<dyn TurnSink>,
        log: Arc<TurnLog>,
    ) -> Result<Answered, TurnFailure> {
        log.update(|work| {
            self.backend.model().clone_into(&mut work.record.model);
            "native".clone_into(&mut work.record.level);
        });
        let budget = self.options.model_calls_with_tools.max(1);
        let tools = Arc::clone(&self.tools);
        let state =
            Arc::new(TurnState::new(request, budget, self.options.max_answer_bytes, tools, sink, log));
        let backend = Arc::clone(&self.backend);
        let concurrency = self.options.tool_concurrency.max(1);
        let ending =
            Box::pin(rig::run::run(backend, &self.tools, request, &state, budget, concurrency)).await;
        let (finish, held_text) = match ending {
            Ending::Answered(finish) => (finish, String::new()),
            Ending::Failed(failure) => return Err(failure),
            Ending::AnswerCall => {
                let deadline = self.options.answer_deadline;
                answer_call::run(self.backend.as_ref(), request, &state, deadline).await?
            }
        };
        let (evidence, sources) = state.evidence();
        Ok(Answered { finish, evidence, held_text, sources })
    }
}
