//! Turns on the ladder: scripted endpoints, and every request that was sent, in order.

use std::collections::VecDeque;
use std::sync::Mutex;

use futures::StreamExt;
use time::Duration;
use time::macros::datetime;
use url::Url;

use super::memory::{ProcessCapabilities, SCHEMAS, TOOLS};
use super::*;
use crate::chat::{ChatEvent, ReplyFinish, ToolChoice, ToolSpec};
use crate::failure::FailureClass;

/// An endpoint with and without text mode before it. Each reply is a failure, or `None` for one that is accepted.
struct World {
    replies: Mutex<VecDeque<Option<ModelFailure>>>,
    sent: Mutex<Vec<String>>,
    now: Mutex<OffsetDateTime>,
}

struct Door {
    world: Arc<World>,
    name: &'static str,
}

#[async_trait]
impl ChatBackend for Door {
    async fn chat(&self, request: ChatRequest) -> Result<ChatStream, ModelFailure> {
        let schemas = request.tools.iter().any(|tool| tool.parameters.get("$defs").is_some());
        let line = format!(
            "{} {:?} {} tools{}",
            self.name,
            request.tool_choice,
            request.tools.len(),
            if schemas { " rich" } else { "" }
        );
        self.world.sent.lock().unwrap().push(line);
        match self.world.replies.lock().unwrap().pop_front().expect("a reply for every request") {
            Some(failure) => Err(failure),
            None => {
                let end = ChatEvent::End { finish: ReplyFinish::Stop, usage: None, continue_turn: None };
                Ok(futures::stream::iter([Ok(end)]).boxed())
            }
        }
    }

    fn model(&self) -> &str {
        "m"
    }

    fn can_offer(&self, tools: &[ToolSpec]) -> bool {
        self.name == "native" || tools.len() <= 24
    }
}

impl World {
    fn new() -> Arc<Self> {
        let now = Mutex::new(datetime!(2026-12-01 10:00 UTC));
        Arc::new(Self { replies: Mutex::default(), sent: Mutex::default(), now })
    }

    fn ladder(self: &Arc<Self>, fixed: Option<Level>, memory: &Arc<ProcessCapabilities>) -> Ladder {
        let door = |name| Arc::new(Door { world: Arc::clone(self), name });
        let key = CapabilityKey::new(&Url::parse("https://a/v1").unwrap(), "m", None);
        let world = Arc::clone(self);
        let now: Now = Arc::new(move || *world.now.lock().unwrap());
        let knowledge = Knowledge::new(key, Arc::clone(memory) as Arc<dyn CapabilityMemory>, now);
        Ladder::new(door("native"), door("text"), fixed, knowledge)
    }

    fn later(&self, wait: Duration) {
        *self.now.lock().unwrap() += wait;
    }

    /// One request of a turn: what was sent for it, whether it was accepted, and where the turn stands.
    async fn ask(
        &self,
        turn: &Arc<dyn ChatBackend>,
        request: ChatRequest,
        replies: impl IntoIterator<Item = Option<ModelFailure>>,
    ) -> (Vec<String>, Result<(), String>, Level) {
        *self.replies.lock().unwrap() = replies.into_iter().collect();
        let outcome = turn.chat(request).await.map(drop).map_err(|failure| failure.message);
        assert!(self.replies.lock().unwrap().is_empty(), "fewer requests than replies");
        (std::mem::take(&mut *self.sent.lock().unwrap()), outcome, turn.standing().level)
    }

    /// A turn of one request with tools.
    async fn turn(
        &self,
        ladder: &Ladder,
        replies: impl IntoIterator<Item = Option<ModelFailure>>,
    ) -> (Vec<String>, Result<(), String>, Level) {
        self.ask(&ladder.for_turn().unwrap(), request(), replies).await
    }
}

fn request() -> ChatRequest {
    let parameters = serde_json::json!({"type": "object"});
    let tool = ToolSpec { name: "search".into(), description: "Looks.".into(), parameters };
    ChatRequest { tools: vec![tool], tool_choice: ToolChoice::Required, ..ChatRequest::default() }
}

fn rejected(status: u16, shape: Option<RefusedShape>) -> Option<ModelFailure> {
    let message = format!("{status} {}", Refused { shape, status }.class());
    Some(ModelFailure { shape, ..ModelFailure::new(FailureClass::Rejected { status }, message) })
}

fn tools_refused() -> Option<ModelFailure> {
    rejected(400, Some(RefusedShape::Tools))
}

fn memory() -> Arc<ProcessCapabilities> {
    Arc::new(ProcessCapabilities::default())
}

async fn known(ladder: &Ladder, kind: &str) -> Option<(String, String, Proof, Duration)> {
    let entry = ladder.knowledge().remembered(kind, "", false).await.entry?;
    let holds = entry.expires_at.unwrap() - entry.last_seen_at;
    Some((entry.value.unwrap(), entry.class.unwrap(), entry.proof.unwrap(), holds))
}

const NATIVE: &str = "native Required 1 tools";
const WITHOUT_CHOICE: &str = "native Auto 1 tools";
const TEXT: &str = "text Required 1 tools";

fn sent(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

#[tokio::test]
async fn refused_tools_are_asked_for_in_words_at_once_and_the_second_turn_asks_once() {
    let (world, memory) = (World::new(), memory());
    let ladder = world.ladder(None, &memory);
    let turn = ladder.for_turn().unwrap();
    let first = world.ask(&turn, request(), [tools_refused(), None]).await;
    assert_eq!(first, (sent(&[NATIVE, TEXT]), Ok(()), Level::Text));
    assert_eq!(turn.standing().degradations, ["native to text: tools refused with status 400"]);
    let within = world.ask(&turn, request(), [None]).await;
    assert_eq!(within, (sent(&[TEXT]), Ok(()), Level::Text), "the turn stays where it is");

    let expected = ("text".into(), "tools".into(), Proof::Words, Duration::hours(24));
    assert_eq!(known(&ladder, TOOLS).await, Some(expected));
    let second = ladder.for_turn().unwrap();
    assert_eq!(world.ask(&second, request(), [None]).await, (sent(&[TEXT]), Ok(()), Level::Text));
    assert_eq!(second.standing().degradations, ["native to text: remembered, tools refused with status 400"]);
    let elsewhere = world.ladder(None, &memory);
    assert_eq!(world.turn(&elsewhere, [None]).await.0, [TEXT], "another instance has learned it too");
}

#[tokio::test]
async fn a_refused_choice_is_left_away_and_what_tools_imply_ends_in_text_mode() {
    let choice = || rejected(400, Some(RefusedShape::ToolChoice));
    let world = World::new();
    let ladder = world.ladder(None, &memory());
    let turn = world.turn(&ladder, [choice(), None]).await;
    assert_eq!(turn, (sent(&[NATIVE, WITHOUT_CHOICE]), Ok(()), Level::NativeWithoutChoice));
    assert_eq!(world.turn(&ladder, [None]).await.0, [WITHOUT_CHOICE]);

    let ladder = world.ladder(None, &memory());
    let turn = world.turn(&ladder, [choice(), choice(), None]).await;
    assert_eq!(turn, (sent(&[NATIVE, WITHOUT_CHOICE, TEXT]), Ok(()), Level::Text));
    let expected = ("text".into(), "tool_choice".into(), Proof::Words, Duration::hours(24));
    assert_eq!(known(&ladder, TOOLS).await, Some(expected));
    assert_eq!(world.turn(&ladder, [None]).await.0, [TEXT]);
}

#[tokio::test]
async fn a_refusal_without_a_reason_counts_only_when_the_lower_request_is_accepted() {
    let unknown = || rejected(400, None);
    let world = World::new();
    let ladder = world.ladder(None, &memory());
    let turn = world.turn(&ladder, [unknown(), unknown(), rejected(404, None)]).await;
    let outcome = Err("400 unclassified".to_owned());
    assert_eq!(turn, (sent(&[NATIVE, WITHOUT_CHOICE, TEXT]), outcome, Level::Text));
    assert_eq!(known(&ladder, TOOLS).await, None);

    let turn = world.turn(&ladder, [unknown(), unknown(), None]).await;
    assert_eq!(turn, (sent(&[NATIVE, WITHOUT_CHOICE, TEXT]), Ok(()), Level::Text));
    let expected = ("text".into(), "unclassified".into(), Proof::Differential, Duration::hours(1));
    assert_eq!(known(&ladder, TOOLS).await, Some(expected));
}

#[tokio::test]
async fn what_passes_is_an_error_and_never_remembered() {
    let classes = [
        FailureClass::RateLimited,
        FailureClass::Unavailable,
        FailureClass::Stalled,
        FailureClass::Unreachable,
        FailureClass::OutOfCredit,
        FailureClass::Unauthorized,
        FailureClass::ContextTooLong { window: None },
        FailureClass::Rejected { status: 500 },
        FailureClass::Rejected { status: 409 },
    ];
    let (world, memory) = (World::new(), memory());
    let ladder = world.ladder(None, &memory);
    for class in classes {
        let turn = world.turn(&ladder, [Some(ModelFailure::new(class, "words"))]).await;
        assert_eq!(turn, (sent(&[NATIVE]), Err("words".to_owned()), Level::Native), "{class:?}");
    }
    let missing = world.turn(&ladder, [rejected(404, Some(RefusedShape::ModelMissing))]).await;
    assert_eq!(missing.0, [NATIVE]);
    assert_eq!(memory.list(ladder.knowledge().key()).await.unwrap(), []);

    // The words had proved it when the lower request met a rate limit.
    let busy = Some(ModelFailure::new(FailureClass::RateLimited, "slow down"));
    let turn = world.turn(&ladder, [tools_refused(), busy]).await;
    assert_eq!(turn, (sent(&[NATIVE, TEXT]), Err("slow down".to_owned()), Level::Text));
    assert_eq!(known(&ladder, TOOLS).await.map(|known| known.0), Some("text".into()));
}

#[tokio::test]
async fn a_turn_that_was_answered_does_not_step_down_any_more() {
    let world = World::new();
    let ladder = world.ladder(None, &memory());
    let turn = ladder.for_turn().unwrap();
    world.ask(&turn, request(), [None]).await.1.unwrap();
    let second = world.ask(&turn, request(), [tools_refused()]).await;
    assert_eq!(second, (sent(&[NATIVE]), Err("400 tools".to_owned()), Level::Native));
}

#[tokio::test]
async fn a_request_without_tools_goes_to_the_wire_whatever_was_learned() {
    let world = World::new();
    let ladder = world.ladder(None, &memory());
    world.turn(&ladder, [tools_refused(), None]).await.1.unwrap();
    let turn = ladder.for_turn().unwrap();
    let plain = ChatRequest { tool_choice: ToolChoice::None, ..ChatRequest::default() };
    assert_eq!(world.ask(&turn, plain, [None]).await.0, ["native None 0 tools"]);
}

#[tokio::test]
async fn against_a_recent_success_one_refusal_moves_the_turn_and_two_move_the_memory() {
    let world = World::new();
    let ladder = world.ladder(None, &memory());
    world.turn(&ladder, [None]).await.1.unwrap();
    for _ in 0..2 {
        world.later(Duration::hours(1));
        let turn = world.turn(&ladder, [tools_refused(), None]).await;
        assert_eq!(turn, (sent(&[NATIVE, TEXT]), Ok(()), Level::Text));
    }
    assert_eq!(world.turn(&ladder, [None]).await.0, [TEXT]);
}

#[tokio::test]
async fn at_the_expiry_one_turn_tries_the_top_while_the_others_stay_down() {
    let (world, memory) = (World::new(), memory());
    let ladder = world.ladder(None, &memory);
    world.turn(&ladder, [tools_refused(), None]).await.1.unwrap();
    world.later(Duration::hours(24));
    // A try that fails for another reason leaves the entry as it was.
    let busy = Some(ModelFailure::new(FailureClass::RateLimited, "slow down"));
    assert_eq!(world.turn(&ladder, [busy]).await.0, [NATIVE]);
    let elsewhere = world.ladder(None, &memory);
    for others in [&ladder, &elsewhere] {
        assert_eq!(world.turn(others, [None]).await.0, [TEXT]);
    }
    world.later(Duration::minutes(6));
    // A failure of the tools themselves costs the reader nothing.
    let turn = world.turn(&ladder, [rejected(500, None), None]).await;
    assert_eq!(turn, (sent(&[NATIVE, TEXT]), Ok(()), Level::Text));
    world.later(Duration::minutes(6));
    assert_eq!(world.turn(&elsewhere, [tools_refused(), None]).await.0, [NATIVE, TEXT]);
    assert_eq!(world.turn(&ladder, [None]).await.0, [TEXT], "the refusal holds for another day");
    world.later(Duration::hours(24));
    assert_eq!(world.turn(&ladder, [None]).await, (sent(&[NATIVE]), Ok(()), Level::Native));
    assert_eq!(world.turn(&ladder, [None]).await.0, [NATIVE], "the endpoint has learned tools");
}

#[tokio::test]
async fn a_configured_level_wins_and_nothing_is_chosen_or_learned() {
    let (world, memory) = (World::new(), memory());
    let lines = [(Level::Native, NATIVE), (Level::NativeWithoutChoice, WITHOUT_CHOICE), (Level::Text, TEXT)];
    for (level, line) in lines {
        let ladder = world.ladder(Some(level), &memory);
        let turn = world.turn(&ladder, [tools_refused()]).await;
        assert_eq!(turn, (sent(&[line]), Err("400 tools".to_owned()), level));
        assert_eq!(world.turn(&ladder, [None]).await.0, [line]);
    }
    let ladder = world.ladder(Some(Level::Retrieval), &memory);
    let (lines, outcome, level) = world.turn(&ladder, []).await;
    assert_eq!((lines, outcome.is_err(), level), (vec![], true, Level::Retrieval));
    assert_eq!(memory.list(ladder.knowledge().key()).await.unwrap(), []);
}

#[tokio::test]
async fn schemas_are_simplified_before_tools_are_given_up_and_that_holds_for_these_tools() {
    let rich = || {
        let mut request = request();
        request.tools[0].parameters = serde_json::json!({"type": "object", "$defs": {}});
        request
    };
    let schema = || rejected(400, Some(RefusedShape::Schema));
    let world = World::new();
    let ladder = world.ladder(None, &memory());
    let turn = |replies: Vec<Option<ModelFailure>>, request| {
        let (world, turn) = (Arc::clone(&world), ladder.for_turn().unwrap());
        async move { world.ask(&turn, request, replies).await }
    };
    let first = turn(vec![schema(), None], rich()).await;
    assert_eq!(first, (sent(&["native Required 1 tools rich", NATIVE]), Ok(()), Level::Native));
    assert_eq!(turn(vec![None], rich()).await.0, [NATIVE]);
    assert_eq!(known(&ladder, SCHEMAS).await, None, "it is not known of other tools");
    let other = ladder.for_turn().unwrap();
    let refused = world.ask(&other, request(), [schema(), None]).await;
    assert_eq!(refused, (sent(&[NATIVE, TEXT]), Ok(()), Level::Text));
}

#[tokio::test]
async fn tools_that_cannot_be_taught_and_a_template_that_takes_no_protocol_end_in_a_look_up() {
    let world = World::new();
    let ladder = world.ladder(None, &memory());
    let many = || ChatRequest { tools: vec![request().tools[0].clone(); 25], ..request() };
    let turn = ladder.for_turn().unwrap();
    let (lines, outcome, level) = world.ask(&turn, many(), [tools_refused()]).await;
    assert_eq!(
        (lines, outcome.is_err(), level),
        (sent(&["native Required 25 tools"]), true, Level::Retrieval)
    );
    assert_eq!(turn.standing().degradations, ["native to retrieval: tools refused with status 400"]);
    let again = ladder.for_turn().unwrap();
    assert_eq!(world.ask(&again, many(), []).await.2, Level::Retrieval);

    let ladder = world.ladder(None, &memory());
    let template = rejected(400, Some(RefusedShape::Template));
    let (lines, outcome, level) = world.turn(&ladder, [tools_refused(), template]).await;
    assert_eq!((lines, outcome.is_err(), level), (sent(&[NATIVE, TEXT]), true, Level::Retrieval));
    assert_eq!(world.turn(&ladder, []).await.2, Level::Retrieval, "and the next turn sends nothing in vain");
}

#[tokio::test]
async fn two_replies_that_the_endpoint_could_not_read_move_the_turn_and_are_forgotten() {
    let unread = || rejected(500, Some(RefusedShape::OwnCall));
    let (world, memory) = (World::new(), memory());
    let ladder = world.ladder(None, &memory);
    let turn = world.turn(&ladder, [unread(), unread(), None]).await;
    assert_eq!(turn, (sent(&[NATIVE, NATIVE, TEXT]), Ok(()), Level::Text));
    assert_eq!(memory.list(ladder.knowledge().key()).await.unwrap(), []);
    assert_eq!(world.turn(&ladder, [unread(), None]).await.0, [NATIVE, NATIVE]);
}
