use serde::Deserialize;

use super::*;

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only its schema is looked at")]
struct Args {
    /// Words.
    query: String,
    /// How many.
    #[serde(default)]
    limit: Option<u32>,
    /// A document.
    #[serde(default)]
    #[schemars(extend("format" = "uuid"))]
    document_id: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

fn check(arguments: &str) -> Result<String, String> {
    ArgumentSchema::of::<Args>().check("find", arguments).map_err(|refusal| refusal.sentence)
}

const SIGNATURE: &str = r#"Call it as find({"query": string, "limit"?: integer, "document_id"?: string})."#;

#[test]
fn a_schema_is_flat_and_holds_nothing_that_endpoints_refuse() {
    insta::assert_snapshot!(ArgumentSchema::of::<Args>().to_json(), @r#"{"type":"object","properties":{"query":{"type":"string","description":"Words."},"limit":{"type":"integer","format":"uint32","minimum":0,"description":"How many."},"document_id":{"type":"string","description":"A document.","format":"uuid"}},"required":["query"]}"#);
}

#[test]
fn good_arguments_come_back_in_one_spelling() {
    let id = "0192f0c1-2b3a-7c4d-8e5f-001122334455";
    for (given, kept) in [
        (r#"{"query":"x"}"#, r#"{"query":"x"}"#.to_owned()),
        (r#" { "limit" : 3 , "query" : "x" } "#, r#"{"limit":3,"query":"x"}"#.to_owned()),
        (r#"{"query":"x","limit":null,"document_id":""}"#, r#"{"query":"x"}"#.to_owned()),
        (r#"{"query":"x","unheard_of":[1]}"#, r#"{"query":"x"}"#.to_owned()),
        (
            &format!(r#"{{"query":"x","document_id":"{id}"}}"#),
            format!(r#"{{"document_id":"{id}","query":"x"}}"#),
        ),
    ] {
        assert_eq!(check(given), Ok(kept), "{given}");
    }
}

#[test]
fn bad_arguments_are_refused_with_the_key_and_the_signature() {
    for (given, told) in [
        ("", "`find` needs the argument `query`."),
        ("{}", "`find` needs the argument `query`."),
        (r#"{"limit":3}"#, "`find` needs the argument `query`."),
        (r#"{"query":null}"#, "The argument `query` of `find` must not be null."),
        (r#"{"query":" \n"}"#, "The argument `query` of `find` must not be blank."),
        (r#"{"query":7}"#, "The argument `query` of `find` must be of type string."),
        (r#"{"query":"x","limit":"three"}"#, "The argument `limit` of `find` must be of type integer."),
        (r#"{"query":"x","limit":1.5}"#, "The argument `limit` of `find` must be of type integer."),
        (
            r#"{"query":"x","document_id":"[3]"}"#,
            "The argument `document_id` of `find` must be an id from a result, a UUID.",
        ),
        (r#"["x"]"#, "The arguments of `find` must be a JSON object."),
        ("null", "The arguments of `find` must be a JSON object."),
        (r#"{"query":"Par"#, "The arguments of `find` are not complete JSON; they may have been cut off."),
        (
            r#"{"query":"a"}{"query":"b"}"#,
            "The arguments of `find` are not complete JSON; they may have been cut off.",
        ),
    ] {
        assert_eq!(check(given), Err(format!("{told} {SIGNATURE}")), "{given}");
    }
}

#[test]
fn only_what_is_no_object_cannot_be_replayed() {
    let kind = |arguments| ArgumentSchema::of::<Args>().check("find", arguments).unwrap_err().kind;
    assert_eq!(kind(r#"{"query":"Par"#), RefusalKind::NotAnObject);
    assert_eq!(kind("[]"), RefusalKind::NotAnObject);
    assert_eq!(kind("{}"), RefusalKind::BadArgument);
}

#[test]
fn a_tool_without_arguments_takes_an_empty_string() {
    assert_eq!(ArgumentSchema::of::<Nothing>().check("now", ""), Ok("{}".to_owned()));
}

#[test]
fn names_are_read_without_the_dressing_some_models_put_on_them() {
    for name in ["find", " find ", "functions.find", "tool.find"] {
        assert_eq!(bare_name(name), "find");
    }
}

#[test]
fn an_unknown_tool_is_answered_with_the_nearest_names_first() {
    let refusal = Refusal::unknown_tool(
        "search_documents",
        ["no_evidence_needed", "get_document", "search_chunks"].into_iter(),
    );
    assert_eq!(
        refusal.sentence,
        "There is no tool named `search_documents`. Tools that exist: search_chunks, get_document, no_evidence_needed."
    );
}
