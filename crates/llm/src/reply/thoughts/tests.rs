use proptest::prelude::*;

use super::*;

/// Thoughts and text of a reply, each joined.
fn split(pieces: &[&str], unanswered: bool) -> (String, String) {
    split_by(ThoughtSplitter::default(), pieces, unanswered)
}

fn split_by(mut splitter: ThoughtSplitter, pieces: &[&str], unanswered: bool) -> (String, String) {
    let mut out = VecDeque::new();
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
        ("[THINK]hm[/THINK]answer", "hm", "answer"),
        ("◁think▷余◁/think▷好", "余", "好"),
        ("<reasoning>r</reasoning>\n\nx", "r", "x"),
        ("an answer</think> with a lone tag", "", "an answer</think> with a lone tag"),
        ("<|channel>thought\nhm<channel|>answer <|channel>", "\nhm", "answer <|channel>"),
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

#[test]
fn a_reply_of_a_marked_endpoint_is_a_thought_until_the_closing_tag() {
    let cases = [
        ("hm, yes</think>\n\nanswer", "hm, yes", "answer"),
        ("hm </thi </think>a </think> b", "hm </thi ", "a </think> b"),
        ("<think>hm</think>answer", "hm", "answer"),
        ("hm</think><think>more</think>answer", "hmmore", "answer"),
        ("<think/>answer", "", "answer"),
    ];
    for (reply, thoughts, text) in cases {
        let expected = (thoughts.to_owned(), text.to_owned());
        for (cut, _) in reply.char_indices() {
            let pieces = [&reply[..cut], &reply[cut..]];
            assert_eq!(
                split_by(ThoughtSplitter::new(true), &pieces, true),
                expected,
                "{reply:?} cut at {cut}"
            );
        }
    }
    let whole = "The answer alone.".to_owned();
    assert_eq!(split_by(ThoughtSplitter::new(true), &[&whole], true), (whole.clone(), whole));
}

#[test]
fn channels_are_told_apart_wherever_the_text_is_cut() {
    let cases = [
        (
            "<|channel|>analysis<|message|>Hm. <|end|><|start|>assistant<|channel|>final<|message|>It is 1969.<|return|>",
            "Hm. ",
            "It is 1969.",
        ),
        ("<|start|>assistant<|channel|>final<|message|>a < b <| c", "", "a < b <| c"),
        ("<|channel|>analysis<|message|>t<|end|>plain answer", "t", "plain answer"),
        ("<|channel|>analysis<|message|>t<|channel|>final<|message|>x", "t", "x"),
        (
            "<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{\"q\":1}<|call|>",
            "{\"q\":1}",
            "I look.",
        ),
        (
            "<|channel|>commentary<|message|>One.<|end|><|start|>assistant<|channel|>final<|message|>Two.",
            "",
            "One.\n\nTwo.",
        ),
        ("<|channel|>analysis<|message|>never ended", "never ended", ""),
        ("<|start|> is a marker of a template", "", "<|start|> is a marker of a template"),
        ("`<|channel|>` in code", "", "`<|channel|>` in code"),
        ("<|channel|>final", "", "<|channel|>final"),
    ];
    for (reply, thoughts, text) in cases {
        let expected = (thoughts.to_owned(), text.to_owned());
        for (cut, _) in reply.char_indices() {
            assert_eq!(split(&[&reply[..cut], &reply[cut..]], true), expected, "{reply:?} cut at {cut}");
        }
        let characters: Vec<String> = reply.chars().map(String::from).collect();
        let characters: Vec<&str> = characters.iter().map(String::as_str).collect();
        assert_eq!(split(&characters, true), expected, "{reply:?} one by one");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn a_cut_anywhere_changes_nothing_and_no_word_is_lost(
        parts in proptest::collection::vec(
            prop_oneof![
                3 => "[a-z余 \n]{1,5}",
                1 => proptest::sample::select(vec![
                    "<think>", "</think>", "<think/>", "<|channel|>", "<|start|>", "<|message|>", "<|end|>", "<|return|>",
                    "analysis", "final", "assistant", "<|channel>thought", "<channel|>", "<", "<|", "</", "◁think▷", "[/THINK]",
                ])
                .prop_map(str::to_owned),
            ],
            0..9,
        ),
        inside in any::<bool>(),
        cuts in proptest::collection::vec(0usize..60, 0..5),
    ) {
        let reply = parts.concat();
        let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| reply.is_char_boundary(*cut)).collect();
        cuts.extend([0, reply.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&str> = cuts.windows(2).map(|pair| &reply[pair[0]..pair[1]]).collect();
        let whole = split_by(ThoughtSplitter::new(inside), &[&reply], false);
        prop_assert_eq!(&split_by(ThoughtSplitter::new(inside), &pieces, false), &whole);
        // What went out came in, in this order, whichever of the two it became.
        for words in [&whole.0, &whole.1] {
            let mut rest = reply.chars();
            let lost = words.chars().find(|c| *c != '\n' && !rest.any(|given| given == *c));
            prop_assert_eq!(lost, None, "{:?} of {:?}", words, reply);
        }
    }
}
