//! What a caller decides about its cluster.

use std::path::PathBuf;

/// How a cluster is to be started.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folder that is the cluster's alone: database files, lock, log and socket live in it. Made when
    /// missing. Run as root, it is given to the account PostgreSQL runs as; when that account cannot reach
    /// it, another place is used ([`crate::fallback_for`]).
    pub data_dir: PathBuf,
    /// A folder with `postgres` and `initdb`. `None` looks in `PG_BINDIR`, the fetched copy, then the
    /// installed ones.
    pub binaries: Option<PathBuf>,
    /// Server settings on top of ours, as in `postgres -c name=value`; the last one of a name wins.
    pub settings: Vec<(String, String)>,
    /// Whether a commit outlives a crash.
    pub durability: Durability,
}

/// Whether a commit outlives a crash of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Every acknowledged commit is on disk.
    Kept,
    /// Nothing is synced: for tests, several times faster.
    Disposable,
}

impl Options {
    /// A durable cluster in `data_dir`, with the binaries found in the usual places.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self { data_dir: data_dir.into(), binaries: None, settings: Vec::new(), durability: Durability::Kept }
    }
}
