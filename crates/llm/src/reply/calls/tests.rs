use super::*;

/// Assembles fragments; a minted id prints as `minted`.
fn assembled(fragments: &str) -> Vec<(String, String, String)> {
    let mut calls = CallAssembler::default();
    for fragment in serde_json::from_str::<Vec<Fragment>>(fragments).unwrap() {
        calls.take(fragment);
    }
    calls
        .finish()
        .into_iter()
        .map(|call| {
            let minted = call.id.strip_prefix("call_").is_some_and(|rest| Uuid::parse_str(rest).is_ok());
            (if minted { "minted".to_owned() } else { call.id }, call.name, call.arguments)
        })
        .collect()
}

#[test]
fn fragments_become_calls_whatever_is_missing_or_repeated() {
    // (what is odd, the fragments, the calls)
    type Call = (&'static str, &'static str, &'static str);
    let cases: [(&str, &str, &[Call]); 25] = [
        (
            "nothing",
            r#"[{"index":0,"id":"a","function":{"name":"f","arguments":""}},
                {"index":0,"function":{"arguments":"{\"q\""}},{"index":0,"function":{"arguments":":1}"}}]"#,
            &[("a", "f", r#"{"q":1}"#)],
        ),
        (
            "index missing",
            r#"[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]"#,
            &[("a", "f", "{}")],
        ),
        (
            "index missing, two calls by id, fragments in turn",
            r#"[{"id":"a","function":{"name":"f","arguments":"{\"x\""}},{"id":"b","function":{"name":"g","arguments":"{"}},
                {"id":"a","function":{"arguments":":1}"}},{"id":"b","function":{"arguments":"}"}}]"#,
            &[("a", "f", r#"{"x":1}"#), ("b", "g", "{}")],
        ),
        (
            "index and id missing, a new name opens a call",
            r#"[{"function":{"name":"f","arguments":"{\"a\""}},{"function":{"arguments":":1}"}},{"function":{"name":"g","arguments":"{}"}}]"#,
            &[("minted", "f", r#"{"a":1}"#), ("minted", "g", "{}")],
        ),
        (
            "index and id missing, the same tool twice",
            r#"[{"function":{"name":"f","arguments":"{\"p\":1}"}},{"function":{"name":"f","arguments":"{\"p\":2}"}}]"#,
            &[("minted", "f", r#"{"p":1}"#), ("minted", "f", r#"{"p":2}"#)],
        ),
        (
            "every call has index 0, new ids",
            r#"[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"p\":1}"}},{"index":0,"id":"b","function":{"name":"f","arguments":"{\"p\":2}"}}]"#,
            &[("a", "f", r#"{"p":1}"#), ("b", "f", r#"{"p":2}"#)],
        ),
        (
            "every call has index 0, new ids, in fragments",
            r#"[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"p\""}},{"index":0,"function":{"arguments":":1}"}},
                {"index":0,"id":"b","function":{"name":"f"}},{"index":0,"function":{"arguments":"{}"}}]"#,
            &[("a", "f", r#"{"p":1}"#), ("b", "f", "{}")],
        ),
        (
            "every call has index 0 and no id",
            r#"[{"index":0,"function":{"name":"f","arguments":"{\"p\":1}"}},{"index":0,"function":{"name":"g","arguments":"{}"}}]"#,
            &[("minted", "f", r#"{"p":1}"#), ("minted", "g", "{}")],
        ),
        (
            "the first index is not zero, the second is smaller",
            r#"[{"index":1,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}]"#,
            &[("a", "f", "{}"), ("b", "g", "{}")],
        ),
        (
            "id empty, null, blank and repeated on continuations",
            r#"[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}},{"index":0,"id":"","function":{"arguments":"\"x\""}},
                {"index":0,"id":null,"function":{"arguments":":"}},{"index":0,"id":" ","function":{"arguments":"1"}},
                {"index":0,"id":"a","function":{"arguments":"}"}}]"#,
            &[("a", "f", r#"{"x":1}"#)],
        ),
        (
            "the id comes after the name",
            r#"[{"index":0,"function":{"name":"f"}},{"index":0,"id":"a","function":{"arguments":"{}"}}]"#,
            &[("a", "f", "{}")],
        ),
        (
            "the name is repeated on each chunk",
            r#"[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}},{"index":0,"id":"a","function":{"name":"f","arguments":":1"}},
                {"index":0,"function":{"name":"f","arguments":"}"}},{"index":0,"function":{"name":"f","arguments":""}}]"#,
            &[("a", "f", r#"{"x":1}"#)],
        ),
        (
            "the name is repeated without index and id",
            r#"[{"function":{"name":"f","arguments":"{\"x\""}},{"function":{"name":"f","arguments":":1}"}},{"function":{"name":"f","arguments":""}}]"#,
            &[("minted", "f", r#"{"x":1}"#)],
        ),
        (
            "the name grows",
            r#"[{"index":0,"id":"a","function":{"name":"sea"}},{"index":0,"function":{"name":"search","arguments":"{}"}}]"#,
            &[("a", "search", "{}")],
        ),
        (
            "later chunks carry an empty name",
            r#"[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}},{"index":0,"function":{"name":"","arguments":"}"}}]"#,
            &[("a", "f", "{}")],
        ),
        ("a ghost", r#"[{"id":"","function":{"name":"","arguments":"x"}}]"#, &[]),
        (
            "a ghost after a call on another index",
            r#"[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"","function":{"name":"","arguments":"x"}}]"#,
            &[("a", "f", "{}")],
        ),
        (
            "arguments as an object",
            r#"[{"id":"a","function":{"name":"f","arguments":{"q":"x","n":[1]}}}]"#,
            &[("a", "f", r#"{"q":"x","n":[1]}"#)],
        ),
        (
            "arguments as an empty object",
            r#"[{"id":"a","function":{"name":"f","arguments":{}}}]"#,
            &[("a", "f", "{}")],
        ),
        ("arguments null", r#"[{"id":"a","function":{"name":"f","arguments":null}}]"#, &[("a", "f", "")]),
        ("arguments missing", r#"[{"id":"a","function":{"name":" functions.f "}}]"#, &[("a", "f", "")]),
        (
            "arguments cut off",
            r#"[{"id":"a","function":{"name":"f","arguments":"{\"city\":\"Par"}}]"#,
            &[("a", "f", r#"{"city":"Par"#)],
        ),
        (
            "the last chunk repeats the whole call",
            r#"[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}},{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]"#,
            &[("a", "f", r#"{"x":1}"#)],
        ),
        (
            "two calls with one id",
            r#"[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"a","function":{"name":"g","arguments":"{}"}}]"#,
            &[("a", "f", "{}"), ("minted", "g", "{}")],
        ),
        (
            "numbers for strings",
            r#"[{"index":"0","id":7,"function":{"name":"f","arguments":"{}"}}]"#,
            &[("7", "f", "{}")],
        ),
    ];
    for (odd, fragments, expected) in cases {
        let expected: Vec<_> = expected
            .iter()
            .map(|(id, name, arguments)| ((*id).to_owned(), (*name).to_owned(), (*arguments).to_owned()))
            .collect();
        assert_eq!(assembled(fragments), expected, "{odd}");
    }
}
