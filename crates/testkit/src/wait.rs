//! Waiting for an event, never for time: every wait of a test is bounded here.

use std::future::{Future, IntoFuture};
use std::time::Duration;

/// The longest that a test waits for one thing. Generous, because machines that run tests are busy; a test that
/// passes never comes near it.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Waits for something that has to come.
///
/// # Panics
/// When it does not come within [`PATIENCE`], with what was waited for.
pub async fn soon<F: IntoFuture>(what: &str, future: F) -> F::Output {
    match tokio::time::timeout(PATIENCE, future.into_future()).await {
        Ok(output) => output,
        Err(_) => panic!("waited {PATIENCE:?} in vain for {what}"),
    }
}

/// Looks again and again until there is something to see: for what announces itself to nobody.
///
/// # Panics
/// When there is nothing to see within [`PATIENCE`].
pub async fn until<T, F, Fut>(what: &str, mut look: F) -> T
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Option<T>>,
{
    soon(what, async {
        let mut ticks = tokio::time::interval(Duration::from_millis(10));
        loop {
            ticks.tick().await;
            if let Some(seen) = look().await {
                return seen;
            }
        }
    })
    .await
}
