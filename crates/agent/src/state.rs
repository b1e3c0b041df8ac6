//! What one turn knows while it runs. The model's events come in, decisions are asked of the policy, and what
//! happens goes out to the sink and the log at once: everything here is synchronous, because it runs inside the
//! poll of the model's stream.

mod level;
pub(crate) mod record;
mod tools;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use attest_domain::text::without_nul;
use attest_llm::chat::{ChatEvent, ChatMessage, ReplyFinish, TokenUsage, ToolCall};
use attest_llm::failure::{FailureClass, ModelFailure};
use attest_protocol::frame::{Evidence, Finish, Source};
use attest_protocol::view::RequestPurpose;
use attest_tools::{Numbering, Refusal, Registry, ToolContext};

use crate::calls::{CallBook, sendable};
use crate::evidence::{self, Grounds};
use crate::failure;
use crate::log::TurnLog;
use crate::past::exchange_messages;
use crate::policy::calls::CallVerdict;
use crate::policy::reply::Reply;
use crate::policy::window::{PastShape, Trim, trimmed};
use crate::policy::{NextRequest, ReplyVerdict, TurnPolicy};
use crate::speech::Speech;
use crate::turn::{TurnFailure, TurnRequest, TurnSink};

pub(crate) use tools::Gathered;

/// How the part of a turn that has tools ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// With an answer.
    Answered(Finish),
    /// With its budget spent: the answer call follows.
    AnswerCall,
    /// The model can be given no tools: one look-up follows, then the answer call.
    Retrieval,
    /// With a failure.
    Failed(TurnFailure),
}

/// A call as the agent library is told of it: under an offered name, with the number of our record as its only
/// argument. So it has nothing to repair, to parse or to refuse, and every call takes the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallTicket {
    /// The call's id, used by no other call of the turn.
    pub(crate) id: String,
    /// The offered tool; `None` when the call was refused before it could run.
    pub(crate) tool: Option<String>,
    /// Its number among the calls of the turn.
    pub(crate) index: usize,
}

/// One turn, shared by the model's adapter, the hook, the tools and the driver.
pub(crate) struct TurnState {
    inner: Mutex<Inner>,
    pub(crate) sink: Arc<dyn TurnSink>,
    log: Arc<TurnLog>,
    registry: Arc<Registry>,
    context: ToolContext,
    previous_sources: Vec<Source>,
    pub(crate) max_answer_bytes: usize,
}

struct Inner {
    policy: TurnPolicy,
    numbering: Numbering,
    speech: Speech,
    calls: CallBook,
    calls_in_reply: usize,
    sources: Vec<Source>,
    exit_reason: Option<String>,
    consulted: bool,
    verdict: Option<ReplyVerdict>,
    /// The nudge that the reply brought; never shown, never stored.
    continue_turn: Option<String>,
    trim: Option<Trim>,
    ending: Option<Ending>,
    /// True when the turn must not go on, not even to the end of a reply or a batch of tools.
    halted: bool,
    /// The open request in the record, and when it began.
    request: Option<(usize, tokio::time::Instant)>,
}

impl TurnState {
    pub(crate) fn new(
        request: &TurnRequest,
        budget: u32,
        max_answer_bytes: usize,
        registry: Arc<Registry>,
        sink: Arc<dyn TurnSink>,
        log: Arc<TurnLog>,
    ) -> Self {
        let mut calls = CallBook::default();
        calls.remember(&exchange_messages(&request.replay));
        calls.remember(&exchange_messages(&request.resumed));
        log.update(|work| work.exchange = request.resumed.clone());
        Self {
            inner: Mutex::new(Inner {
                policy: TurnPolicy::new(budget, !request.resumed.messages.is_empty()),
                numbering: Numbering::resume(request.numbers.iter().copied()),
                speech: Speech::new(max_answer_bytes),
                calls,
                calls_in_reply: 0,
                sources: Vec::new(),
                exit_reason: None,
                consulted: !request.resumed.messages.is_empty(),
                verdict: None,
                continue_turn: None,
                trim: None,
                ending: None,
                halted: false,
                request: None,
            }),
            sink,
            log,
            registry,
            context: request.context.clone(),
            previous_sources: request.previous_sources.clone(),
            max_answer_bytes,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides the next request.
    pub(crate) fn next_request(&self) -> NextRequest {
        let mut inner = self.lock();
        let next = inner.policy.next_request();
        if next == NextRequest::AnswerCall {
            inner.ending = Some(Ending::AnswerCall);
        }
        next
    }

    /// A request goes out: its reply begins.
    pub(crate) fn request_begins(&self, purpose: RequestPurpose) {
        let mut inner = self.lock();
        let held = inner.policy.text_is_held();
        inner.speech.begin_reply(held);
        inner.calls_in_reply = 0;
        inner.verdict = None;
        inner.continue_turn = None;
        inner.request = Some(self.open_record(purpose));
    }

    /// The endpoint refused the request as too long: gives what to send instead, once a turn.
    pub(crate) fn context_refused(
        &self,
        past: &[ChatMessage],
        shape: &PastShape,
        rest: &[ChatMessage],
        window: Option<u64>,
    ) -> Option<Vec<ChatMessage>> {
        let mut inner = self.lock();
        let trim = inner.policy.context_refused(past, shape, rest, window)?;
        inner.trim = Some(trim);
        self.close_record(&mut inner, "context_too_long", None);
        inner.request = Some(self.open_record(RequestPurpose::Work));
        Some(trimmed(past, shape, trim))
    }

    /// The past as it is sent: without what was left away earlier in the turn.
    pub(crate) fn past_to_send(&self, past: Vec<ChatMessage>, shape: &PastShape) -> Vec<ChatMessage> {
        match self.lock().trim {
            Some(trim) => trimmed(&past, shape, trim),
            None => past,
        }
    }

    /// A call as the model wrote it, for the next request.
    pub(crate) fn call_as_written(&self, id: &str) -> Option<ToolCall> {
        let inner = self.lock();
        let call = inner.calls.written(id)?;
        Some(ToolCall { arguments: sendable(&call.arguments), ..call.clone() })
    }

    /// What the model reads for a call, for the next request.
    pub(crate) fn result_of(&self, id: &str) -> Option<String> {
        self.lock().calls.result(id).map(str::to_owned)
    }

    /// An event of the reply; gives the call when it is one.
    pub(crate) fn reply_event(&self, event: &ChatEvent) -> Option<CallTicket> {
        match event {
            ChatEvent::Text(text) => {
                self.text(text);
                None
            }
            ChatEvent::Reasoning(text) => {
                self.sink.reasoning(&without_nul(text));
                None
            }
            ChatEvent::KeepsFloor => {
                self.release(&mut self.lock());
                None
            }
            ChatEvent::Call(call) => Some(self.call(call.clone(), None)),
            ChatEvent::FaultyCall { call, fault } => Some(self.call(call.clone(), Some(fault))),
            ChatEvent::End { finish, usage, continue_turn } => {
                self.lock().continue_turn =
                    continue_turn.as_deref().map(|nudge| without_nul(nudge).into_owned());
                self.reply_ended(*finish, *usage);
                None
            }
        }
    }

    fn text(&self, text: &str) {
        let inner = &mut *self.lock();
        let numbering = &inner.numbering;
        let shown = inner.speech.push(&without_nul(text), |n| numbering.is_issued(n));
        self.show(inner, shown);
    }

    fn show(&self, inner: &mut Inner, shown: Option<String>) {
        if let Some(text) = shown {
            self.sink.delta(&text);
        }
        if inner.speech.is_full() && inner.ending.is_none() {
            inner.ending = Some(Ending::Answered(Finish::Length));
            inner.halted = true;
        }
    }

    fn release(&self, inner: &mut Inner) {
        let numbering = &inner.numbering;
        let shown = inner.speech.release(|n| numbering.is_issued(n));
        self.show(inner, shown);
    }

    /// A call; with a `fault` it is refused before anything else looks at it.
    fn call(&self, call: ToolCall, fault: Option<&String>) -> CallTicket {
        let inner = &mut *self.lock();
        self.release(inner);
        let index = inner.calls.next_index();
        let call = inner.calls.admit(call);
        let checked = match fault {
            Some(fault) => {
                Err(Refusal { kind: self.kind_of_fault(&call), sentence: without_nul(fault).into_owned() })
            }
            None => self.registry.check(&call.name, &call.arguments),
        };
        let tool = match &checked {
            Ok(checked) => self.registry.name_of(checked).to_owned(),
            Err(_) => call.name.chars().take(64).collect(),
        };
        let verdict = inner.policy.judge_call(index, &tool, checked);
        let runs = matches!(verdict, CallVerdict::Run(_));
        let ticket = CallTicket { id: call.id.clone(), tool: runs.then(|| tool.clone()), index };
        inner.calls.push(call, tool, verdict);
        inner.calls_in_reply += 1;
        ticket
    }

    fn reply_ended(&self, finish: ReplyFinish, usage: Option<TokenUsage>) {
        let inner = &mut *self.lock();
        let reply = Reply {
            said: inner.speech.said(),
            calls: inner.calls_in_reply,
            finish,
            completion_tokens: usage.and_then(|usage| usage.completion_tokens),
            shown_before: inner.speech.shown(),
            shown: inner.speech.reply_shown(),
            continues: inner.continue_turn.is_some(),
        };
        let verdict = inner.policy.judge_reply(reply);
        inner.verdict = Some(verdict);
        self.close_record(inner, record::finish_name(finish), usage);
        match verdict {
            ReplyVerdict::AskAgain { rule, .. } => {
                self.log.update(|work| work.record.nudges.push(rule.name().to_owned()));
            }
            ReplyVerdict::AnswerCall => {
                // Words that keep the floor are for the reader, whoever speaks next.
                if reply.continues {
                    self.finish_text(inner);
                }
                inner.ending.get_or_insert(Ending::AnswerCall);
            }
            ReplyVerdict::Fail(fault) => inner.ending = Some(Ending::Failed(failure::of_fault(fault))),
            ReplyVerdict::RunCalls | ReplyVerdict::GoOn => self.finish_text(inner),
            ReplyVerdict::End(finish) => {
                self.finish_text(inner);
                inner.ending.get_or_insert(Ending::Answered(finish));
            }
        }
    }

    fn finish_text(&self, inner: &mut Inner) {
        self.release(inner);
        let rest = inner.speech.flush();
        self.show(inner, rest);
        let unissued = inner.speech.unissued();
        self.log.update(|work| work.record.unissued_numbers = unissued);
    }

    /// The request failed, or its stream did. What was shown stays; what was held was not shown and is dropped. True
    /// when the turn ends well all the same: a filter that fell after something was said.
    pub(crate) fn request_failed(&self, model: &ModelFailure) -> bool {
        if model.class == FailureClass::Filtered {
            self.reply_ended(ReplyFinish::Filtered, None);
            return true;
        }
        let inner = &mut *self.lock();
        self.close_record(inner, failure::class_name(model.class), None);
        if !inner.policy.text_is_held() {
            self.finish_text(inner);
        }
        false
    }

    /// The verdict on the reply that has ended.
    pub(crate) fn verdict(&self) -> Option<ReplyVerdict> {
        self.lock().verdict
    }

    /// How the part with tools ended, once it did.
    pub(crate) fn ending(&self) -> Option<Ending> {
        self.lock().ending.clone()
    }

    /// True when the turn must not go on.
    pub(crate) fn is_halted(&self) -> bool {
        self.lock().halted
    }

    /// The text of the answer call, made ready to be saved and then sent: it follows what was shown.
    pub(crate) fn held_answer(&self, text: &str) -> String {
        let inner = &mut *self.lock();
        let numbering = &inner.numbering;
        inner.speech.begin_reply(false);
        let mut held = inner.speech.push(text, |n| numbering.is_issued(n)).unwrap_or_default();
        held.push_str(&inner.speech.flush().unwrap_or_default());
        let unissued = inner.speech.unissued();
        self.log.update(|work| work.record.unissued_numbers = unissued);
        held
    }

    /// What the reader has seen of the answer.
    pub(crate) fn shown_text(&self) -> String {
        self.lock().speech.text().to_owned()
    }

    /// True when the held answer reached the limit.
    pub(crate) fn is_full(&self) -> bool {
        self.lock().speech.is_full()
    }

    /// What the answer rests on.
    pub(crate) fn evidence(&self) -> (Evidence, Option<Vec<Source>>) {
        let inner = self.lock();
        evidence::judge(&Grounds {
            cited: inner.speech.cited(),
            sources: &inner.sources,
            previous: &self.previous_sources,
            consulted: inner.consulted,
            exit_reason: inner.exit_reason.as_deref(),
        })
    }
}
