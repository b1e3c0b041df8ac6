use reqwest::header::HeaderValue;
use time::macros::datetime;

use super::FailureClass::{
    ContextTooLong, Filtered, OutOfCredit, RateLimited, Rejected, Unauthorized, Unavailable,
};
use super::*;

const NOW: OffsetDateTime = datetime!(2026-12-01 10:00:00 UTC);

fn refusal(status: u16, body: &str) -> ModelFailure {
    classify(&Refusal { status, headers: &HeaderMap::new(), body, received_at: NOW }, None)
}

const fn window(tokens: u64) -> FailureClass {
    ContextTooLong { window: Some(tokens) }
}

const NO_WINDOW: FailureClass = ContextTooLong { window: None };

/// Wraps a sentence the way most endpoints do.
fn error(message: &str) -> String {
    serde_json::json!({"error": {"message": message, "type": "invalid_request_error"}}).to_string()
}

#[test]
fn every_wording_of_an_overflow_is_recognised_with_its_window() {
    let cases = [
        (400, r#"{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.","code":"context_length_exceeded"}}"#.to_owned(), window(128_000)),
        (400, r#"{"error":{"message":"Too big","code":"context_length_exceeded"}}"#.to_owned(), NO_WINDOW),
        (400, error("Your input exceeds the context window of this model"), NO_WINDOW),
        (400, error("prompt is too long: 210000 tokens > 200000 maximum"), window(200_000)),
        (400, error("input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length"), window(200_000)),
        (413, r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#.to_owned(), NO_WINDOW),
        (400, error("The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."), window(1_048_575)),
        (400, error("This model's maximum prompt length is 131072 but the request contains 537812 tokens"), window(131_072)),
        (400, error("Please reduce the length of the messages or completion"), NO_WINDOW),
        (413, error("Please reduce the length of the messages or completion"), NO_WINDOW),
        (400, error("This endpoint's maximum context length is 65,536 tokens. However, you requested about 70000 tokens"), window(65_536)),
        (400, error("Input length 131393 exceeds the maximum allowed input length of 131040 tokens."), window(131_040)),
        (400, r#"{"error":{"message":"Input length 877338 exceeds the maximum allowed input length of 639968 tokens","code":"400"}}"#.to_owned(), window(639_968)),
        (400, r#"{"object":"error","message":"This model's maximum context length is 8192 tokens. However, you requested 4096 output tokens and your prompt contains at least 5000 input tokens","code":400}"#.to_owned(), window(8192)),
        (400, error("Input length (265330) exceeds model's maximum context length (262144)."), window(262_144)),
        (400, error("The input (263000 tokens) is longer than the model's context length (262144 tokens)."), window(262_144)),
        (400, error("Requested token count exceeds the model's maximum context length of 202752 tokens. You requested more"), window(202_752)),
        (400, r#"{"error":{"code":400,"message":"request (20030 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":20030,"n_ctx":4096}}"#.to_owned(), window(4096)),
        (400, r#"{"error":"Trying to keep the first 5000 tokens: the number of tokens to keep from the initial prompt is greater than the context length"}"#.to_owned(), NO_WINDOW),
        (400, error("Prompt contains 40000 tokens, too large for model with 32768 maximum context length"), window(32_768)),
        (400, error("Invalid request: Your request exceeded model token limit: 131072 (requested: 200000)"), window(131_072)),
        (400, error("invalid params, context window exceeds limit"), NO_WINDOW),
        (400, String::new(), NO_WINDOW),
        (413, String::new(), NO_WINDOW),
        (413, "<html><title>413 Request Entity Too Large</title></html>".to_owned(), NO_WINDOW),
        (400, error("Prompt too long: 5152 tokens exceeds max_seq_len 2048"), window(2048)),
        (500, error("no user query found in messages"), NO_WINDOW),
    ];
    for (status, body, expected) in cases {
        assert_eq!(refusal(status, &body).class, expected, "{status} {body}");
    }
}

#[test]
fn every_wording_of_money_and_rate_refusals_is_told_apart() {
    let cases = [
        (
            402,
            r#"{"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}"#,
            OutOfCredit,
        ),
        (
            402,
            r#"{"error":{"message":"This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 30104","code":402}}"#,
            OutOfCredit,
        ),
        (
            402,
            r#"{"error":{"message":"Prompt tokens limit exceeded: 230799 > 91442","code":402}}"#,
            OutOfCredit,
        ),
        (402, "", OutOfCredit),
        (403, r#"{"code":"INSUFFICIENT_BALANCE","message":"Insufficient account balance"}"#, OutOfCredit),
        (
            403,
            r#"{"code":30001,"message":"Sorry, your account balance is insufficient: 余额不足","data":null}"#,
            OutOfCredit,
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}"#,
            OutOfCredit,
        ),
        (403, "", Unauthorized),
        (403, r#"{"error":{"message":"Model access denied"}}"#, Unauthorized),
        (401, r#"{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}"#, Unauthorized),
        (
            429,
            r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#,
            OutOfCredit,
        ),
        (429, r#"{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}"#, RateLimited),
        (
            429,
            r#"{"status":429,"error":"INSUFFICIENT QUOTA","message":"You exceeded your current limit of concurrent requests."}"#,
            RateLimited,
        ),
        (429, r#"{"message":"Too many tokens, please wait before trying again."}"#, RateLimited),
        (400, r#"{"message":"Too many tokens, please wait before trying again."}"#, RateLimited),
        (429, "", RateLimited),
        (
            402,
            r#"{"error":{"message":"Payment required","code":402,"metadata":{"previous_errors":[{"message":"This request requires more credits, or fewer max_tokens. You requested up to 100 tokens, but can only afford 9","code":402}]}}}"#,
            OutOfCredit,
        ),
        // The same words inside of a router's own status.
        (
            400,
            r#"{"error":{"message":"Provider returned error","metadata":{"raw":"insufficient_quota"}}}"#,
            OutOfCredit,
        ),
        (403, r#"{"code":30001,"message":"balance","data":null}"#, Unauthorized),
        (400, r#"{"code":20015,"message":"The field is required","data":null}"#, Rejected { status: 400 }),
        (413, r#"{"code":20042,"message":"batch size is too large","data":null}"#, Rejected { status: 413 }),
        (400, r#"{"code":20012,"message":"Model does not exist","data":null}"#, Rejected { status: 400 }),
    ];
    for (status, body, expected) in cases {
        assert_eq!(refusal(status, body).class, expected, "{status} {body}");
    }
}

#[test]
fn every_other_status_has_its_class() {
    let page =
        "<!DOCTYPE html><html><head><title>api.example.com | 524: A timeout occurred</title></head></html>";
    let cases = [
        (408, "", Unavailable),
        (500, "oops", Rejected { status: 500 }),
        (502, page, Unavailable),
        (503, r#"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#, Unavailable),
        (504, "", Unavailable),
        (520, page, Unavailable),
        (522, "", Unavailable),
        (526, "", Unavailable),
        (501, "", Rejected { status: 501 }),
        (409, "", Rejected { status: 409 }),
        (524, page, Unavailable),
        (529, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, Unavailable),
        (404, "", Rejected { status: 404 }),
        (422, r#"{"detail":"tools are not supported"}"#, Rejected { status: 422 }),
        (400, r#"{"error":{"message":"The response was filtered","code":"content_filter"}}"#, Filtered),
        (
            400,
            r#"{"error":{"message":"registry.example/m does not support tools"}}"#,
            Rejected { status: 400 },
        ),
        (307, "", Rejected { status: 307 }),
    ];
    for (status, body, expected) in cases {
        assert_eq!(refusal(status, body).class, expected, "{status} {body}");
    }
}

#[test]
fn the_sentence_is_the_endpoints_own_or_says_what_to_check() {
    let mut headers = HeaderMap::new();
    headers.insert("location", HeaderValue::from_static("https://h/v1/chat/completions"));
    let redirected = classify(&Refusal { status: 308, headers: &headers, body: "", received_at: NOW }, None);
    let sentences = [
        refusal(402, r#"{"error":{"message":"Insufficient Balance"}}"#).message,
        refusal(403, "").message,
        refusal(524, "<html><title>524: A timeout occurred</title>").message,
        refusal(500, "").message,
        redirected.message,
        refusal(404, "").message,
        refusal(405, "<html><body>Method Not Allowed</body></html>").message,
        refusal(404, "<html><title>404 Not Found</title>").message,
        refusal(404, r#"{"error":{"message":"The model `gtp-5` does not exist.","code":"model_not_found"}}"#)
            .message,
    ];
    assert_eq!(
        sentences,
        [
            "Insufficient Balance",
            "HTTP 403 without an explanation: the key is wrong, lacks a permission, or its account has no balance",
            "HTTP 524 with a web page titled \"524: A timeout occurred\"",
            "HTTP 500 without an explanation",
            "the base URL redirects (HTTP 308) to https://h/v1/chat/completions; set the base URL to the address behind it",
            "HTTP 404 without an explanation: is the base URL complete (many end in /v1), and does the model exist?",
            "HTTP 405 without an explanation: is the base URL complete (many end in /v1), and does the model exist?",
            "HTTP 404 with a web page titled \"404 Not Found\"; is the base URL complete? many end in /v1",
            "The model `gtp-5` does not exist; check the model's name in the settings",
        ]
    );
}

#[test]
fn a_key_that_the_endpoint_repeats_is_taken_out() {
    let key = Secret::new("plain-key-1");
    let body = r#"{"error":{"message":"no such key: plain-key-1"}}"#;
    let failure =
        classify(&Refusal { status: 401, headers: &HeaderMap::new(), body, received_at: NOW }, Some(&key));
    assert_eq!(failure.message, "no such key: ***");
}

#[test]
fn a_wait_is_read_in_seconds_in_milliseconds_and_as_a_date() {
    type Headers = &'static [(&'static str, &'static str)];
    let cases: [(Headers, Option<u64>); 8] = [
        (&[("retry-after", "7")], Some(7)),
        (&[("retry-after", "0.2")], Some(1)),
        (&[("retry-after-ms", "1500"), ("retry-after", "9")], Some(2)),
        (&[("retry-after", "Tue, 01 Dec 2026 10:00:30 GMT")], Some(30)),
        // The endpoint's clock is an hour ahead of ours; its own date says what it means.
        (
            &[("date", "Tue, 01 Dec 2026 11:00:00 GMT"), ("retry-after", "Tue, 01 Dec 2026 11:00:05 GMT")],
            Some(5),
        ),
        (&[("retry-after", "Tue, 01 Dec 2026 09:00:00 GMT")], Some(0)),
        (&[("retry-after", "soon")], None),
        (&[], None),
    ];
    for (pairs, expected) in cases {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        let failure = classify(&Refusal { status: 429, headers: &headers, body: "", received_at: NOW }, None);
        assert_eq!(failure.retry_after_seconds, expected, "{pairs:?}");
    }
}

#[test]
fn an_error_inside_of_a_stream_is_classified_by_its_own_status_and_words() {
    let cases = [
        (r#"{"error":{"message":"quota exceeded"}}"#, Rejected { status: 200 }, "quota exceeded"),
        (r#"{"error":"STREAM_EXPLODED"}"#, Rejected { status: 200 }, "STREAM_EXPLODED"),
        (
            r#"{"provider":"Hoster","choices":[],"error":{"code":502,"message":"Provider returned error"}}"#,
            Unavailable,
            "Provider returned error (Hoster)",
        ),
        (r#"{"code":400,"details":"bad tool"}"#, Rejected { status: 400 }, "bad tool"),
        (
            r#"{"error":{"message":"Connection error.","type":null,"code":"500"}}"#,
            Rejected { status: 500 },
            "Connection error.",
        ),
        (r#"{"error":{"message":"Overloaded","type":"overloaded_error"}}"#, Unavailable, "Overloaded"),
        (
            r#"{"code":400,"message":"request (20030 tokens) exceeds the available context size (4096 tokens)","type":"exceed_context_size_error","n_ctx":4096}"#,
            window(4096),
            "request (20030 tokens) exceeds the available context size (4096 tokens)",
        ),
        (
            r#"{"provider":"Hoster","choices":[{"finish_reason":"error"}]}"#,
            Rejected { status: 200 },
            "the provider Hoster broke off with an error that it did not explain",
        ),
        ("", Rejected { status: 200 }, "the endpoint broke off with an error that it did not explain"),
    ];
    for (data, class, message) in cases {
        assert_eq!(classify_in_stream(data, None), ModelFailure::new(class, message));
    }
}
