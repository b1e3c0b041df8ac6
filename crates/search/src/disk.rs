//! The folder of the index: locked, checked when it is opened, and emptied when it cannot be used.

use std::fs::{self, File, TryLockError};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use attest_store::IndexCursor;
use serde::{Deserialize, Serialize};
use tantivy::directory::MmapDirectory;
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyError};
use uuid::Uuid;

use crate::error::SearchError;
use crate::schema::{self, Fields};
use crate::tokenizer::TermTokenizer;

/// Bytes of memory for passages that are not yet committed.
const WRITER_HEAP_BYTES: usize = 50_000_000;

/// What every commit carries: which database it mirrors, in which form, and how far it has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    version: u32,
    epoch: Uuid,
    cursor: IndexCursor,
}

/// What searches use.
pub(crate) struct Searching {
    pub(crate) reader: IndexReader,
    pub(crate) fields: Fields,
}

/// What the one writer uses.
pub(crate) struct Writing {
    pub(crate) writer: IndexWriter,
    pub(crate) fields: Fields,
    pub(crate) reader: IndexReader,
    pub(crate) epoch: Uuid,
    pub(crate) cursor: IndexCursor,
}

impl Writing {
    /// Makes what was written permanent together with the place it reached, and shows it to searches.
    pub(crate) fn commit(&mut self, cursor: IndexCursor) -> tantivy::Result<()> {
        let stamp = Stamp { version: schema::VERSION, epoch: self.epoch, cursor };
        let mut commit = self.writer.prepare_commit()?;
        commit.set_payload(&serde_json::to_string(&stamp).map_err(io::Error::from)?);
        commit.commit()?;
        self.cursor = cursor;
        self.reader.reload()
    }
}

/// A folder that this process alone uses, until it is dropped.
pub(crate) struct Folder {
    dir: PathBuf,
    _lock: File,
}

/// Why an index on disk cannot be used; it is then built again.
enum Unusable {
    Missing,
    Broken(String),
    Failed(SearchError),
}

impl Folder {
    /// Makes the folder where it is missing and locks it.
    pub(crate) fn lock(dir: &Path) -> Result<Self, SearchError> {
        let failed = |source| SearchError::Folder { dir: dir.to_owned(), source };
        fs::create_dir_all(dir).map_err(failed)?;
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(dir.join("lock"))
            .map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { dir: dir.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(SearchError::InUse { dir: dir.to_owned() }),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }

    /// Opens the index of the database with this epoch; where there is none that can be used, an empty one.
    pub(crate) fn open(&self, epoch: Uuid) -> Result<Writing, SearchError> {
        // A file that was cut short makes tantivy panic rather than err.
        let opened = catch_unwind(AssertUnwindSafe(|| self.open_existing(epoch)))
            .unwrap_or_else(|_panic| Err(Unusable::Broken("one of its files is cut short".to_owned())));
        match opened {
            Ok(writing) => return Ok(writing),
            Err(Unusable::Missing) => {
                tracing::info!(search.dir = %self.dir.display(), "the search index is new and will be built from the store");
            }
            Err(Unusable::Broken(reason)) => {
                tracing::warn!(
                    search.dir = %self.dir.display(),
                    reason,
                    "the search index cannot be used and will be rebuilt from the store"
                );
            }
            Err(Unusable::Failed(error)) => return Err(error),
        }
        self.create(epoch)
    }

    /// Only this subfolder is ever emptied: whatever else a person keeps in the folder they named is theirs.
    fn index_dir(&self) -> PathBuf {
        self.dir.join("full-text")
    }

    fn failed(&self, source: io::Error) -> SearchError {
        SearchError::Folder { dir: self.dir.clone(), source }
    }

    fn open_existing(&self, epoch: Uuid) -> Result<Writing, Unusable> {
        let dir = self.index_dir();
        match dir.join("meta.json").try_exists() {
            Ok(true) => {}
            Ok(false) => return Err(Unusable::Missing),
            Err(source) => return Err(Unusable::Failed(self.failed(source))),
        }
        let broken = |error: TantivyError| Unusable::Broken(error.to_string());
        let index = Index::open_in_dir(&dir).map_err(broken)?;
        let payload = index.load_metas().map_err(broken)?.payload.unwrap_or_default();
        let stamp: Stamp = serde_json::from_str(&payload)
            .map_err(|error| Unusable::Broken(format!("its stamp cannot be read: {error}")))?;
        let (ours, fields) = schema::build();
        if stamp.version != schema::VERSION || index.schema() != ours {
            return Err(Unusable::Broken(format!(
                "it has version {}, this program writes version {}",
                stamp.version,
                schema::VERSION
            )));
        }
        if stamp.epoch != epoch {
            return Err(Unusable::Broken("it was built from another database".to_owned()));
        }
        let damaged = index.validate_checksum().map_err(broken)?;
        if !damaged.is_empty() {
            return Err(Unusable::Broken(format!("{} of its files are damaged", damaged.len())));
        }
        self.writing(index, fields, epoch, stamp.cursor).map_err(broken)
    }

    fn create(&self, epoch: Uuid) -> Result<Writing, SearchError> {
        let dir = self.index_dir();
        match fs::remove_dir_all(&dir) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(self.failed(source)),
        }
        fs::create_dir_all(&dir).map_err(|source| self.failed(source))?;
        let (schema, fields) = schema::build();
        let directory = MmapDirectory::open(&dir).map_err(TantivyError::from)?;
        let index = Index::create(directory, schema, tantivy::IndexSettings::default())?;
        let mut writing = self.writing(index, fields, epoch, IndexCursor::default())?;
        writing.commit(IndexCursor::default())?;
        Ok(writing)
    }

    fn writing(
        &self,
        index: Index,
        fields: Fields,
        epoch: Uuid,
        cursor: IndexCursor,
    ) -> tantivy::Result<Writing> {
        index.tokenizers().register(schema::TOKENIZER, TextAnalyzer::from(TermTokenizer));
        let writer = index.writer_with_num_threads(1, WRITER_HEAP_BYTES)?;
        // Reloaded right after each commit, so that a search sees what `catch_up` says it has applied.
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Writing { writer, fields, reader, epoch, cursor })
    }
}
