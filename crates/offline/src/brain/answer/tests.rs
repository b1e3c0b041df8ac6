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
