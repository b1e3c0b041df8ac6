//! A private server, from its folder to its last byte.

use std::{
    fmt::Write,
    fs,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    time::Instant,
};

use crate::{
    Binaries, Error, Options, SUPERUSER, error::Doing, folder::Folder, initdb, leftover,
    postmaster::Postmaster, socket,
};

/// A running PostgreSQL that is ours alone. Dropping it stops the server and waits for that.
///
/// A process that is killed takes the server along on Linux (it shuts down in order); elsewhere the next
/// start stops the orphan.
#[derive(Debug)]
pub struct Cluster {
    // Before `folder`: the lock must outlive the server.
    server: Postmaster,
    socket: PathBuf,
    binaries: Binaries,
    folder: Folder,
}

impl Cluster {
    /// Starts a server on `options.data_dir`, making the database files at first. Blocks for about a second
    /// the first time, some ten milliseconds later, and up to 60 s when PostgreSQL recovers from a crash.
    ///
    /// # Errors
    /// Each [`Error`] says in its text what to do about it.
    pub fn start(options: Options) -> Result<Self, Error> {
        let started = Instant::now();
        let folder = Folder::open(&options.data_dir)?;
        let pgdata = folder.pgdata();
        let data_major = major_of(&pgdata)?;
        let named = options.binaries.as_deref();
        let binaries = Binaries::choose(named, folder.account, &folder.root, data_major.as_deref())?;
        initdb::ensure(&pgdata, &binaries, folder.account, options.durability)?;
        leftover::clear(&pgdata, &folder.root)?;
        let socket = socket::prepare(&folder.root, folder.account)?;
        let server = Postmaster::start(&folder, &binaries, &socket, &options).inspect_err(|_| {
            socket::release(&folder.root, &socket);
        })?;
        let cluster = Self { server, socket, binaries, folder };
        tracing::info!(
            postgres.version = cluster.version(),
            postgres.data_dir = %cluster.data_dir().display(),
            postgres.pid = cluster.server.pid(),
            duration_ms = started.elapsed().as_millis() as u64,
            "the private PostgreSQL is running"
        );
        Ok(cluster)
    }

    /// The folder of the socket: what PostgreSQL's clients call the host. The port, a part of the socket's
    /// name, is the usual 5432.
    pub fn socket_dir(&self) -> &Path {
        &self.socket
    }

    /// Where the data really is; see [`Cluster::relocated_from`].
    pub fn data_dir(&self) -> &Path {
        &self.folder.root
    }

    /// The folder that was asked for, when PostgreSQL's account cannot reach it and the data is elsewhere.
    pub fn relocated_from(&self) -> Option<&Path> {
        self.folder.relocated_from.as_deref()
    }

    /// The server's version, for example `18.6`.
    pub fn version(&self) -> &str {
        &self.binaries.version
    }

    /// The server's programs, `pg_dump` among them where the packager has it.
    pub fn binaries(&self) -> &Binaries {
        &self.binaries
    }

    /// The process id of the server.
    pub fn pid(&self) -> i32 {
        self.server.pid()
    }

    /// A connection URL as the superuser. `database` exists, for example `postgres`. Port and encryption are
    /// spelled out, so that no `PGPORT` or `PGSSLMODE` of the environment decides.
    pub fn url(&self, database: &str) -> String {
        let mut url = format!("postgres:///{database}?user={SUPERUSER}&port=5432&sslmode=disable&host=");
        for byte in self.socket.as_os_str().as_bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => {
                    url.push(char::from(*byte))
                }
                // Writing to a String cannot fail.
                _ => drop(write!(url, "%{byte:02X}")),
            }
        }
        url
    }

    /// Whether the server is still there. One that fell over is not started again: its owner decides.
    pub fn is_running(&self) -> bool {
        self.server.is_running()
    }

    /// Stops the server in order and returns when it has ended. Its clients are cut off, so close the pools
    /// first.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.server.stop();
        socket::release(&self.folder.root, &self.socket);
    }
}

/// The major version that wrote `pgdata`, when there is one.
fn major_of(pgdata: &Path) -> Result<Option<String>, Error> {
    if !pgdata.exists() {
        return Ok(None);
    }
    let path = pgdata.join("PG_VERSION");
    let text = fs::read_to_string(&path).doing(|| format!("read {}", path.display()))?;
    Ok(Some(text.trim().to_owned()))
}
