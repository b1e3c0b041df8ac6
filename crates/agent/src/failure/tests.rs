use super::*;

fn model(class: FailureClass, message: &str) -> TurnFailure {
    of_model(&ModelFailure {
        class,
        message: message.to_owned(),
        retry_after_seconds: (class == FailureClass::RateLimited).then_some(7),
        timed_out: false,
        shape: None,
    })
}

#[test]
fn failures_keep_their_names() {
    let table: Vec<_> = [
        FailureClass::OutOfCredit,
        FailureClass::RateLimited,
        FailureClass::Unavailable,
        FailureClass::ContextTooLong { window: Some(4096) },
        FailureClass::Unauthorized,
        FailureClass::Rejected { status: 400 },
        FailureClass::Interrupted,
        FailureClass::Stalled,
        FailureClass::EmptyStream,
        FailureClass::Filtered,
        FailureClass::Unreachable,
    ]
    .into_iter()
    .map(|class| {
        let failure = model(class, "");
        (class_name(class), failure.code.as_str(), failure.retryable, failure.retry_after)
    })
    .collect();
    assert_eq!(
        table,
        [
            ("out_of_credit", "model_out_of_credit", false, None),
            ("rate_limited", "model_rate_limited", true, Some(7)),
            ("unavailable", "model_unavailable", true, None),
            ("context_too_long", "context_too_long", false, None),
            ("unauthorized", "model_unauthorized", false, None),
            ("rejected", "model_rejected", false, None),
            ("interrupted", "interrupted", true, None),
            ("stalled", "stalled", true, None),
            ("empty_stream", "model_unavailable", true, None),
            ("filtered", "model_filtered", false, None),
            ("unreachable", "model_unreachable", true, None),
        ]
    );
}

#[test]
fn the_endpoints_own_words_are_added_on_one_line_and_shortened() {
    let failure = model(FailureClass::Rejected { status: 404 }, "no such\n model");
    assert_eq!(
        failure.sentence,
        "The model's endpoint refused the request with status 404. Check the model's name and settings. \
         The endpoint said: no such model"
    );
    let long = model(FailureClass::Unavailable, &"é".repeat(1000)).sentence;
    assert!(long.ends_with("é…") && long.chars().count() < 400, "{long}");
}

#[test]
fn a_database_that_is_down_is_found_behind_the_errors_around_it() {
    #[derive(Debug, thiserror::Error)]
    #[error("around it")]
    struct Around(#[source] SearchError);
    let down = || SearchError::Store(StoreError::Unavailable(std::io::Error::other("gone").into()));
    assert_eq!(of_tool(&down()).code, ErrorCode::StorageUnavailable);
    assert_eq!(of_tool(&Around(down())).code, ErrorCode::StorageUnavailable);
    assert_eq!(of_tool(&StoreError::Corrupt("a row".to_owned())).code, ErrorCode::AnswerFailed);
}
