//! One turn on the ladder.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::knowledge::Remembered;
use super::memory::{Lesson, Proof, SCHEMAS, TOOLS};
use super::schemas::{simplified, tool_set};
use super::{Level, Refused, Rungs, Standing};
use crate::chat::{ChatBackend, ChatRequest, ChatStream, ToolChoice};
use crate::failure::{FailureClass, ModelFailure};

mod step;

use step::{Situation, Step, next_step};

/// Requests that a turn may spend on finding its level.
const MOST_SENDS: u32 = 3;

/// The ladder for one turn. It only goes down.
pub struct LadderTurn {
    rungs: Arc<Rungs>,
    turn: Mutex<Turn>,
}

#[derive(Debug, Default)]
struct Turn {
    standing: Standing,
    /// True once the level has been looked up.
    begun: bool,
    /// True once a request with tools was answered: from then on the level stays.
    settled: bool,
    simple_schemas: bool,
    /// True when rich schemas are tried again after the simple ones expired.
    probing_schemas: bool,
    /// The level to go back to when a try of the top fails for a reason of its own.
    probing_from: Option<Level>,
    sends: u32,
    /// Replies that the endpoint could not read itself.
    unread: u32,
}

/// A step of this request, and what proved it; `None` for one that is never remembered.
struct Taken {
    level: Level,
    refused: Refused,
    proof: Option<Proof>,
}

impl LadderTurn {
    pub(super) fn new(rungs: Arc<Rungs>) -> Self {
        Self { rungs, turn: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks up where the turn begins.
    async fn begin(&self, request: &ChatRequest, tools: &str) {
        if self.lock().begun {
            return;
        }
        if let Some(level) = self.rungs.fixed {
            let mut turn = self.lock();
            (turn.begun, turn.standing.level) = (true, level);
            return;
        }
        let knowledge = &self.rungs.knowledge;
        let may_probe = request.tool_choice != ToolChoice::Auto;
        let Remembered { entry, probing } = knowledge.remembered(TOOLS, tools, may_probe).await;
        let simple = knowledge.remembered(SCHEMAS, tools, may_probe).await;
        let mut turn = self.lock();
        turn.begun = true;
        turn.simple_schemas = simple.entry.is_some() && !simple.probing;
        turn.probing_schemas = simple.probing;
        let level = entry.as_ref().and_then(|entry| Level::named(entry.value.as_deref()?));
        if let (Some(level), Some(entry)) = (level, entry) {
            if probing {
                turn.probing_from = Some(level);
            } else {
                let (class, status) = (entry.class.unwrap_or_default(), entry.status.unwrap_or_default());
                turn.standing.degradations.push(format!(
                    "native to {}: remembered, {class} refused with status {status}",
                    level.name()
                ));
                turn.standing.level = level;
            }
        }
        if turn.standing.level == Level::Text && !self.rungs.text.can_offer(&request.tools) {
            turn.standing.level = Level::Retrieval;
        }
    }

    async fn send(&self, request: &ChatRequest) -> Result<ChatStream, ModelFailure> {
        let (level, simple) = {
            let mut turn = self.lock();
            turn.sends += 1;
            (turn.standing.level, turn.simple_schemas)
        };
        let mut request = request.clone();
        if simple && let Some(tools) = simplified(&request.tools) {
            request.tools = tools;
        }
        match level {
            Level::Native => self.rungs.native.chat(request).await,
            Level::NativeWithoutChoice => {
                request.tool_choice = ToolChoice::Auto;
                self.rungs.native.chat(request).await
            }
            Level::Text => self.rungs.text.chat(request).await,
            Level::Retrieval => Err(without_tools()),
        }
    }

    /// What to do after a failure; `None` when it is the answer.
    fn step_after(&self, request: &ChatRequest, failure: &ModelFailure) -> Option<Step> {
        if self.rungs.fixed.is_some() {
            return None;
        }
        let FailureClass::Rejected { status } = failure.class else { return None };
        let turn = &mut *self.lock();
        if turn.settled {
            return None;
        }
        let level = turn.standing.level;
        let situation = Situation {
            level,
            shape: failure.shape,
            status,
            choice_sent: level == Level::Native && request.tool_choice != ToolChoice::Auto,
            can_simplify: !turn.simple_schemas
                && turn.sends + 1 < MOST_SENDS
                && simplified(&request.tools).is_some(),
            unread: turn.unread,
        };
        let step = match next_step(situation) {
            // A failure that says nothing of the shape must not cost the reader an answer that the lower level gives.
            None => turn.probing_from.take().map(Step::Back),
            step => step,
        }?;
        let target = match step {
            Step::Again | Step::Simplify => level,
            Step::Down(to, _) | Step::Back(to)
                if to == Level::Text && !self.rungs.text.can_offer(&request.tools) =>
            {
                Level::Retrieval
            }
            Step::Down(to, _) | Step::Back(to) => to,
        };
        if turn.sends >= MOST_SENDS && target != Level::Retrieval {
            return None;
        }
        match step {
            Step::Again => turn.unread += 1,
            Step::Simplify => turn.simple_schemas = true,
            Step::Down(..) | Step::Back(_) => {
                let to = target;
                turn.probing_from = None;
                turn.standing.level = to;
                let class = Refused { shape: failure.shape, status }.class();
                turn.standing.degradations.push(format!(
                    "{} to {}: {class} refused with status {status}",
                    level.name(),
                    to.name()
                ));
            }
        }
        Some(step)
    }

    /// Remembers what this request proved.
    async fn remember(&self, request: &ChatRequest, tools: &str, taken: &[Taken], accepted: bool) {
        if self.rungs.fixed.is_some() {
            return;
        }
        let knowledge = &self.rungs.knowledge;
        let proved = taken
            .iter()
            .take_while(|taken| match taken.proof {
                Some(Proof::Words) => true,
                Some(Proof::Differential) => accepted,
                None => false,
            })
            .collect::<Vec<_>>();
        if let Some(last) = proved.last() {
            let doubtful = proved.iter().any(|taken| taken.proof == Some(Proof::Differential));
            let about_schemas = last.refused.class() == "schema";
            let lesson = Lesson {
                value: last.level.name().to_owned(),
                refused: last.refused,
                proof: if doubtful { Proof::Differential } else { Proof::Words },
                tool_set: about_schemas.then(|| tools.to_owned()),
            };
            knowledge.refused(TOOLS, &lesson).await;
        }
        let at_the_top =
            self.lock().standing.level == Level::Native && request.tool_choice != ToolChoice::Auto;
        if accepted && at_the_top && taken.is_empty() {
            knowledge.succeeded(TOOLS, tools).await;
        }
        let schemas_accepted = {
            let turn = self.lock();
            turn.probing_schemas && !turn.simple_schemas && turn.standing.level <= Level::NativeWithoutChoice
        };
        if accepted && schemas_accepted {
            knowledge.succeeded(SCHEMAS, tools).await;
        }
    }
}

#[async_trait]
impl ChatBackend for LadderTurn {
    async fn chat(&self, request: ChatRequest) -> Result<ChatStream, ModelFailure> {
        if request.tools.is_empty() || request.tool_choice == ToolChoice::None {
            return self.rungs.native.chat(request).await;
        }
        let tools = tool_set(&request.tools);
        self.begin(&request, &tools).await;
        let mut taken: Vec<Taken> = Vec::new();
        let mut simplified_for: Option<Refused> = None;
        let mut first: Option<ModelFailure> = None;
        loop {
            let failure = match self.send(&request).await {
                Ok(stream) => {
                    self.remember(&request, &tools, &taken, true).await;
                    if let Some(refused) = simplified_for.filter(|_| taken.is_empty()) {
                        let (value, tool_set) = ("simple".to_owned(), Some(tools.clone()));
                        let lesson = Lesson { value, refused, proof: Proof::Words, tool_set };
                        self.rungs.knowledge.refused(SCHEMAS, &lesson).await;
                    }
                    self.lock().settled = true;
                    return Ok(stream);
                }
                Err(failure) => failure,
            };
            let from = self.lock().standing.level;
            let Some(step) = self.step_after(&request, &failure) else {
                self.remember(&request, &tools, &taken, false).await;
                // After steps that proved nothing, what the endpoint said of the request as it was meant tells more.
                let guessed = taken.iter().any(|taken| taken.proof == Some(Proof::Differential));
                let rejected =
                    matches!(failure.class, FailureClass::Rejected { .. }) && from != Level::Retrieval;
                return Err(first.filter(|_| guessed && rejected).unwrap_or(failure));
            };
            let status = match failure.class {
                FailureClass::Rejected { status } => status,
                _ => 0,
            };
            let refused = Refused { shape: failure.shape, status };
            tracing::debug!(
                model.name = self.rungs.native.model(),
                error.class = refused.class(),
                http.status = status,
                "the endpoint refused the request's shape and is asked again with less: {}",
                failure.message
            );
            first.get_or_insert(failure);
            match step {
                Step::Again => {}
                Step::Simplify => simplified_for = Some(refused),
                Step::Back(level) => taken.push(Taken { level, refused, proof: None }),
                Step::Down(level, proof) => taken.push(Taken { level, refused, proof }),
            }
        }
    }

    fn model(&self) -> &str {
        self.rungs.native.model()
    }

    fn standing(&self) -> Standing {
        self.lock().standing.clone()
    }
}

/// Not a failure of the endpoint: the caller looks at [`ChatBackend::standing`] and asks without tools.
fn without_tools() -> ModelFailure {
    ModelFailure::new(
        FailureClass::Rejected { status: 0 },
        "this model can be given no tools; look up first and ask without them",
    )
}
