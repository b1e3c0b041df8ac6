use super::*;

/// The events of a reply of these data events, ended as given, and its failure.
fn reply(data: &[&str], ending: Ending) -> (Vec<ChatEvent>, Option<ModelFailure>) {
    let mut decoder = Decoder::new(None, false);
    let mut outcome = Ok(Progress::Open);
    for data in data {
        outcome = decoder.take(&Event { event: "message".into(), data: (*data).into(), ..Event::default() });
        if outcome != Ok(Progress::Open) {
            break;
        }
    }
    let failure = match outcome {
        Ok(Progress::Open) => decoder.end(ending).err(),
        Ok(Progress::Done) => decoder.end(Ending::Done).err(),
        Err(failure) => Some(failure),
    };
    if failure.is_some() {
        decoder.release();
    }
    (std::iter::from_fn(|| decoder.pop()).collect(), failure)
}

fn text(words: &str) -> ChatEvent {
    ChatEvent::Text(words.into())
}

fn reasoning(words: &str) -> ChatEvent {
    ChatEvent::Reasoning(words.into())
}

fn end(finish: ReplyFinish) -> ChatEvent {
    ChatEvent::End { finish, usage: None, continue_turn: None }
}

const STOP: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;

#[test]
fn words_and_thoughts_are_read_from_every_field_that_carries_them() {
    let cases = [
        (r#"{"choices":[{"delta":{"content":"hi"}}]}"#, vec![text("hi")]),
        (r#"{"choices":[{"delta":{"content":null,"tool_calls":null}}]}"#, vec![]),
        (r#"{"choices":[{"delta":{"content":""}}]}"#, vec![]),
        (r#"{"choices":[{"delta":null}]}"#, vec![]),
        (r#"{"choices":[null]}"#, vec![]),
        (r#"{"choices":[]}"#, vec![]),
        (r#"{"choices":[{"delta":{"reasoning_content":"a"}}]}"#, vec![reasoning("a")]),
        (r#"{"choices":[{"delta":{"reasoning":"a"}}]}"#, vec![reasoning("a")]),
        (r#"{"choices":[{"delta":{"reasoning":"a","reasoning_content":"a"}}]}"#, vec![reasoning("a")]),
        (
            r#"{"choices":[{"delta":{"reasoning":{"x":1},"reasoning_content":"","content":"b"}}]}"#,
            vec![text("b")],
        ),
        (r#"{"choices":[{"delta":{"reasoning":"a","content":"b"}}]}"#, vec![reasoning("a"), text("b")]),
        (r#"{"choices":[{"delta":{"content":null,"refusal":"I cannot."}}]}"#, vec![text("I cannot.")]),
        (
            r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}]},{"type":"text","text":"a"},{"type":"image"},7]}}]}"#,
            vec![reasoning("t"), text("a")],
        ),
        (r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":"t"}]}}]}"#, vec![reasoning("t")]),
        (r#"{"choices":[{"delta":{"content":"a"}},{"delta":{"content":"b"}}]}"#, vec![text("a")]),
        (r#"{"choices":[{"delta":{"content":"a"},"message":{"content":"all of it"}}]}"#, vec![text("a")]),
        (
            r#"{"choices":[{"delta":{"content":"NaN \"Infinity"},"logprobs":{"a":NaN,"b":[-Infinity]}}]}"#,
            vec![text("NaN \"Infinity")],
        ),
        (r#"{"choices":[{"delta":{"content":"<think>a</think>b"}}]}"#, vec![reasoning("a"), text("b")]),
        (r#"{"choices":[{"message":{"role":"assistant","content":"whole"}}]}"#, vec![text("whole")]),
    ];
    for (chunk, mut expected) in cases {
        expected.push(end(ReplyFinish::Stop));
        assert_eq!(reply(&[chunk, STOP], Ending::Eof), (expected, None), "{chunk}");
    }
}

#[test]
fn a_reply_is_complete_with_an_end_mark_or_a_finish_reason_and_only_then() {
    let hi = r#"{"choices":[{"delta":{"content":"hi"}}]}"#;
    let interrupted = || {
        let sentence = "the stream ended without an end mark and without a finish reason";
        ModelFailure::new(FailureClass::Interrupted, sentence)
    };
    let stalled = || ModelFailure::new(FailureClass::Stalled, "silent");
    let whole = vec![text("hi"), end(ReplyFinish::Stop)];
    assert_eq!(reply(&[hi, "[DONE]"], Ending::Eof), (whole.clone(), None));
    assert_eq!(reply(&[hi, STOP], Ending::Eof), (whole.clone(), None));
    assert_eq!(reply(&[hi, STOP], Ending::Broken(stalled())), (whole.clone(), None));
    assert_eq!(reply(&[hi, STOP, r#"{"choices":[{"finish_re"#], Ending::Eof), (whole, None));
    assert_eq!(reply(&[hi], Ending::Eof), (vec![text("hi")], Some(interrupted())));
    assert_eq!(reply(&[hi], Ending::Broken(stalled())), (vec![text("hi")], Some(stalled())));
    assert_eq!(
        reply(&[hi, r#"{"choices":[{"delta":{"content":"half"#], Ending::Eof),
        (vec![text("hi")], Some(interrupted()))
    );
}

#[test]
fn nothing_and_what_is_no_completion_have_their_own_names() {
    let class = |data: &[&str]| reply(data, Ending::Eof).1.map(|failure| failure.class);
    assert_eq!(class(&[]), Some(FailureClass::EmptyStream));
    assert_eq!(class(&["[DONE]"]), Some(FailureClass::EmptyStream));
    assert_eq!(class(&[r#"{"status":"ok"}"#, "[DONE]"]), Some(FailureClass::Unreachable));
    assert_eq!(class(&["not json"]), Some(FailureClass::Unreachable));
    assert_eq!(
        class(&[r#"{"code":20012,"message":"Model does not exist","data":null}"#]),
        Some(FailureClass::Rejected { status: 200 })
    );
}

#[test]
fn an_error_ends_the_reply_in_every_shape_and_whatever_follows() {
    let hi = r#"{"choices":[{"delta":{"content":"hi"}}]}"#;
    let rejected = |status, message| ModelFailure::new(FailureClass::Rejected { status }, message);
    let unavailable = |message| ModelFailure::new(FailureClass::Unavailable, message);
    let cases = [
        (r#"{"error":{"message":"quota exceeded"}}"#, rejected(200, "quota exceeded")),
        (r#"{"error":"STREAM_EXPLODED"}"#, rejected(200, "STREAM_EXPLODED")),
        (
            r#"{"id":"gen-1","choices":[],"error":{"code":502,"message":"Provider returned error"}}"#,
            unavailable("Provider returned error"),
        ),
        (
            r#"{"provider":"Hoster","choices":[{"delta":{"content":""},"finish_reason":"error"}],"error":{"code":503,"message":"gone"}}"#,
            unavailable("gone (Hoster)"),
        ),
        (
            r#"{"choices":[{"delta":{},"finish_reason":"network_error"}]}"#,
            rejected(200, "the endpoint broke off with an error that it did not explain"),
        ),
        (r#"{"code":500,"message":"boom"}"#, rejected(500, "boom")),
    ];
    for (data, failure) in cases {
        assert_eq!(
            reply(&[hi, data, hi, "[DONE]"], Ending::Eof),
            (vec![text("hi")], Some(failure)),
            "{data}"
        );
    }
    for harmless in ["null", "\"\"", "{}", "false"] {
        let data = format!(r#"{{"choices":[{{"delta":{{"content":"hi"}}}}],"error":{harmless}}}"#);
        assert_eq!(
            reply(&[&data, "[DONE]"], Ending::Eof),
            (vec![text("hi"), end(ReplyFinish::Stop)], None),
            "{data}"
        );
    }
}

#[test]
fn the_error_event_fails_whatever_its_body_looks_like() {
    let mut decoder = Decoder::new(Some(Secret::new("my-key-123")), false);
    let event = Event {
        event: "error".into(),
        data: r#"{"code":400,"details":"my-key-123 is wrong"}"#.into(),
        ..Event::default()
    };
    let failure = ModelFailure::new(FailureClass::Rejected { status: 400 }, "*** is wrong");
    assert_eq!(decoder.take(&event), Err(failure));
}

#[test]
fn the_finish_is_what_the_reply_was_whatever_word_the_endpoint_used() {
    let call = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"W"}]}"#;
    let words = r#"{"choices":[{"delta":{"content":"hi"},"finish_reason":"W"}]}"#;
    let called = || {
        ChatEvent::Call(crate::chat::ToolCall { id: "a".into(), name: "f".into(), arguments: "{}".into() })
    };
    let cases = [
        (call, "stop", vec![called(), end(ReplyFinish::ToolCalls)]),
        (call, "tool_calls", vec![called(), end(ReplyFinish::ToolCalls)]),
        (call, "length", vec![called(), end(ReplyFinish::Length)]),
        (call, "content_filter", vec![end(ReplyFinish::Filtered)]),
        (words, "tool_calls", vec![text("hi"), end(ReplyFinish::Stop)]),
        (words, "eos", vec![text("hi"), end(ReplyFinish::Stop)]),
        (words, "length", vec![text("hi"), end(ReplyFinish::Length)]),
        (words, "content_filter", vec![text("hi"), end(ReplyFinish::Filtered)]),
    ];
    for (chunk, word, expected) in cases {
        let chunk = chunk.replace('W', word);
        let stop_after = r#"{"choices":[{"finish_reason":"stop","content_filter_offsets":{}}]}"#;
        assert_eq!(reply(&[&chunk], Ending::Eof), (expected.clone(), None), "{chunk}");
        assert_eq!(reply(&[&chunk, stop_after], Ending::Eof), (expected, None), "{chunk}, then stop");
    }
    let open = call.replace('W', "");
    assert_eq!(reply(&[&open], Ending::Eof).0, vec![], "a call of a broken stream never comes");
}

#[test]
fn usage_is_read_wherever_it_stands_and_never_harms() {
    let usage = Some(TokenUsage { prompt_tokens: Some(9), completion_tokens: Some(12) });
    let counts = r#"{"prompt_tokens":9,"completion_tokens":12.0,"total_tokens":21}"#;
    let cases = [
        (format!(r#"{{"choices":[],"usage":{counts}}}"#), usage),
        (format!(r#"{{"choices":[{{"delta":{{}},"usage":{counts}}}]}}"#), usage),
        (format!(r#"{{"choices":[],"x_groq":{{"usage":{counts}}}}}"#), usage),
        (r#"{"choices":[],"usage":{}}"#.to_owned(), None),
        (r#"{"choices":[],"usage":null}"#.to_owned(), None),
        (r#"{"choices":[],"usage":"none"}"#.to_owned(), None),
        (r#"{"choices":[],"usage":{"prompt_tokens":null,"completion_tokens":[1]}}"#.to_owned(), None),
    ];
    for (chunk, usage) in cases {
        let expected = vec![ChatEvent::End { finish: ReplyFinish::Stop, usage, continue_turn: None }];
        assert_eq!(reply(&[STOP, &chunk, "[DONE]"], Ending::Eof), (expected, None), "{chunk}");
    }
    let one =
        format!(r#"{{"choices":[{{"delta":{{"content":"end"}},"finish_reason":"stop"}}],"usage":{counts}}}"#);
    let expected =
        vec![text("end"), ChatEvent::End { finish: ReplyFinish::Stop, usage, continue_turn: None }];
    assert_eq!(reply(&[&one], Ending::Eof), (expected, None));
}
