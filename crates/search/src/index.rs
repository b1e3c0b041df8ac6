//! The index as the rest of the house uses it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use attest_domain::{Chunk, ChunkId, KbId, Moment};
use attest_store::{IndexCursor, Passage, Store};
use tokio::sync::{Mutex, Notify, OwnedMutexGuard};

use crate::disk::{Folder, Searching, Writing};
use crate::error::SearchError;
use crate::query::{Candidate, find_candidates};
use crate::terms::query_terms;

/// The most passages that one search answers with.
pub const MAX_HITS: usize = 100;

/// Passages beyond this rank are not looked at, however many the store has hidden.
const DEEPEST_RANK: usize = 4_096;

/// Changes that [`SearchIndex::document_lag`] counts at most.
const LAG_COUNTED: u32 = 1_000;

/// Where an index lives and what it follows.
#[derive(Clone)]
pub struct SearchOptions {
    /// A folder for this process alone; made when missing.
    pub dir: PathBuf,
    /// The store to follow.
    pub store: Store,
}

/// What to look for.
#[derive(Clone, Debug)]
pub struct SearchQuery {
    /// The base to look in.
    pub kb_id: KbId,
    /// The question, in any language; only its first 64 different terms count.
    pub text: String,
    /// How many passages at most, up to [`MAX_HITS`].
    pub limit: usize,
    /// The record time to look at: a year, month or day up to its end. Now, when none.
    pub as_of: Option<Moment>,
}

/// A passage that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchHit {
    /// The passage.
    pub chunk: Chunk,
    /// The name of its document.
    pub filename: String,
    /// How well it matches; comparable within one answer only.
    pub score: f32,
}

/// Full text over every base of one store. Cheap to clone; the clones are one index.
#[derive(Clone)]
pub struct SearchIndex {
    pub(crate) inner: Arc<Inner>,
}

/// The one writer; `None` after it failed, until the index is opened again.
pub(crate) type WriterSlot = OwnedMutexGuard<Option<Writing>>;

pub(crate) struct Inner {
    pub(crate) store: Store,
    pub(crate) writer: Arc<Mutex<Option<Writing>>>,
    searching: RwLock<Arc<Searching>>,
    /// A copy of the writer's cursor, so that asking for the lag never waits for a batch.
    reached: std::sync::Mutex<IndexCursor>,
    pub(crate) nudge: Notify,
    pub(crate) caught_up: AtomicBool,
    // Last: fields drop in order, and the lock must outlive the writer.
    pub(crate) folder: Folder,
}

impl Inner {
    /// Lets searches use a newly opened index.
    pub(crate) fn show(&self, writing: &Writing) {
        let searching = Searching { reader: writing.reader.clone(), fields: writing.fields };
        *self.searching.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(searching);
        self.note_reached(writing.cursor);
    }

    /// Remembers how far the index has come.
    pub(crate) fn note_reached(&self, cursor: IndexCursor) {
        *self.reached.lock().unwrap_or_else(PoisonError::into_inner) = cursor;
    }

    fn searching(&self) -> Arc<Searching> {
        self.searching.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl SearchIndex {
    /// Opens the index. One that is missing, damaged, of an older version or of another database is emptied, and
    /// filled again by the next [`catch_up`](Self::catch_up).
    ///
    /// # Errors
    /// The folder cannot be used or is in use; the store cannot be reached.
    pub async fn open(options: SearchOptions) -> Result<Self, SearchError> {
        let SearchOptions { dir, store } = options;
        let epoch = store.index_epoch().await?;
        let (folder, writing) = tokio::task::spawn_blocking(move || {
            let folder = Folder::lock(&dir)?;
            let writing = folder.open(epoch)?;
            Ok::<_, SearchError>((folder, writing))
        })
        .await??;
        let searching = Searching { reader: writing.reader.clone(), fields: writing.fields };
        let inner = Inner {
            store,
            reached: std::sync::Mutex::new(writing.cursor),
            writer: Arc::new(Mutex::new(Some(writing))),
            searching: RwLock::new(Arc::new(searching)),
            nudge: Notify::new(),
            caught_up: AtomicBool::new(false),
            folder,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The passages of a base that match a question, best first. Any of its terms may match; the more and the rarer,
    /// the better. File names and headings count half. A question without any term (empty, only punctuation) finds
    /// nothing, which is no error.
    ///
    /// What the store does not show at that time is in no answer, even while the index still holds it.
    ///
    /// # Errors
    /// The index or the store failed: never read as "nothing found".
    pub async fn search(&self, query: SearchQuery) -> Result<Vec<SearchHit>, SearchError> {
        let limit = query.limit.min(MAX_HITS);
        let terms: Arc<[String]> = query_terms(&query.text).into();
        if limit == 0 || terms.is_empty() {
            return Ok(Vec::new());
        }
        let as_of = query.as_of.map(|moment| moment.end_at());
        let mut rank = limit * 2 + 16;
        loop {
            let candidates = self.candidates(query.kb_id, terms.clone(), as_of, rank).await?;
            let all_seen = candidates.len() < rank;
            let ids: Vec<ChunkId> = candidates.iter().map(|candidate| candidate.chunk_id).collect();
            let passages = self.inner.store.list_passages(query.kb_id, &ids, as_of).await?;
            let mut hits = in_rank_order(&candidates, passages);
            if hits.len() >= limit || all_seen || rank >= DEEPEST_RANK {
                hits.truncate(limit);
                return Ok(hits);
            }
            rank *= 4;
        }
    }

    /// Asks [`follow`](Self::follow) to look for changes now.
    pub fn nudge(&self) {
        self.inner.nudge.notify_one();
    }

    /// Whether the index has caught up with the store since it was opened.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.inner.caught_up.load(Ordering::Acquire)
    }

    /// How many changes the index has yet to hear of; counted up to 1000.
    ///
    /// # Errors
    /// The store failed.
    pub async fn document_lag(&self) -> Result<usize, SearchError> {
        let cursor = *self.inner.reached.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(self.inner.store.list_index_changes(cursor, LAG_COUNTED).await?.len())
    }

    async fn candidates(
        &self,
        kb_id: KbId,
        terms: Arc<[String]>,
        as_of: Option<time::OffsetDateTime>,
        limit: usize,
    ) -> Result<Vec<Candidate>, SearchError> {
        let searching = self.inner.searching();
        let found = tokio::task::spawn_blocking(move || {
            find_candidates(&searching.reader.searcher(), &searching.fields, kb_id, &terms, as_of, limit)
        })
        .await?;
        Ok(found?)
    }
}

fn in_rank_order(candidates: &[Candidate], passages: Vec<Passage>) -> Vec<SearchHit> {
    let mut by_id: HashMap<ChunkId, Passage> =
        passages.into_iter().map(|passage| (passage.chunk.id, passage)).collect();
    candidates
        .iter()
        .filter_map(|candidate| {
            let Passage { chunk, filename, .. } = by_id.remove(&candidate.chunk_id)?;
            Some(SearchHit { chunk, filename, score: candidate.score })
        })
        .collect()
}
