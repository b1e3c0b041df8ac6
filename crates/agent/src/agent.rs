//! The agent: one question in, one answer out.

use std::sync::Arc;
use std::time::Duration;

use attest_llm::chat::ChatBackend;
use attest_tools::Registry;

use crate::answer_call;
use crate::failure;
use crate::log::TurnLog;
use crate::retrieval;
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
    /// The tool, with the one argument `query`, that looks up for a model which can be given no tools. `search_chunks`.
    pub retrieval_tool: &'static str,
}

impl Default for AgentOptions {
    fn default() -> Self {
        Self {
            model_calls_with_tools: 6,
            answer_deadline: Duration::from_secs(120),
            turn_deadline: Duration::from_secs(15 * 60),
            max_answer_bytes: 1024 * 1024,
            tool_concurrency: 4,
            retrieval_tool: "search_chunks",
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
        let backend = self.backend.for_turn().unwrap_or_else(|| Arc::clone(&self.backend));
        log.update(|work| {
            backend.model().clone_into(&mut work.record.model);
            backend.standing().level.name().clone_into(&mut work.record.level);
        });
        let budget = self.options.model_calls_with_tools.max(1);
        let tools = Arc::clone(&self.tools);
        let state =
            Arc::new(TurnState::new(request, budget, self.options.max_answer_bytes, tools, sink, log));
        let concurrency = self.options.tool_concurrency.max(1);
        let run = rig::run::run(Arc::clone(&backend), &self.tools, request, &state, budget, concurrency);
        let ending = Box::pin(run).await;
        if ending == Ending::Retrieval {
            retrieval::run(request, &state, self.options.retrieval_tool).await?;
        }
        let (finish, held_text) = match ending {
            Ending::Answered(finish) => (finish, String::new()),
            Ending::Failed(failure) => return Err(failure),
            Ending::AnswerCall | Ending::Retrieval => {
                let deadline = self.options.answer_deadline;
                answer_call::run(backend.as_ref(), request, &state, deadline).await?
            }
        };
        let (evidence, sources) = state.evidence();
        Ok(Answered { finish, evidence, held_text, sources })
    }
}
