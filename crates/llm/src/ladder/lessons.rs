//! The lessons of the wire in the memory of the ladder: one entry each, `lesson.<name>`, under the same key, with the
//! same expiry, read through the same copy.

use async_trait::async_trait;

use super::Refused;
use super::knowledge::Knowledge;
use super::memory::{Capability, Lesson as Proved, Proof};
use crate::learned::{Known, Lesson, LessonMemory};

/// How the kind of a lesson begins.
const PREFIX: &str = "lesson.";
/// The value of a lesson in force.
const OBEYED: &str = "obeyed";

#[async_trait]
impl LessonMemory for Knowledge {
    async fn get(&self) -> Known {
        let mut known = Known::default();
        for entry in self.entries().await.iter().filter(|entry| entry.value.is_some()) {
            let Some(lesson) = lesson_of(entry) else { continue };
            if known.on_trial.is_none() && self.probes(entry).await {
                known.on_trial = Some(lesson);
            } else {
                known.learned = known.learned.with(lesson);
            }
        }
        known
    }

    async fn set(&self, lesson: Lesson, status: u16) {
        let refused = Refused { shape: None, status };
        let proved = Proved { value: OBEYED.to_owned(), refused, proof: Proof::Words, tool_set: None };
        let kind = kind_of(lesson);
        self.change(&kind, |known, now| {
            let next = Capability::after_refusal(known, &kind, &proved, now);
            Some(Capability { class: Some(class_of(lesson).to_owned()), ..next })
        })
        .await;
    }

    async fn was_needless(&self, lesson: Lesson) {
        let kind = kind_of(lesson);
        self.change(&kind, |known, now| {
            // Another instance may have proved it anew in the meantime.
            let expired = known.filter(|known| known.is_expired(now))?;
            Capability::after_success(Some(expired), &kind, now)
        })
        .await;
    }
}

/// The lesson that an entry is about; `None` for other entries and for lessons of a newer version.
pub(super) fn lesson_of(entry: &Capability) -> Option<Lesson> {
    Lesson::named(entry.kind.strip_prefix(PREFIX)?)
}

fn kind_of(lesson: Lesson) -> String {
    format!("{PREFIX}{}", lesson.name())
}

/// What was refused.
const fn class_of(lesson: Lesson) -> &'static str {
    if lesson.is_about_history() { "history" } else { "parameter" }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use time::macros::datetime;
    use time::{Duration, OffsetDateTime};
    use url::Url;

    use super::*;
    use crate::ladder::memory::{CapabilityKey, CapabilityMemory, MemoryError, ProcessCapabilities};
    use crate::learned::Learned;

    /// A database that several instances share, and the time that all of them read.
    struct World {
        memory: Arc<dyn CapabilityMemory>,
        now: Arc<Mutex<OffsetDateTime>>,
    }

    impl World {
        fn with(memory: Arc<dyn CapabilityMemory>) -> Self {
            Self { memory, now: Arc::new(Mutex::new(datetime!(2026-12-01 10:00 UTC))) }
        }

        fn instance(&self, model: &str) -> Knowledge {
            let key = CapabilityKey::new(&Url::parse("https://a/v1").unwrap(), model, None);
            let now = Arc::clone(&self.now);
            Knowledge::new(key, Arc::clone(&self.memory), Arc::new(move || *now.lock().unwrap()))
        }

        fn later(&self, wait: Duration) {
            *self.now.lock().unwrap() += wait;
        }
    }

    fn only(lesson: Lesson) -> Known {
        Learned::default().with(lesson).into()
    }

    fn on_trial(lesson: Lesson) -> Known {
        Known { learned: Learned::default(), on_trial: Some(lesson) }
    }

    #[tokio::test]
    async fn what_one_instance_learned_another_knows_within_ten_seconds_and_a_new_one_at_once() {
        let world = World::with(Arc::new(ProcessCapabilities::default()));
        let (one, other) = (world.instance("m"), world.instance("m"));
        assert_eq!(other.get().await, Known::default());
        one.set(Lesson::StrictRoles, 400).await;
        assert_eq!(one.get().await, only(Lesson::StrictRoles));
        assert_eq!(other.get().await, Known::default(), "its copy is young");
        world.later(Duration::seconds(10));
        assert_eq!(other.get().await, only(Lesson::StrictRoles));
        assert_eq!(world.instance("m").get().await, only(Lesson::StrictRoles));
        assert_eq!(world.instance("another").get().await, Known::default());
    }

    #[tokio::test]
    async fn an_entry_says_what_was_refused_and_what_proved_it() {
        let world = World::with(Arc::new(ProcessCapabilities::default()));
        let knowledge = world.instance("m");
        knowledge.set(Lesson::NoStreamOptions, 422).await;
        knowledge.set(Lesson::NoSystemRole, 500).await;
        let mut lines: Vec<String> = knowledge
            .entries()
            .await
            .into_iter()
            .map(|entry| {
                let hours = entry.expires_at.map(|at| (at - entry.last_seen_at).whole_hours());
                let (class, status) = (entry.class.unwrap(), entry.status.unwrap());
                format!("{} {class} {status} {:?} {hours:?}", entry.kind, entry.proof)
            })
            .collect();
        lines.sort();
        assert_eq!(
            lines,
            [
                "lesson.no_stream_options parameter 422 Some(Words) Some(24)",
                "lesson.no_system_role history 500 Some(Words) Some(24)"
            ]
        );
    }

    #[tokio::test]
    async fn after_a_day_one_caller_tries_without_while_the_others_obey() {
        let world = World::with(Arc::new(ProcessCapabilities::default()));
        let (one, other) = (world.instance("m"), world.instance("m"));
        one.set(Lesson::NullContent, 400).await;
        world.later(Duration::hours(24));
        assert_eq!(one.get().await, on_trial(Lesson::NullContent));
        assert_eq!(one.get().await, only(Lesson::NullContent));
        assert_eq!(other.get().await, only(Lesson::NullContent));
        // It was needed: another day.
        one.set(Lesson::NullContent, 400).await;
        world.later(Duration::hours(23));
        assert_eq!(other.get().await, only(Lesson::NullContent));
        world.later(Duration::hours(1));
        assert_eq!(other.get().await, on_trial(Lesson::NullContent));
        other.was_needless(Lesson::NullContent).await;
        assert_eq!(other.get().await, Known::default());
        assert_eq!(world.instance("m").get().await, Known::default());
    }

    #[tokio::test]
    async fn a_lesson_that_was_proved_anew_outlives_the_end_of_an_older_trial() {
        let world = World::with(Arc::new(ProcessCapabilities::default()));
        let (one, other) = (world.instance("m"), world.instance("m"));
        one.set(Lesson::CallsApart, 400).await;
        world.later(Duration::hours(24));
        assert_eq!(one.get().await, on_trial(Lesson::CallsApart));
        other.set(Lesson::CallsApart, 400).await;
        one.was_needless(Lesson::CallsApart).await;
        assert_eq!(world.instance("m").get().await, only(Lesson::CallsApart));
    }

    /// A database that is away.
    struct Away;

    #[async_trait]
    impl CapabilityMemory for Away {
        async fn list(&self, _: &CapabilityKey) -> Result<Vec<Capability>, MemoryError> {
            Err("away".into())
        }

        async fn save(&self, _: &CapabilityKey, _: &Capability) -> Result<bool, MemoryError> {
            Err("away".into())
        }
    }

    #[tokio::test]
    async fn without_the_database_requests_go_out_as_if_nothing_was_known() {
        let knowledge = World::with(Arc::new(Away)).instance("m");
        knowledge.set(Lesson::StrictRoles, 400).await;
        assert_eq!(knowledge.get().await, Known::default());
    }
}
