//! Choosing among sentences.

use super::{Quote, choose};
use crate::brain::question::Question;
use crate::brain::turn::Turn;

fn chosen(question: &str, result: &str) -> Vec<(u32, String)> {
    let turn = Turn { question: question.to_owned(), ..Turn::default() };
    let quotes = choose(&Question::read(&turn), &[result]);
    quotes.into_iter().map(|Quote { number, text }| (number, text)).collect()
}

fn quotes(expected: &[(u32, &str)]) -> Vec<(u32, String)> {
    expected.iter().map(|(number, text)| (*number, (*text).to_owned())).collect()
}

#[test]
fn a_list_is_answered_with_its_items() {
    let result = "[1] keepers.md (document a)\n# Keepers of Varnholt\n\n- Odo Brask was keeper in 1903\n- Ilse Kranich was keeper in 1911\n\n\
         The weather is mild.";
    assert_eq!(
        chosen("Who were the keepers of Varnholt?", result),
        quotes(&[(1, "Odo Brask was keeper in 1903"), (1, "Ilse Kranich was keeper in 1911")])
    );
}

#[test]
fn the_same_sentence_in_two_passages_is_said_once() {
    let result = "[1] a.md (document a)\nOdo Brask kept Varnholt.\n\n[2] b.md (document b)\n**Odo Brask** kept Varnholt.";
    assert_eq!(chosen("Who kept Varnholt?", result), quotes(&[(1, "Odo Brask kept Varnholt.")]));
}

#[test]
fn bracketed_numbers_of_the_source_are_not_repeated_as_citations() {
    let result = "[1] a.md (document a)\nOdo Brask kept Varnholt.[12] He was tall [13].";
    assert_eq!(chosen("Who kept Varnholt?", result), quotes(&[(1, "Odo Brask kept Varnholt.")]));
}

#[test]
fn a_sentence_of_another_language_gives_way_to_one_of_the_question() {
    let result = "[1] a.md (document a)\nIn 1871 Varnholt was founded.\n\n[2] b.md (document b)\nVarnholt成立于1871年。";
    assert_eq!(chosen("Varnholt是1871年成立的吗？", result), quotes(&[(2, "Varnholt成立于1871年。")]));
}

#[test]
fn words_that_stand_together_in_the_question_weigh_more_together() {
    let result = "[1] b.md (document a)\nOdo Brask paid the Skarn first, a harbour with a project and a leader.\n\n\
         [2] a.md (document b)\nMira Tannoth was Skarn project leader until 1903.";
    assert_eq!(
        chosen("Who was the Skarn project leader?", result).first(),
        quotes(&[(2, "Mira Tannoth was Skarn project leader until 1903.")]).first()
    );
}

#[test]
fn what_is_asked_about_a_name_must_be_there_and_not_only_the_name() {
    let result =
        "[1] brask.md (document a)\n# Odo Brask\n\nOn 3 May 1903 Odo Brask became keeper of Varnholt.";
    for question in
        ["When did Odo Brask die?", "Who painted Odo Brask?", "How many children did Odo Brask have?"]
    {
        assert_eq!(chosen(question, result), [], "{question}");
    }
    assert_eq!(
        chosen("When did Odo Brask become keeper?", result),
        quotes(&[(1, "On 3 May 1903 Odo Brask became keeper of Varnholt.")])
    );
}

#[test]
fn a_definition_comes_first_when_a_thing_is_asked_for() {
    let result = "[1] a.md (document a)\nOdo Brask sold the Zorvath. The Zorvath is a kind of lamp. He hated the Zorvath.";
    assert_eq!(
        chosen("What is the Zorvath?", result).first(),
        quotes(&[(1, "The Zorvath is a kind of lamp.")]).first()
    );
}

#[test]
fn a_name_that_stands_only_in_the_header_still_counts() {
    let result = "[1] Zorvath Institute.md › Founding (document a)\nIt was founded in 1921 by Mira Tannoth.";
    assert_eq!(
        chosen("Who founded the Zorvath Institute?", result),
        quotes(&[(1, "It was founded in 1921 by Mira Tannoth.")])
    );
}

#[test]
fn a_relation_is_told_by_what_names_both_sides() {
    let result = "[1] a.md (document a)\n# People\n\nMira Tannoth came to Skarn in 1903. Odo Brask was tall. \
         Odo Brask and Mira Tannoth ran the lighthouse together. Odo Brask left for the Zorvath Society in 1911.";
    let together = quotes(&[(1, "Odo Brask and Mira Tannoth ran the lighthouse together.")]);
    for question in [
        "How is Odo Brask related to Mira Tannoth?",
        "What is the relationship between Odo Brask and Mira Tannoth?",
        "How are Mira Tannoth and Odo Brask connected?",
        "What does Tannoth have to do with Brask?",
    ] {
        assert_eq!(chosen(question, result), together, "{question}");
    }
    assert_eq!(
        chosen("How is Mira Tannoth related to both Skarn and the Zorvath Society?", result),
        quotes(&[
            (1, "Mira Tannoth came to Skarn in 1903."),
            (1, "Odo Brask left for the Zorvath Society in 1911.")
        ]),
        "no sentence names all, two do so together"
    );
    for question in ["How is Odo Brask related to Ilse Kranich?", "How is Kelvany related to Ilse Kranich?"] {
        assert_eq!(chosen(question, result), [], "{question}");
    }
}

#[test]
fn a_relation_is_asked_for_in_chinese() {
    let result = "[1] a.md (document a)\n谭诺琳于1903年来到斯卡港。奥多德是谭诺琳的学生。奥多德很高。";
    for question in ["奥多德和谭诺琳是什么关系？", "谭诺琳与奥多德有什么联系？", "奥多德跟谭诺琳有关系吗？"]
    {
        assert_eq!(chosen(question, result), quotes(&[(1, "奥多德是谭诺琳的学生。")]), "{question}");
    }
    assert_eq!(chosen("奥多德和克拉尼是什么关系？", result), []);
}

#[test]
fn a_form_of_the_verb_or_one_that_says_nearly_the_same_answers() {
    let result = "[1] a.md (document a)\n# Skarn\n\nThe first lamp was called Zorvath. By the end of 1903 Mira Tannoth had written \
         the first log, and Odo Brask designed the Kelvany.\n\n[2] b.md (document b)\n灯塔志由谭诺琳编写，凯文号很快下水。\
         奥多德因为发明雾钟获奖。";
    let log =
        "By the end of 1903 Mira Tannoth had written the first log, and Odo Brask designed the Kelvany.";
    for question in ["Who wrote the first log at Skarn?", "Who invented the Kelvany?"] {
        assert_eq!(chosen(question, result), quotes(&[(1, log)]), "{question}");
    }
    assert_eq!(
        chosen("灯塔志是谁发明的？", result).first(),
        quotes(&[(2, "灯塔志由谭诺琳编写，凯文号很快下水。")]).first()
    );
}

#[test]
fn a_year_alone_is_no_subject() {
    let result = "[1] a.md (document a)\nVarnholt is a town. Odo Brask joined the Zorvath Society as a fellow in 1903.";
    assert_eq!(chosen("Who was mayor of Varnholt in 1903?", result), []);
}
