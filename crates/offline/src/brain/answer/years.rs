//! Spans of years in a sentence, so that "from 1989 to 1993" answers a question about 1991.

/// Years between two of these words belong to one span.
const JOINTS: &[&str] = &["-", "–", "—", "−", "~", "～", "to ", "until ", "till ", "through ", "and "];
const WIDE_JOINTS: &[&str] = &["至", "到", "—", "–", "-", "～", "~"];
/// "to 31 December " is the longest text between two years that is looked at.
const MAX_GAP: usize = 30;

/// Whether the sentence holds a span of years with this one inside it, its ends included.
pub(crate) fn covers(sentence: &str, year: &str) -> bool {
    let Some(year) = parse(year) else {
        return false;
    };
    let years = years(sentence);
    years.windows(2).any(|pair| match pair {
        [(from_at, from), (to_at, to)] => {
            from < to
                && (*from..=*to).contains(&year)
                && sentence
                    .get(from_at + 4..*to_at)
                    .is_some_and(|gap| joins(gap, sentence.get(..*from_at).unwrap_or_default()))
        }
        _ => false,
    })
}

fn joins(gap: &str, before: &str) -> bool {
    if gap.len() > MAX_GAP || gap.contains(['.', ';', '。', '；']) {
        return false;
    }
    let start = gap.trim_start();
    // "and" joins two years only after "between".
    let and_alone = start.starts_with("and ") && !before.to_lowercase().contains("between");
    (JOINTS.iter().any(|joint| start.starts_with(joint)) && !and_alone)
        || (gap.contains(['年', '至']) && WIDE_JOINTS.iter().any(|joint| gap.contains(joint)))
}

fn years(sentence: &str) -> Vec<(usize, u32)> {
    let mut found = Vec::new();
    let bytes = sentence.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.iter().skip(at).take_while(|b| b.is_ascii_digit()).count();
        if digits == 4
            && let Some(year) = sentence.get(at..at + 4).and_then(parse)
        {
            found.push((at, year));
        }
        at += digits.max(1);
    }
    found
}

fn parse(text: &str) -> Option<u32> {
    text.parse().ok().filter(|year| text.len() == 4 && (1000..=2999).contains(year))
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn a_year_inside_a_span_is_covered() {
        for (sentence, year, covered) in [
            ("Odo Brask was keeper from 1903 to 1911.", "1907", true),
            ("Odo Brask (1903–1911)", "1911", true),
            ("Keeper between 1903 and 1911", "1904", true),
            ("From 1 May 1903 until 31 December 1911 he kept it.", "1909", true),
            ("1903年5月至1911年12月任看守人", "1905", true),
            ("1903—1911年，奥多任看守人", "1905", true),
            ("It opened in 1903 and closed in 1911.", "1907", false),
            ("Odo Brask was keeper from 1903 to 1911.", "1912", false),
            ("From 1911 to 1903", "1905", false),
            ("From 1903 to 1911", "abc", false),
        ] {
            assert_eq!(covers(sentence, year), covered, "{sentence} {year}");
        }
    }
}
