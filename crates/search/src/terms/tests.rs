use proptest::prelude::*;

use super::*;

fn joined(terms: &[String]) -> String {
    terms.join(" ")
}

#[test]
fn documents_become_terms_in_every_language() {
    for (text, terms) in [
        ("The Labs' history", "the lab history"),
        ("Knuth's books", "knuth book"),
        ("don't", "don't don"),
        ("C++ and C# and C, a+b", "c c++ and c c# and c a b"),
        ("node.js v1.2.3", "node.js node js v1.2.3 v1"),
        ("snake_case 3.14 U.S.A.", "snake_case snake case 3.14 14 u.s.a"),
        ("知识图谱", "知 识 知识 图 识图 谱 图谱"),
        ("SQL注入", "sql 注 入 注入"),
        ("PostgreSQL数据", "postgresql 数 据 数据"),
        ("1925年成立", "1925 年 成 年成 立 成立"),
        ("艾伦·图灵", "艾 伦 艾伦 图 灵 图灵"),
        ("貝爾實驗室，一九二五", "貝 爾 貝爾 實 爾實 驗 實驗 室 驗室 一 九 一九 二 九二 五 二五"),
        ("ビル・ゲイツ", "ビ ル ビル ゲ イ ゲイ ツ イツ"),
        ("データ", "デ ー デー タ ータ"),
        ("연구소는 서울", "연 구 연구 소 구소 는 소는 서 울 서울"),
        ("\u{2f45}法", "方 法 方法"),
        ("ＳＱＬ　２０２４", "sql 2024"),
        ("launch 🚀!", "launch 🚀"),
        ("ไทย", "ไ ท ไท ย ทย"),
        ("", ""),
        (" .,;!? ——…", ""),
    ] {
        assert_eq!(joined(&index_terms(text)), terms, "{text}");
    }
}

#[test]
fn a_question_has_pairs_and_a_single_character_only_where_it_stands_alone() {
    for (text, terms) in [
        ("图谱", "图谱"),
        ("知识图谱是什么？", "知识 识图 图谱 谱是 是什 什么"),
        ("猫", "猫"),
        ("猫 和 狗", "猫 和 狗"),
        ("记忆 系统", "记忆 系统"),
        ("SQL注入绕过", "sql 注入 入绕 绕过"),
        ("what are the gateway scheduled tasks", "what are the gateway scheduled task"),
        ("the the THE", "the"),
        ("body:x AND (title:\"y OR *", "body:x body and title y or"),
    ] {
        assert_eq!(joined(&query_terms(text)), terms, "{text}");
    }
}

#[test]
fn a_long_question_keeps_its_first_terms() {
    let text: String = (0..500).map(|n| format!("word{n} ")).collect();
    let terms = query_terms(&text);
    assert_eq!(
        (terms.len(), terms.first().map(String::as_str), terms.last().map(String::as_str)),
        (MAX_QUERY_TERMS, Some("word0"), Some("word63"))
    );
}

#[test]
fn a_word_without_end_is_cut_alike_on_both_sides() {
    let text = "a".repeat(2_000);
    assert_eq!(index_terms(&text), query_terms(&text));
    assert_eq!(index_terms(&text), ["a".repeat(MAX_TERM_CHARACTERS)]);
}

proptest! {
    /// Whatever a question takes from a text, the text has been indexed under.
    #[test]
    fn every_term_of_a_question_is_a_term_of_the_same_text(
        text in "[a-zA-Z0-9 .'_+#’ßÉé图谱知识ガｶﾞ한글ไทย🚀\u{ad}\u{200b}\u{2ed3}]{0,60}"
    ) {
        let indexed: HashSet<String> = index_terms(&text).into_iter().collect();
        for term in query_terms(&text) {
            prop_assert!(indexed.contains(&term), "{:?} of {:?}", term, text);
        }
    }
}
