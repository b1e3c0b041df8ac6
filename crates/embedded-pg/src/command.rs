//! How every child is run: as the right account, out of reach of the terminal, and never longer than we live.

use std::{os::unix::process::CommandExt, path::Path, process::Command};

use crate::account::Account;

/// A command that runs `program` as `account`.
///
/// On Linux the child gets SIGINT when the THREAD that spawned it ends (the kernel's rule, not a slip of
/// ours): spawn from a thread that lives as long as the child.
pub(crate) fn new(program: &Path, account: Account) -> Command {
    let mut command = Command::new(program);
    // An inherited PGDATA, PGPORT or PGOPTIONS would steer the server or its tools.
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"PG") {
            command.env_remove(&name);
        }
    }
    command.env("LC_ALL", "C").env("TZ", "UTC").current_dir("/");
    let parent = std::process::id();
    // SAFETY: between fork and exec only async-signal-safe calls are made, on values copied in beforehand;
    // nothing allocates and no lock is taken.
    unsafe { command.pre_exec(move || enter(account, parent)) };
    command
}

/// Runs in the child, before exec.
fn enter(account: Account, parent: u32) -> std::io::Result<()> {
    use std::io::Error;
    if let Account::Dropped { uid, gid } = account {
        // Groups first: after setuid we may no longer change them.
        // SAFETY: plain system calls; an empty group list needs no pointer.
        let dropped = unsafe {
            libc::setgroups(0, std::ptr::null()) == 0 && libc::setgid(gid) == 0 && libc::setuid(uid) == 0
        };
        if !dropped {
            return Err(Error::last_os_error());
        }
    }
    // SAFETY: plain system calls without pointers. A session of its own keeps Ctrl-C at the terminal for us
    // alone; we then stop the server in order.
    unsafe {
        libc::setsid();
        libc::umask(0o077);
    }
    #[cfg(target_os = "linux")]
    {
        // After setuid, which clears it.
        // SAFETY: prctl with PR_SET_PDEATHSIG takes a signal number and touches no memory of ours.
        if unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGINT) } != 0 {
            return Err(Error::last_os_error());
        }
        // We may have died between fork and prctl, and then no signal ever comes.
        // SAFETY: getppid has no preconditions.
        if u32::try_from(unsafe { libc::getppid() }) != Ok(parent) {
            return Err(Error::from_raw_os_error(libc::ESRCH));
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = parent;
    Ok(())
}
