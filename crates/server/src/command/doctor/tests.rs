use super::*;

fn arguments(timeout_seconds: u64) -> Arguments {
    Arguments { json: false, timeout_seconds }
}

#[test]
fn all_requests_together_take_three_minutes_at_most_unless_more_is_asked_for() {
    let all = |seconds| arguments(seconds).limits().all.as_secs();
    assert_eq!([all(1), all(30), all(100)], [180, 180, 600]);
}

#[tokio::test]
async fn without_a_model_the_offline_one_is_tried_and_everything_is_well() {
    let mut settings = Settings::of_the_manual();
    settings.offline.pace = Duration::ZERO;
    let (background, ending) = (TaskTracker::new(), CancellationToken::new());
    let place = ModelPlace::find(&settings, &background, &ending).await.unwrap();
    let report = Doctor::new(&place, &settings).examine(arguments(30).limits()).await.unwrap();
    ending.cancel();
    insta::assert_snapshot!(table::Table(&report));
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
