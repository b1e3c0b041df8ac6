//! Which of two forms an answer takes.

use axum::http::{HeaderMap, header};

/// True when the client would rather have JSON than an event stream. Without a preference it gets the stream.
pub(crate) fn prefers_json(headers: &HeaderMap) -> bool {
    let ranges: Vec<&str> = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .collect();
    quality(&ranges, "application/json") > quality(&ranges, "text/event-stream")
}

/// How welcome a media type is, from 0 to 1: its most specific range counts. 1 when nothing was asked for.
fn quality(ranges: &[&str], media_type: &str) -> f32 {
    if ranges.is_empty() {
        return 1.0;
    }
    let group = media_type.split('/').next().unwrap_or_default();
    let fits = |range: &str| match range {
        exact if exact.eq_ignore_ascii_case(media_type) => Some(2),
        "*/*" => Some(0),
        other => other.strip_suffix("/*").filter(|given| given.eq_ignore_ascii_case(group)).map(|_| 1),
    };
    ranges
        .iter()
        .filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let specificity = fits(parts.next()?)?;
            let q = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
            let q = q.map_or(1.0, |q| q.parse::<f32>().unwrap_or(0.0).clamp(0.0, 1.0));
            Some((specificity, q))
        })
        .max_by_key(|(specificity, _)| *specificity)
        .map_or(0.0, |(_, q)| q)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_sent_only_to_whom_it_is_dearer_than_a_stream() {
        let table = [
            (&[][..], false),
            (&["*/*"], false),
            (&["text/event-stream"], false),
            (&["application/json"], true),
            (&["Application/JSON"], true),
            (&["application/*"], true),
            (&["application/json, */*;q=0.1"], true),
            (&["application/json, text/event-stream"], false),
            (&["application/json;q=0.5, text/event-stream"], false),
            (&["application/json, text/event-stream; q=0.9"], true),
            (&["text/html", "application/json;q=0.9"], true),
            (&["application/json;q=0"], false),
            (&["application/json;q=nonsense"], false),
            (&["text/html"], false),
            (&["", ";;,"], false),
        ];
        for (values, expected) in table {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::ACCEPT, value.parse().unwrap());
            }
            assert_eq!(prefers_json(&headers), expected, "{values:?}");
        }
    }
}
