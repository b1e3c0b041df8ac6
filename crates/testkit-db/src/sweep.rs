//! Removing the servers of test runs that are over.

use std::{fs, path::Path, process::Command};

use attest_embedded_pg::fallback_for;

/// Removes `pg-<pid>` folders whose process is gone.
pub(crate) fn remove_leftovers(base: &Path) {
    let Ok(base) = base.canonicalize() else { return };
    let Ok(entries) = fs::read_dir(&base) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix("pg-")?.parse::<u32>().ok());
        let Some(pid) = pid else { continue };
        let asked = base.join(name);
        // Root's data may be elsewhere, and the folder asked for is empty then.
        let moved = fallback_for(&asked);
        if !is_alive(pid) && !is_locked(&asked) && !is_locked(&moved) {
            // Best effort: another run may be sweeping as well.
            let _ = fs::remove_dir_all(&moved);
            let _ = fs::remove_dir_all(&asked);
        }
    }
}

fn is_alive(pid: u32) -> bool {
    // When it cannot be told, the folder stays.
    Command::new("kill")
        .args(["-0", &pid.to_string()])
        .output()
        .map_or(true, |output| output.status.success())
}

/// Whether a process that we cannot see (one of another container on the same files) still has it.
fn is_locked(data_dir: &Path) -> bool {
    fs::File::open(data_dir.join("lock")).is_ok_and(|file| file.try_lock().is_err())
}
