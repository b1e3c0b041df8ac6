//! What is remembered of one model at one endpoint, and how it changes: pure functions, and where the result is kept.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};
use url::Url;

use super::Refused;
use crate::secret::Secret;

/// The version of this client's way of asking. A newer one forgets what an older one learned.
pub const ADAPTER_VERSION: u32 = 1;

/// How long words hold.
const WORDS_HOLD: Duration = Duration::hours(24);
/// How long it holds that the lower request succeeded where the higher one did not.
const DIFFERENTIAL_HOLDS: Duration = Duration::hours(1);
/// How long a success makes one refusal too few.
const SUCCESS_HOLDS: Duration = Duration::hours(24);
/// A success that is younger is not written again.
const SUCCESS_IS_FRESH: Duration = Duration::hours(1);
/// How long the one that tries the higher level is waited for.
const PROBE_LEASE: Duration = Duration::minutes(6);

/// The model, the endpoint and the key that something was learned with. Never endpoint-wide: routers and local servers
/// decide by model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CapabilityKey {
    /// The base URL without user, query and fragment, and without a slash at its end.
    pub base_url: String,
    /// The model's name at that endpoint.
    pub model: String,
    /// Tells keys apart without holding one: the first 12 hex digits of the key's SHA-256, empty without a key.
    pub credential: String,
    /// [`ADAPTER_VERSION`].
    pub adapter_version: u32,
}

impl CapabilityKey {
    /// The key of these settings.
    pub fn new(base_url: &Url, model: &str, api_key: Option<&Secret>) -> Self {
        let mut url = base_url.clone();
        url.set_query(None);
        url.set_fragment(None);
        // Both can only fail on a URL without a host, which has neither.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let credential = api_key.map(|key| short_hash(key.expose().as_bytes())).unwrap_or_default();
        Self {
            base_url: url.as_str().trim_end_matches('/').to_owned(),
            model: model.to_owned(),
            credential,
            adapter_version: ADAPTER_VERSION,
        }
    }
}

/// The first 12 hex digits of a SHA-256.
pub(crate) fn short_hash(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha256::digest(bytes).iter().take(6).fold(String::with_capacity(12), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// What proved a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The endpoint said so. Holds for 24 hours.
    Words,
    /// It refused without saying why, and accepted the lower request right after. Holds for one hour.
    Differential,
}

impl Proof {
    /// Its name in the memory.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Differential => "differential",
        }
    }

    /// The proof of this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Words, Self::Differential].into_iter().find(|proof| proof.name() == name)
    }

    const fn holds(self) -> Duration {
        match self {
            Self::Words => WORDS_HOLD,
            Self::Differential => DIFFERENTIAL_HOLDS,
        }
    }
}

/// One thing that is remembered, under its kind. A kind without an entry is as good as can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// What it is about: [`TOOLS`], [`SCHEMAS`], or a lesson of the wire.
    pub kind: String,
    /// What is sent because of it; `None` while nothing had to be given up.
    pub value: Option<String>,
    /// What was refused last.
    pub class: Option<String>,
    /// With which status.
    pub status: Option<u16>,
    /// What proved it.
    pub proof: Option<Proof>,
    /// The tools it holds for; `None` for any.
    pub tool_set: Option<String>,
    /// How often it was proved.
    pub hits: u32,
    /// Refusals since the last success at the top.
    pub refused_in_a_row: u32,
    /// When it was first proved.
    pub first_seen_at: OffsetDateTime,
    /// When it was last proved, or last succeeded.
    pub last_seen_at: OffsetDateTime,
    /// Until when the value holds.
    pub expires_at: Option<OffsetDateTime>,
    /// The last success at the top, to within an hour.
    pub succeeded_at: Option<OffsetDateTime>,
    /// Until when somebody is trying the top again.
    pub probed_until: Option<OffsetDateTime>,
    /// Counts the changes; 0 for an entry that is not stored yet. See [`CapabilityMemory::save`].
    pub version: u64,
}

/// The level of requests with tools.
pub const TOOLS: &str = "tools";
/// Whether schemas are sent in their simple form.
pub const SCHEMAS: &str = "schemas";

/// What a choice has proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// What to send from now on.
    pub value: String,
    /// Why.
    pub refused: Refused,
    /// The proof.
    pub proof: Proof,
    /// The tools it was proved with, where it depends on them.
    pub tool_set: Option<String>,
}

impl Capability {
    fn new(kind: &str, now: OffsetDateTime) -> Self {
        Self {
            kind: kind.to_owned(),
            value: None,
            class: None,
            status: None,
            proof: None,
            tool_set: None,
            hits: 0,
            refused_in_a_row: 0,
            first_seen_at: now,
            last_seen_at: now,
            expires_at: None,
            succeeded_at: None,
            probed_until: None,
            version: 0,
        }
    }

    /// True once the top may be tried again, by one request.
    pub fn is_expired(&self, now: OffsetDateTime) -> bool {
        self.value.is_some() && self.expires_at.is_none_or(|at| at <= now)
    }

    /// After a refusal. Against a recent success one is not enough, two in a row are.
    #[must_use]
    pub fn after_refusal(known: Option<Self>, kind: &str, lesson: &Lesson, now: OffsetDateTime) -> Self {
        let mut next = known.unwrap_or_else(|| Self::new(kind, now));
        next.refused_in_a_row = next.refused_in_a_row.saturating_add(1);
        next.probed_until = None;
        let recent_success = next.succeeded_at.is_some_and(|at| now - at < SUCCESS_HOLDS);
        if next.value.is_none() && recent_success && next.refused_in_a_row < 2 {
            return next;
        }
        let confirmed = next.value.as_deref() == Some(lesson.value.as_str());
        Self {
            hits: if confirmed { next.hits.saturating_add(1) } else { 1 },
            first_seen_at: if confirmed { next.first_seen_at } else { now },
            value: Some(lesson.value.clone()),
            class: Some(lesson.refused.class().to_owned()),
            status: Some(lesson.refused.status),
            proof: Some(lesson.proof),
            tool_set: lesson.tool_set.clone(),
            last_seen_at: now,
            expires_at: Some(now + lesson.proof.holds()),
            ..next
        }
    }

    /// After a success at the top; `None` when there is nothing worth writing.
    #[must_use]
    pub fn after_success(known: Option<Self>, kind: &str, now: OffsetDateTime) -> Option<Self> {
        let known = known.unwrap_or_else(|| Self::new(kind, now));
        let fresh = known.succeeded_at.is_some_and(|at| now - at < SUCCESS_IS_FRESH);
        if fresh && known.value.is_none() && known.refused_in_a_row == 0 {
            return None;
        }
        let version = known.version;
        let first_seen_at = if known.value.is_none() { known.first_seen_at } else { now };
        Some(Self {
            first_seen_at,
            last_seen_at: now,
            succeeded_at: Some(now),
            version,
            ..Self::new(kind, now)
        })
    }

    /// Takes the one try of the top after the expiry; `None` when it has not expired, or somebody else is trying.
    #[must_use]
    pub fn probed(known: &Self, now: OffsetDateTime) -> Option<Self> {
        let free = known.probed_until.is_none_or(|until| until <= now);
        (known.is_expired(now) && free)
            .then(|| Self { probed_until: Some(now + PROBE_LEASE), ..known.clone() })
    }
}

/// Why the memory could not be asked. Nothing depends on it: the caller goes on with what it knew.
pub type MemoryError = Box<dyn Error + Send + Sync>;

/// Where capabilities are kept. Shared by all instances of the service, so that each lesson is learned once.
#[async_trait]
pub trait CapabilityMemory: Send + Sync {
    /// Everything that is known under this key.
    ///
    /// # Errors
    /// When the memory cannot be asked.
    async fn list(&self, key: &CapabilityKey) -> Result<Vec<Capability>, MemoryError>;

    /// Keeps an entry if the stored one still has its version (none is stored, for 0), as the next version. False when
    /// somebody else was first.
    ///
    /// # Errors
    /// When the memory cannot be asked.
    async fn save(&self, key: &CapabilityKey, entry: &Capability) -> Result<bool, MemoryError>;
}

/// A memory that lives as long as the process.
#[derive(Debug, Default)]
pub struct ProcessCapabilities(Mutex<HashMap<(CapabilityKey, String), Capability>>);

#[async_trait]
impl CapabilityMemory for ProcessCapabilities {
    async fn list(&self, key: &CapabilityKey) -> Result<Vec<Capability>, MemoryError> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(entries.iter().filter(|((of, _), _)| of == key).map(|(_, entry)| entry.clone()).collect())
    }

    async fn save(&self, key: &CapabilityKey, entry: &Capability) -> Result<bool, MemoryError> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = (key.clone(), entry.kind.clone());
        let stored = entries.get(&place).map_or(0, |stored| stored.version);
        if stored != entry.version {
            return Ok(false);
        }
        entries.insert(place, Capability { version: stored + 1, ..entry.clone() });
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
