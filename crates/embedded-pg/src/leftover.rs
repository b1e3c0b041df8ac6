//! A `postmaster.pid` from before. PostgreSQL copes with a dead pid by itself, and refuses for ever beside an
//! orphan or a zombie; we hold the folder's lock, so no healthy instance owns what is named there.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use crate::{
    Error,
    error::Doing,
    process::{self, Occupant},
};

/// How long an orphan may take to write its data out.
const PATIENCE: Duration = Duration::from_secs(30);

/// What to do about a pid file that is there.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// Leave it to PostgreSQL.
    Leave,
    /// Nobody works on the data: the file is in the way.
    Remove,
    /// Ask the orphan to stop, then look again.
    Interrupt,
    /// The end is near: look again.
    Wait,
}

/// `any_in_folder` is `None` where we cannot tell.
fn judge(occupant: Occupant, any_in_folder: impl FnOnce() -> Option<bool>) -> Verdict {
    if occupant == Occupant::Working {
        return Verdict::Interrupt;
    }
    match (occupant, any_in_folder()) {
        // Never beside a backend that is still at work: two servers on one folder corrupt it. (With the pid
        // gone PostgreSQL notices that itself, and gives up instead of waiting.)
        (Occupant::Gone | Occupant::Zombie | Occupant::Other, Some(true)) => Verdict::Wait,
        (Occupant::Zombie | Occupant::Other, Some(false)) => Verdict::Remove,
        _ => Verdict::Leave,
    }
}

/// Waits until nothing from before works in `pgdata`, and clears away a pid file that would keep PostgreSQL
/// from starting.
pub(crate) fn clear(pgdata: &Path, data_dir: &Path) -> Result<(), Error> {
    let path = pgdata.join("postmaster.pid");
    let started = Instant::now();
    let mut interrupted = false;
    loop {
        let Ok(text) = fs::read_to_string(&path) else { return Ok(()) };
        let pid = text.lines().next().and_then(|line| line.trim().parse::<i32>().ok()).unwrap_or(0);
        // An empty or broken file (the disk was full) stops PostgreSQL too.
        let occupant = if pid > 1 { process::occupant(pid, pgdata) } else { Occupant::Other };
        match judge(occupant, || process::any_in(pgdata)) {
            Verdict::Leave => return Ok(()),
            Verdict::Remove => {
                tracing::info!(pid, ?occupant, "removing a stale postmaster.pid");
                return fs::remove_file(&path).doing(|| format!("remove {}", path.display()));
            }
            Verdict::Interrupt if !interrupted => {
                tracing::warn!(pid, "stopping a PostgreSQL server left over from before");
                process::interrupt(pid);
                interrupted = true;
            }
            Verdict::Interrupt | Verdict::Wait => {}
        }
        if started.elapsed() > PATIENCE {
            return Err(Error::Leftover { pid, data_dir: data_dir.to_path_buf() });
        }
        process::pause();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pid_file_goes_only_when_nobody_works_on_the_data() {
        let (nobody, somebody, unclear) = (Some(false), Some(true), None);
        let table = [
            (Occupant::Gone, nobody, Verdict::Leave),
            (Occupant::Gone, somebody, Verdict::Wait),
            (Occupant::Gone, unclear, Verdict::Leave),
            (Occupant::Unknown, somebody, Verdict::Leave),
            (Occupant::Working, somebody, Verdict::Interrupt),
            (Occupant::Working, unclear, Verdict::Interrupt),
            (Occupant::Zombie, somebody, Verdict::Wait),
            (Occupant::Zombie, nobody, Verdict::Remove),
            (Occupant::Zombie, unclear, Verdict::Leave),
            (Occupant::Other, somebody, Verdict::Wait),
            (Occupant::Other, nobody, Verdict::Remove),
            (Occupant::Other, unclear, Verdict::Leave),
        ];
        for (occupant, any, verdict) in table {
            assert_eq!(judge(occupant, || any), verdict, "{occupant:?}, somebody there: {any:?}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_pid_that_another_program_got_later_is_cleared_away() {
        let folder = tempfile::tempdir().unwrap();
        let pgdata = folder.path().canonicalize().unwrap();
        let path = pgdata.join("postmaster.pid");
        fs::write(&path, format!("{}\n/somewhere\n", std::process::id())).unwrap();
        clear(&pgdata, &pgdata).unwrap();
        assert!(!path.exists());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_zombie_of_a_parent_that_does_not_reap_is_cleared_away() {
        let folder = tempfile::tempdir().unwrap();
        let pgdata = folder.path().canonicalize().unwrap();
        let path = pgdata.join("postmaster.pid");
        let mut child = std::process::Command::new("/bin/true").spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        while process::occupant(pid, &pgdata) != Occupant::Zombie {
            process::pause();
        }
        fs::write(&path, format!("{pid}\n")).unwrap();
        clear(&pgdata, &pgdata).unwrap();
        assert!(!path.exists());
        child.wait().unwrap();
    }
}
