//! The door: what an upload must be, and what becomes of it.

mod worker;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use attest_domain::{Document, DocumentId, KbId, Moment};
use attest_search::SearchIndex;
use attest_store::{NewDocument, Store};
use bytes::Bytes;
use time::OffsetDateTime;
use tokio::sync::Notify;

use crate::error::IntakeError;
use crate::filename;
use crate::parse::{Format, find_format};

/// Documents read at once while looking for those that a seed has already put in.
const PAGE: u32 = 500;

/// Limits and sizes.
#[derive(Clone, Debug)]
pub struct IntakeOptions {
    /// The largest file, in bytes.
    pub max_document_bytes: u64,
    /// The most files in one upload.
    pub max_files: usize,
    /// How many documents are read at once.
    pub workers: usize,
    /// The most tokens of a passage; it has at most four times as many characters.
    pub chunk_tokens: usize,
    /// How long reading one document may take; then it fails with a reason.
    pub read_timeout: Duration,
}

impl Default for IntakeOptions {
    fn default() -> Self {
        Self {
            max_document_bytes: 20 * 1024 * 1024,
            max_files: 64,
            workers: 2,
            chunk_tokens: 200,
            read_timeout: Duration::from_secs(120),
        }
    }
}

/// A file as it came.
#[derive(Clone, Debug)]
pub struct Upload {
    /// Its name; folders before it are dropped.
    pub filename: String,
    /// Its content.
    pub bytes: Bytes,
    /// What it says of its own date: a year, a month, a day or an instant. Blank is none.
    pub date: Option<String>,
}

/// A file of the program itself, for [`Intake::seed`].
#[derive(Clone, Copy, Debug)]
pub struct SeedFile {
    /// Its name.
    pub filename: &'static str,
    /// Its text.
    pub text: &'static str,
    /// Its own date.
    pub date: Option<&'static str>,
}

/// Takes documents in. Cheap to clone; the clones share one queue.
#[derive(Clone)]
pub struct Intake {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    index: SearchIndex,
    options: IntakeOptions,
    /// A document waits for a worker.
    queued: Notify,
}

/// An upload that passed every cheap check.
struct Checked {
    filename: String,
    bytes: Bytes,
    dated: Option<Moment>,
    format: &'static Format,
}

impl Intake {
    /// An intake that stores here and tells this index.
    #[must_use]
    pub fn new(store: Store, index: SearchIndex, options: IntakeOptions) -> Self {
        Self { inner: Arc::new(Inner { store, index, options, queued: Notify::new() }) }
    }

    /// The limits, for the routes to state and to keep.
    #[must_use]
    pub fn options(&self) -> &IntakeOptions {
        &self.inner.options
    }

    /// Checks a file and queues it. A moment later it is searchable, or has failed with a reason.
    ///
    /// # Errors
    /// The file cannot be taken; nothing of it is stored.
    pub async fn accept(&self, kb_id: KbId, upload: Upload) -> Result<Document, IntakeError> {
        let checked = self.check(upload).await?;
        self.keep(kb_id, checked).await
    }

    /// Checks every file of an upload before the first is stored, then queues them in their order.
    ///
    /// # Errors
    /// One of the files cannot be taken, or there are none or too many: nothing is stored. When the store fails in the
    /// middle, the files before stay.
    pub async fn accept_all(&self, kb_id: KbId, uploads: Vec<Upload>) -> Result<Vec<Document>, IntakeError> {
        let max = self.inner.options.max_files;
        match uploads.len() {
            0 => return Err(IntakeError::NoFiles),
            count if count > max => return Err(IntakeError::TooManyFiles { count, max }),
            _ => {}
        }
        let mut checked = Vec::with_capacity(uploads.len());
        for upload in uploads {
            checked.push(self.check(upload).await?);
        }
        let mut documents = Vec::with_capacity(checked.len());
        for file in checked {
            documents.push(self.keep(kb_id, file).await?);
        }
        Ok(documents)
    }

    /// Puts files of the program itself into a base, once: what was put in under `name` before is not put in again,
    /// even where a person has removed it since. A seed that broke off goes on where it stopped. Answers the number of
    /// documents added.
    ///
    /// # Errors
    /// As [`accept`](Self::accept).
    pub async fn seed(
        &self,
        name: &str,
        kb_id: KbId,
        files: impl IntoIterator<Item = SeedFile> + Send,
    ) -> Result<usize, IntakeError> {
        if self.inner.store.find_seed_mark(name).await?.is_some() {
            return Ok(0);
        }
        let present = self.filenames(kb_id).await?;
        let missing: Vec<SeedFile> =
            files.into_iter().filter(|file| !present.contains(file.filename)).collect();
        let mut added = 0;
        for file in missing {
            let upload = Upload {
                filename: file.filename.to_owned(),
                bytes: Bytes::from_static(file.text.as_bytes()),
                date: file.date.map(str::to_owned),
            };
            self.accept(kb_id, upload).await?;
            added += 1;
        }
        self.inner.store.set_seed_mark(name, OffsetDateTime::now_utc()).await?;
        Ok(added)
    }

    async fn check(&self, upload: Upload) -> Result<Checked, IntakeError> {
        let filename = filename::clean(&upload.filename).ok_or_else(|| IntakeError::InvalidFilename {
            given: upload.filename.chars().take(80).collect(),
        })?;
        let dated = match upload.date.as_deref().map(str::trim).filter(|date| !date.is_empty()) {
            None => None,
            Some(date) => Some(
                date.parse::<Moment>()
                    .map_err(|source| IntakeError::InvalidDate { filename: filename.clone(), source })?,
            ),
        };
        let size_bytes = upload.bytes.len() as u64;
        let max_bytes = self.inner.options.max_document_bytes;
        if size_bytes > max_bytes {
            return Err(IntakeError::TooLarge { filename, size_bytes, max_bytes });
        }
        let bytes = upload.bytes;
        let content = bytes.clone();
        let named = filename.clone();
        let format = tokio::task::spawn_blocking(move || {
            let format = find_format(&named)?;
            (format.check)(&content).map(|()| format)
        })
        .await?;
        match format {
            Ok(format) => Ok(Checked { filename, bytes, dated, format }),
            Err(refusal) => Err(IntakeError::Refused { filename, refusal }),
        }
    }

    async fn keep(&self, kb_id: KbId, checked: Checked) -> Result<Document, IntakeError> {
        let new = NewDocument {
            id: DocumentId::new(),
            kb_id,
            filename: checked.filename,
            media_type: checked.format.media_type.to_owned(),
            dated: checked.dated,
            original: checked.bytes.to_vec(),
            created_at: OffsetDateTime::now_utc(),
        };
        let document = self.inner.store.insert_document(&new).await?;
        self.inner.queued.notify_one();
        Ok(document)
    }

    async fn filenames(&self, kb_id: KbId) -> Result<HashSet<String>, IntakeError> {
        let mut names = HashSet::new();
        let mut before = None;
        loop {
            let page = self.inner.store.list_documents(kb_id, PAGE, before).await?;
            let Some(last) = page.last() else { return Ok(names) };
            before = Some(last.id);
            names.extend(page.into_iter().map(|document| document.filename));
        }
    }
}
