use time::macros::datetime;

use super::*;
use crate::failure::RefusedShape;

const T: OffsetDateTime = datetime!(2026-12-01 10:00 UTC);

fn lesson(value: &str, proof: Proof) -> Lesson {
    let refused = Refused { shape: Some(RefusedShape::Tools), status: 400 };
    Lesson { value: value.into(), refused, proof, tool_set: None }
}

fn learned(proof: Proof) -> Capability {
    Capability::after_refusal(None, TOOLS, &lesson("text", proof), T)
}

#[test]
fn a_refusal_is_remembered_with_everything_that_tells_of_it_and_nothing_else() {
    let expected = Capability {
        kind: "tools".into(),
        value: Some("text".into()),
        class: Some("tools".into()),
        status: Some(400),
        proof: Some(Proof::Words),
        tool_set: None,
        hits: 1,
        refused_in_a_row: 1,
        first_seen_at: T,
        last_seen_at: T,
        expires_at: Some(T + Duration::hours(24)),
        succeeded_at: None,
        probed_until: None,
        version: 0,
    };
    assert_eq!(learned(Proof::Words), expected);
    let again = Capability::after_refusal(
        Some(expected.clone()),
        TOOLS,
        &lesson("text", Proof::Differential),
        T + Duration::hours(2),
    );
    let expected = Capability {
        proof: Some(Proof::Differential),
        hits: 2,
        refused_in_a_row: 2,
        last_seen_at: T + Duration::hours(2),
        expires_at: Some(T + Duration::hours(3)),
        ..expected
    };
    assert_eq!(again, expected);
}

#[test]
fn against_a_success_of_the_last_day_two_refusals_in_a_row_are_needed() {
    let value_after = |refusals: &[i64]| {
        let success = Capability::after_success(None, TOOLS, T);
        let refuse = |known, hours: &i64| {
            Some(Capability::after_refusal(
                known,
                TOOLS,
                &lesson("text", Proof::Words),
                T + Duration::hours(*hours),
            ))
        };
        refusals.iter().fold(success, refuse).unwrap().value
    };
    assert_eq!(value_after(&[1]), None);
    assert_eq!(value_after(&[1, 2]), Some("text".into()));
    assert_eq!(value_after(&[24]), Some("text".into()), "the success is too old to speak for the endpoint");

    let once = Capability::after_refusal(
        Capability::after_success(None, TOOLS, T),
        TOOLS,
        &lesson("text", Proof::Words),
        T,
    );
    let success_between = Capability::after_success(Some(once), TOOLS, T + Duration::minutes(1)).unwrap();
    assert_eq!(success_between.refused_in_a_row, 0);
    assert_eq!(
        Capability::after_refusal(Some(success_between), TOOLS, &lesson("text", Proof::Words), T).value,
        None
    );
}

#[test]
fn a_success_is_written_once_an_hour_and_clears_what_was_given_up() {
    let success = Capability::after_success(None, TOOLS, T).unwrap();
    assert_eq!((success.value.as_deref(), success.succeeded_at), (None, Some(T)));
    assert_eq!(Capability::after_success(Some(success.clone()), TOOLS, T + Duration::minutes(59)), None);
    assert!(Capability::after_success(Some(success), TOOLS, T + Duration::hours(1)).is_some());
    let cleared =
        Capability::after_success(Some(Capability { version: 7, ..learned(Proof::Words) }), TOOLS, T)
            .unwrap();
    let expected = Capability { succeeded_at: Some(T), version: 7, ..Capability::new(TOOLS, T) };
    assert_eq!(cleared, expected);
}

#[test]
fn after_the_expiry_one_tries_the_top_and_another_only_when_nothing_is_heard_of_it() {
    let entry = learned(Proof::Differential);
    assert_eq!(Capability::probed(&entry, T + Duration::minutes(59)), None);
    let expiry = T + Duration::hours(1);
    let probed = Capability::probed(&entry, expiry).unwrap();
    assert_eq!(probed, Capability { probed_until: Some(expiry + PROBE_LEASE), ..entry });
    assert_eq!(Capability::probed(&probed, expiry + Duration::minutes(5)), None);
    assert!(Capability::probed(&probed, expiry + PROBE_LEASE).is_some());
}

#[test]
fn a_key_is_of_the_endpoint_the_model_and_the_credential() {
    let key = |url: &str, model: &str, api_key: Option<&str>| {
        CapabilityKey::new(&url.parse().unwrap(), model, api_key.map(Secret::new).as_ref())
    };
    let plain = key("https://api.example.com/v1", "m", None);
    assert_eq!(plain.base_url, "https://api.example.com/v1");
    assert_eq!(key("HTTPS://u:p@API.example.com:443/v1/?version=1#x", "m", None), plain);
    let ours = key("https://api.example.com/v1", "m", Some("sk-1"));
    assert_eq!(ours.credential.len(), 12);
    assert!(!format!("{ours:?}").contains("sk-1"));
    let others = [
        key("https://api.example.com/v2", "m", None),
        key("https://api.example.com/v1", "n", None),
        key("https://api.example.com/v1", "m", Some("sk-2")),
        ours,
    ];
    for (at, one) in others.iter().enumerate() {
        assert_ne!(*one, plain);
        assert!(!others[at + 1..].contains(one));
    }
}

#[tokio::test]
async fn an_entry_is_kept_only_over_the_one_that_was_read() {
    let memory = ProcessCapabilities::default();
    let key = CapabilityKey::new(&"https://a/v1".parse().unwrap(), "m", None);
    let entry = learned(Proof::Words);
    assert!(memory.save(&key, &entry).await.unwrap());
    assert!(!memory.save(&key, &entry).await.unwrap(), "somebody was first");
    assert_eq!(memory.list(&key).await.unwrap(), [Capability { version: 1, ..entry }]);
}
