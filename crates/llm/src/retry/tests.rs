use std::collections::VecDeque;
use std::sync::Mutex;

use super::*;
use crate::chat::{ChatEvent, ReplyFinish};

type Script = Result<Vec<Result<ChatEvent, ModelFailure>>, ModelFailure>;

/// Answers with the scripted replies in turn.
struct Scripted(Mutex<VecDeque<Script>>);

#[async_trait]
impl ChatBackend for Scripted {
    async fn chat(&self, _: ChatRequest) -> Result<ChatStream, ModelFailure> {
        let next = self.0.lock().unwrap().pop_front().expect("one attempt too many");
        next.map(|events| Box::pin(futures::stream::iter(events)) as ChatStream)
    }

    fn model(&self) -> &str {
        "m"
    }
}

/// What the caller sees, how long it waited, and how many replies of the script were left.
async fn outcome(
    script: Vec<Script>,
) -> (Result<Vec<Result<ChatEvent, ModelFailure>>, ModelFailure>, Duration, usize) {
    let backend = RetryingBackend::new(Scripted(Mutex::new(script.into())), RetryPolicy::default(), "h");
    let started = Instant::now();
    let seen = match backend.chat(ChatRequest::default()).await {
        Ok(stream) => Ok(stream.collect().await),
        Err(failure) => Err(failure),
    };
    let left = backend.inner.0.lock().unwrap().len();
    (seen, started.elapsed(), left)
}

fn failure(class: FailureClass) -> ModelFailure {
    ModelFailure::new(class, "no")
}

fn hi() -> ChatEvent {
    ChatEvent::Text("hi".into())
}

fn good() -> Vec<Result<ChatEvent, ModelFailure>> {
    vec![Ok(hi()), Ok(ChatEvent::End { finish: ReplyFinish::Stop, usage: None, continue_turn: None })]
}

#[tokio::test(start_paused = true)]
async fn a_failure_before_the_first_event_is_sent_again_and_only_the_good_reply_is_seen() {
    let script = vec![
        Err(failure(FailureClass::Unavailable)),
        Ok(vec![Err(failure(FailureClass::RateLimited))]),
        Ok(good()),
    ];
    let (seen, waited, left) = outcome(script).await;
    assert_eq!((seen, left), (Ok(good()), 0));
    // Half to all of 0.5 s, then of 1 s.
    assert!((750..=1510).contains(&waited.as_millis()), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_failure_after_the_first_event_is_never_sent_again() {
    let broken = vec![Ok(hi()), Err(failure(FailureClass::Unavailable))];
    let (seen, _, left) = outcome(vec![Ok(broken.clone()), Ok(good())]).await;
    assert_eq!((seen, left), (Ok(broken), 1));
}

#[tokio::test(start_paused = true)]
async fn each_class_is_sent_again_as_often_as_its_row_says() {
    let timed_out = ModelFailure { timed_out: true, ..failure(FailureClass::Unreachable) };
    let cases = [
        (failure(FailureClass::RateLimited), 2),
        (failure(FailureClass::Unavailable), 2),
        (failure(FailureClass::Unreachable), 2),
        (timed_out, 0),
        (failure(FailureClass::EmptyStream), 1),
        (failure(FailureClass::OutOfCredit), 0),
        (failure(FailureClass::ContextTooLong { window: None }), 0),
        (failure(FailureClass::Unauthorized), 0),
        (failure(FailureClass::Rejected { status: 500 }), 0),
        (failure(FailureClass::Interrupted), 0),
        (failure(FailureClass::Stalled), 0),
        (failure(FailureClass::Filtered), 0),
    ];
    for (failure, resends) in cases {
        let (seen, _, left) = outcome(vec![Err(failure.clone()); 9]).await;
        assert_eq!((seen, 8 - left), (Err(failure), resends));
    }
}

#[test]
fn the_wait_doubles_obeys_the_endpoint_and_ends_with_the_deadline() {
    let policy = RetryPolicy { max_resends: 9, ..RetryPolicy::default() };
    let asks = |seconds| ModelFailure { retry_after_seconds: seconds, ..failure(FailureClass::RateLimited) };
    // (asked, resends so far, elapsed in s, jitter, wait in ms)
    let cases = [
        (None, 0, 0, 0.0, Some(250)),
        (None, 0, 0, 1.0, Some(500)),
        (None, 1, 0, 1.0, Some(1000)),
        (None, 8, 0, 1.0, Some(8000)),
        (None, 9, 0, 1.0, None),
        (None, 0, 60, 1.0, None),
        (Some(7), 0, 0, 1.0, Some(7500)),
        (Some(0), 3, 0, 1.0, Some(500)),
        (Some(59), 0, 0, 1.0, Some(59_500)),
        (Some(60), 0, 0, 1.0, None),
        (Some(u64::MAX), 0, 0, 1.0, None),
    ];
    for (asked, resends, elapsed, jitter, expected) in cases {
        let wait = policy.wait(&asks(asked), resends, Duration::from_secs(elapsed), jitter);
        assert_eq!(wait, expected.map(Duration::from_millis), "{asked:?} {resends} {elapsed}");
    }
}
