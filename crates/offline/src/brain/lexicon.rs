//! Lists of words that say little. They hold no facts: they only keep a question's frame apart from what it asks about.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::brain::words::stem;

/// Words that are never searched for.
const STOP: &str = "a about again all also am an and any are as at be because been being but by can could did do does \
    doing done down during each explain find for from further get gets give go goes going got had has have having he \
    hello her here hers him his how i if in into is it its just know let like ll many may me might more most much must \
    my no nor not now of off ok on once one only or other our out over own please re s same say see shall she should \
    show so some such t tell than that the their them then there these they this those to too under until up us ve \
    very was we went come came comes next after before were what when where which while who whom whose why will with would yes you your describe \
    happened happen exactly actually really know";

/// Words that so many texts use that finding them proves little, and missing them disproves little.
const COMMON: &str = "foundation association society committee council consortium corporation department agency \
    january february march april june july august september october november december found founded founder create created build built open opened start started begin began begun end ended establish \
    established launch launched invent invented discover discovered make made work worked lead led leader run direct \
    director chair chairman president head chief manager member board company organization organisation institute \
    institution university school college centre center laboratory lab group team project program programme system \
    name named call called first last new old big large small long high tall year month day date time century place \
    city country town state person people man woman live lived become became serve served \
    hold held use used write wrote written publish published release released say said take took win won award prize \
    move moved join joined leave left number amount cost price size height length history story part kind type \
    important main public world computer machine software research development develop developed science technology \
    today current currently early late later before after since old role job position appoint appointed elect elected \
    succeed succeeded successor predecessor replace replaced deputy between around near general secretary officer \
    office house street river bridge tower sea island north south east west mean means purpose reason result detail \
    produce study contain include cover cause help support teach test fund finance own operate design plan choose decide \
    propose announce introduce provide receive consist change grow close visit meet offer sell buy keep bring come carry \
    add set turn play stand sit talk think believe want need try allow remain return happen take place belong locate \
    locat situated based complete finish construct connect complet arrive return retire resign head teach train study \
    originate origin original creator author inventor builder owner leader member";

/// Chinese words at which a question is cut; what is left is what it asks about. Longest first where one begins another.
const CHINESE_CUTS: &[&str] = &[
    "有什么关系",
    "是什么关系",
    "有什么联系",
    "有什么关联",
    "什么关系",
    "什么联系",
    "什么关联",
    "之间的关系",
    "之间的联系",
    "的关系",
    "的联系",
    "有关系",
    "有联系",
    "之间",
    "有关",
    "是什么时候",
    "什么时候",
    "为什么",
    "是不是",
    "有没有",
    "能不能",
    "告诉我",
    "请告诉",
    "介绍一下",
    "说一下",
    "怎么样",
    "哪一年",
    "哪一天",
    "哪一个",
    "哪一位",
    "多少年",
    "多少个",
    "什么样",
    "请问",
    "什么",
    "哪些",
    "哪个",
    "哪里",
    "哪儿",
    "哪位",
    "哪年",
    "哪天",
    "哪家",
    "怎么",
    "怎样",
    "如何",
    "为何",
    "多少",
    "有多",
    "多久",
    "几个",
    "几年",
    "几位",
    "何时",
    "何地",
    "何人",
    "是否",
    "告诉",
    "介绍",
    "一下",
    "关于",
    "以及",
    "还有",
    "那么",
    "这个",
    "那个",
    "这些",
    "那些",
    "他们",
    "她们",
    "它们",
    "我们",
    "你们",
    "时候",
    "当时",
    "曾经",
    "可以",
    "能够",
    "知道",
    "了解",
    "名字",
    "之后",
    "之前",
    "然后",
    "的",
    "了",
    "吗",
    "呢",
    "吧",
    "啊",
    "呀",
    "谁",
    "是",
    "哪",
    "几",
    "他",
    "她",
    "它",
    "你",
    "您",
    "我",
    "这",
    "那",
    "在",
    "被",
    "把",
];

/// Chinese characters that are mostly grammar; a pair with one of them weighs little.
const CHINESE_WEAK: &str = "于和与及或由从到对有为也都就还又很过着地得个位年月日时之其曾叫任第一不能会上下中";

/// Chinese pairs that are common everywhere.
const CHINESE_COMMON: &[&str] = &[
    "成立", "创立", "建立", "创建", "创办", "建成", "建造", "开始", "结束", "发明", "发现", "发布", "公司",
    "研究", "究所", "大学", "学院", "机构", "组织", "项目", "计划", "主任", "主席", "总裁", "总统", "院长",
    "所长", "校长", "会长", "董事", "成员", "担任", "负责", "领导", "时间", "地方", "地点", "城市", "国家",
    "历史", "工作", "使用", "名称", "第一", "一个", "首任", "现任", "继任", "位于", "电脑", "计算", "算机",
    "技术", "系统", "开发", "世界", "中心", "实验", "验室", "作者", "人员", "数量", "高度", "长度", "面积",
];

static STOP_SET: LazyLock<HashSet<&'static str>> = LazyLock::new(|| STOP.split_whitespace().collect());
static COMMON_SET: LazyLock<HashSet<String>> =
    LazyLock::new(|| COMMON.split_whitespace().map(stem).collect());

/// Whether a lower-case word is never searched for.
pub(crate) fn is_stop_word(lower_case: &str) -> bool {
    STOP_SET.contains(lower_case)
}

/// Whether a stem is common everywhere.
pub(crate) fn is_common_stem(stem: &str) -> bool {
    COMMON_SET.contains(stem)
}

/// Whether a pair of Chinese characters is common everywhere.
pub(crate) fn is_common_pair(pair: &str) -> bool {
    CHINESE_COMMON.contains(&pair)
}

/// Whether a pair holds a character that is mostly grammar.
pub(crate) fn is_weak_pair(pair: &str) -> bool {
    pair.chars().any(|c| CHINESE_WEAK.contains(c))
}

/// The pieces of a Chinese run that are left when the frame of a question is cut out.
pub(crate) fn content_pieces(run: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(rest) = run.get(at..)
        && let Some(c) = rest.chars().next()
    {
        match CHINESE_CUTS.iter().find(|cut| rest.starts_with(**cut)) {
            Some(cut) => {
                pieces.extend(run.get(from..at).filter(|piece| !piece.is_empty()));
                at += cut.len();
                from = at;
            }
            None => at += c.len_utf8(),
        }
    }
    pieces.extend(run.get(from..).filter(|piece| !piece.is_empty()));
    pieces
}

#[cfg(test)]
mod tests {
    use super::{CHINESE_CUTS, content_pieces};

    #[test]
    fn a_chinese_question_is_cut_down_to_what_it_asks_about() {
        assert_eq!(content_pieces("卡洛林天文台是哪一年建成的"), ["卡洛林天文台", "建成"]);
        assert_eq!(content_pieces("是什么"), Vec::<&str>::new());
    }

    #[test]
    fn no_cut_hides_a_longer_one_behind_it() {
        for (at, cut) in CHINESE_CUTS.iter().enumerate() {
            let hidden = CHINESE_CUTS.iter().skip(at + 1).find(|later| later.starts_with(cut));
            assert_eq!(hidden, None, "{cut} comes first and hides a longer one");
        }
    }
}
