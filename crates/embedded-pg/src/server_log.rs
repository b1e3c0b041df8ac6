//! `postgres.log`: kept small, and quoted when a start fails.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

/// A log longer than this (bytes) is emptied at start. It holds warnings and the checkpoints of long runs.
const LONGEST: u64 = 4 * 1024 * 1024;
/// How much of it an error quotes, in bytes.
const TAIL: u64 = 3 * 1024;

/// The log, open for the server to append to, and the length it has before this start.
pub(crate) fn open(path: &Path) -> io::Result<(File, u64)> {
    let file = File::options().create(true).append(true).open(path)?;
    if file.metadata()?.len() > LONGEST {
        // Truncated, not renamed: somebody may be following it.
        file.set_len(0)?;
    }
    let length = file.metadata()?.len();
    Ok((file, length))
}

/// The end of what was written after `from`.
pub(crate) fn tail(path: &Path, from: u64) -> String {
    let read = || -> io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(from.max(length.saturating_sub(TAIL)).min(length)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    match read() {
        Ok(bytes) if bytes.is_empty() => "(nothing)".into(),
        Ok(bytes) => String::from_utf8_lossy(&bytes).trim_end().to_owned(),
        Err(error) => format!("(unreadable: {error})"),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use super::*;

    #[test]
    fn a_long_log_is_emptied_at_start_and_a_short_one_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("postgres.log");
        fs::write(&path, "short").unwrap();
        assert_eq!(open(&path).unwrap().1, 5);
        fs::write(&path, vec![b'x'; 5 * 1024 * 1024]).unwrap();
        assert_eq!(open(&path).unwrap().1, 0);
    }

    #[test]
    fn the_tail_quotes_this_start_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("postgres.log");
        fs::write(&path, "FATAL: an old trouble\n").unwrap();
        let (mut file, before) = open(&path).unwrap();
        assert_eq!(tail(&path, before), "(nothing)");
        file.write_all(b"LOG: starting\n").unwrap();
        assert_eq!(tail(&path, before), "LOG: starting");
        assert!(tail(&folder.path().join("none"), 0).starts_with("(unreadable: "));
    }
}
