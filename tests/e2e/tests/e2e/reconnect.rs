//! Readers that leave and come back while a turn runs.

use attest_protocol::{ErrorCode, Frame};
use attest_testkit::{GatedModel, Received, TestOptions, TestServer, fold, follow_up, until};
use reqwest::Method;

/// What a reader can compare: the id and the data, to the byte.
fn bare(frames: &[Received]) -> Vec<(String, &str)> {
    frames.iter().map(|received| (received.id.to_string(), received.data.as_str())).collect()
}

#[tokio::test]
async fn a_turn_goes_on_when_its_reader_leaves_and_reads_the_model_to_the_end() {
    let model = GatedModel::start().await;
    let server = TestServer::start(TestOptions::gated(&model)).await;
    let mut asker = server.begin("Hello").await;
    let conversation = asker.conversation().await;
    let mut reply = model.past_the_gate().await;
    reply.send_text("The first half").await;
    asker.until_text("half").await;
    drop(asker);
    for word in [" and", " the", " second", " half."] {
        reply.send_text(word).await;
    }
    reply.finish().await;
    let stored = until("the answer to be stored", async || {
        let stored = server.conversation(conversation.id).await;
        stored.running_turn_id.is_none().then_some(stored)
    })
    .await;
    assert_eq!(stored.messages[1].content, "The first half and the second half.");
    assert_eq!(server.turn(conversation.turn_id).await.record.requests.len(), 2);
}

#[tokio::test]
async fn a_reader_gets_every_frame_once_whatever_frame_of_a_running_turn_it_saw_last() {
    let model = GatedModel::start().await;
    let server = TestServer::start(TestOptions::gated(&model)).await;
    let mut asker = server.begin("Hello").await;
    let mut reply = model.past_the_gate().await;
    let mut seen = vec![asker.next().await.unwrap()];
    let conversation = match &seen[0].frame {
        Frame::Conversation(frame) => frame.id,
        other => panic!("{other:?}"),
    };
    for word in ["One", " two", " three", " 🔥four"] {
        reply.send_text(word).await;
        seen.extend(asker.until_text(word).await);
    }
    let turn_id = seen[0].id.turn_id;
    let mut readers = Vec::new();
    for seq in 0..=seen.len() {
        let mut reader = server.live(conversation, Some(&format!("{turn_id}:{seq}"))).await.stream();
        let mut replay = Vec::new();
        let mark = loop {
            let received = reader.next().await.unwrap();
            match received.frame {
                Frame::Live(mark) => break (received.id.seq, mark.seq),
                _ => replay.push(received),
            }
        };
        assert_eq!(bare(&replay), bare(&seen[seq..]), "after {seq}");
        assert_eq!(mark, (seen.len() as u64, seen.len() as u64), "where the replay after {seq} ends");
        readers.push(reader);
    }
    reply.send_text(" five.").await;
    reply.finish().await;
    let tail = asker.collect_to_end().await;
    assert!(tail.last().is_some_and(|last| last.frame.is_terminal()));
    for reader in readers {
        assert_eq!(bare(&reader.collect_to_end().await), bare(&tail));
    }
    let whole = [seen, tail].concat();
    let stored = server.conversation(conversation).await;
    assert_eq!(fold(&whole).content(), stored.messages[1].content);
    assert_eq!(stored.messages[1].content, "One two three 🔥four five.");
}

#[tokio::test]
async fn a_reader_without_a_cursor_gets_a_snapshot_and_the_tail() {
    let model = GatedModel::start().await;
    let server = TestServer::start(TestOptions::gated(&model)).await;
    let mut asker = server.begin("Hello").await;
    let head = asker.conversation().await;
    let mut reply = model.past_the_gate().await;
    reply.send_text("Half").await;
    let seen = asker.until_text("Half").await;
    let last = seen.last().unwrap().id;

    let mut reader = server.live(head.id, None).await.stream();
    let snapshot = reader.next().await.unwrap();
    let Frame::Snapshot(shown) = &snapshot.frame else { panic!("{snapshot:?}") };
    assert_eq!((snapshot.id, shown.seq), (last, last.seq));
    assert_eq!(
        (shown.turn_id, shown.conversation_id, shown.question_id),
        (head.turn_id, head.id, head.question_id)
    );
    assert_eq!(shown.content, "Half");
    let live = reader.next().await.unwrap();
    assert_eq!(live.id, last);
    assert!(matches!(live.frame, Frame::Live(mark) if mark.seq == last.seq));

    reply.send_text(" whole.").await;
    reply.finish().await;
    let tail = asker.collect_to_end().await;
    let reader_tail = reader.collect_to_end().await;
    assert_eq!(bare(&reader_tail), bare(&tail));
    let as_read = fold(&[vec![snapshot], reader_tail].concat());
    assert_eq!(as_read.content(), "Half whole.");
    assert_eq!(as_read.ending(), fold(&tail).ending());
}

#[tokio::test]
async fn a_cursor_that_fits_no_running_turn_counts_as_none_and_a_malformed_query_is_refused() {
    let model = GatedModel::start().await;
    let server = TestServer::start(TestOptions::gated(&model)).await;
    let mut asker = server.begin("Hello").await;
    let head = asker.conversation().await;
    let mut reply = model.past_the_gate().await;
    reply.send_text("Words").await;
    let seen = asker.until_text("Words").await;
    let newest = seen.last().unwrap().id;
    let path = format!("/conversations/{}/live", head.id);

    let other_turn = format!("{}:1", uuid::Uuid::now_v7());
    let ahead = format!("{}:9999", head.turn_id);
    for cursor in [other_turn.as_str(), ahead.as_str(), "nonsense", "", "1"] {
        let mut reader = server.live(head.id, Some(cursor)).await.stream();
        assert!(matches!(reader.next_frame().await, Frame::Snapshot(_)), "{cursor:?} in the header");
    }
    for cursor in ["nonsense", "1", &format!("{}:x", head.turn_id)] {
        let request = server.kb(Method::GET, &path).query(&[("after", cursor)]);
        let refused = server.attach(request).await.refused();
        refused.assert_refused(ErrorCode::InvalidCursor, "event id");
    }
    // The header wins, and a query that fits is used.
    let beginning = format!("{}:0", head.turn_id);
    let request = server.kb(Method::GET, &path).query(&[("after", &beginning)]);
    let mut reader = server.attach(request.header("last-event-id", newest.to_string())).await.stream();
    assert!(matches!(reader.next_frame().await, Frame::Live(mark) if mark.seq == newest.seq));
    let request = server.kb(Method::GET, &path).query(&[("after", &beginning)]);
    let mut reader = server.attach(request).await.stream();
    assert!(matches!(reader.next_frame().await, Frame::Conversation(frame) if frame.id == head.id));
    reply.finish().await;
    asker.collect_to_end().await;
}

#[tokio::test]
async fn a_reader_on_another_server_gets_the_end_of_the_turn() {
    let model = GatedModel::start().await;
    let server = TestServer::start(TestOptions::gated(&model)).await;
    let other = server.replica(TestOptions::offline()).await;
    let mut asker = server.begin("Hello").await;
    let head = asker.conversation().await;
    let mut reply = model.past_the_gate().await;
    reply.send_text("Words.").await;
    asker.until_text("Words.").await;
    let listed: attest_protocol::view::ConversationView = other.conversation(head.id).await;
    assert_eq!(listed.running_turn_id, Some(head.turn_id));
    // One turn at a time, whichever server is asked; it is stopped where it runs.
    let refused = other.chat(other.chat_request(&follow_up(head.id, "Two"))).await.err().unwrap();
    assert_eq!(refused.assert_refused(ErrorCode::AnswerRunning, "").turn_id, Some(head.turn_id));
    assert!(!other.stop_turn(head.id, head.turn_id).await);
    let reader = other.live(head.id, None).await.stream();
    reply.finish().await;
    let here = asker.collect_to_end().await;
    let there = reader.collect_to_end().await;
    let events: Vec<&str> = there.iter().map(|received| received.frame.event()).collect();
    assert_eq!(events, ["snapshot", "live", "done"]);
    assert_eq!(fold(&there).content(), "Words.");
    assert_eq!(there.last(), here.last(), "the same terminal under the same id");
}
