//! What can go wrong.

use std::path::PathBuf;

use attest_store::StoreError;

/// Why a search or the index failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// Another process, or another index of this one, uses the folder: give each its own.
    #[error(
        "the search index in {} is in use by another process: stop it, or give this one a folder of its own",
        dir.display()
    )]
    InUse {
        /// The folder.
        dir: PathBuf,
    },
    /// The folder cannot be made, read or written.
    #[error("the search index cannot use the folder {}: {source}", dir.display())]
    Folder {
        /// The folder.
        dir: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The index itself failed; it is checked, and rebuilt if it is broken, when it is next brought up to date.
    #[error("the search index failed: {0}")]
    Index(#[from] tantivy::TantivyError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A worker thread of the index ended early: a panic, or the server is shutting down.
    #[error("a search was cut short: {0}")]
    CutShort(#[from] tokio::task::JoinError),
}
