//! How the index keeps up, and what it survives.

use std::fs;
use std::time::Duration;

use attest_search::SearchError;
use tokio_util::sync::CancellationToken;

use crate::library::Library;

#[tokio::test]
async fn what_is_finished_is_found_within_a_second_while_the_index_follows() {
    let library = Library::new().await;
    let index = library.open().await;
    let cancel = CancellationToken::new();
    let following = tokio::spawn(index.clone().follow(cancel.clone()));
    library.add("a.txt", &[], &["the first gateway"]).await;
    index.nudge();
    let found = async {
        while library.find(&index, "gateway").await.is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), found).await.expect("the document is found");
    assert!(index.is_ready());
    assert_eq!(index.document_lag().await.unwrap(), 0);
    cancel.cancel();
    following.await.unwrap();
}

#[tokio::test]
async fn the_lag_is_what_has_yet_to_be_applied() {
    let library = Library::new().await;
    let index = library.open().await;
    assert!(!index.is_ready());
    library.add("a.txt", &[], &["one"]).await;
    library.add("b.txt", &[], &["two"]).await;
    assert_eq!(index.document_lag().await.unwrap(), 2);
    assert_eq!(index.catch_up().await.unwrap(), 2);
    assert_eq!(index.document_lag().await.unwrap(), 0);
    assert_eq!(index.catch_up().await.unwrap(), 0);
    assert!(index.is_ready());
}

#[tokio::test]
async fn an_index_that_is_opened_again_goes_on_where_it_was() {
    let library = Library::new().await;
    let index = library.open().await;
    library.add("a.txt", &[], &["the first gateway"]).await;
    index.catch_up().await.unwrap();
    drop(index);
    library.add("b.txt", &[], &["the second gateway"]).await;

    let index = library.open().await;
    assert_eq!(library.find(&index, "gateway").await, ["the first gateway"]);
    assert_eq!(index.catch_up().await.unwrap(), 1);
    assert_eq!(library.find(&index, "second gateway").await, ["the second gateway", "the first gateway"]);
}

#[tokio::test]
async fn an_index_that_was_wiped_or_damaged_is_built_again() {
    let library = Library::new().await;
    library.add("a.txt", &[], &["the gateway"]).await;
    let index = library.open().await;
    index.catch_up().await.unwrap();
    drop(index);
    let files = library.dir.path().join("full-text");
    type Damage = fn(&std::path::Path);
    let damages: [Damage; 4] = [
        |files| fs::remove_dir_all(files).unwrap(),
        |files| fs::write(files.join("meta.json"), "{").unwrap(),
        |files| overwrite_segments(files, b"broken"),
        |files| overwrite_segments(files, b""),
    ];
    for damage in damages {
        damage(&files);
        let index = library.open().await;
        assert_eq!(index.catch_up().await.unwrap(), 1, "everything is read again");
        assert_eq!(library.find(&index, "gateway").await, ["the gateway"]);
        drop(index);
    }
    let index = library.open().await;
    assert_eq!(index.catch_up().await.unwrap(), 0, "a sound index is kept");
}

fn overwrite_segments(files: &std::path::Path, content: &[u8]) {
    let mut damaged = 0;
    for entry in fs::read_dir(files).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "term" || ending == "store") {
            fs::write(path, content).unwrap();
            damaged += 1;
        }
    }
    assert!(damaged > 0);
}

#[tokio::test]
async fn an_index_of_another_database_is_built_again_and_other_files_stay() {
    let first = Library::new().await;
    first.add("a.txt", &[], &["the first gateway"]).await;
    let index = first.open().await;
    index.catch_up().await.unwrap();
    drop(index);
    let mine = first.dir.path().join("mine.txt");
    fs::write(&mine, "keep me").unwrap();

    let second = Library::new().await;
    second.add("b.txt", &[], &["the second gateway"]).await;
    let index = second.open_in(first.dir.path()).await.unwrap();
    index.catch_up().await.unwrap();
    assert_eq!(second.find(&index, "gateway").await, ["the second gateway"]);
    assert_eq!(first.find(&index, "first gateway").await, [""; 0]);
    assert_eq!(fs::read_to_string(mine).unwrap(), "keep me");
}

#[tokio::test]
async fn a_folder_is_used_by_one_index_at_a_time() {
    let library = Library::new().await;
    let index = library.open().await;
    let refused = library.open_in(library.dir.path()).await.err().expect("the folder is in use");
    assert!(matches!(&refused, SearchError::InUse { dir } if dir == library.dir.path()), "{refused}");
    drop(index);
    library.open().await;
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_named() {
    let library = Library::new().await;
    let file = library.dir.path().join("file");
    fs::write(&file, "").unwrap();
    let refused = library.open_in(&file).await.err().expect("a file is no folder");
    assert!(matches!(&refused, SearchError::Folder { dir, .. } if dir == &file), "{refused}");
}

#[tokio::test]
async fn hundreds_of_small_documents_are_a_few_commits() {
    let library = Library::new().await;
    let index = library.open().await;
    for n in 0..450 {
        library.add("small.txt", &[], &[&format!("gateway number{n}")]).await;
    }
    assert_eq!(index.catch_up().await.unwrap(), 450);
    assert_eq!(library.find(&index, "number449").await, ["gateway number449"]);
    assert_eq!(library.find(&index, "number0").await, ["gateway number0"]);
    let meta = fs::read_to_string(library.dir.path().join("full-text/meta.json")).unwrap();
    assert!(meta.matches("segment_id").count() <= 3, "{meta}");
}
