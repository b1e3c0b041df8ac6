//! What one model at one endpoint taught us by refusing it, and where that is remembered.
//!
//! A lesson is kept only once the request that obeys it was accepted: a validator that repeats the whole request in its
//! refusal names fields that had nothing to do with it.

use std::fmt;
use std::sync::atomic::{AtomicU16, Ordering};

use async_trait::async_trait;

use crate::failure::ModelFailure;

/// One change of a request that an endpoint asked for. The wordings that teach it are rows of [`crate::quirks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Lesson {
    /// `stream_options` is left out.
    NoStreamOptions,
    /// The token limit is called `max_completion_tokens`.
    CompletionTokens,
    /// One system message in front and no other, then the person and the model strictly in turn.
    StrictRoles,
    /// No system message at all: what it says stands at the head of the person's message.
    NoSystemRole,
    /// What the model said and what it called are two messages.
    CallsApart,
    /// The content of a message that only calls is null in place of an empty string.
    NullContent,
    /// Each message of the model carries an empty `reasoning_content`. Never somebody else's thought: a model that reads
    /// an invented one again and again calls the same tool again and again.
    EmptyReasoning,
}

impl Lesson {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::NoStreamOptions,
        Self::CompletionTokens,
        Self::StrictRoles,
        Self::NoSystemRole,
        Self::CallsApart,
        Self::NullContent,
        Self::EmptyReasoning,
    ];

    /// Its name, for logs and for storage. Never changes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoStreamOptions => "no_stream_options",
            Self::CompletionTokens => "completion_tokens",
            Self::StrictRoles => "strict_roles",
            Self::NoSystemRole => "no_system_role",
            Self::CallsApart => "calls_apart",
            Self::NullContent => "null_content",
            Self::EmptyReasoning => "empty_reasoning",
        }
    }

    /// The lesson of this name; `None` for one that this version does not know.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lesson| lesson.name() == name)
    }

    /// True when it changes the history and not only a field beside it. A request is healed so at most once.
    pub const fn is_about_history(self) -> bool {
        !matches!(self, Self::NoStreamOptions | Self::CompletionTokens)
    }

    const fn bit(self) -> u16 {
        1 << self as u8
    }
}

/// A set of lessons.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Learned(u16);

impl Learned {
    /// Whether this lesson is among them.
    pub const fn has(self, lesson: Lesson) -> bool {
        self.0 & lesson.bit() != 0
    }

    /// These and one more.
    #[must_use]
    pub const fn with(self, lesson: Lesson) -> Self {
        Self(self.0 | lesson.bit())
    }

    /// Its lessons, in the order of [`Lesson::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Lesson> {
        Lesson::ALL.into_iter().filter(move |lesson| self.has(*lesson))
    }
}

impl FromIterator<Lesson> for Learned {
    fn from_iter<I: IntoIterator<Item = Lesson>>(lessons: I) -> Self {
        lessons.into_iter().fold(Self::default(), Self::with)
    }
}

impl fmt::Debug for Learned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// What a request is told before it is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// What it has to obey.
    pub learned: Learned,
    /// One lesson that has expired, and that this request alone leaves out to see whether it still holds.
    pub on_trial: Option<Lesson>,
}

impl From<Learned> for Known {
    fn from(learned: Learned) -> Self {
        Self { learned, on_trial: None }
    }
}

/// Where the lessons of one model at one endpoint are remembered. Asked before every request, so it answers from a copy
/// nearly always, and never fails: a memory that cannot be reached knows what it knew.
#[async_trait]
pub trait LessonMemory: Send + Sync + fmt::Debug {
    /// What is known.
    async fn get(&self) -> Known;

    /// Remembers a lesson, taught by a refusal of this status and proven by a request that obeyed it and was accepted.
    async fn set(&self, lesson: Lesson, status: u16);

    /// A request on which this lesson, on trial, would have changed something was accepted without.
    async fn was_needless(&self, lesson: Lesson);

    /// Told of a refusal after which the request is sent in another shape; nothing is proven yet.
    fn saw_refusal(&self, refusal: &ModelFailure) {
        let _ = refusal;
    }
}

/// A memory that lives as long as the process. Nothing in it expires.
#[derive(Debug, Default)]
pub struct ProcessMemory(AtomicU16);

#[async_trait]
impl LessonMemory for ProcessMemory {
    async fn get(&self) -> Known {
        Learned(self.0.load(Ordering::Relaxed)).into()
    }

    async fn set(&self, lesson: Lesson, _status: u16) {
        self.0.fetch_or(lesson.bit(), Ordering::Relaxed);
    }

    async fn was_needless(&self, lesson: Lesson) {
        self.0.fetch_and(!lesson.bit(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_lesson_is_found_by_its_name_and_kept() {
        let memory = ProcessMemory::default();
        assert_eq!(memory.get().await, Known::default());
        for lesson in Lesson::ALL {
            assert_eq!(Lesson::named(lesson.name()), Some(lesson));
            memory.set(lesson, 400).await;
        }
        assert_eq!(memory.get().await, Lesson::ALL.into_iter().collect::<Learned>().into());
        assert_eq!(Lesson::named("forgotten"), None);
        let two = Learned::default().with(Lesson::NullContent).with(Lesson::StrictRoles);
        assert_eq!(format!("{two:?}"), "{StrictRoles, NullContent}");
    }
}
