//! The cluster's folder: where it really is, who owns it, and that it is ours alone.

use std::{
    fs::{self, File, Permissions, TryLockError},
    io,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use crate::{
    Error,
    account::{Account, effective_uid},
    error::Doing,
};

/// Where root's clusters go when PostgreSQL's account cannot reach the folder that was asked for.
const FALLBACK: &str = "/var/lib/attest";

/// A folder that exists, belongs to the right account and is locked by us until this is dropped.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) root: PathBuf,
    pub(crate) account: Account,
    /// What was asked for, when that is not where the data is.
    pub(crate) relocated_from: Option<PathBuf>,
    /// The lock goes when the file closes. It is opened close-on-exec, so PostgreSQL does not inherit it.
    _lock: File,
}

impl Folder {
    pub(crate) fn open(asked: &Path) -> Result<Self, Error> {
        fs::create_dir_all(asked).doing(|| format!("make the data folder {}", asked.display()))?;
        let asked = asked.canonicalize().doing(|| format!("find the data folder {}", asked.display()))?;
        let account = Account::choose(&asked.join("pgdata"))?;
        let (root, relocated_from) = match account {
            Account::Dropped { uid, .. } if !account.reaches(asked.parent().unwrap_or(&asked)) => {
                let root = fallback_for(&asked);
                make_fallback(&root).doing(|| format!("make the data folder {}", root.display()))?;
                tracing::warn!(
                    asked = %asked.display(),
                    used = %root.display(),
                    uid,
                    "PostgreSQL's account cannot reach the data folder, so the database is kept elsewhere"
                );
                (root, Some(asked))
            }
            _ => (asked, None),
        };
        // Again, because the fallback may hold data of another account than the folder asked for.
        let account = Account::choose(&root.join("pgdata"))?;
        own(&root, account)?;
        let lock = lock(&root)?;
        Ok(Self { root, account, relocated_from, _lock: lock })
    }

    /// The database files.
    pub(crate) fn pgdata(&self) -> PathBuf {
        self.root.join("pgdata")
    }

    /// The server's log.
    pub(crate) fn log(&self) -> PathBuf {
        self.root.join("postgres.log")
    }
}

/// The folder that root uses in place of `data_dir` when PostgreSQL's account cannot reach that one. The
/// same path always gives the same folder, with whatever compiler this was built.
pub fn fallback_for(data_dir: &Path) -> PathBuf {
    // FNV-1a written out: std's hasher may change between releases, and the data would seem lost.
    let hash =
        data_dir.as_os_str().as_encoded_bytes().iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
        });
    Path::new(FALLBACK).join(format!("{hash:016x}"))
}

fn make_fallback(root: &Path) -> io::Result<()> {
    fs::create_dir_all(root)?;
    // The parent holds nothing secret and must be passable by any account, whatever our umask is.
    fs::set_permissions(FALLBACK, Permissions::from_mode(0o755))
}

fn own(root: &Path, account: Account) -> Result<(), Error> {
    let us = effective_uid();
    let owner = fs::metadata(root).doing(|| format!("look at {}", root.display()))?.uid();
    if us != 0 && owner != us {
        return Err(Error::ForeignOwner { data_dir: root.to_path_buf(), owner, us });
    }
    // Private: the socket in it needs no password.
    fs::set_permissions(root, Permissions::from_mode(0o700))
        .and_then(|()| account.give(root))
        .doing(|| format!("give {} to uid {}", root.display(), account.uid()))
}

fn lock(root: &Path) -> Result<File, Error> {
    let path = root.join("lock");
    let what = || format!("lock {}", path.display());
    let file = File::options().create(true).append(true).open(&path).doing(what)?;
    // A child of ours that is between fork and exec holds a copy of a lock we have just released, so one
    // refusal proves nothing.
    let deadline = Instant::now() + Duration::from_millis(500);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(source)) => return Err(source).doing(what),
            Err(TryLockError::WouldBlock) if Instant::now() > deadline => {
                return Err(Error::InUse { data_dir: root.to_path_buf() });
            }
            Err(TryLockError::WouldBlock) => crate::process::pause(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_folder_always_falls_back_to_the_same_place() {
        assert_eq!(fallback_for(Path::new("/root/x/data")), Path::new("/var/lib/attest/5c8e88f62b22603e"));
        assert_ne!(fallback_for(Path::new("/root/y/data")), fallback_for(Path::new("/root/x/data")));
    }

    #[test]
    fn a_folder_that_is_open_cannot_be_opened_again_until_it_is_dropped() {
        let asked = tempfile::tempdir().unwrap();
        let first = Folder::open(asked.path()).unwrap();
        let refused = Folder::open(asked.path()).unwrap_err();
        assert!(matches!(&refused, Error::InUse { data_dir } if *data_dir == first.root), "{refused:?}");
        drop(first);
        Folder::open(asked.path()).unwrap();
    }
}
