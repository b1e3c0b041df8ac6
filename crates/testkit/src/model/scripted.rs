//! A model that plays a queue of replies and checks every request.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::reply::Reply;
use super::{MODEL_NAME, check};

/// An OpenAI-compatible endpoint that replies what it was told to, in order. When it is dropped, a request that was
/// wrong, a request too many or a reply that nobody asked for fails the test.
pub struct ScriptedModel {
    server: MockServer,
    script: Arc<Script>,
}

#[derive(Default)]
struct Script(Mutex<State>);

#[derive(Default)]
struct State {
    queue: VecDeque<Reply>,
    /// Played when the queue is empty, any number of times.
    fallback: Option<Reply>,
    requests: Vec<Value>,
    faults: Vec<String>,
}

impl ScriptedModel {
    /// A model that will give these replies.
    pub async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let server = MockServer::builder().disable_request_recording().start().await;
        let script = Arc::new(Script::default());
        script.state().queue.extend(replies);
        Mock::given(method("POST"))
            .and(path("/v1/chat/completions"))
            .respond_with(Player(Arc::clone(&script)))
            .mount(&server)
            .await;
        let models = json!({"object": "list", "data": [{"id": MODEL_NAME, "object": "model"}]});
        Mock::given(method("GET"))
            .and(path("/v1/models"))
            .respond_with(ResponseTemplate::new(200).set_body_json(models))
            .mount(&server)
            .await;
        Self { server, script }
    }

    /// A model that gives this one reply to everything.
    pub async fn always(reply: Reply) -> Self {
        let model = Self::start([]).await;
        model.script.state().fallback = Some(reply);
        model
    }

    /// Adds replies to the end of the script.
    pub fn queue(&self, replies: impl IntoIterator<Item = Reply>) {
        self.script.state().queue.extend(replies);
    }

    /// What `model.base_url` is set to.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("{}/v1", self.server.uri())
    }

    /// The bodies of all requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Value> {
        self.script.state().requests.clone()
    }

    /// Fails the test when a request was wrong, came too much or did not come.
    ///
    /// # Panics
    /// Then.
    pub fn verify(&self) {
        let state = self.script.state();
        assert!(
            state.faults.is_empty(),
            "requests to the model were wrong:\n  {}",
            state.faults.join("\n  ")
        );
        assert!(
            state.queue.is_empty(),
            "{} replies were not asked for after {} requests: {:#?}",
            state.queue.len(),
            state.requests.len(),
            state.queue
        );
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        // A test that fails already says what failed; a second panic would hide it.
        if !std::thread::panicking() {
            self.verify();
        }
    }
}

impl Script {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Player(Arc<Script>);

impl Respond for Player {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let headers: Vec<(String, String)> = request
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        let mut state = self.0.state();
        let number = state.requests.len() + 1;
        let faults = check::faults(&headers, &request.body);
        state.faults.extend(faults.into_iter().map(|fault| format!("request {number}: {fault}")));
        state.requests.push(serde_json::from_slice(&request.body).unwrap_or(Value::Null));
        let Some(reply) = state.queue.pop_front().or_else(|| state.fallback.clone()) else {
            let fault = format!("request {number} has no reply in the script");
            state.faults.push(fault.clone());
            return ResponseTemplate::new(500).set_body_json(json!({"error": {"message": fault}}));
        };
        let rendered = reply.render(number);
        let template =
            ResponseTemplate::new(rendered.status).set_body_raw(rendered.body, rendered.content_type);
        rendered
            .headers
            .into_iter()
            .fold(template, |template, (name, value)| template.append_header(name, value.as_str()))
    }
}
