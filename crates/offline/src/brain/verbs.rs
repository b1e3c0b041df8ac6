//! Forms of verbs that no stemmer brings together, and verbs that say nearly the same. They hold no facts.

/// Irregular forms and the form under which they are compared; names of people made with such a verb follow the stemmer.
const IRREGULAR: &[(&str, &str)] = &[
    ("became", "become"),
    ("began", "begin"),
    ("begun", "begin"),
    ("bought", "buy"),
    ("broke", "break"),
    ("broken", "break"),
    ("brought", "bring"),
    ("built", "build"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("drawn", "draw"),
    ("drew", "draw"),
    ("driven", "drive"),
    ("drove", "drive"),
    ("fell", "fall"),
    ("fallen", "fall"),
    ("flew", "fly"),
    ("flown", "fly"),
    ("fought", "fight"),
    ("gave", "give"),
    ("given", "give"),
    ("grew", "grow"),
    ("grown", "grow"),
    ("held", "hold"),
    ("kept", "keep"),
    ("knew", "know"),
    ("known", "know"),
    ("led", "lead"),
    ("lent", "lend"),
    ("lost", "lose"),
    ("made", "make"),
    ("meant", "mean"),
    ("met", "meet"),
    ("paid", "pay"),
    ("ran", "run"),
    ("rose", "rise"),
    ("risen", "rise"),
    ("sang", "sing"),
    ("sung", "sing"),
    ("sent", "send"),
    ("shown", "show"),
    ("shot", "shoot"),
    ("sold", "sell"),
    ("sought", "seek"),
    ("spent", "spend"),
    ("spoke", "speak"),
    ("spoken", "speak"),
    ("stood", "stand"),
    ("struck", "strike"),
    ("taken", "take"),
    ("taught", "teach"),
    ("thought", "think"),
    ("took", "take"),
    ("won", "win"),
    ("wore", "wear"),
    ("worn", "wear"),
    ("written", "write"),
    ("wrote", "write"),
];

/// Families of stems: what one of them says of a thing, a source may say with another.
const FAMILIES: &[&[&str]] = &[
    &[
        "invent", "creat", "develop", "design", "writ", "build", "devis", "mak", "发明", "创造", "编写",
        "设计", "开发", "研制", "写出", "制造", "建造",
    ],
    &["found", "establish", "creat", "start", "launch", "成立", "创立", "建立", "创建", "创办", "设立"],
    &["lead", "head", "direct", "run", "chair", "领导", "主持", "负责"],
];

/// The regular form of an irregular one, in lower case; any other word comes back as it is.
pub(crate) fn regular(lower_case: &str) -> &str {
    IRREGULAR.iter().find(|(form, _)| *form == lower_case).map_or(lower_case, |(_, regular)| regular)
}

/// The other keys of the families that this one belongs to.
pub(crate) fn kin(key: &str) -> impl Iterator<Item = &'static str> {
    FAMILIES
        .iter()
        .filter(move |family| family.contains(&key))
        .flat_map(|family| family.iter().copied())
        .filter(move |other| *other != key)
}

#[cfg(test)]
mod tests {
    use super::{FAMILIES, kin};
    use crate::brain::words::stem;

    #[test]
    fn families_are_written_in_the_keys_that_are_compared() {
        for key in FAMILIES.iter().copied().flatten() {
            // A stem is its own stem, or that of the word one letter longer.
            assert!(!key.is_ascii() || stem(key) == *key || stem(&format!("{key}e")) == *key, "{key}");
        }
        assert!(kin("发明").any(|key| key == "编写"));
        assert_eq!(kin("kept").count(), 0);
    }
}
