//! The model: one pure function from a request to what it says or calls.

mod answer;
mod gathered;
mod intent;
mod language;
mod lexicon;
mod offer;
mod passages;
mod phrases;
mod question;
mod sentences;
mod turn;
mod verbs;
mod words;

use crate::wire::request::{ChatRequest, FunctionSpec, ToolChoice};
use answer::Quote;
use intent::Intent;
use language::Language;
use offer::{Offer, arguments, query_of};
use question::Question;
use turn::Turn;

/// A turn is searched for at most this often.
const MAX_SEARCHES: usize = 2;

/// What the model does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It calls a tool.
    Call {
        /// The tool's name.
        name: String,
        /// The arguments, a JSON object as text.
        arguments: String,
    },
    /// It answers.
    Say(String),
}

/// What the model does with a request. Pure: the same request gives the same decision. Never panics, and the work is
/// bounded by the request's size: the beginning of a question, 500 passages a result, 5,000 sentences.
pub fn decide(request: &ChatRequest) -> Decision {
    let mind = Mind::read(request);
    let offer = Offer::of(&request.tools);
    let call = match &request.tool_choice {
        ToolChoice::None => None,
        ToolChoice::Auto => mind.next_call(offer),
        ToolChoice::Required => mind.next_call(offer).or_else(|| mind.forced_call(request, offer)),
        ToolChoice::Named(name) => request
            .tools
            .iter()
            .find(|tool| tool.function.name == *name)
            .map(|tool| mind.named_call(&tool.function, offer)),
    };
    call.unwrap_or_else(|| Decision::Say(mind.reply()))
}

/// A request, read.
struct Mind {
    turn: Turn,
    intent: Intent,
    question: Question,
    quotes: Vec<Quote>,
    /// The queries that this turn has already searched with.
    searched: Vec<String>,
}

impl Mind {
    fn read(request: &ChatRequest) -> Self {
        let turn = Turn::read(request);
        let question = Question::read(&turn);
        Self {
            intent: intent::of(&turn.question),
            quotes: answer::choose(&question, &turn.results),
            searched: turn.calls.iter().filter_map(query_of).collect(),
            question,
            turn,
        }
    }

    /// The call that moves the turn on, if one does.
    fn next_call(&self, offer: Offer<'_>) -> Option<Decision> {
        let exit_taken =
            offer.exit.is_some_and(|exit| self.turn.calls.iter().any(|call| call.name == exit.name));
        if exit_taken {
            return None;
        }
        if self.intent != Intent::Question {
            let exit = offer.exit.filter(|_| self.turn.calls.is_empty())?;
            return Some(call(exit, "reason", &self.reason()));
        }
        if !self.quotes.is_empty() {
            return None;
        }
        let query = self.next_query()?;
        Some(call(offer.search?, "query", &query))
    }

    /// The full query first, the reduced one after it; never one that was already searched with.
    fn next_query(&self) -> Option<String> {
        let query = match self.searched.len() {
            0 => self.question.query(),
            n if n < MAX_SEARCHES => self.question.reduced_query()?,
            _ => return None,
        };
        (!self.was_searched(&query)).then_some(query)
    }

    fn was_searched(&self, query: &str) -> bool {
        self.searched.iter().any(|known| known.to_lowercase() == query.to_lowercase())
    }

    /// A call must be made although none moves the turn on.
    fn forced_call(&self, request: &ChatRequest, offer: Offer<'_>) -> Option<Decision> {
        let first = request.tools.first().map(|tool| &tool.function);
        offer.exit.or(offer.search).or(first).map(|tool| self.named_call(tool, offer))
    }

    fn named_call(&self, tool: &FunctionSpec, offer: Offer<'_>) -> Decision {
        let is = |known: Option<&FunctionSpec>| known.is_some_and(|known| known.name == tool.name);
        if is(offer.search) {
            return call(tool, "query", &self.next_query().unwrap_or_else(|| self.question.verbatim()));
        }
        if is(offer.exit) {
            return call(tool, "reason", &self.reason());
        }
        let document =
            self.turn.results.iter().flat_map(|result| passages::parse(result)).find_map(|p| p.document_id);
        let text = match (&*tool.name, document) {
            ("get_document", Some(id)) => id.to_owned(),
            _ => self.question.query(),
        };
        Decision::Call { name: tool.name.clone(), arguments: arguments(tool, None, &text) }
    }

    fn reason(&self) -> String {
        match self.intent {
            Intent::SmallTalk(kind) => phrases::small_talk_reason(kind),
            Intent::Reword(kind) => phrases::reword_reason(kind),
            Intent::Question if self.turn.results.is_empty() => "The request allows no search.",
            Intent::Question => "The knowledge base has already been searched.",
        }
        .to_owned()
    }

    fn reply(&self) -> String {
        let language = self.language();
        match self.intent {
            Intent::SmallTalk(kind) => phrases::small_talk(kind, language),
            Intent::Reword(kind) => {
                let queries: Vec<String> = self.turn.earlier_calls.iter().filter_map(query_of).collect();
                phrases::reword(kind, language, self.turn.last_answer(), &queries)
            }
            Intent::Question if self.quotes.is_empty() => phrases::nothing_found(language),
            Intent::Question => phrases::answer(language, &self.quotes),
        }
    }

    /// The question's language; for one without letters, such as "1993?", that of the question before it.
    fn language(&self) -> Language {
        let lettered = |text: &str| text.chars().any(char::is_alphabetic);
        if lettered(&self.turn.question) {
            return self.question.language;
        }
        let asked = self.turn.earlier.iter().rev().find(|line| !line.by_assistant && lettered(&line.text));
        asked.map_or(self.question.language, |line| Language::of(&line.text))
    }
}

fn call(tool: &FunctionSpec, key: &str, text: &str) -> Decision {
    Decision::Call { name: tool.name.clone(), arguments: arguments(tool, Some(key), text) }
}

#[cfg(test)]
mod tests;
