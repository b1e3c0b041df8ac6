//! Is it a question, or something that needs no evidence? A text counts as small talk or as a rewording only when it is
//! made of nothing else: one word too many, and it is a question.

use crate::brain::words::tokens;

/// What the person wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intent {
    Question,
    SmallTalk(SmallTalk),
    Reword(Reword),
}

/// Talk about nothing in the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SmallTalk {
    Greeting,
    Farewell,
    Thanks,
    About,
}

/// A wish about the previous answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reword {
    Repeat,
    Translate,
    Shorter,
    Searched,
}

/// A longer text is a question.
const MAX_CHARACTERS: usize = 200;

const SMALL_TALK: &[(SmallTalk, &str)] = &[
    (
        SmallTalk::Greeting,
        "hello|hi|hey|hallo|hola|bonjour|guten tag|good morning|good afternoon|good evening|good day|greetings|howdy|how are you|\
         how are you doing|what s up|nice to meet you|你好|您好|你们好|大家好|嗨|哈喽|早上好|上午好|中午好|下午好|晚上好|早安|早|在吗|你好吗",
    ),
    (SmallTalk::Farewell, "bye|goodbye|good bye|see you|good night|再见|拜拜|晚安|回头见"),
    (
        SmallTalk::Thanks,
        "thanks|thank you|thx|cheers|much appreciated|great|perfect|well done|nice|cool|ok|okay|good job|got it|i see|\
         that is all|that s all|谢谢|多谢|感谢|谢了|好的|太好了|不错|明白了|知道了|很好|好|嗯",
    ),
    (
        SmallTalk::About,
        "who are you|what are you|what can you do|what do you do|what can you help me with|what can i ask you|what can i ask|\
         how can you help|how do you work|what is your name|what s your name|help|are you a robot|are you an ai|\
         你是谁|你能做什么|你可以做什么|你会什么|你会做什么|你能干什么|你能帮我做什么|你有什么功能|你叫什么|你叫什么名字|你是什么|怎么用|如何使用|使用帮助",
    ),
];
const SMALL_TALK_FILL: &str = "there|everyone|all|again|today|doing|my|friend|you|very|much|so|a|lot|for|that|the|your|it|is|was|helpful|\
     then|later|now|me|please|exactly|and|dear|attest|呀|啊|哦|吗|呢|啦|了|你|您|的|帮助|非常|很|请问|我|吧";

const REWORD: &[(Reword, &str)] = &[
    (
        Reword::Searched,
        "did you search|have you searched|did you look it up|did you look that up|did you look this up|did you check|\
         have you checked|what did you search|what have you searched|where did you search|did you really search|\
         did you actually search|have you looked|did you use a tool|did you use tools|where did you get|where did you find|\
         how do you know|你搜索|你搜|你查|你检索|你有没有搜索|你有没有搜|你有没有查|你真的搜|你真的查|你刚才搜|你刚才查|有没有搜索|\
         搜索了吗|查了吗|搜过吗|查过吗|你怎么知道|你从哪里知道",
    ),
    (
        Reword::Shorter,
        "shorter|briefer|short|brief|briefly|concise|tldr|tl dr|summarize|summarise|summary|sum up|in one sentence|in a sentence|\
         in one line|one sentence|in a nutshell|simplify|simpler|in fewer words|in short|shorten|\
         简短|短|简单|简洁|精简|一句话|概括|总结|缩短|简要|太长",
    ),
    (
        Reword::Translate,
        "translate|translation|chinese|mandarin|english|french|german|spanish|italian|japanese|russian|korean|portuguese|\
         翻译|译成|译|中文|英文|英语|汉语|法语|法文|德语|德文|日语|日文|西班牙语|俄语|韩语",
    ),
    (
        Reword::Repeat,
        "repeat|again|once more|come again|rephrase|reword|in other words|differently|another way|pardon|\
         再说一遍|再说一次|再讲一遍|再讲一次|再来一遍|重复|重说|换个说法|换句话说|换一种说法|改写|改述",
    ),
];
const REWORD_FILL: &str = "please|can|could|you|would|will|make|it|that|this|the|your|answer|reply|response|a|an|bit|little|say|give|me|\
     last|previous|above|now|and|but|in|into|to|of|more|much|version|text|as|for|just|do|with|put|tell|us|too|long|be|\
     what you said|for it|online|up|anything|something|documents|knowledge base|from|information|time|one|even|\
     请|你|您|能|能不能|可以|可否|再|把|将|它|这|那|这个|那个|刚才|上面|前面|上一个|上一条|的|回答|答案|答复|回复|内容|一点|一些|点|些|\
     吗|呢|吧|说|说一遍|讲|用|成|为|给|我|帮|帮我|下|一下|来|换|更|话|要|就|是|了|段|过|什么|资料|资料库|知识库|询|索|真的|哪里|文档|一遍|得|\
     一|版|版本|写|些|到|有没有|啊|呀|太|长";

/// What a text asks for. An empty text, or one of signs only, is a greeting.
pub(crate) fn of(text: &str) -> Intent {
    if text.chars().nth(MAX_CHARACTERS).is_some() {
        return Intent::Question;
    }
    let words: Vec<String> =
        tokens(text, MAX_CHARACTERS).into_iter().map(|token| token.text.to_lowercase()).collect();
    let text = words.join(" ");
    if text.is_empty() {
        return Intent::SmallTalk(SmallTalk::Greeting);
    }
    if let Some(kind) = made_of(&text, SMALL_TALK, SMALL_TALK_FILL) {
        return Intent::SmallTalk(kind);
    }
    made_of(&text, REWORD, REWORD_FILL).map_or(Intent::Question, Intent::Reword)
}

/// The highest kind whose words occur, when the text holds nothing but words of the table and fillers.
fn made_of<K: Copy + Ord>(text: &str, table: &[(K, &str)], fill: &str) -> Option<K> {
    let mut rest = text.trim_start();
    let mut kind = None;
    while !rest.is_empty() {
        let keyed = table
            .iter()
            .filter_map(|(key, phrases)| longest(rest, phrases).map(|length| (length, Some(*key))));
        let filled = longest(rest, fill).map(|length| (length, None));
        let (length, key) = keyed.chain(filled).max_by_key(|(length, key)| (*length, key.is_some()))?;
        kind = kind.max(key);
        rest = rest.get(length..)?.trim_start();
    }
    kind
}

/// The length of the longest phrase that the text begins with, whole words only.
fn longest(text: &str, phrases: &str) -> Option<usize> {
    let fits = |phrase: &&str| {
        text.strip_prefix(*phrase)
            .is_some_and(|rest| !phrase.is_ascii() || !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    };
    phrases.split('|').filter(fits).map(str::len).max()
}

#[cfg(test)]
mod tests {
    use super::Intent::{Question, Reword, SmallTalk};
    use super::Reword::{Repeat, Searched, Shorter, Translate};
    use super::SmallTalk::{About, Farewell, Greeting, Thanks};
    use super::of;

    #[test]
    fn only_a_text_made_of_nothing_else_needs_no_evidence() {
        for (text, intent) in [
            ("Hello!", SmallTalk(Greeting)),
            ("hi there 👋", SmallTalk(Greeting)),
            ("你好！", SmallTalk(Greeting)),
            ("  ", SmallTalk(Greeting)),
            ("Thanks a lot, that was very helpful", SmallTalk(Thanks)),
            ("谢谢你的帮助", SmallTalk(Thanks)),
            ("bye", SmallTalk(Farewell)),
            ("Hello, who are you?", SmallTalk(About)),
            ("你能做什么？", SmallTalk(About)),
            ("shorter", Reword(Shorter)),
            ("Can you say that in one sentence, please?", Reword(Shorter)),
            ("Say it again, but shorter", Reword(Shorter)),
            ("简短一点", Reword(Shorter)),
            ("用一句话说", Reword(Shorter)),
            ("translate that into Chinese", Reword(Translate)),
            ("in English please", Reword(Translate)),
            ("用中文说", Reword(Translate)),
            ("请把上面的回答翻译成英文", Reword(Translate)),
            ("再说一遍", Reword(Repeat)),
            ("Could you repeat that?", Reword(Repeat)),
            ("did you search?", Reword(Searched)),
            ("What did you search for?", Reword(Searched)),
            ("你搜索了吗？", Reword(Searched)),
            ("你查过资料了吗", Reword(Searched)),
            ("Hello, who founded the Varnholt Institute?", Question),
            ("Give me a summary of the Varnholt tower", Question),
            ("Which is shorter, the Varnholt tower or the Brask bridge?", Question),
            ("Who translated the Chinese edition?", Question),
            ("用中文介绍瓦伦灯塔", Question),
            ("瓦伦灯塔的短歌是什么", Question),
            ("and in 1993?", Question),
            ("他是谁？", Question),
            ("Is it high?", Question),
        ] {
            assert_eq!(of(text), intent, "{text}");
        }
    }
}
