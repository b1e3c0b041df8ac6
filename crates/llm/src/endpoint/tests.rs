use super::*;

#[test]
fn a_base_url_is_accepted_or_answered_with_a_sentence() {
    let cases = [
        ("https://api.example.com/v1", "ok https://api.example.com/v1"),
        (" https://api.example.com/v1/ \n", "ok https://api.example.com/v1"),
        ("http://127.0.0.1:8081", "ok http://127.0.0.1:8081/"),
        (
            "https://x.example.com/openai/deployments/d?api-version=1",
            "ok https://x.example.com/openai/deployments/d?api-version=1",
        ),
        (
            "api.example.com/v1",
            "the base URL `api.example.com/v1` has no scheme; write `https://api.example.com/v1`, or `http://api.example.com/v1` for a server on this machine",
        ),
        (
            "localhost:8081/v1",
            "the base URL `localhost:8081/v1` has no scheme; write `https://localhost:8081/v1`, or `http://localhost:8081/v1` for a server on this machine",
        ),
        ("ftp://example.com", "the base URL `ftp://example.com` must start with `http://` or `https://`"),
        ("", "the base URL `` is not a URL; it should look like `https://api.example.com/v1`"),
        (
            "https://",
            "the base URL `https://` is not a URL; it should look like `https://api.example.com/v1`",
        ),
        ("https://h/v1/v1/", "the base URL `https://h/v1/v1/` names `/v1` twice; once is right"),
        (
            "https://h/v1/chat/completions/",
            "the base URL `https://h/v1/chat/completions/` ends in `/chat/completions`; leave that part out, it is added to every request",
        ),
        (
            "https://h/v1/models",
            "the base URL `https://h/v1/models` ends in `/models`; leave that part out, it is added to every request",
        ),
        ("https://h/v1///", "ok https://h/v1"),
        (
            "https://me:sk-1@h:8/v1",
            "the base URL of `h:8` contains a user name or a password; put the key into the API key setting instead",
        ),
    ];
    for (given, expected) in cases {
        let got = match validate_base_url(given) {
            Ok(url) => format!("ok {url}"),
            Err(error) => error.to_string(),
        };
        assert_eq!(got, expected);
    }
}

#[test]
fn a_key_that_cannot_stand_in_a_header_is_named_without_being_shown() {
    let cases = [
        ("sk-1", None),
        ("sk-1\n", Some("the API key contains a line break; paste the key alone, in one line")),
        ("sk-\r\n1", Some("the API key contains a line break; paste the key alone, in one line")),
        ("Bearer sk-1", Some("the API key contains a blank; paste the key alone, in one line")),
        ("", Some("the API key contains nothing; paste the key alone, in one line")),
        (
            "sk-”",
            Some(
                "the API key contains a character that is not plain ASCII; paste the key alone, in one line",
            ),
        ),
    ];
    for (key, expected) in cases {
        let got = validate_api_key(&Secret::new(key)).err().map(|error| error.to_string());
        assert_eq!(got.as_deref(), expected, "{key:?}");
    }
}

#[test]
fn a_route_is_added_to_the_path_and_the_query_stays() {
    let base = |text| validate_base_url(text).unwrap();
    assert_eq!(route_url(&base("http://h:1"), "/chat/completions").as_str(), "http://h:1/chat/completions");
    assert_eq!(route_url(&base("https://h/v1/?a=b"), "/embeddings").as_str(), "https://h/v1/embeddings?a=b");
}

#[test]
fn options_never_print_the_key() {
    let mut options = EndpointOptions::new(validate_base_url("http://h").unwrap(), "m");
    options.api_key = Some(Secret::new("sk-very-secret"));
    assert!(!format!("{options:?}").contains("very-secret"));
}
