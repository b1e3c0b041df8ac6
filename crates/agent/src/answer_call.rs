//! The tool-free answer at the end of the budget: a fresh request of two messages, held back until it is judged,
//! repaired at most once.

use std::time::Duration;

use attest_domain::text::without_nul;
use attest_llm::chat::{
    ChatBackend, ChatEvent, ChatMessage, ChatRequest, ReplyFinish, TokenUsage, ToolChoice,
};
use attest_llm::failure::ModelFailure;
use attest_protocol::frame::Finish;
use attest_protocol::view::RequestPurpose;
use futures::StreamExt;
use serde::Serialize;

use crate::failure;
use crate::past::exchange_messages;
use crate::policy::Rule;
use crate::policy::answer::{AnswerReply, AnswerVerdict, judge};
use crate::prompts;
use crate::state::record::finish_name;
use crate::state::{Gathered, TurnState};
use crate::turn::{PastRole, TurnFailure, TurnRequest};

/// Everything the answer is written from. Untrusted, and marked so in the prompt.
#[derive(Serialize)]
struct Material<'a> {
    question: &'a str,
    conversation: Vec<Said<'a>>,
    already_told: String,
    results: Vec<GatheredResult>,
}

#[derive(Serialize)]
struct Said<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct GatheredResult {
    tool: String,
    arguments: String,
    result: String,
}

/// A whole reply.
struct Reply {
    text: String,
    called: bool,
    finish: ReplyFinish,
    usage: Option<TokenUsage>,
}

/// Asks for the answer. Gives how it ended and its text, to be saved first and sent then.
pub(crate) async fn run(
    backend: &dyn ChatBackend,
    request: &TurnRequest,
    state: &TurnState,
    deadline: Duration,
) -> Result<(Finish, String), TurnFailure> {
    match tokio::time::timeout(deadline, attempts(backend, request, state)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(failure::of_answer_deadline(deadline.as_secs())),
    }
}

async fn attempts(
    backend: &dyn ChatBackend,
    request: &TurnRequest,
    state: &TurnState,
) -> Result<(Finish, String), TurnFailure> {
    let material = material(request, state);
    let mut repair: Option<&'static str> = None;
    loop {
        state.request_begins(RequestPurpose::Answer);
        let reply = match read(backend, answer_request(&material, repair), state.max_answer_bytes).await {
            Ok(reply) => reply,
            Err(model) => {
                state.answer_request_ended(failure::class_name(model.class), None);
                return Err(failure::of_model(&model));
            }
        };
        state.answer_request_ended(finish_name(reply.finish), reply.usage);
        let verdict = judge(AnswerReply {
            said: !reply.text.trim().is_empty(),
            called: reply.called,
            finish: reply.finish,
            repaired: repair.is_some(),
        });
        match verdict {
            AnswerVerdict::Accept(finish) => {
                let held = state.held_answer(&reply.text);
                return Ok((if state.is_full() { Finish::Length } else { finish }, held));
            }
            AnswerVerdict::Repair(words) => {
                state.note_nudge(Rule::AnswerRepair.name());
                repair = Some(words);
            }
            AnswerVerdict::Fail(fault) => return Err(failure::of_fault(fault)),
        }
    }
}

fn answer_request(material: &str, repair: Option<&str>) -> ChatRequest {
    let content = match repair {
        None => material.to_owned(),
        Some(words) => format!("{material}\n\n{words}"),
    };
    ChatRequest {
        messages: vec![
            ChatMessage::System { content: prompts::text(prompts::ANSWER).to_owned() },
            ChatMessage::User { content },
        ],
        tool_choice: ToolChoice::None,
        ..ChatRequest::default()
    }
}

fn material(request: &TurnRequest, state: &TurnState) -> String {
    let conversation = request.history.iter().filter(|said| !said.content.trim().is_empty());
    let material = Material {
        question: &request.question,
        conversation: conversation
            .map(|said| Said {
                role: match said.role {
                    PastRole::User => "user",
                    PastRole::Assistant => "assistant",
                },
                content: &said.content,
            })
            .collect(),
        already_told: state.shown_text(),
        results: resumed(request)
            .into_iter()
            .chain(state.gathered())
            .map(|g| GatheredResult { tool: g.tool, arguments: g.arguments, result: g.result })
            .collect(),
    };
    // Strings and lists always serialize; an empty object would only make the model say that nothing was found.
    let json = serde_json::to_string_pretty(&material).unwrap_or_else(|_| "{}".to_owned());
    format!("Untrusted data, as JSON:\n\n{json}")
}

/// The results that a resumed turn had before it was interrupted.
fn resumed(request: &TurnRequest) -> Vec<Gathered> {
    let mut calls = Vec::new();
    let mut gathered = Vec::new();
    for message in exchange_messages(&request.resumed) {
        match message {
            ChatMessage::Assistant { tool_calls, .. } => calls = tool_calls,
            ChatMessage::Tool { tool_call_id, content } => {
                if let Some(call) = calls.iter().find(|call| call.id == tool_call_id) {
                    gathered.push(Gathered {
                        tool: call.name.clone(),
                        arguments: call.arguments.clone(),
                        result: content,
                    });
                }
            }
            ChatMessage::System { .. } | ChatMessage::User { .. } => {}
        }
    }
    gathered
}

/// Reads a whole reply. One that goes beyond `max_bytes` is cut there, as if the token limit had cut it.
async fn read(
    backend: &dyn ChatBackend,
    request: ChatRequest,
    max_bytes: usize,
) -> Result<Reply, ModelFailure> {
    let mut events = backend.chat(request).await?;
    let mut reply = Reply { text: String::new(), called: false, finish: ReplyFinish::Stop, usage: None };
    while let Some(event) = events.next().await {
        match event? {
            ChatEvent::Text(text) => reply.text.push_str(&without_nul(&text)),
            ChatEvent::Reasoning(_) | ChatEvent::KeepsFloor => {}
            ChatEvent::Call(_) | ChatEvent::FaultyCall { .. } => reply.called = true,
            ChatEvent::End { finish, usage, .. } => return Ok(Reply { finish, usage, ..reply }),
        }
        if reply.text.len() > max_bytes {
            return Ok(Reply { finish: ReplyFinish::Length, ..reply });
        }
    }
    Err(failure::without_end())
}
