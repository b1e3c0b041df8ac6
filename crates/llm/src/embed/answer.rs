//! An answer of `/embeddings`, checked: a vector in the wrong place is worse than none.

use super::{Answer, Item};

/// The vectors in the order of the texts, or what is wrong with the answer.
pub(super) fn vectors_of(
    json: &[u8],
    texts: usize,
    dimensions: Option<usize>,
) -> Result<Vec<Vec<f32>>, String> {
    let Answer { data } = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    if data.len() != texts {
        return Err(format!("{} vectors for {texts} texts", data.len()));
    }
    let expected = dimensions.or_else(|| data.first().map(|item| item.embedding.len())).unwrap_or(0);
    if let Some(item) = data.iter().find(|item| item.embedding.len() != expected || expected == 0) {
        return Err(format!("a vector of {} numbers where {expected} were expected", item.embedding.len()));
    }
    // Without any index the order of the answer is all there is.
    if data.iter().all(|item| item.index.is_none()) {
        return Ok(data.into_iter().map(|item| item.embedding).collect());
    }
    let mut places: Vec<Option<Vec<f32>>> = vec![None; texts];
    for Item { index, embedding } in data {
        match index.and_then(|index| places.get_mut(index)) {
            Some(place @ None) => *place = Some(embedding),
            _ => return Err("indexes that do not number the texts".to_owned()),
        }
    }
    Ok(places.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_in_the_order_of_the_texts_or_not_at_all() {
        let item =
            |index: &str, vector: &str| format!(r#"{{"object":"embedding",{index}"embedding":{vector}}}"#);
        let list = |items: &[String]| format!(r#"{{"object":"list","data":[{}]}}"#, items.join(","));
        let one = || Ok(vec![vec![1.0, 2.0], vec![3.0, 4.0]]);
        let cases = [
            (list(&[item(r#""index":0,"#, "[1,2]"), item(r#""index":1,"#, "[3,4]")]), one()),
            (list(&[item(r#""index":1,"#, "[3,4]"), item(r#""index":0,"#, "[1,2]")]), one()),
            (list(&[item("", "[1,2]"), item("", "[3,4]")]), one()),
            (list(&[item("", "[1,2]")]), Err("1 vectors for 2 texts".to_owned())),
            (
                list(&[item(r#""index":0,"#, "[1,2]"), item(r#""index":0,"#, "[3,4]")]),
                Err("indexes that do not number the texts".to_owned()),
            ),
            (
                list(&[item(r#""index":0,"#, "[1,2]"), item(r#""index":2,"#, "[3,4]")]),
                Err("indexes that do not number the texts".to_owned()),
            ),
            (
                list(&[item("", "[1,2]"), item("", "[3]")]),
                Err("a vector of 1 numbers where 2 were expected".to_owned()),
            ),
            (
                list(&[item("", "[]"), item("", "[]")]),
                Err("a vector of 0 numbers where 0 were expected".to_owned()),
            ),
        ];
        for (json, expected) in cases {
            assert_eq!(vectors_of(json.as_bytes(), 2, None), expected, "{json}");
        }
        let json = list(&[item("", "[1,2]"), item("", "[3,4]")]);
        let wrong = Err("a vector of 2 numbers where 3 were expected".to_owned());
        assert_eq!(vectors_of(json.as_bytes(), 2, Some(3)), wrong);
        assert!(vectors_of(br#"{"error":"no"}"#, 2, None).is_err());
    }
}
