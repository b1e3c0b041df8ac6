//! What is known of one model at one endpoint: the shared memory behind a copy in the process.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use time::Duration;

use super::Now;
use super::lessons::lesson_of;
use super::memory::{Capability, CapabilityKey, CapabilityMemory, Lesson, ProcessCapabilities};

/// How long the copy serves before the memory is asked again: so long an instance may not know what another learned.
const COPY_SERVES: Duration = Duration::seconds(10);
/// How often a change is tried anew when another instance changed the entry first.
const TRIES: u32 = 4;

/// The knowledge of one model at one endpoint.
pub struct Knowledge {
    key: CapabilityKey,
    memory: Arc<dyn CapabilityMemory>,
    now: Now,
    copy: Mutex<Option<Copy>>,
}

struct Copy {
    entries: Vec<Capability>,
    read_at: time::OffsetDateTime,
}

/// What is remembered under a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remembered {
    /// The entry in force, one that gives something up.
    pub entry: Option<Capability>,
    /// True when this caller is the one who tries the top again.
    pub probing: bool,
}

impl Knowledge {
    /// What `memory` holds under `key`.
    pub fn new(key: CapabilityKey, memory: Arc<dyn CapabilityMemory>, now: Now) -> Self {
        Self { key, memory, now, copy: Mutex::new(None) }
    }

    /// Knowledge that is gone with the process.
    pub fn of_the_process(key: CapabilityKey) -> Self {
        let now: Now = Arc::new(time::OffsetDateTime::now_utc);
        Self::new(key, Arc::new(ProcessCapabilities::default()), now)
    }

    /// Whose knowledge it is.
    pub const fn key(&self) -> &CapabilityKey {
        &self.key
    }

    /// What is in force for these tools. An expired entry stays in force for everybody but one, who tries the top
    /// again; only a caller whose request can prove something may (`may_probe`).
    pub async fn remembered(&self, kind: &str, tool_set: &str, may_probe: bool) -> Remembered {
        let Some(entry) = self.find(kind).await.filter(|entry| applies(entry, tool_set)) else {
            return Remembered::default();
        };
        let probing = may_probe && self.probes(&entry).await;
        Remembered { entry: Some(entry), probing }
    }

    /// True when the entry has expired and this caller is the one who may try to do without.
    pub(super) async fn probes(&self, entry: &Capability) -> bool {
        let Some(probe) = Capability::probed(entry, (self.now)()) else { return false };
        match self.memory.save(&self.key, &probe).await {
            Ok(true) => {
                self.put(Capability { version: probe.version + 1, ..probe });
                return true;
            }
            Ok(false) => self.forget_copy(),
            Err(error) => self.cannot_ask(error.as_ref()),
        }
        false
    }

    /// Something was refused, and it was proved.
    pub async fn refused(&self, kind: &str, lesson: &Lesson) {
        self.change(kind, |known, now| Some(Capability::after_refusal(known, kind, lesson, now))).await;
    }

    /// A request at the top succeeded with these tools.
    pub async fn succeeded(&self, kind: &str, tool_set: &str) {
        self.change(kind, |known, now| {
            // What was learned of other tools stays learned.
            let others =
                known.as_ref().is_some_and(|known| known.value.is_some() && !applies(known, tool_set));
            if others { None } else { Capability::after_success(known, kind, now) }
        })
        .await;
    }

    pub(super) async fn change(
        &self,
        kind: &str,
        change: impl Fn(Option<Capability>, time::OffsetDateTime) -> Option<Capability> + Send + Sync,
    ) {
        for _ in 0..TRIES {
            let known = self.find(kind).await;
            let before = known.as_ref().and_then(|known| known.value.clone());
            let Some(next) = change(known, (self.now)()) else { return };
            match self.memory.save(&self.key, &next).await {
                Ok(true) => {
                    if before != next.value {
                        self.tell(&next);
                    }
                    self.put(Capability { version: next.version + 1, ..next });
                    return;
                }
                Ok(false) => self.forget_copy(),
                Err(error) => {
                    self.cannot_ask(error.as_ref());
                    return;
                }
            }
        }
    }

    async fn find(&self, kind: &str) -> Option<Capability> {
        self.entries().await.into_iter().find(|entry| entry.kind == kind)
    }

    /// Everything that is known, from the copy while it is young.
    pub(super) async fn entries(&self) -> Vec<Capability> {
        let now = (self.now)();
        let fresh = |copy: &&Copy| (now - copy.read_at).abs() < COPY_SERVES;
        let copied = self.lock().as_ref().filter(fresh).map(|copy| copy.entries.clone());
        match copied {
            Some(entries) => entries,
            None => match self.memory.list(&self.key).await {
                Ok(entries) => {
                    *self.lock() = Some(Copy { entries: entries.clone(), read_at: now });
                    entries
                }
                Err(error) => {
                    self.cannot_ask(error.as_ref());
                    let mut copy = self.lock();
                    let kept = copy.take().map(|copy| copy.entries).unwrap_or_default();
                    *copy = Some(Copy { entries: kept.clone(), read_at: now });
                    kept
                }
            },
        }
    }

    fn put(&self, entry: Capability) {
        if let Some(copy) = self.lock().as_mut() {
            copy.entries.retain(|known| known.kind != entry.kind);
            copy.entries.push(entry);
        }
    }

    fn forget_copy(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Copy>> {
        self.copy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, entry: &Capability) {
        if lesson_of(entry).is_some() {
            // The client tells of these itself.
            return;
        }
        let CapabilityKey { base_url, model, .. } = &self.key;
        match &entry.value {
            Some(value) => tracing::warn!(
                endpoint.url = base_url,
                model.name = model,
                capability.kind = entry.kind,
                capability.value = value,
                error.class = entry.class,
                http.status = entry.status,
                "The endpoint refuses part of what is asked, so it is asked for less from now on"
            ),
            None => tracing::info!(
                endpoint.url = base_url,
                model.name = model,
                capability.kind = entry.kind,
                "The endpoint accepts again what it had refused"
            ),
        }
    }

    fn cannot_ask(&self, error: &(dyn std::error::Error + 'static)) {
        tracing::debug!(
            endpoint.url = self.key.base_url,
            error,
            "What is known of the endpoint cannot be read or kept for now"
        );
    }
}

impl fmt::Debug for Knowledge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Knowledge").field("key", &self.key).finish_non_exhaustive()
    }
}

fn applies(entry: &Capability, tool_set: &str) -> bool {
    entry.value.is_some() && entry.tool_set.as_deref().is_none_or(|known| known == tool_set)
}
