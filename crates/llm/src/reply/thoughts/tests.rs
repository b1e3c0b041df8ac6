use super::*;

/// Thoughts and text of a reply, each joined.
fn split(pieces: &[&str], unanswered: bool) -> (String, String) {
    let (mut splitter, mut out) = (ThoughtSplitter::default(), VecDeque::new());
    for piece in pieces {
        splitter.take((*piece).to_owned(), &mut out);
    }
    splitter.finish(unanswered, &mut out);
    let (mut thoughts, mut text) = (String::new(), String::new());
    for event in out {
        match event {
            ChatEvent::Reasoning(words) => thoughts.push_str(&words),
            ChatEvent::Text(words) => text.push_str(&words),
            other => panic!("{other:?}"),
        }
    }
    (thoughts, text)
}

#[test]
fn a_thought_before_the_answer_is_told_apart_wherever_the_text_is_cut() {
    let cases = [
        ("<think>internal reasoning</think>answer", "internal reasoning", "answer"),
        ("\n<think>\nhm\n</think>\n\nanswer", "\nhm\n", "answer"),
        ("<thinking>a < b</thinking>x", "a < b", "x"),
        ("<think></think>answer", "", "answer"),
        ("<think>a</think><think>b</think>answer", "ab", "answer"),
        ("<think/>Hello", "", "Hello"),
        ("<think />\nHello", "", "Hello"),
        ("an answer", "", "an answer"),
        ("  indented", "", "  indented"),
        ("<b>bold</b>", "", "<b>bold</b>"),
        ("<thin", "", "<thin"),
        ("Write `<think>` and `</think>`.", "", "Write `<think>` and `</think>`."),
        ("`<think>` opens it", "", "`<think>` opens it"),
        ("<think>余</think>好<think>x</think>", "余", "好<think>x</think>"),
        (" \n", "", ""),
    ];
    for (reply, thoughts, text) in cases {
        let expected = (thoughts.to_owned(), text.to_owned());
        let characters: Vec<String> = reply.chars().map(String::from).collect();
        let characters: Vec<&str> = characters.iter().map(String::as_str).collect();
        assert_eq!(split(&characters, true), expected, "{reply:?} one by one");
        for (cut, _) in reply.char_indices() {
            assert_eq!(split(&[&reply[..cut], &reply[cut..]], true), expected, "{reply:?} cut at {cut}");
        }
    }
}

#[test]
fn a_thought_that_is_never_closed_is_the_answer_only_when_nothing_else_is() {
    let pieces = ["<think>It is ", "1969. </thi"];
    let thought = "It is 1969. </thi".to_owned();
    assert_eq!(split(&pieces, true), (thought.clone(), thought.clone()));
    assert_eq!(split(&pieces, false), (thought, String::new()));
}
