//! The sample documents, built into the program. Their list and their order is `samples/index.toml`.

use std::borrow::Cow;
use std::sync::LazyLock;

use attest_ingest::intake::SeedFile;
use rust_embed::RustEmbed;
use serde::Deserialize;

/// The mark of a database that has had them.
pub(super) const MARK: &str = "samples";

#[derive(RustEmbed)]
#[folder = "../../samples"]
struct Folder;

#[derive(Deserialize)]
struct Index {
    document: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    file: String,
    date: Option<String>,
}

struct Sample {
    filename: String,
    text: Cow<'static, str>,
    date: Option<String>,
}

static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
    let index = text("index.toml").and_then(|text| toml::from_str::<Index>(&text).ok());
    let entries = index.map(|index| index.document).unwrap_or_default();
    entries
        .into_iter()
        .filter_map(|Entry { file, date }| text(&file).map(|text| Sample { filename: file, text, date }))
        .collect()
});

/// Every sample document, in order.
pub(super) fn files() -> impl Iterator<Item = SeedFile> + Send {
    SAMPLES.iter().map(|sample| SeedFile {
        filename: &sample.filename,
        text: &sample.text,
        date: sample.date.as_deref(),
    })
}

fn text(name: &str) -> Option<Cow<'static, str>> {
    match Folder::get(name)?.data {
        Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
        Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_sample_is_in_the_index_and_every_entry_has_its_file_and_a_date() {
        let in_folder: BTreeSet<String> =
            Folder::iter().filter(|name| name.ends_with(".md")).map(Cow::into_owned).collect();
        let seeded: BTreeSet<String> = files().map(|file| file.filename.to_owned()).collect();
        assert_eq!(seeded, in_folder);
        assert!(seeded.len() >= 12, "{}", seeded.len());
        for file in files() {
            let date = file.date.map(str::parse::<attest_domain::Moment>);
            assert!(matches!(date, Some(Ok(_))), "{}", file.filename);
            assert!(file.text.len() > 1_000, "{}", file.filename);
        }
    }
}
