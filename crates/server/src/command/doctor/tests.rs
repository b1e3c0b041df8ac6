use attest_llm::secret::Secret;

use super::*;

fn arguments(timeout_seconds: u64) -> Arguments {
    Arguments { json: false, timeout_seconds }
}

#[test]
fn all_requests_together_take_three_minutes_at_most_unless_more_is_asked_for() {
    let all = |seconds| arguments(seconds).limits().all.as_secs();
    assert_eq!([all(1), all(30), all(100)], [180, 180, 600]);
}

/// Settings with a model at this base URL.
fn model_at(base_url: &str, key: &str) -> Settings {
    let mut settings = Settings::of_the_manual();
    settings.model.base_url = Some(base_url.parse().unwrap());
    settings.model.name = Some("m".to_owned());
    settings.model.api_key = Some(Secret::new(key));
    settings
}

#[tokio::test]
async fn without_a_model_the_offline_one_is_tried_and_everything_is_well() {
    let report = report(Settings::of_the_manual(), arguments(30).limits()).await;
    assert_eq!(exit_code(&report), 0);
    insta::assert_snapshot!(table::Table(&report.unwrap()));
}

#[tokio::test]
async fn the_exit_code_tells_a_model_that_is_away_from_settings_that_are_wrong() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let base_url = format!("http://{free}/v1");
    let away = report(model_at(&base_url, "k"), arguments(5).limits()).await;
    assert_eq!(exit_code(&away), 1);
    let wrong = report(model_at(&base_url, "a\nkey"), arguments(5).limits()).await;
    assert_eq!(exit_code(&wrong), 2);
    let sentence = wrong.unwrap_err().to_string();
    assert_eq!(sentence, "the API key contains a line break; paste the key alone, in one line");
}

#[tokio::test]
async fn one_test_runs_at_a_time() {
    let settings = Settings::of_the_manual();
    let (background, ending) = (TaskTracker::new(), CancellationToken::new());
    let place = ModelPlace::find(&settings, &background, &ending).await.unwrap();
    let doctor = Doctor::new(&place, &settings);
    let limits = arguments(30).limits();
    // The second one is polled after the first has begun, and long before it can end.
    let (_, second) = tokio::join!(
        async {
            tokio::select! { biased; _ = doctor.examine(limits) => {} () = tokio::task::yield_now() => {} }
        },
        doctor.examine(limits)
    );
    ending.cancel();
    assert!(matches!(second, Err(DoctorError::Busy)), "{second:?}");
}
