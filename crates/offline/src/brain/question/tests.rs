//! Queries that come out of questions, alone and in a conversation.

use super::{Asks, Question};
use crate::brain::turn::{Line, Turn};

fn read(earlier: &[(bool, &str)], question: &str) -> Question {
    Question::read(&Turn {
        question: question.to_owned(),
        earlier: earlier
            .iter()
            .map(|(by_assistant, text)| Line { by_assistant: *by_assistant, text: (*text).to_owned() })
            .collect(),
        ..Turn::default()
    })
}

#[test]
fn a_query_is_made_of_the_content_words_and_can_be_reduced() {
    for (question, query, reduced) in [
        (
            "Who founded the Varnholt Institute in 1871?",
            "founded Varnholt Institute 1871",
            Some("Varnholt 1871"),
        ),
        ("How tall is the Brask lighthouse?", "tall Brask lighthouse", Some("Brask lighthouse")),
        ("瓦伦灯塔是哪一年建成的？", "瓦伦灯塔 建成", Some("瓦伦灯塔")),
        ("Varnholt研究所的第一任所长是谁？", "Varnholt 研究所 第一任所长", Some("Varnholt")),
        ("Zorvath?", "Zorvath", None),
        ("What about it?", "What about it?", None),
    ] {
        let read = read(&[], question);
        assert_eq!(read.query(), query, "{question}");
        assert_eq!(read.reduced_query().as_deref(), reduced, "{question}");
    }
}

#[test]
fn a_follow_up_brings_the_words_of_the_question_before_it() {
    let keeper =
        &[(false, "Who kept the Varnholt lighthouse in 1903?"), (true, "Odo Brask kept it in 1903. [1]")][..];
    for (earlier, question, query) in [
        (keeper, "and in 1911?", "1911 kept Varnholt lighthouse"),
        (keeper, "When was he born?", "born Odo Brask Varnholt lighthouse"),
        (keeper, "Why?", "kept Varnholt lighthouse 1903"),
        (
            &[
                (false, "瓦伦灯塔的看守人是谁？"),
                (true, "看守人是奥多。[1]"),
                (false, "谢谢"),
                (true, "不客气。"),
            ],
            "他是哪年出生的？",
            "出生 瓦伦灯塔 看守人",
        ),
        (keeper, "Who designed the Tannoth bridge?", "designed Tannoth bridge"),
    ] {
        assert_eq!(read(earlier, question).query(), query, "{question}");
    }
}

#[test]
fn the_kind_of_answer_is_read_off_the_question() {
    for (question, asks) in [
        ("Who kept it?", Some(Asks::Who)),
        ("In what year did it open?", Some(Asks::When)),
        ("灯塔在哪里", Some(Asks::Where)),
        ("灯塔有多高", Some(Asks::HowMany)),
        ("What is Varnholt?", Some(Asks::What)),
        ("Tell me of Varnholt", None),
    ] {
        assert_eq!(read(&[], question).asks, asks, "{question}");
    }
}
