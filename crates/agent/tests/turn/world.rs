//! Runs a turn and writes down all of it.

use std::fmt::Write;
use std::sync::{Arc, Mutex};

use attest_agent::{Agent, AgentOptions, Answered, TurnFailure, TurnLog, TurnRequest, TurnSink, TurnWork};
use attest_domain::{KbId, Principal};
use attest_llm::chat::{ChatBackend, ChatMessage, ChatRequest, ToolChoice};
use attest_protocol::exchange::ToolExchange;
use attest_protocol::frame::Source;
use attest_tools::{StepText, ToolContext};

use crate::backend::{Reply, Script};
use crate::tools::{Switches, registry};

/// Everything a turn announced, a line each.
#[derive(Default)]
pub(crate) struct Announced(Mutex<Vec<String>>);

impl Announced {
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    fn push(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }
}

impl TurnSink for Announced {
    fn delta(&self, text: &str) {
        assert!(!text.is_empty(), "an empty delta");
        self.push(format!("delta {text:?}"));
    }

    fn step(&self, tool: &str, step: &StepText) {
        let count = step.count.map_or("-".to_owned(), |count| count.to_string());
        self.push(format!("step {tool} {:?} {:?} {:?} {count}", step.kind, step.label, step.detail));
    }

    fn sources(&self, sources: &[Source]) {
        let sources: Vec<String> = sources.iter().map(|s| format!("[{}] {}", s.n, s.filename)).collect();
        self.push(format!("sources {}", sources.join(", ")));
    }
}

/// A turn that has ended.
pub(crate) struct Turn {
    pub(crate) announced: Vec<String>,
    pub(crate) requests: Vec<ChatRequest>,
    pub(crate) outcome: Result<Answered, TurnFailure>,
    pub(crate) work: TurnWork,
}

pub(crate) fn question(text: &str) -> TurnRequest {
    TurnRequest {
        question: text.to_owned(),
        history: Vec::new(),
        replay: ToolExchange::default(),
        resumed: ToolExchange::default(),
        entities: Vec::new(),
        numbers: Vec::new(),
        previous_sources: Vec::new(),
        context: ToolContext { kb_id: KbId::new(), principal: Principal::local(), question: text.to_owned() },
    }
}

/// Asks one question of a scripted model, with the usual options.
pub(crate) async fn ask(replies: impl IntoIterator<Item = Reply>) -> Turn {
    run(question("Who?"), AgentOptions::default(), replies).await
}

pub(crate) async fn run(
    request: TurnRequest,
    options: AgentOptions,
    replies: impl IntoIterator<Item = Reply>,
) -> Turn {
    let script = Script::new(replies);
    run_on(script.clone(), &script, request, options).await
}

/// The same with something between the agent and the script.
pub(crate) async fn run_on(
    backend: Arc<dyn ChatBackend>,
    script: &Script,
    request: TurnRequest,
    options: AgentOptions,
) -> Turn {
    let agent = Agent::new(backend, Arc::new(registry(&Switches::default())), options);
    let (announced, log) = (Arc::new(Announced::default()), Arc::new(TurnLog::default()));
    let outcome = agent.run(request, announced.clone(), log.clone()).await;
    Turn { announced: announced.lines(), requests: script.take_requests(), outcome, work: log.work() }
}

impl std::fmt::Display for Turn {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(out, "ANNOUNCED\n{}\n", self.announced.join("\n"))?;
        for (number, request) in self.requests.iter().enumerate() {
            writeln!(out, "REQUEST {} {}", number + 1, written(request))?;
        }
        match &self.outcome {
            Ok(answered) => {
                let kept = answered.sources.as_ref().map(|kept| kept.iter().map(|s| s.n).collect::<Vec<_>>());
                writeln!(
                    out,
                    "ANSWERED {:?} {:?} held {:?} sources {kept:?}\n",
                    answered.finish, answered.evidence, answered.held_text
                )?;
            }
            Err(failure) => writeln!(out, "FAILED {failure:?}\n")?,
        }
        writeln!(out, "KEPT\n{}", kept(&self.work))
    }
}

/// A request as the model received it; the two system prompts by name.
pub(crate) fn written(request: &ChatRequest) -> String {
    let mut text = String::new();
    let tools: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    let choice = match &request.tool_choice {
        ToolChoice::Auto => "auto",
        ToolChoice::None => "none",
        ToolChoice::Required => "required",
        ToolChoice::Named(name) => name,
    };
    let limit = request.max_tokens.map_or("-".to_owned(), |tokens| tokens.to_string());
    writeln!(text, "tools [{}] choice {choice} max_tokens {limit}", tools.join(", ")).unwrap();
    for message in &request.messages {
        match message {
            ChatMessage::System { content } if content.starts_with("You answer questions from") => {
                writeln!(text, "  system <system prompt>").unwrap();
            }
            ChatMessage::System { content } if content.starts_with("You answer a question from") => {
                writeln!(text, "  system <answer prompt>").unwrap();
            }
            ChatMessage::System { content } => writeln!(text, "  system {content:?}").unwrap(),
            ChatMessage::User { content } => writeln!(text, "  user {content:?}").unwrap(),
            ChatMessage::Assistant { content, tool_calls } => {
                writeln!(text, "  assistant {content:?}").unwrap();
                for call in tool_calls {
                    writeln!(text, "    calls {} {} {}", call.id, call.name, call.arguments).unwrap();
                }
            }
            ChatMessage::Tool { tool_call_id, content } => {
                writeln!(text, "  tool {tool_call_id} {content:?}").unwrap();
            }
        }
    }
    text
}

fn kept(work: &TurnWork) -> String {
    let mut text = String::new();
    for message in &work.exchange.messages {
        writeln!(text, "exchange {}", serde_json::to_string(message).unwrap()).unwrap();
    }
    for call in &work.exchange.aside {
        writeln!(text, "aside {}", serde_json::to_string(call).unwrap()).unwrap();
    }
    let numbers: Vec<String> =
        work.numbers.iter().map(|(n, c)| format!("{n}={}", c.as_uuid().as_u128())).collect();
    writeln!(text, "numbers {}", numbers.join(" ")).unwrap();
    for request in &work.record.requests {
        let tokens = request.usage.map_or("-".to_owned(), |u| format!("{:?}", u.completion_tokens));
        writeln!(
            text,
            "request {:?} {} calls {} tokens {tokens}",
            request.purpose, request.outcome, request.calls
        )
        .unwrap();
    }
    writeln!(text, "nudges {:?}", work.record.nudges).unwrap();
    writeln!(text, "refusals {:?}", work.record.refusals).unwrap();
    writeln!(text, "tools {:?} unissued {}", work.record.tools, work.record.unissued_numbers).unwrap();
    if !work.record.degradations.is_empty() {
        writeln!(text, "degradations {:?}", work.record.degradations).unwrap();
    }
    write!(text, "model {} level {} usage {:?}", work.record.model, work.record.level, work.usage).unwrap();
    text
}
