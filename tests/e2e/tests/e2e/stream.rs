//! The frames of one turn: their order, their ids, what they say, and that what is stored is what was said.

use attest_protocol::Frame;
use attest_protocol::frame::{EvidenceKind, Finish};
use attest_protocol::view::Role;
use attest_testkit::{GatedModel, ScriptedModel, TestOptions, TestServer, reply, soon};

use crate::corpus;

#[tokio::test]
async fn a_turn_streams_its_work_and_its_words_and_stores_what_it_said() {
    let model = ScriptedModel::start([
        reply::search("bridge Vexholm").with_narration("Let me look 🔍."),
        reply::text("Ottilie Brandvorn designed it [1]. It opened in 1931 [1]."),
    ])
    .await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    server.add_document("vexholm-bridge.md", corpus::BRIDGE).await;

    let turn = server.ask("Who designed the bridge of Vexholm?").await;

    turn.assert_sources_before_citations();
    let events = turn.events();
    assert_eq!((events[0], events[1]), ("conversation", "delta"), "{events:?}");
    assert_eq!(events.iter().filter(|event| **event == "step").count(), 1, "{events:?}");
    assert_eq!(events.iter().filter(|event| **event == "sources").count(), 1, "{events:?}");
    assert_eq!(turn.title(), Some("Who designed the bridge of Vexholm?"));
    assert_eq!(
        turn.content(),
        "Let me look 🔍.\n\nOttilie Brandvorn designed it [1]. It opened in 1931 [1]."
    );
    let steps = turn.steps();
    assert_eq!(steps.len(), 1);
    // Twelve letters and blanks, two units for the emoji, a full stop.
    assert_eq!((steps[0].tool.as_str(), steps[0].at), ("search_chunks", 15));
    assert_eq!(turn.cited_sources()[0].filename, "vexholm-bridge.md");
    let done = turn.done();
    assert_eq!((done.finish, done.stopped), (Finish::Complete, false));
    assert_eq!(done.evidence.kind, EvidenceKind::Cited);
    let usage = done.usage.expect("both replies counted tokens");
    assert_eq!((usage.prompt_tokens, usage.completion_tokens), (Some(200), Some(40)));

    let stored = server.conversation(turn.conversation_id()).await;
    assert_eq!(stored.running_turn_id, None);
    let [question, answer] = stored.messages.as_slice() else { panic!("{stored:#?}") };
    assert_eq!((question.id, question.role), (turn.question_id(), Role::User));
    assert_eq!(question.content, "Who designed the bridge of Vexholm?");
    assert_eq!((answer.id, answer.role), (done.answer_id, Role::Assistant));
    assert_eq!(answer.content, turn.content());
    assert_eq!((&answer.steps, &answer.sources), (&turn.steps(), &turn.sources()));
    assert_eq!(answer.finish, Some(Finish::Complete));
    assert_eq!(answer.evidence, Some(done.evidence));
    assert_eq!(answer.usage, Some(usage));
    assert_eq!((question.turn_id, answer.turn_id), (turn.turn_id(), turn.turn_id()));
}

#[tokio::test]
async fn a_stream_is_neither_cached_nor_buffered_nor_compressed() {
    let model = ScriptedModel::start([reply::no_evidence("A greeting."), reply::text("Hello.")]).await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    let request =
        server.chat_request(&attest_testkit::question("Hello")).header("accept-encoding", "gzip, br");
    let stream = server.chat(request).await.unwrap();
    assert_eq!(stream.header("content-type"), Some("text/event-stream"));
    assert_eq!(stream.header("cache-control"), Some("no-cache, no-transform"));
    assert_eq!(stream.header("x-accel-buffering"), Some("no"));
    assert_eq!(stream.header("content-encoding"), None);
    let turn = stream.turn().await;

    let live = server.live(turn.conversation_id(), None).await.stream();
    assert_eq!(live.header("cache-control"), Some("no-cache, no-transform"));
    assert_eq!(live.header("x-accel-buffering"), Some("no"));
    live.collect_to_end().await;
}

#[tokio::test]
async fn a_silent_model_does_not_make_a_silent_stream() {
    let model = GatedModel::start().await;
    let options = TestOptions::gated(&model).with("http.keep_alive_seconds", "1");
    let server = TestServer::start(options).await;
    let mut asker = server.begin("Hello").await;
    let conversation = asker.conversation().await;
    let waiting = model.next_request().await;
    assert_eq!(asker.comments(), 0);
    asker.next_comment().await;
    let mut reader = server.live(conversation.id, None).await.stream();
    reader.next_comment().await;
    assert!(matches!(reader.next_frame().await, Frame::Snapshot(_)));
    waiting.drop_connection();
}

#[tokio::test]
async fn text_between_two_rounds_is_parted_by_a_blank_line_and_steps_know_their_place() {
    let model = ScriptedModel::start([
        reply::search("Vexholm").with_narration("First the bridge."),
        reply::search("Kestrelmoor").with_narration("Now the observatory 🔭."),
        reply::text("Brandvorn [1] and Quandahl."),
    ])
    .await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    corpus::load(&server).await;
    let turn = server.ask("Who drew the bridge, and who led the observatory?").await;
    assert_eq!(turn.content(), "First the bridge.\n\nNow the observatory 🔭.\n\nBrandvorn [1] and Quandahl.");
    let places: Vec<u64> = turn.steps().iter().map(|step| step.at).collect();
    assert_eq!(places, [17, 42]);
    assert_eq!(turn.done().evidence.kind, EvidenceKind::Cited);
}

#[tokio::test]
async fn several_calls_of_one_reply_run_and_keep_their_order() {
    let model = ScriptedModel::start([
        reply::calls([
            ("search_chunks", serde_json::json!({"query": "Vexholm bridge"})),
            ("search_chunks", serde_json::json!({"query": "Kestrelmoor observatory"})),
            ("get_document", serde_json::json!({"document_id": "not an id"})),
            ("serch_chunks", serde_json::json!({"query": "x"})),
        ]),
        reply::text("Nothing to add."),
    ])
    .await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    corpus::load(&server).await;
    let turn = server.ask("Tell me about both.").await;
    turn.done();
    assert_eq!(turn.steps().len(), 4, "{:#?}", turn.steps());
    let request = &model.requests()[1];
    let results: Vec<&str> = request["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    assert!(results[0].contains("Brandvorn"), "{results:#?}");
    assert!(results[1].contains("Quandahl"), "{results:#?}");
    assert!(results[2].contains("document_id"), "{results:#?}");
    assert!(results[3].contains("search_chunks"), "the nearest name is offered: {results:#?}");
}

#[tokio::test]
async fn a_cut_answer_and_a_filtered_answer_say_so() {
    for (reply, finish) in [
        (reply::text("Once upon").cut(), Finish::Length),
        (reply::text("Once upon").filtered(), Finish::Filtered),
    ] {
        let model = ScriptedModel::start([reply::no_evidence("A story."), reply]).await;
        let server = TestServer::start(TestOptions::scripted(&model)).await;
        let turn = server.ask("Tell me a story about this talk.").await;
        assert_eq!(turn.done().finish, finish);
        let stored = server.conversation(turn.conversation_id()).await;
        assert_eq!(stored.messages[1].finish, Some(finish));
        assert_eq!(stored.messages[1].content, "Once upon");
    }
}

#[tokio::test]
async fn the_details_of_a_turn_count_what_it_did() {
    let model = ScriptedModel::start([
        reply::calls([("search_chunks", serde_json::json!({}))]),
        reply::search("Vexholm"),
        reply::text("It opened in 1931 [1] [9]."),
    ])
    .await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    server.add_document("vexholm-bridge.md", corpus::BRIDGE).await;
    let turn = server.ask("When did the bridge open?").await;
    let details = server.turn(turn.turn_id()).await;
    assert_eq!(details.conversation_id, turn.conversation_id());
    assert_eq!(details.question_id, turn.question_id());
    assert_eq!(details.answer_id, Some(turn.done().answer_id));
    assert_eq!(details.done, Some(turn.done()));
    assert_eq!(details.record.model, attest_testkit::MODEL_NAME);
    assert_eq!(details.record.requests.len(), 3);
    assert_eq!(details.record.tools, ["search_chunks"]);
    assert_eq!(details.record.refusals.len(), 1, "{:?}", details.record.refusals);
    assert_eq!(details.record.unissued_numbers, 1);
    assert_eq!(details.usage.unwrap().prompt_tokens, Some(300));
    assert!(details.seconds >= 0.0);
}

#[tokio::test]
async fn a_nul_from_the_model_reaches_neither_reader_nor_database() {
    let model = ScriptedModel::start([reply::no_evidence("A greeting."), reply::text("He\0llo.\0")]).await;
    let server = TestServer::start(TestOptions::scripted(&model)).await;
    let turn = server.ask("Hello").await;
    assert_eq!(turn.content(), "Hello.");
    let stored = server.conversation(turn.conversation_id()).await;
    assert_eq!(stored.messages[1].content, "Hello.");
}

#[tokio::test]
async fn many_turns_run_beside_each_other() {
    let server = TestServer::start(TestOptions::offline()).await;
    server.add_document("vexholm-bridge.md", corpus::BRIDGE).await;
    let asked = (0..20).map(|_| server.ask("When was the bridge of Vexholm opened?"));
    let turns = soon("twenty answers", futures::future::join_all(asked)).await;
    for turn in &turns {
        assert!(turn.content().contains("1931"), "{}", turn.content());
        assert_eq!(turn.content(), turns[0].content());
    }
}
