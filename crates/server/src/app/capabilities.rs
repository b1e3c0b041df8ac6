//! What model endpoints refused, kept in the database for all instances.

use async_trait::async_trait;
use attest_llm::ladder::memory::MemoryError;
use attest_llm::ladder::{Capability, CapabilityKey, CapabilityMemory, Proof};
use attest_store::{ModelIdentity, Store, StoredCapability};

/// The store as a memory of capabilities.
pub(super) struct StoredCapabilities {
    store: Store,
}

impl StoredCapabilities {
    pub(super) const fn new(store: Store) -> Self {
        Self { store }
    }
}

#[async_trait]
impl CapabilityMemory for StoredCapabilities {
    async fn list(&self, key: &CapabilityKey) -> Result<Vec<Capability>, MemoryError> {
        let stored = self.store.list_model_capabilities(&identity(key)?).await?;
        stored.into_iter().map(read).collect()
    }

    async fn save(&self, key: &CapabilityKey, entry: &Capability) -> Result<bool, MemoryError> {
        Ok(self.store.save_model_capability(&identity(key)?, &written(entry)?).await?)
    }
}

fn identity(key: &CapabilityKey) -> Result<ModelIdentity, MemoryError> {
    Ok(ModelIdentity {
        base_url: key.base_url.clone(),
        model: key.model.clone(),
        credential: key.credential.clone(),
        adapter_version: key.adapter_version.try_into()?,
    })
}

fn read(stored: StoredCapability) -> Result<Capability, MemoryError> {
    Ok(Capability {
        kind: stored.kind,
        value: stored.value,
        class: stored.class,
        status: stored.status.map(TryInto::try_into).transpose()?,
        proof: stored.proof.as_deref().and_then(Proof::named),
        tool_set: stored.tool_set,
        hits: stored.hits.try_into()?,
        refused_in_a_row: stored.refused_in_a_row.try_into()?,
        first_seen_at: stored.first_seen_at,
        last_seen_at: stored.last_seen_at,
        expires_at: stored.expires_at,
        succeeded_at: stored.succeeded_at,
        probed_until: stored.probed_until,
        version: stored.version.try_into()?,
    })
}

fn written(entry: &Capability) -> Result<StoredCapability, MemoryError> {
    Ok(StoredCapability {
        kind: entry.kind.clone(),
        value: entry.value.clone(),
        class: entry.class.clone(),
        status: entry.status.map(i32::from),
        proof: entry.proof.map(|proof| proof.name().to_owned()),
        tool_set: entry.tool_set.clone(),
        hits: entry.hits.try_into()?,
        refused_in_a_row: entry.refused_in_a_row.try_into()?,
        first_seen_at: entry.first_seen_at,
        last_seen_at: entry.last_seen_at,
        expires_at: entry.expires_at,
        succeeded_at: entry.succeeded_at,
        probed_until: entry.probed_until,
        version: entry.version.try_into()?,
    })
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn an_entry_comes_back_as_it_was_kept() {
        let at = datetime!(2026-12-01 10:00 UTC);
        let entry = Capability {
            kind: "tools".into(),
            value: Some("text".into()),
            class: Some("tools".into()),
            status: Some(400),
            proof: Some(Proof::Differential),
            tool_set: Some("0123456789ab".into()),
            hits: 2,
            refused_in_a_row: 3,
            first_seen_at: at,
            last_seen_at: at + time::Duration::hours(1),
            expires_at: Some(at + time::Duration::hours(2)),
            succeeded_at: Some(at + time::Duration::hours(3)),
            probed_until: Some(at + time::Duration::hours(4)),
            version: 5,
        };
        assert_eq!(read(written(&entry).unwrap()).unwrap(), entry);
    }
}
