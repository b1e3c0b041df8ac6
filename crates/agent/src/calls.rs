//! The calls of a turn: our own records, from which requests are written and the exchange is kept. The library's
//! are not used: it renames calls and rewrites arguments.

use std::collections::{HashMap, HashSet};

use attest_domain::text::without_nul;
use attest_llm::chat::{ChatMessage, ToolCall};
use attest_protocol::exchange::{
    AsideCall, CallKind, ExchangeCall, ExchangeFunction, ExchangeMessage, ToolExchange,
};
use attest_tools::{RefusalKind, ToolOutcome};
use uuid::Uuid;

use crate::policy::calls::CallVerdict;

/// What a call came to, not yet in words: numbers are issued in the order of the calls.
#[derive(Debug)]
pub(crate) enum Settled {
    /// The tool's body returned.
    Ran(ToolOutcome),
    /// It was refused, by the argument check or by the tool.
    Refused(String),
    /// It was made before in this turn.
    Repeated,
}

/// A result as the model reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallResult {
    /// The words.
    pub(crate) text: String,
    /// True for a refusal.
    pub(crate) is_error: bool,
}

/// One call.
#[derive(Debug)]
pub(crate) struct CallEntry {
    /// As the model wrote it, with an id that no other call of the request has.
    pub(crate) written: ToolCall,
    /// The offered name, or the name as it was written when there is no such tool.
    pub(crate) tool: String,
    /// What the policy said.
    pub(crate) verdict: CallVerdict,
    /// What came of it; taken when it is put into words.
    pub(crate) settled: Option<Settled>,
    /// What the model reads.
    pub(crate) result: Option<CallResult>,
}

/// The calls of a turn, in order.
#[derive(Debug, Default)]
pub(crate) struct CallBook {
    entries: Vec<CallEntry>,
    /// The first call of the reply that is not yet in the exchange.
    open_from: usize,
    /// The next call to be put into words.
    next: usize,
    /// Calls of earlier turns, or of this one before an interruption, by id.
    earlier: HashMap<String, ToolCall>,
    ids: HashSet<String>,
}

impl CallBook {
    /// Knows the calls that the request repeats, so that they are sent again as they were written.
    pub(crate) fn remember(&mut self, messages: &[ChatMessage]) {
        for message in messages {
            if let ChatMessage::Assistant { tool_calls, .. } = message {
                for call in tool_calls {
                    self.ids.insert(call.id.clone());
                    self.earlier.insert(call.id.clone(), call.clone());
                }
            }
        }
    }

    /// The number that the next call will have.
    pub(crate) fn next_index(&self) -> usize {
        self.entries.len()
    }

    /// A call as it came, without NUL, and with another id when its own has been used: some endpoints number the
    /// calls of every reply anew.
    pub(crate) fn admit(&mut self, call: ToolCall) -> ToolCall {
        let clean = |text: String| without_nul(&text).into_owned();
        let mut call =
            ToolCall { id: clean(call.id), name: clean(call.name), arguments: clean(call.arguments) };
        if call.id.trim().is_empty() || self.ids.contains(&call.id) {
            call.id = format!("call_{}", Uuid::new_v4().simple());
        }
        self.ids.insert(call.id.clone());
        call
    }

    /// Adds a call.
    pub(crate) fn push(&mut self, written: ToolCall, tool: String, verdict: CallVerdict) {
        self.entries.push(CallEntry { written, tool, verdict, settled: None, result: None });
    }

    /// The call with that number.
    pub(crate) fn get(&self, index: usize) -> Option<&CallEntry> {
        self.entries.get(index)
    }

    /// Notes what came of a call.
    pub(crate) fn settle(&mut self, index: usize, settled: Settled) {
        if let Some(entry) = self.entries.get_mut(index) {
            entry.settled = Some(settled);
        }
    }

    /// The next call in order, once it is settled: a later one waits for it.
    pub(crate) fn take_next(&mut self) -> Option<(usize, Settled)> {
        let index = self.next;
        let settled = self.entries.get_mut(index)?.settled.take()?;
        self.next += 1;
        Some((index, settled))
    }

    /// Notes what the model reads.
    pub(crate) fn answer(&mut self, index: usize, result: CallResult) {
        if let Some(entry) = self.entries.get_mut(index) {
            entry.result = Some(result);
        }
    }

    /// A call as it was written, by its id.
    pub(crate) fn written(&self, id: &str) -> Option<&ToolCall> {
        self.entries
            .iter()
            .map(|entry| &entry.written)
            .find(|call| call.id == id)
            .or_else(|| self.earlier.get(id))
    }

    /// What the model reads for a call, by its id.
    pub(crate) fn result(&self, id: &str) -> Option<&str> {
        let entry = self.entries.iter().find(|entry| entry.written.id == id)?;
        entry.result.as_ref().map(|result| result.text.as_str())
    }

    /// All calls, in order.
    pub(crate) fn entries(&self) -> &[CallEntry] {
        &self.entries
    }

    /// Adds the calls of a reply to the exchange, once every one of them has its result.
    pub(crate) fn close_reply(&mut self, exchange: &mut ToolExchange) {
        if self.next < self.entries.len() {
            return;
        }
        let reply = &self.entries[self.open_from..];
        self.open_from = self.entries.len();
        let mut calls = Vec::with_capacity(reply.len());
        let mut results = Vec::with_capacity(reply.len());
        for entry in reply {
            let Some(result) = &entry.result else { continue };
            if cannot_be_replayed(&entry.verdict) {
                exchange.aside.push(AsideCall {
                    name: entry.written.name.clone(),
                    arguments: entry.written.arguments.clone(),
                    refusal: result.text.clone(),
                });
                continue;
            }
            calls.push(ExchangeCall {
                id: entry.written.id.clone(),
                kind: CallKind::Function,
                function: ExchangeFunction {
                    name: entry.tool.clone(),
                    arguments: sendable(&entry.written.arguments),
                },
            });
            results.push(ExchangeMessage::Tool {
                tool_call_id: entry.written.id.clone(),
                content: result.text.clone(),
                is_error: result.is_error,
            });
        }
        if !calls.is_empty() {
            exchange.messages.push(ExchangeMessage::Assistant { content: None, tool_calls: calls });
            exchange.messages.extend(results);
        }
    }
}

/// Arguments as they are sent: no arguments at all are an empty object, everything else stays what it was.
pub(crate) fn sendable(arguments: &str) -> String {
    if arguments.trim().is_empty() { "{}".to_owned() } else { arguments.to_owned() }
}

fn cannot_be_replayed(verdict: &CallVerdict) -> bool {
    match verdict {
        CallVerdict::Refuse(refusal) => {
            matches!(refusal.kind, RefusalKind::UnknownTool | RefusalKind::NotAnObject)
        }
        CallVerdict::Run(_) | CallVerdict::SameAs(_) => false,
    }
}
