use super::*;

const NONE: fn(u32) -> bool = |_| false;

/// Says the replies one after the other, shown as they come, and gives what was announced.
fn say(replies: &[&[&str]], max_bytes: usize) -> (Vec<String>, Speech) {
    let mut speech = Speech::new(max_bytes);
    let mut announced = Vec::new();
    for reply in replies {
        speech.begin_reply(false);
        for piece in *reply {
            announced.extend(speech.push(piece, NONE));
        }
        announced.extend(speech.flush());
    }
    (announced, speech)
}

#[test]
fn between_two_replies_that_showed_text_stands_a_blank_line_sent_with_the_later_text() {
    let (announced, speech) = say(&[&["One", "."], &["Two."]], 100);
    assert_eq!(announced, ["One", ".", "\n\nTwo."]);
    assert_eq!(speech.text(), announced.concat());
}

#[test]
fn blank_replies_show_nothing_and_leave_no_blank_line() {
    let (announced, _) = say(&[&[" \n"], &["\n\n", "One"], &["\n"], &[" [7]"], &["Two"]], 100);
    assert_eq!(announced, ["One", "\n\nTwo"]);
}

#[test]
fn the_indentation_of_the_first_line_stays() {
    assert_eq!(say(&[&["\n\n  - a"]], 100).0, ["  - a"]);
}

#[test]
fn held_text_is_shown_whole_when_it_is_released_and_never_when_it_is_not() {
    let mut speech = Speech::new(100);
    speech.begin_reply(true);
    assert_eq!([speech.push("Let me ", NONE), speech.push("look.", NONE)], [None, None]);
    assert!(speech.said());
    speech.begin_reply(true);
    speech.push("I will look.", NONE);
    assert_eq!(speech.release(NONE).as_deref(), Some("I will look."));
    assert_eq!(speech.push(" Now.", NONE).as_deref(), Some(" Now."));
    assert_eq!(speech.text(), "I will look. Now.");
}

#[test]
fn an_answer_is_cut_at_the_limit_between_two_characters() {
    let (announced, speech) = say(&[&["ab", "cdé", "f"]], 5);
    assert_eq!(announced.concat(), "abcd");
    assert!(speech.is_full());
    assert!(!say(&[&["abcde"]], 5).1.is_full());
}

#[test]
fn citations_are_counted_over_all_replies() {
    let mut speech = Speech::new(100);
    for text in ["A [1].", "B [2][9]."] {
        speech.begin_reply(false);
        speech.push(text, |n| n < 3);
        speech.flush();
    }
    assert_eq!(speech.text(), "A [1].\n\nB [2].");
    assert_eq!(speech.cited().iter().copied().collect::<Vec<_>>(), [1, 2]);
    assert_eq!(speech.unissued(), 1);
}
