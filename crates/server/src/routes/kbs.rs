//! Knowledge bases.

use attest_domain::text::without_nul;
use attest_domain::{KbId, KnowledgeBase};
use attest_protocol::ErrorCode;
use attest_protocol::knowledge::{KbList, KbView};
use attest_protocol::request::{KbCreateRequest, KbRenameRequest};
use axum::extract::State;
use axum::http::StatusCode;

use crate::error::ApiError;
use crate::http::body::Json;
use crate::http::extract::{Caller, Kb};
use crate::state::AppState;

/// The base that always exists.
const DEFAULT_SLUG: &str = "default";

/// GET `/kbs`
pub(crate) async fn list(
    State(state): State<AppState>,
    Caller(principal): Caller,
) -> Result<Json<KbList>, ApiError> {
    let kbs = state.store.list_kbs(&principal).await?.into_iter().map(view).collect();
    Ok(Json(KbList { kbs }))
}

/// POST `/kbs`
pub(crate) async fn create(
    State(state): State<AppState>,
    Json(request): Json<KbCreateRequest>,
) -> Result<(StatusCode, Json<KbView>), ApiError> {
    let id = KbId::new();
    let name = checked_name(&request.name)?;
    let slug = match request.slug {
        Some(slug) => checked_slug(slug)?,
        None => slug_of(&name, id),
    };
    let now = state.clock.now();
    // As exact as it is stored, so that the next answer says the same.
    let created_at = now.replace_microsecond(now.microsecond()).unwrap_or(now);
    let kb = KnowledgeBase { id, slug, name, created_at };
    state.store.create_kb(&kb).await?;
    Ok((StatusCode::CREATED, Json(view(kb))))
}

/// GET `/kbs/{kb}`
pub(crate) async fn show(Kb(kb): Kb) -> Json<KbView> {
    Json(view(kb))
}

/// PATCH `/kbs/{kb}`
pub(crate) async fn rename(
    State(state): State<AppState>,
    Kb(kb): Kb,
    Json(request): Json<KbRenameRequest>,
) -> Result<Json<KbView>, ApiError> {
    let name = checked_name(&request.name)?;
    if !state.store.rename_kb(kb.id, &name).await? {
        return Err(ApiError::missing("knowledge base"));
    }
    Ok(Json(view(KnowledgeBase { name, ..kb })))
}

/// DELETE `/kbs/{kb}`
pub(crate) async fn delete(State(state): State<AppState>, Kb(kb): Kb) -> Result<StatusCode, ApiError> {
    if kb.slug == DEFAULT_SLUG {
        return Err(ApiError::invalid("the base `default` always exists and cannot be deleted"));
    }
    if !state.store.delete_kb(kb.id, state.clock.now()).await? {
        return Err(ApiError::missing("knowledge base"));
    }
    state.search.nudge();
    Ok(StatusCode::NO_CONTENT)
}

fn view(kb: KnowledgeBase) -> KbView {
    KbView { id: kb.id, slug: kb.slug, name: kb.name, created_at: kb.created_at }
}

fn checked_name(name: &str) -> Result<String, ApiError> {
    let name = without_nul(name);
    let name = name.trim();
    if (1..=200).contains(&name.chars().count()) {
        return Ok(name.to_owned());
    }
    let sentence = "`name` must have 1 to 200 characters and must not be blank";
    Err(ApiError::new(ErrorCode::InvalidName, sentence))
}

/// A slug that reads as an id would name two bases.
fn checked_slug(slug: String) -> Result<String, ApiError> {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let fits = (1..=64).contains(&slug.len()) && slug.bytes().all(allowed) && slug.parse::<KbId>().is_err();
    if fits {
        return Ok(slug);
    }
    let sentence = "`slug` must have 1 to 64 characters of a-z, 0-9 and -, and must not look like an id";
    Err(ApiError::new(ErrorCode::InvalidName, sentence))
}

/// A slug made from a name. One in a script without a-z gets the end of the id, which is its random part.
fn slug_of(name: &str, id: KbId) -> String {
    let mut slug = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    slug.truncate(48);
    let slug = slug.trim_matches('-');
    let id = id.as_uuid().simple().to_string();
    let random = id.get(24..).unwrap_or_default();
    if slug.is_empty() || slug.parse::<KbId>().is_ok() { format!("kb-{random}") } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_made_from_the_name_or_else_from_the_id() {
        let id: KbId = "0192f0c1-2b3a-7c4d-8e5f-001122334455".parse().unwrap();
        for (name, slug) in [
            ("History of Computing", "history-of-computing"),
            ("  C++ & Rust!  ", "c-rust"),
            ("2024", "2024"),
            ("万维网", "kb-22334455"),
            ("Müller 万 AG", "m-ller-ag"),
            ("0192f0c1-2b3a-7c4d-8e5f-001122334455", "kb-22334455"),
        ] {
            assert_eq!(slug_of(name, id), slug, "{name}");
            assert!(checked_slug(slug_of(name, id)).is_ok());
        }
        assert_eq!(slug_of(&"a".repeat(200), id).len(), 48);
    }

    #[test]
    fn slugs_and_names_that_break_their_rule_are_refused() {
        for slug in ["", "Upper", "under_score", "a b", "ü", "0192f0c1-2b3a-7c4d-8e5f-001122334455"] {
            assert!(checked_slug(slug.to_owned()).is_err(), "{slug}");
        }
        assert!(checked_slug("a".repeat(65)).is_err());
        for name in ["", " \n", "\0", &"x".repeat(201)] {
            assert!(checked_name(name).is_err(), "{name}");
        }
        assert_eq!(checked_name(" a\0b ").unwrap(), "ab");
    }
}
