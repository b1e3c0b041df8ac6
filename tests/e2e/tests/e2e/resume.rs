//! Readers that come back after a turn has ended.

use attest_domain::ConversationId;
use attest_protocol::frame::Finish;
use attest_protocol::{ErrorCode, Frame};
use attest_testkit::{Received, ScriptedModel, TestOptions, TestServer, Turn, fold, reply};

use crate::corpus;

async fn answered() -> (ScriptedModel, TestServer, Turn) {
    let model = ScriptedModel::start([
        reply::search("bridge Vexholm").with_narration("Looking 🔍."),
        reply::text("Ottilie Brandvorn designed it [1], and it opened in 1931 [1]."),
    ])
    .await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    server.add_document("vexholm-bridge.md", corpus::BRIDGE).await;
    let turn = server.ask("Who designed the bridge of Vexholm?").await;
    turn.done();
    (model, server, turn)
}

fn without_marks(frames: Vec<Received>) -> Vec<Received> {
    frames.into_iter().filter(|received| !matches!(received.frame, Frame::Live(_))).collect()
}

#[tokio::test]
async fn every_cursor_of_a_turn_that_has_ended_gets_what_is_missing() {
    let (_model, server, turn) = answered().await;
    let frames = turn.frames();
    for seq in 0..frames.len() {
        let cursor = format!("{}:{seq}", turn.turn_id());
        let missing =
            server.live(turn.conversation_id(), Some(&cursor)).await.stream().collect_to_end().await;
        assert_eq!(without_marks(missing), frames[seq..], "after {seq}");
    }
    let terminal = turn.last_id().to_string();
    server.live(turn.conversation_id(), Some(&terminal)).await.assert_nothing_more();
}

#[tokio::test]
async fn a_reader_without_a_cursor_is_told_that_nothing_runs_and_then_to_stop_asking() {
    let (_model, server, turn) = answered().await;
    let frames = server.live(turn.conversation_id(), None).await.stream().collect_to_end().await;
    let [idle] = frames.as_slice() else { panic!("{frames:#?}") };
    let Frame::Idle(said) = &idle.frame else { panic!("{idle:?}") };
    assert_eq!((said.turn_id, said.finish), (Some(turn.turn_id()), Some(Finish::Complete)));
    assert_eq!(idle.id, turn.last_id(), "a browser that asks again with this id gets its 204");
    server.live(turn.conversation_id(), Some(&idle.id.to_string())).await.assert_nothing_more();
}

#[tokio::test]
async fn after_a_restart_a_reader_gets_a_snapshot_and_the_terminal() {
    let (_model, mut server, turn) = answered().await;
    server.restart().await;
    let conversation = turn.conversation_id();
    for seq in [0, 1, 2, turn.frames().len() - 1] {
        let cursor = format!("{}:{seq}", turn.turn_id());
        let frames = server.live(conversation, Some(&cursor)).await.stream().collect_to_end().await;
        let events: Vec<&str> = frames.iter().map(|received| received.frame.event()).collect();
        assert_eq!(events, ["snapshot", "live", "done"], "after {seq}");
        let (read, was) = (fold(&frames), turn.transcript());
        assert_eq!(
            (read.content(), read.steps(), read.sources()),
            (was.content(), was.steps(), was.sources())
        );
        assert_eq!(frames.last(), turn.frames().last(), "the same terminal under the same id");
    }
    server.live(conversation, Some(&turn.last_id().to_string())).await.assert_nothing_more();
    let idle = server.live(conversation, None).await.stream().next_frame().await;
    assert!(matches!(idle, Frame::Idle(_)), "{idle:?}");
}

#[tokio::test]
async fn a_cursor_of_an_earlier_turn_gets_the_end_of_that_turn() {
    let (model, server, first) = answered().await;
    model.queue([reply::no_evidence("Thanks."), reply::text("You are welcome.")]);
    let second = server.ask_in(first.conversation_id(), "Thank you").await;
    let cursor = format!("{}:2", first.turn_id());
    let frames = server.live(first.conversation_id(), Some(&cursor)).await.stream().collect_to_end().await;
    assert_eq!(without_marks(frames), first.frames()[2..]);
    let idle = server.live(first.conversation_id(), None).await.stream().next().await.unwrap();
    assert_eq!(idle.id, second.last_id());
}

#[tokio::test]
async fn a_conversation_that_does_not_exist_has_no_live_stream() {
    let server = TestServer::start(TestOptions::offline()).await;
    let refused = server.live(ConversationId::new(), None).await.refused();
    refused.assert_refused(ErrorCode::NotFound, "conversation");
}
