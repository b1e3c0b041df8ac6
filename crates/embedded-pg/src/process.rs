//! What another process is doing, and how to ask it to stop.

use std::{path::Path, time::Duration};

/// What we can tell about a pid that a file names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occupant {
    /// No such process.
    Gone,
    /// Ended, and its parent has not taken notice: its pid is taken for as long as that lasts.
    Zombie,
    /// It works in the folder asked about.
    Working,
    /// Another program that got the pid later.
    Other,
    /// It is somebody else's: we may not look.
    Unknown,
}

/// What `pid` is to the server that works in `pgdata`.
#[cfg(target_os = "linux")]
pub(crate) fn occupant(pid: i32, pgdata: &Path) -> Occupant {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // `pid (name) state …`, and a name may hold parentheses of its own.
    match stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next()) {
        None => Occupant::Gone,
        Some('Z' | 'X') => Occupant::Zombie,
        Some(_) => match std::fs::read_link(format!("/proc/{pid}/cwd")) {
            Ok(folder) if folder == pgdata => Occupant::Working,
            Ok(_) => Occupant::Other,
            Err(_) => Occupant::Unknown,
        },
    }
}

/// What `pid` is to the server that works in `pgdata`: without /proc, `ps` tells, and the server names its
/// folder on its command line.
#[cfg(not(target_os = "linux"))]
pub(crate) fn occupant(pid: i32, pgdata: &Path) -> Occupant {
    let output =
        std::process::Command::new("ps").args(["-o", "stat=,command=", "-p", &pid.to_string()]).output();
    let Ok(output) = output else { return Occupant::Unknown };
    let line = String::from_utf8_lossy(&output.stdout);
    match line.trim_start().chars().next() {
        None => Occupant::Gone,
        Some('Z') => Occupant::Zombie,
        Some(_) if line.contains(&format!("-D {}", pgdata.display())) => Occupant::Working,
        Some(_) => Occupant::Other,
    }
}

/// Whether any process still works in `pgdata`: the backends of a server that was killed outlive it for a
/// moment. `None` where we cannot tell.
#[cfg(target_os = "linux")]
pub(crate) fn any_in(pgdata: &Path) -> Option<bool> {
    let entries = std::fs::read_dir("/proc").ok()?;
    let works_there = |entry: std::fs::DirEntry| {
        std::fs::read_link(entry.path().join("cwd")).is_ok_and(|folder| folder == pgdata)
    };
    Some(entries.flatten().any(works_there))
}

/// Whether any process still works in `pgdata`. Without /proc we cannot tell, and leave it to PostgreSQL,
/// which looks at its shared memory.
#[cfg(not(target_os = "linux"))]
pub(crate) fn any_in(_pgdata: &Path) -> Option<bool> {
    None
}

/// Asks a server for a fast shutdown: clients are cut off, data is written out. (SIGTERM would wait for the
/// clients for ever, SIGKILL would leave its shared memory behind.)
pub(crate) fn interrupt(pid: i32) {
    signal(pid, libc::SIGINT);
}

/// Makes a server end at once; it recovers from its log at the next start.
pub(crate) fn quit(pid: i32) {
    signal(pid, libc::SIGQUIT);
}

fn signal(pid: i32, signal: i32) {
    // 0 and -1 address whole groups of processes.
    if pid > 1 {
        // SAFETY: kill takes two numbers; a pid that is gone is an error we need not see.
        unsafe { libc::kill(pid, signal) };
    }
}

/// A short wait between two looks at something that has no event to wait for: a lock or a process of
/// somebody else. This crate is synchronous and its callers are off the runtime.
#[expect(clippy::disallowed_methods, reason = "nothing here runs on an async runtime")]
pub(crate) fn pause() {
    std::thread::sleep(Duration::from_millis(20));
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn our_own_process_is_working_where_it_works_and_another_elsewhere() {
        let us = i32::try_from(std::process::id()).unwrap();
        let here = std::env::current_dir().unwrap();
        assert_eq!(occupant(us, &here), Occupant::Working);
        assert_eq!(occupant(us, Path::new("/nowhere")), Occupant::Other);
        assert_eq!(any_in(&here), Some(true));
        assert_eq!(any_in(Path::new("/nowhere")), Some(false));
    }

    #[test]
    fn an_ended_child_is_a_zombie_until_it_is_waited_for() {
        let mut child = std::process::Command::new("/bin/true").spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        while occupant(pid, Path::new("/nowhere")) != Occupant::Zombie {
            pause();
        }
        child.wait().unwrap();
        assert_eq!(occupant(pid, Path::new("/nowhere")), Occupant::Gone);
    }
}
