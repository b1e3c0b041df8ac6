//! A store with documents in it, and an index beside it.

use std::path::Path;
use std::time::Duration;

use attest_domain::{Chunk, ChunkId, ChunkSpan, DocumentId, KbId, Moment};
use attest_search::{SearchError, SearchIndex, SearchOptions, SearchQuery};
use attest_store::{Connection, NewDocument, Store, StoreOptions};
use attest_testkit_db::TestDatabase;
use tempfile::TempDir;
use time::OffsetDateTime;
use uuid::Uuid;

pub(crate) struct Library {
    pub(crate) store: Store,
    pub(crate) kb_id: KbId,
    pub(crate) dir: TempDir,
    _database: TestDatabase,
}

impl Library {
    pub(crate) async fn new() -> Self {
        let database = attest_testkit_db::fresh_database().await;
        let mut options = StoreOptions::new(Connection::Url(database.url()));
        options.max_connections = 4;
        let store = Store::connect(options).await.unwrap();
        let kb_id = store.ensure_default_kb(OffsetDateTime::now_utc()).await.unwrap().id;
        Self { store, kb_id, dir: tempfile::tempdir().unwrap(), _database: database }
    }

    pub(crate) async fn open(&self) -> SearchIndex {
        self.open_in(self.dir.path()).await.unwrap()
    }

    pub(crate) async fn open_in(&self, dir: &Path) -> Result<SearchIndex, SearchError> {
        SearchIndex::open(SearchOptions { dir: dir.to_owned(), store: self.store.clone() }).await
    }

    /// A document of these passages, ready.
    pub(crate) async fn add(&self, filename: &str, headings: &[&str], passages: &[&str]) -> DocumentId {
        self.add_to(self.kb_id, filename, headings, passages).await
    }

    pub(crate) async fn add_to(
        &self,
        kb_id: KbId,
        filename: &str,
        headings: &[&str],
        passages: &[&str],
    ) -> DocumentId {
        let id = DocumentId::new();
        let new = NewDocument {
            id,
            kb_id,
            filename: filename.to_owned(),
            media_type: "text/plain".to_owned(),
            dated: None,
            original: passages.join("\n").into_bytes(),
            created_at: OffsetDateTime::now_utc(),
        };
        self.store.insert_document(&new).await.unwrap();
        let owner = Uuid::new_v4();
        let claimed = self.store.claim_document(owner, Duration::from_secs(60)).await.unwrap().unwrap();
        assert_eq!(claimed.document.id, id);
        let mut start = 0;
        let chunks: Vec<Chunk> = (0..)
            .zip(passages)
            .map(|(ordinal, passage)| {
                let end = start + passage.chars().count() as u64;
                let span = ChunkSpan { start, end };
                start = end + 1;
                Chunk {
                    id: ChunkId::new(),
                    document_id: id,
                    ordinal,
                    heading_path: headings.iter().map(|heading| (*heading).to_owned()).collect(),
                    span,
                    text: (*passage).to_owned(),
                }
            })
            .collect();
        let now = OffsetDateTime::now_utc();
        self.store.finish_document(id, owner, &passages.join("\n"), &chunks, now).await.unwrap();
        id
    }

    pub(crate) async fn find(&self, index: &SearchIndex, text: &str) -> Vec<String> {
        self.find_as_of(index, text, None).await
    }

    /// The texts found, best first.
    pub(crate) async fn find_as_of(
        &self,
        index: &SearchIndex,
        text: &str,
        as_of: Option<Moment>,
    ) -> Vec<String> {
        let query = SearchQuery { kb_id: self.kb_id, text: text.to_owned(), limit: 10, as_of };
        index.search(query).await.unwrap().into_iter().map(|hit| hit.chunk.text).collect()
    }
}
