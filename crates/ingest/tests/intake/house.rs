//! An intake with its store and its index.

use std::time::Duration;

use attest_domain::{Document, DocumentId, DocumentState, KbId};
use attest_ingest::{Intake, IntakeError, IntakeOptions, Upload};
use attest_search::{SearchIndex, SearchOptions, SearchQuery};
use attest_store::{Connection, Store, StoreOptions};
use attest_testkit_db::TestDatabase;
use bytes::Bytes;
use tempfile::TempDir;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

pub(crate) struct House {
    pub(crate) store: Store,
    pub(crate) index: SearchIndex,
    pub(crate) intake: Intake,
    pub(crate) kb_id: KbId,
    _dir: TempDir,
    _database: TestDatabase,
}

impl House {
    pub(crate) async fn new() -> Self {
        Self::with(IntakeOptions::default()).await
    }

    pub(crate) async fn with(options: IntakeOptions) -> Self {
        let database = attest_testkit_db::fresh_database().await;
        let mut connect = StoreOptions::new(Connection::Url(database.url()));
        connect.max_connections = 8;
        let store = Store::connect(connect).await.unwrap();
        let kb_id = store.ensure_default_kb(OffsetDateTime::now_utc()).await.unwrap().id;
        let dir = tempfile::tempdir().unwrap();
        let open = SearchOptions { dir: dir.path().to_owned(), store: store.clone() };
        let index = SearchIndex::open(open).await.unwrap();
        let intake = Intake::new(store.clone(), index.clone(), options);
        Self { store, index, intake, kb_id, _dir: dir, _database: database }
    }

    pub(crate) async fn accept(&self, filename: &str, content: &[u8]) -> Result<Document, IntakeError> {
        self.intake.accept(self.kb_id, upload(filename, content)).await
    }

    /// Runs the workers until the document is ready or has failed.
    pub(crate) async fn settle(&self, id: DocumentId) -> Document {
        let cancel = CancellationToken::new();
        let workers = tokio::spawn(self.intake.clone().run(cancel.clone()));
        let settled = async {
            loop {
                let document = self.store.find_document(self.kb_id, id).await.unwrap().unwrap();
                if matches!(document.state, DocumentState::Ready | DocumentState::Failed { .. }) {
                    break document;
                }
                tokio::task::yield_now().await;
            }
        };
        let document = tokio::time::timeout(Duration::from_secs(60), settled).await.expect("it settles");
        cancel.cancel();
        workers.await.unwrap();
        document
    }

    pub(crate) async fn find(&self, text: &str) -> Vec<String> {
        self.index.catch_up().await.unwrap();
        let query = SearchQuery { kb_id: self.kb_id, text: text.to_owned(), limit: 10, as_of: None };
        self.index.search(query).await.unwrap().into_iter().map(|hit| hit.chunk.text).collect()
    }
}

pub(crate) fn upload(filename: &str, content: &[u8]) -> Upload {
    Upload { filename: filename.to_owned(), bytes: Bytes::copy_from_slice(content), date: None }
}
