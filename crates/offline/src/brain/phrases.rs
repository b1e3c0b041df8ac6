//! The few words of the model's own: about itself, about the conversation, never about the world.

use crate::brain::answer::Quote;
use crate::brain::intent::{Reword, SmallTalk};
use crate::brain::language::Language;
use crate::brain::language::Language::{Chinese, English};
use crate::brain::sentences;

/// Of a longer answer only this many characters are said again.
const MAX_REPEATED: usize = 8_000;

/// An answer, made of the sentences and their numbers.
pub(crate) fn answer(language: Language, quotes: &[Quote]) -> String {
    let of_sources = quotes.first().map_or(language, |quote| Language::of(&quote.text));
    let lead = match (language, of_sources) {
        (English, Chinese) => "The sources say (in Chinese): ",
        (Chinese, English) => "资料原文（英文）：",
        _ => "",
    };
    let mut text = lead.to_owned();
    for (at, quote) in quotes.iter().enumerate() {
        let wide = Language::of(&quote.text) == Chinese;
        if at > 0 && !wide {
            text.push(' ');
        }
        text.push_str(&quote.text);
        let ends = |c: char| {
            matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '…' | '”' | '"' | '」' | '’' | ')' | '）')
        };
        match (quote.text.ends_with(ends), wide) {
            (true, true) => {}
            (true, false) => text.push(' '),
            (false, true) => text.push('。'),
            (false, false) => text.push_str(". "),
        }
        text.push_str(&format!("[{}]", quote.number));
    }
    text
}

/// What is said when no sentence fits.
pub(crate) fn nothing_found(language: Language) -> String {
    match language {
        English => "I found nothing about that in the knowledge base.",
        Chinese => "我在知识库中没有找到相关内容。",
    }
    .to_owned()
}

/// The reason given for taking the exit.
pub(crate) fn small_talk_reason(kind: SmallTalk) -> &'static str {
    match kind {
        SmallTalk::Greeting => "The message is a greeting.",
        SmallTalk::Farewell => "The message says goodbye.",
        SmallTalk::Thanks => "The message says thanks or acknowledges the answer.",
        SmallTalk::About => "The question is about this assistant, not about the knowledge base.",
    }
}

/// The reason given for taking the exit.
pub(crate) fn reword_reason(kind: Reword) -> &'static str {
    match kind {
        Reword::Shorter => "The person asks for a shorter version of the previous answer.",
        Reword::Repeat => "The person asks to hear the previous answer again.",
        Reword::Translate => "The person asks for the previous answer in another language.",
        Reword::Searched => "The person asks how the previous answer was found.",
    }
}

/// The reply to small talk.
pub(crate) fn small_talk(kind: SmallTalk, language: Language) -> String {
    match (kind, language) {
        (SmallTalk::Greeting, English) => {
            "Hello! Ask me something about the documents of this knowledge base. I look for the sentences that answer it \
             and say where they stand."
        }
        (SmallTalk::Greeting, Chinese) => "你好！你可以问我关于这个知识库中文档的问题，我会找出能回答的句子并注明出处。",
        (SmallTalk::Farewell, English) => "Goodbye!",
        (SmallTalk::Farewell, Chinese) => "再见！",
        (SmallTalk::Thanks, English) => "You are welcome. Ask on if you want to know more.",
        (SmallTalk::Thanks, Chinese) => "不客气。还想了解什么，可以继续问。",
        (SmallTalk::About, English) => {
            "I am a small model that runs without a network. I search the documents of this knowledge base and answer with \
             their own sentences and where they stand. I cannot reason, translate or write freely; a larger model can be \
             configured for that."
        }
        (SmallTalk::About, Chinese) => {
            "我是一个不需要网络的小模型。我会搜索这个知识库中的文档，用文档中的原句回答并注明出处。我不能推理、翻译或自由写作；\
             需要的话可以配置更大的模型。"
        }
    }
    .to_owned()
}

/// The reply to a wish about the previous answer; `queries` are the searches behind it.
pub(crate) fn reword(
    kind: Reword,
    language: Language,
    last_answer: Option<&str>,
    queries: &[String],
) -> String {
    if kind == Reword::Searched {
        return searched(language, queries);
    }
    let Some(last_answer) = last_answer else {
        return match language {
            English => "There is no earlier answer in this conversation yet.",
            Chinese => "这个对话中还没有之前的回答。",
        }
        .to_owned();
    };
    let first = || sentences::split(last_answer).first().copied().unwrap_or(last_answer).to_owned();
    match (kind, language) {
        (Reword::Shorter, _) => first(),
        (Reword::Translate, English) => {
            format!("I cannot translate without a larger model. The answer was: {}", first())
        }
        (Reword::Translate, Chinese) => format!("没有更大的模型，我不能翻译。之前的回答是：{}", first()),
        (Reword::Repeat | Reword::Searched, _) => last_answer.chars().take(MAX_REPEATED).collect(),
    }
}

fn searched(language: Language, queries: &[String]) -> String {
    let quoted: Vec<String> = queries.iter().map(|query| format!("“{query}”")).collect();
    match (language, quoted.is_empty()) {
        (English, true) => "No, I did not search for the last answer.".to_owned(),
        (Chinese, true) => "没有，上一个回答没有经过搜索。".to_owned(),
        (English, false) => format!("Yes. I searched the knowledge base for {}.", quoted.join(" and ")),
        (Chinese, false) => format!("是的，我在知识库中搜索了{}。", quoted.join("和")),
    }
}
