//! Calls put together from their fragments, whatever an endpoint leaves out or repeats.
//!
//! A fragment belongs to the call of its index if it has one, else to the call of its id, else to the newest call. A new
//! id, or a named fragment after whole arguments, opens another call even on an index in use. An index is a key and
//! never a position.

use std::collections::HashSet;

use serde::de::IgnoredAny;
use uuid::Uuid;

use super::chunk::Fragment;
use crate::chat::ToolCall;

#[cfg(test)]
mod tests;

/// A prefix that some models put before a tool's name; a dot is legal in no name.
const NAME_PREFIX: &str = "functions.";

#[derive(Debug, Default)]
struct OpenCall {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

/// The calls of one reply so far. One attempt has one; it is dropped with it.
#[derive(Debug, Default)]
pub(super) struct CallAssembler {
    calls: Vec<OpenCall>,
}

impl CallAssembler {
    /// Adds one fragment.
    pub(super) fn take(&mut self, fragment: Fragment) {
        let index = fragment.index.0;
        let id = fragment.id.filled().filter(|id| !id.trim().is_empty());
        let function = fragment.function.0.unwrap_or_default();
        let name = function.name.0.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        let arguments = function.arguments.0.unwrap_or_default();
        if index.is_none() && id.is_none() && name.is_none() && arguments.is_empty() {
            return;
        }
        let call = match self.find(index, id.as_deref(), name.as_deref(), &arguments) {
            Some(at) => &mut self.calls[at],
            None => {
                self.calls.push(OpenCall { index, ..OpenCall::default() });
                let last = self.calls.len() - 1;
                &mut self.calls[last]
            }
        };
        if let Some(id) = id
            && call.id.is_empty()
        {
            call.id = id;
        }
        if let Some(name) = name
            && name.starts_with(&call.name)
        {
            // The first name, or one that grows from chunk to chunk.
            call.name = name;
        }
        // A last chunk that repeats the whole call adds nothing.
        if !(arguments == call.arguments && is_whole(&arguments)) {
            call.arguments.push_str(&arguments);
        }
    }

    /// The call that a fragment continues; `None` opens another one.
    fn find(
        &self,
        index: Option<u64>,
        id: Option<&str>,
        name: Option<&str>,
        arguments: &str,
    ) -> Option<usize> {
        let same_place = |call: &OpenCall| index.is_none() || call.index == index;
        if let Some(id) = id {
            if let Some(at) = self.calls.iter().rposition(|call| call.id == id && same_place(call)) {
                return Some(at);
            }
            // The id of a call that was opened without one, or of another call.
            let at = self.newest(index)?;
            let call = &self.calls[at];
            let named_alike = name.is_none_or(|name| call.name.is_empty() || call.name == name);
            let still_open = !is_whole(&call.arguments);
            return (call.id.is_empty() && named_alike && still_open).then_some(at);
        }
        let at = self.newest(index)?;
        let call = &self.calls[at];
        let another = match name {
            None => false,
            Some(name) if index.is_none() && !call.name.is_empty() && !name.starts_with(&call.name) => true,
            Some(_) => !arguments.trim().is_empty() && is_whole(&call.arguments),
        };
        (!another).then_some(at)
    }

    fn newest(&self, index: Option<u64>) -> Option<usize> {
        match index {
            Some(_) => self.calls.iter().rposition(|call| call.index == index),
            None => self.calls.len().checked_sub(1),
        }
    }

    /// The whole calls in the order in which they were opened. One without a name is a stray and is left out; a missing
    /// id, or one that another call has already, is minted.
    pub(super) fn finish(&mut self) -> Vec<ToolCall> {
        let mut ids = HashSet::new();
        std::mem::take(&mut self.calls)
            .into_iter()
            .filter_map(|call| {
                let name = call.name.strip_prefix(NAME_PREFIX).unwrap_or(&call.name).to_owned();
                if name.is_empty() {
                    tracing::warn!("the endpoint sent a piece of a call without a name; it was left out");
                    return None;
                }
                let mut id = call.id;
                if id.is_empty() || !ids.insert(id.clone()) {
                    id = format!("call_{}", Uuid::new_v4().simple());
                }
                Some(ToolCall { id, name, arguments: call.arguments })
            })
            .collect()
    }
}

/// True for one whole JSON object. Most pieces fail at the first comparison.
fn is_whole(arguments: &str) -> bool {
    let text = arguments.trim();
    text.starts_with('{') && text.ends_with('}') && serde_json::from_str::<IgnoredAny>(text).is_ok()
}
