//! The running server: spawned, awaited until ready, stopped.

use std::{
    fs::{self, File},
    io,
    path::Path,
    process::{Command, ExitStatus, Stdio},
    sync::{
        Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    Binaries, Durability, Error, Options, command, error::Doing, folder::Folder, process, server_log,
};

/// Crash recovery may take long; a start that takes longer than this has failed.
const START_LIMIT: Duration = Duration::from_secs(60);
/// How long a fast shutdown may take to write everything out.
const STOP_LIMIT: Duration = Duration::from_secs(60);

/// A child process that is our PostgreSQL.
#[derive(Debug)]
pub(crate) struct Postmaster {
    pid: i32,
    exit: Mutex<Exit>,
}

#[derive(Debug)]
enum Exit {
    Awaited(Receiver<io::Result<ExitStatus>>),
    Known(String),
}

impl Postmaster {
    /// Starts the server and returns once it takes connections.
    pub(crate) fn start(
        folder: &Folder,
        binaries: &Binaries,
        socket: &Path,
        options: &Options,
    ) -> Result<Self, Error> {
        let path = folder.log();
        let (log, before) = server_log::open(&path).doing(|| format!("open {}", path.display()))?;
        let command = server(folder, binaries, socket, options, log)?;
        let server =
            spawn(command).doing(|| format!("run {}", binaries.folder.join("postgres").display()))?;
        let tail = || server_log::tail(&path, before);
        let started = Instant::now();
        loop {
            if let Some(status) = server.exited_within(Duration::from_millis(10)) {
                return Err(Error::Ended { status, log: path.clone(), tail: tail() });
            }
            if is_ready(&folder.pgdata(), server.pid) {
                return Ok(server);
            }
            if started.elapsed() > START_LIMIT {
                process::quit(server.pid);
                let _ = server.exited_within(STOP_LIMIT);
                return Err(Error::NotReady {
                    seconds: START_LIMIT.as_secs(),
                    log: path.clone(),
                    tail: tail(),
                });
            }
        }
    }

    pub(crate) fn pid(&self) -> i32 {
        self.pid
    }

    pub(crate) fn is_running(&self) -> bool {
        self.exited_within(Duration::ZERO).is_none()
    }

    /// A fast shutdown: clients are cut off, everything is written out. Does nothing when it has ended.
    pub(crate) fn stop(&self) {
        if !self.is_running() {
            return;
        }
        process::interrupt(self.pid);
        if self.exited_within(STOP_LIMIT).is_none() {
            tracing::error!(
                pid = self.pid,
                "PostgreSQL does not shut down in order; it will recover at the next start"
            );
            process::quit(self.pid);
            let _ = self.exited_within(STOP_LIMIT);
        }
    }

    /// How it ended, when it has or does so within `limit`.
    fn exited_within(&self, limit: Duration) -> Option<String> {
        let mut exit = self.exit.lock().unwrap_or_else(PoisonError::into_inner);
        if let Exit::Awaited(events) = &*exit {
            let status = match events.recv_timeout(limit) {
                Ok(Ok(status)) => status.to_string(),
                Ok(Err(error)) => format!("its end could not be awaited: {error}"),
                Err(RecvTimeoutError::Disconnected) => "its thread is gone".into(),
                Err(RecvTimeoutError::Timeout) => return None,
            };
            *exit = Exit::Known(status);
        }
        match &*exit {
            Exit::Known(status) => Some(status.clone()),
            Exit::Awaited(_) => None,
        }
    }
}

fn server(
    folder: &Folder,
    binaries: &Binaries,
    socket: &Path,
    options: &Options,
    log: File,
) -> Result<Command, Error> {
    let mut command = command::new(&binaries.folder.join("postgres"), folder.account);
    command.arg("-D").arg(folder.pgdata());
    // Commas and quotes mean something in a list of folders; a quoted item with doubled quotes does not.
    let quoted = format!("\"{}\"", socket.display().to_string().replace('"', "\"\""));
    let ours = [
        ("listen_addresses", ""),
        ("port", "5432"),
        ("unix_socket_directories", &quoted),
        ("unix_socket_permissions", "0700"),
        ("max_connections", "64"),
        ("shared_buffers", "64MB"),
        ("timezone", "UTC"),
        ("log_timezone", "UTC"),
    ];
    let disposable = [("fsync", "off"), ("full_page_writes", "off"), ("synchronous_commit", "off")];
    let disposable = disposable.iter().filter(|_| options.durability == Durability::Disposable);
    let theirs = options.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in ours.iter().chain(disposable).copied().chain(theirs) {
        command.arg("-c").arg(format!("{name}={value}"));
    }
    let copy = log.try_clone().doing(|| "share the server's log".into())?;
    command.stdin(Stdio::null()).stdout(copy).stderr(log);
    Ok(command)
}

/// One thread spawns the server, waits for its end and does nothing else: on Linux the server is told to stop
/// when the thread that spawned it ends, and threads of a pool end when they are idle.
fn spawn(mut command: Command) -> io::Result<Postmaster> {
    let (tell_pid, pid) = mpsc::channel();
    let (tell_exit, exit) = mpsc::channel();
    thread::Builder::new().name("embedded-pg".into()).spawn(move || match command.spawn() {
        Ok(mut child) => {
            let _ = tell_pid.send(Ok(child.id()));
            // The log's descriptors must not outlive the server in us.
            drop(command);
            let _ = tell_exit.send(child.wait());
        }
        Err(error) => {
            let _ = tell_pid.send(Err(error));
        }
    })?;
    let pid = pid.recv().map_err(io::Error::other)??;
    let pid = i32::try_from(pid).map_err(io::Error::other)?;
    Ok(Postmaster { pid, exit: Mutex::new(Exit::Awaited(exit)) })
}

/// The server says so in line 8 of its pid file; line 1 tells that the file is this server's.
fn is_ready(pgdata: &Path, pid: i32) -> bool {
    let Ok(text) = fs::read_to_string(pgdata.join("postmaster.pid")) else { return false };
    let mut lines = text.lines();
    lines.next().is_some_and(|line| line.trim() == pid.to_string())
        && lines.nth(6).is_some_and(|line| line.trim() == "ready")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ready_is_what_our_own_server_says_in_line_eight() {
        let folder = tempfile::tempdir().unwrap();
        let says = |text: &str| {
            fs::write(folder.path().join("postmaster.pid"), text).unwrap();
            is_ready(folder.path(), 42)
        };
        assert!(says("42\n/d\n1\n5432\n/s\n\n  1 2\nready   \n"));
        assert!(!says("42\n/d\n1\n5432\n/s\n\n  1 2\nstarting\n"));
        assert!(!says("42\n/d\n1\n5432\n"));
        assert!(!says("41\n/d\n1\n5432\n/s\n\n  1 2\nready   \n"));
    }
}
