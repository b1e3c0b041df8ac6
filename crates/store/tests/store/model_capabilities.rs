use attest_store::{ModelIdentity, StoreError, StoredCapability};

use crate::setup::{fixture, minute};

fn identity() -> ModelIdentity {
    ModelIdentity {
        base_url: "https://a/v1".into(),
        model: "m".into(),
        credential: "0123456789ab".into(),
        adapter_version: 1,
    }
}

pub(crate) fn text_mode() -> StoredCapability {
    StoredCapability {
        kind: "tools".into(),
        value: Some("text".into()),
        class: Some("tools".into()),
        status: Some(400),
        proof: Some("words".into()),
        tool_set: None,
        hits: 1,
        refused_in_a_row: 1,
        first_seen_at: minute(0),
        last_seen_at: minute(0),
        expires_at: Some(minute(24 * 60)),
        succeeded_at: None,
        probed_until: None,
        version: 0,
    }
}

#[tokio::test]
async fn an_entry_is_kept_for_its_model_its_key_and_its_client_alone() {
    let f = fixture().await;
    assert!(f.store.save_model_capability(&identity(), &text_mode()).await.unwrap());
    let kept = StoredCapability { version: 1, ..text_mode() };
    assert_eq!(f.store.list_model_capabilities(&identity()).await.unwrap(), [kept]);
    let others = [
        ModelIdentity { base_url: "https://b/v1".into(), ..identity() },
        ModelIdentity { model: "n".into(), ..identity() },
        ModelIdentity { credential: String::new(), ..identity() },
        ModelIdentity { adapter_version: 2, ..identity() },
    ];
    for other in others {
        assert_eq!(f.store.list_model_capabilities(&other).await.unwrap(), [], "{other:?}");
    }
}

#[tokio::test]
async fn what_is_known_of_a_model_is_one_entry_a_kind() {
    let f = fixture().await;
    let lesson = |kind: &str, class: &str, status| StoredCapability {
        kind: kind.into(),
        value: Some("obeyed".into()),
        class: Some(class.into()),
        status: Some(status),
        ..text_mode()
    };
    let roles = lesson("lesson.strict_roles", "history", 500);
    let options = lesson("lesson.no_stream_options", "parameter", 422);
    for entry in [text_mode(), roles.clone(), options.clone()] {
        assert!(f.store.save_model_capability(&identity(), &entry).await.unwrap(), "{}", entry.kind);
    }
    let kept = [options, roles, text_mode()].map(|entry| StoredCapability { version: 1, ..entry });
    assert_eq!(f.store.list_model_capabilities(&identity()).await.unwrap(), kept);
}

#[tokio::test]
async fn of_two_who_read_the_same_entry_one_changes_it() {
    let f = fixture().await;
    assert!(f.store.save_model_capability(&identity(), &text_mode()).await.unwrap());
    assert!(
        !f.store.save_model_capability(&identity(), &text_mode()).await.unwrap(),
        "it is not new any more"
    );
    // At the expiry two instances want to try the top: the one that is first does.
    let read = StoredCapability { version: 1, ..text_mode() };
    let probe = |minutes| StoredCapability { probed_until: Some(minute(minutes)), ..read.clone() };
    let (one, other) = (probe(24 * 60 + 6), probe(24 * 60 + 7));
    let of = identity();
    let (first, second) =
        tokio::join!(f.store.save_model_capability(&of, &one), f.store.save_model_capability(&of, &other));
    let (first, second) = (first.unwrap(), second.unwrap());
    assert!(first ^ second, "exactly one tries");
    let winner = if first { one } else { other };
    let stored = StoredCapability { version: 2, ..winner };
    assert_eq!(f.store.list_model_capabilities(&identity()).await.unwrap(), [stored]);
}

#[tokio::test]
async fn what_was_forgotten_is_not_written_back_by_one_who_had_read_it() {
    let f = fixture().await;
    assert!(f.store.save_model_capability(&identity(), &text_mode()).await.unwrap());
    assert_eq!(f.store.delete_model_capabilities(&identity()).await.unwrap(), 1);
    let read_before = StoredCapability { version: 1, ..text_mode() };
    assert!(!f.store.save_model_capability(&identity(), &read_before).await.unwrap());
    assert_eq!(f.store.list_model_capabilities(&identity()).await.unwrap(), []);
    assert!(f.store.save_model_capability(&identity(), &text_mode()).await.unwrap());
}

#[tokio::test]
async fn a_proof_that_is_none_is_refused() {
    let f = fixture().await;
    let soft = StoredCapability { proof: Some("soft".into()), ..text_mode() };
    let refused = f.store.save_model_capability(&identity(), &soft).await;
    assert!(matches!(refused, Err(StoreError::Database(_))), "{refused:?}");
}
