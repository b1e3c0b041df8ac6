//! Text mode as a backend: what it hands up, and what it sends.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use attest_llm::chat::{
    ChatBackend, ChatEvent, ChatMessage, ChatRequest, ChatStream, ReplyFinish, TokenUsage, ToolCall,
    ToolChoice,
};
use attest_llm::failure::{FailureClass, ModelFailure};
use attest_llm::text_mode::{TextMode, TextModeOptions};
use futures::StreamExt;

use crate::reading::tools;

type Script = Vec<Result<ChatEvent, ModelFailure>>;

/// Plays one reply and keeps the request.
struct Scripted {
    script: Mutex<VecDeque<Script>>,
    asked: Mutex<Vec<ChatRequest>>,
}

#[async_trait]
impl ChatBackend for Scripted {
    async fn chat(&self, request: ChatRequest) -> Result<ChatStream, ModelFailure> {
        self.asked.lock().unwrap().push(request);
        let script = self.script.lock().unwrap().pop_front().unwrap();
        Ok(Box::pin(futures::stream::iter(script)))
    }

    fn model(&self) -> &str {
        "scripted"
    }
}

fn played(script: Script, request: ChatRequest) -> (Vec<Result<ChatEvent, ModelFailure>>, ChatRequest) {
    let inner = Arc::new(Scripted { script: Mutex::new([script].into()), asked: Mutex::default() });
    let text_mode = TextMode::new(Arc::<Scripted>::clone(&inner), TextModeOptions::default());
    assert_eq!(text_mode.model(), "scripted");
    let events =
        futures::executor::block_on(async { text_mode.chat(request).await.unwrap().collect().await });
    let asked = inner.asked.lock().unwrap().pop().unwrap();
    (events, asked)
}

fn request() -> ChatRequest {
    ChatRequest {
        messages: vec![ChatMessage::User { content: "When do refunds arrive?".into() }],
        tools: tools(),
        ..ChatRequest::default()
    }
}

fn text(text: &str) -> Result<ChatEvent, ModelFailure> {
    Ok(ChatEvent::Text(text.into()))
}

fn end(finish: ReplyFinish) -> Result<ChatEvent, ModelFailure> {
    Ok(ChatEvent::End { finish, usage: USAGE, continue_turn: None })
}

const USAGE: Option<TokenUsage> = Some(TokenUsage { prompt_tokens: Some(7), completion_tokens: Some(3) });

/// The events of a reply that ends well, character by character.
pub(crate) fn events_of(reply: &str) -> Vec<ChatEvent> {
    let mut script: Script = reply.chars().map(|c| text(&c.to_string())).collect();
    script.push(end(ReplyFinish::Stop));
    played(script, request()).0.into_iter().map(Result::unwrap).collect()
}

/// Events in one line; ids of calls are told by how they begin.
fn in_words(events: &[Result<ChatEvent, ModelFailure>]) -> String {
    let words: Vec<String> = events
        .iter()
        .map(|event| match event {
            Ok(ChatEvent::Text(text)) => format!("text {text:?}"),
            Ok(ChatEvent::Reasoning(text)) => format!("reasoning {text:?}"),
            Ok(ChatEvent::Call(call)) => {
                let kind = call.id.split('_').next().unwrap();
                assert!(call.id.len() <= 40, "{}", call.id);
                format!("{kind} {} {}", call.name, call.arguments)
            }
            Ok(ChatEvent::FaultyCall { call, fault }) => {
                format!("faulty {} {:?}: {fault}", call.name, call.arguments)
            }
            Ok(ChatEvent::End { finish, usage, continue_turn }) => {
                let usage = if usage.is_some() { "" } else { " usage unknown" };
                let nudge =
                    continue_turn.as_deref().map(|nudge| format!(" then {nudge:?}")).unwrap_or_default();
                format!("end {finish:?}{usage}{nudge}")
            }
            Ok(ChatEvent::KeepsFloor) => "floor".to_owned(),
            Err(failure) => format!("failure {:?}", failure.class),
        })
        .collect();
    words.join(" | ")
}

fn handed_up(replies: &[&str], finish: ReplyFinish) -> String {
    let mut script: Script = replies.iter().map(|reply| text(reply)).collect();
    script.push(end(finish));
    in_words(&played(script, request()).0)
}

#[test]
fn every_outcome_is_handed_up_as_the_loop_reads_it() {
    use ReplyFinish::{Filtered, Length, Stop};
    let cases = [
        (&["E Five", " days."][..], Stop, r#"text "Five" | text " days." | end Stop"#),
        (&["Five days."], Stop, r#"text "Five days." | end Stop"#),
        (&["T Let me look."], Stop, r#"floor | text "Let me look." | end Stop then "(next)""#),
        (&["T Let me"], Length, r#"floor | text "Let me" | end Length"#),
        (&["T Let me"], Filtered, r#"floor | text "Let me" | end Filtered"#),
        (&["C faq", "[x]"], Stop, r#"call faq {"question":"x"} | end ToolCalls"#),
        (&["C faq[x]\nmore"], Stop, r#"first faq {"question":"x"} | end ToolCalls"#),
        (
            &["C faq[x"],
            Length,
            r#"faulty faq "[x": cut_off: the reply ended inside of the call. Write a shorter one. Use: C faq[question] | end Length"#,
        ),
        (&["C faq[]"], Stop, r#"faulty faq "[]": missing: question. Use: C faq[question] | end ToolCalls"#),
        (
            &["C make_report[a|b]"],
            Stop,
            r#"faulty make_report "[a|b]": use_json: filters must be written as JSON. Use: C make_report{"title": string, "filters"?: object} | end ToolCalls"#,
        ),
        (
            &["C kb_serch[x]"],
            Stop,
            r#"faulty kb_serch "[x]": unknown_tool: kb_serch. Did you mean kb_search? Tools: faq, get_order, kb_search, make_report, send_mail, today. | end ToolCalls"#,
        ),
        (&["<think>a", "b</think>E x"], Stop, r#"reasoning "a" | reasoning "b" | text "x" | end Stop"#),
        (&[""], Stop, "end Stop"),
        (&["T "], Stop, "end Stop"),
        (
            &["T a\nC faq[x]"],
            Stop,
            r#"floor | text "a" | end Stop then "(next) One block per reply. Your call was not run. Send it again as its own reply.""#,
        ),
        (
            &["Sure. <tool_call>{"],
            Length,
            r#"text "Sure." | end Stop then "(next) That format is not read here. Call with C name[values] as the whole reply.""#,
        ),
        (
            &["R faq ok\nx"],
            Stop,
            r#"end Stop then "(next) Results come only from me. Send the call as a C block and stop.""#,
        ),
    ];
    for (replies, finish, expected) in cases {
        assert_eq!(handed_up(replies, finish), expected, "{replies:?}");
    }
}

#[test]
fn a_call_with_a_tail_lets_go_of_the_endpoint_and_its_usage_is_unknown() {
    let script = vec![
        text("C faq{\"question\":\"x\"}\n"),
        text("R faq ok 12ab\nfive days\n"),
        Err(ModelFailure::new(FailureClass::Stalled, "never read")),
    ];
    let events = in_words(&played(script, request()).0);
    assert_eq!(events, r#"first faq {"question":"x"} | end ToolCalls usage unknown"#);
}

#[test]
fn a_failure_keeps_the_words_that_were_held_and_runs_no_call() {
    let stalled = || Err(ModelFailure::new(FailureClass::Stalled, "silent"));
    let cases = [
        (vec![text("T one\nE"), stalled()], r#"floor | text "one" | failure Stalled"#),
        (vec![text("E one <"), stalled()], r#"text "one <" | failure Stalled"#),
        (vec![text("a <too"), stalled()], r#"text "a" | text " <too" | failure Stalled"#),
        (vec![text("C faq[x]"), stalled()], "failure Stalled"),
        (vec![text("E one\n")], r#"text "one""#),
    ];
    for (script, expected) in cases {
        assert_eq!(in_words(&played(script, request()).0), expected);
    }
}

#[test]
fn a_call_that_comes_as_a_call_is_taken_when_its_tool_is_offered() {
    let call = |name: &str| {
        Ok(ChatEvent::Call(ToolCall {
            id: "x".into(),
            name: name.into(),
            arguments: r#"{"question":"x"}"#.into(),
        }))
    };
    let stop = || end(ReplyFinish::ToolCalls);
    let cases = [
        (vec![call("faq"), stop()], r#"call faq {"question":"x"} | end ToolCalls"#),
        (
            vec![text("T one"), call("weather"), call("faq"), stop()],
            r#"floor | text "one" | first faq {"question":"x"} | end ToolCalls"#,
        ),
        (vec![text("E one"), call("weather"), stop()], r#"text "one" | end Stop"#),
        (
            vec![call("weather"), stop()],
            r#"faulty weather "{\"question\":\"x\"}": unknown_tool: weather. Tools: faq, get_order, kb_search, make_report, send_mail, today. | end ToolCalls"#,
        ),
    ];
    for (script, expected) in cases {
        assert_eq!(in_words(&played(script, request()).0), expected);
    }
}

#[test]
fn a_thought_that_the_wire_repeats_as_words_is_no_reply() {
    let script = vec![
        Ok(ChatEvent::Reasoning("need ".into())),
        Ok(ChatEvent::Reasoning("docs".into())),
        text("need docs"),
        end(ReplyFinish::Stop),
    ];
    assert_eq!(in_words(&played(script, request()).0), r#"reasoning "need " | reasoning "docs" | end Stop"#);
}

#[test]
fn without_a_tool_to_offer_the_request_is_plain_and_the_reply_is_not_read() {
    let script = || vec![text("C faq[x]"), end(ReplyFinish::Stop)];
    for request in [
        ChatRequest { tool_choice: ToolChoice::None, ..request() },
        ChatRequest { tools: vec![], ..request() },
    ] {
        let messages = request.messages.clone();
        let (events, asked) = played(script(), request);
        assert_eq!(in_words(&events), r#"text "C faq[x]" | end Stop"#);
        assert_eq!(asked, ChatRequest { messages, tool_choice: ToolChoice::None, ..ChatRequest::default() });
    }
}
