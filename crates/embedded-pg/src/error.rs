//! Why a cluster did not start.

use std::{io, path::PathBuf};

/// One variant for each thing a person can do about it; every text says what.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nothing usable was found in any of the places.
    #[error(
        "no PostgreSQL server of version 15 or newer was found. Run `make postgres` to fetch one, or set \
         PG_BINDIR to the folder that holds `postgres` and `initdb`, or set DATABASE_URL to use a server of \
         your own. Looked at: {looked_at}"
    )]
    NoBinaries {
        /// The places and what was wrong with each.
        looked_at: String,
    },
    /// A folder that was named outright cannot be used.
    #[error(
        "the PostgreSQL binaries in {} cannot be used: {reason}. Name a folder that holds `postgres` and \
         `initdb` of version 15 or newer (PG_BINDIR), or unset it",
        path.display()
    )]
    BadBinaries {
        /// The folder that was named.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The data folder was made by another major version.
    #[error(
        "the data in {} was written by PostgreSQL {data}, and the binaries found are of {found}. Set \
         PG_BINDIR to the binaries of PostgreSQL {data}; to move to a newer one, write the data out with \
         pg_dump of the old version and read it into a new data folder",
        data_dir.display()
    )]
    OtherMajor {
        /// The cluster's folder.
        data_dir: PathBuf,
        /// The major version in `PG_VERSION`.
        data: String,
        /// The versions that were found.
        found: String,
    },
    /// Another process holds the lock of the data folder.
    #[error(
        "another instance is using the data folder {}. Stop it first, or give this one a data folder of its \
         own (ATTEST__DATA__DIR)",
        data_dir.display()
    )]
    InUse {
        /// The cluster's folder.
        data_dir: PathBuf,
    },
    /// The data folder belongs to an account we can neither be nor become.
    #[error(
        "the data folder {} belongs to uid {owner}, and this process runs as uid {us}. Run it as that user, \
         or name another data folder (ATTEST__DATA__DIR)",
        data_dir.display()
    )]
    ForeignOwner {
        /// The cluster's folder.
        data_dir: PathBuf,
        /// Its owner.
        owner: u32,
        /// The effective uid of this process.
        us: u32,
    },
    /// Root, and nobody to run PostgreSQL as.
    #[error(
        "PostgreSQL refuses to run as root, and this machine has neither a `postgres` nor a `nobody` account \
         to run it as. Add one, or set DATABASE_URL to use a server of your own"
    )]
    NoAccount,
    /// The uid has no name, which initdb insists on.
    #[error(
        "PostgreSQL cannot make a data folder as uid {uid}: that uid has no entry in /etc/passwd (usual for \
         `docker --user`). Add one, or set DATABASE_URL to use a server of your own"
    )]
    NamelessUid {
        /// The effective uid of this process.
        uid: u32,
    },
    /// A server that we did not start does not leave the data folder.
    #[error(
        "a PostgreSQL server left over from before (pid {pid}) does not leave {}. Stop it with \
         `kill -INT {pid}` and start again",
        data_dir.display()
    )]
    Leftover {
        /// The process in `postmaster.pid`.
        pid: i32,
        /// The cluster's folder.
        data_dir: PathBuf,
    },
    /// initdb said no.
    #[error("PostgreSQL could not make its data folder; initdb says: {output}")]
    Initdb {
        /// What it printed.
        output: String,
    },
    /// The server ended while it was starting.
    #[error("PostgreSQL ended while starting ({status}); the end of {}: {tail}", log.display())]
    Ended {
        /// How it ended.
        status: String,
        /// The whole log.
        log: PathBuf,
        /// Its last lines.
        tail: String,
    },
    /// The server did not become ready.
    #[error("PostgreSQL was not ready after {seconds} s; the end of {}: {tail}", log.display())]
    NotReady {
        /// How long we waited.
        seconds: u64,
        /// The whole log.
        log: PathBuf,
        /// Its last lines.
        tail: String,
    },
    /// The operating system refused a step.
    #[error("cannot {what}: {source}")]
    Io {
        /// What was tried, as a verb and its object.
        what: String,
        /// What the system said.
        source: io::Error,
    },
}

/// Names the step an IO error belongs to.
pub(crate) trait Doing<T> {
    fn doing(self, what: impl FnOnce() -> String) -> Result<T, Error>;
}

impl<T> Doing<T> for io::Result<T> {
    fn doing(self, what: impl FnOnce() -> String) -> Result<T, Error> {
        self.map_err(|source| Error::Io { what: what(), source })
    }
}
