use attest_domain::{KbId, KnowledgeBase};
use attest_protocol::frame::Finish;
use attest_store::{CreateKbError, IndexCursor};

use crate::setup::{fixture, minute};

#[tokio::test]
async fn the_default_base_is_made_once() {
    let f = fixture().await;
    let again = f.store.ensure_default_kb(minute(9)).await.unwrap();
    assert_eq!(again, f.kb);
    let KnowledgeBase { id: _, slug, name, created_at } = again;
    assert_eq!((slug.as_str(), name.as_str(), created_at), ("default", "Default", minute(0)));
}

#[tokio::test]
async fn a_base_is_found_by_its_id_and_by_its_slug() {
    let f = fixture().await;
    assert_eq!(f.store.find_kb("default", &f.me).await.unwrap().as_ref(), Some(&f.kb));
    assert_eq!(f.store.find_kb(&f.kb.id.to_string(), &f.me).await.unwrap().as_ref(), Some(&f.kb));
    for unknown in ["", "Default", "none", "a\0b", &KbId::new().to_string()] {
        assert_eq!(f.store.find_kb(unknown, &f.me).await.unwrap(), None, "{unknown:?}");
    }
}

#[tokio::test]
async fn an_id_wins_over_a_slug_that_looks_like_it() {
    let f = fixture().await;
    f.other_kb(&f.kb.id.to_string()).await;
    assert_eq!(f.store.find_kb(&f.kb.id.to_string(), &f.me).await.unwrap(), Some(f.kb));
}

#[tokio::test]
async fn bases_are_listed_oldest_first_and_renamed() {
    let f = fixture().await;
    let other = f.other_kb("other").await;
    assert!(f.store.rename_kb(other.id, "图谱").await.unwrap());
    assert!(!f.store.rename_kb(KbId::new(), "none").await.unwrap());
    let renamed = KnowledgeBase { name: "图谱".to_owned(), ..other };
    assert_eq!(f.store.list_kbs(&f.me).await.unwrap(), [f.kb, renamed]);
}

#[tokio::test]
async fn a_slug_is_given_once() {
    let f = fixture().await;
    let twin = KnowledgeBase { id: KbId::new(), ..f.kb.clone() };
    let error = f.store.create_kb(&twin).await.unwrap_err();
    assert!(matches!(error, CreateKbError::NameTaken), "{error:?}");
    // The same id with another slug is a fault of ours, not a name that is taken.
    let same_id = KnowledgeBase { slug: "other".to_owned(), ..f.kb.clone() };
    let error = f.store.create_kb(&same_id).await.unwrap_err();
    assert!(matches!(error, CreateKbError::Store(_)), "{error:?}");
}

#[tokio::test]
async fn a_deleted_base_takes_everything_with_it_and_tells_the_index() {
    let f = fixture().await;
    let other = f.other_kb("other").await;
    let (kept, _) = f.ready_document(other.id, &["kept"], minute(1)).await;
    let (gone, _) = f.ready_document(f.kb.id, &["gone"], minute(2)).await;
    f.conversation(Finish::Complete, minute(3)).await;
    let seen = f.store.list_index_changes(IndexCursor::default(), 10).await.unwrap();

    assert!(f.store.delete_kb(f.kb.id, minute(4)).await.unwrap());
    assert!(!f.store.delete_kb(f.kb.id, minute(4)).await.unwrap());

    let told = f.store.list_index_changes(seen.last().unwrap().cursor, 10).await.unwrap();
    assert_eq!(told.iter().map(|c| (c.kb_id, c.document_id)).collect::<Vec<_>>(), [(f.kb.id, gone)]);
    assert_eq!(f.store.list_index_entries(gone).await.unwrap(), []);
    assert_eq!(f.store.list_index_entries(kept).await.unwrap().len(), 1);
    for (table, rows) in
        [("documents", 1), ("chunks", 1), ("conversations", 0), ("messages", 0), ("turns", 0)]
    {
        assert_eq!(f.count(table).await, rows, "{table}");
    }
}
