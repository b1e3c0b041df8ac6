use super::*;

/// One of each, so that a new frame has to add its sample here.
pub(crate) fn samples() -> Vec<Frame> {
    let id = |n: u128| uuid::Uuid::from_u128(n);
    let source = Source {
        n: 3,
        chunk_id: ChunkId::from_uuid(id(4)),
        document_id: DocumentId::from_uuid(id(5)),
        filename: "欧洲核子研究中心.md".into(),
        heading: Some("历史 › 创立".into()),
        excerpt: "CERN was founded in 1954.".into(),
        from: 10,
        to: 35,
        quotes: Vec::new(),
    };
    let step = Step {
        kind: StepKind::Search,
        tool: "search_chunks".into(),
        label: "Searched “CERN”".into(),
        detail: "6 passages".into(),
        at: 12,
        count: Some(6),
    };
    let all = vec![
        Frame::Conversation(ConversationFrame {
            id: ConversationId::from_uuid(id(1)),
            question_id: MessageId::from_uuid(id(2)),
            turn_id: TurnId::from_uuid(id(3)),
            title: Some("When was CERN founded?".into()),
        }),
        Frame::Step(step.clone()),
        Frame::Sources(vec![source.clone()]),
        Frame::Delta(Delta { text: "In 1954 [3]. 😀\n".into() }),
        Frame::Done(Done {
            answer_id: MessageId::from_uuid(id(6)),
            finish: Finish::Complete,
            stopped: false,
            usage: Some(Usage { prompt_tokens: Some(120), completion_tokens: None }),
            evidence: Evidence { kind: EvidenceKind::Cited, reason: None },
        }),
        Frame::Error(ErrorFrame {
            error: "The model went silent.".into(),
            code: ErrorCode::Stalled,
            retryable: true,
            retry_after: Some(5),
            answer_id: None,
        }),
        Frame::Snapshot(Snapshot {
            turn_id: TurnId::from_uuid(id(3)),
            conversation_id: ConversationId::from_uuid(id(1)),
            question_id: MessageId::from_uuid(id(2)),
            content: "In 1954".into(),
            steps: vec![step],
            sources: vec![source],
            seq: 4,
        }),
        Frame::Live(LiveMark { seq: 4 }),
        Frame::Idle(Idle { turn_id: Some(TurnId::from_uuid(id(3))), finish: Some(Finish::Complete) }),
    ];
    // No wildcard: a new variant does not compile until it is counted, and then it needs its sample above.
    let kinds: std::collections::BTreeSet<u8> = all
        .iter()
        .map(|frame| match frame {
            Frame::Conversation(_) => 0,
            Frame::Step(_) => 1,
            Frame::Sources(_) => 2,
            Frame::Delta(_) => 3,
            Frame::Done(_) => 4,
            Frame::Error(_) => 5,
            Frame::Snapshot(_) => 6,
            Frame::Live(_) => 7,
            Frame::Idle(_) => 8,
        })
        .collect();
    assert_eq!(kinds.len(), 9, "a frame has no sample");
    all
}

#[test]
fn every_frame_is_one_line_of_json_that_reads_back() {
    for frame in samples() {
        let data = frame.data().unwrap();
        assert!(!data.contains('\n'), "{data}");
        assert_eq!(Frame::parse(frame.event(), &data).unwrap(), frame);
    }
}

#[test]
fn the_wire_form_of_every_frame_is_kept() {
    let wire: Vec<String> =
        samples().iter().map(|f| format!("{} {}", f.event(), f.data().unwrap())).collect();
    insta::assert_snapshot!(wire.join("\n"));
}

#[test]
fn an_event_that_is_no_frame_is_named() {
    assert_eq!(Frame::parse("token", "{}").unwrap_err().to_string(), "there is no frame named \"token\"");
}
