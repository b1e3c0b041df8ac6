//! Where the unix socket is. Its path may have 107 bytes, and data folders are often deeper than that.

use std::{
    ffi::{CString, OsString},
    fs::{self, Permissions},
    io,
    os::unix::{
        ffi::{OsStrExt, OsStringExt},
        fs::PermissionsExt,
    },
    path::{Path, PathBuf},
};

use crate::{Error, account::Account, error::Doing};

/// `sun_path` less its NUL and `/.s.PGSQL.5432`, with room for the lock file's `.lock`.
const LONGEST: usize = 107 - "/.s.PGSQL.5432.lock".len();
/// What our folders in the temporary place are called; the rest of the name is random.
const PREFIX: &str = "attest-pg-";

/// A private folder for the socket: `run` in the data folder, or one in the temporary place when that path
/// would be too long or mean something else.
pub(crate) fn prepare(root: &Path, account: Account) -> Result<PathBuf, Error> {
    // A folder of a run that was killed: nothing else would ever remove it.
    let note = root.join("socket-folder");
    if let Ok(old) = fs::read_to_string(&note).map(PathBuf::from)
        && is_ours(&old)
    {
        let _ = fs::remove_dir_all(old);
    }
    let inside = root.join("run");
    // libpq, and so pg_dump, takes a comma in the host for a list of hosts.
    let usable = inside.as_os_str().len() <= LONGEST && !inside.as_os_str().as_bytes().contains(&b',');
    let folder = if usable {
        fs::create_dir_all(&inside).doing(|| format!("make {}", inside.display()))?;
        inside
    } else {
        let folder = make_temporary().doing(|| "make a folder for the database's socket".into())?;
        fs::write(&note, folder.as_os_str().as_bytes()).doing(|| format!("write {}", note.display()))?;
        folder
    };
    fs::set_permissions(&folder, Permissions::from_mode(0o700))
        .and_then(|()| account.give(&folder))
        .doing(|| format!("give {} to uid {}", folder.display(), account.uid()))?;
    Ok(folder)
}

/// Removes what [`prepare`] made in the temporary place.
pub(crate) fn release(root: &Path, folder: &Path) {
    if is_ours(folder) {
        let _ = fs::remove_dir_all(folder);
        let _ = fs::remove_file(root.join("socket-folder"));
    }
}

/// Not `TMPDIR`: that is long on some systems, and shortness is what we came for.
const TEMPORARY: &str = "/tmp";

fn is_ours(folder: &Path) -> bool {
    folder.parent() == Some(Path::new(TEMPORARY))
        && folder.file_name().is_some_and(|name| name.as_bytes().starts_with(PREFIX.as_bytes()))
}

/// A new folder (mode 0700) with a name nobody can guess or have put there before us.
fn make_temporary() -> io::Result<PathBuf> {
    let template = CString::new(format!("{TEMPORARY}/{PREFIX}XXXXXX"))?.into_raw();
    // SAFETY: the template is a NUL-terminated buffer that is ours to write to; mkdtemp replaces the X's in
    // place and keeps the length, so taking the string back is sound.
    let (made, path) = unsafe { (!libc::mkdtemp(template).is_null(), CString::from_raw(template)) };
    if !made {
        return Err(io::Error::last_os_error());
    }
    Ok(PathBuf::from(OsString::from_vec(path.into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deep_data_folder_gets_a_short_socket_folder_that_the_next_start_cleans_up() {
        let base = tempfile::tempdir().unwrap();
        let deep = base.path().join("d".repeat(120));
        fs::create_dir(&deep).unwrap();

        let killed = prepare(&deep, Account::Ours).unwrap();
        assert!(is_ours(&killed), "{killed:?}");
        assert_eq!(fs::metadata(&killed).unwrap().permissions().mode() & 0o777, 0o700);

        let next = prepare(&deep, Account::Ours).unwrap();
        assert!(next != killed && next.is_dir() && !killed.exists());
        release(&deep, &next);
        assert!(!next.exists());
    }

    #[test]
    fn a_comma_in_the_path_does_not_reach_the_clients() {
        let base = tempfile::tempdir().unwrap();
        let odd = base.path().join("a,b");
        fs::create_dir(&odd).unwrap();
        let folder = prepare(&odd, Account::Ours).unwrap();
        assert!(is_ours(&folder), "{folder:?}");
        release(&odd, &folder);
    }

    #[test]
    fn a_short_data_folder_holds_its_socket_itself() {
        let base = tempfile::tempdir().unwrap();
        let folder = prepare(base.path(), Account::Ours).unwrap();
        assert_eq!(folder, base.path().join("run"));
        release(base.path(), &folder);
        assert!(folder.exists());
    }

    #[test]
    fn only_our_own_temporary_folders_are_ever_removed() {
        for other in
            ["/tmp", "/tmp/other", "/tmp/attest-pg-x/..", "/var/tmp/attest-pg-x", "/tmp/x/attest-pg-y"]
        {
            assert!(!is_ours(Path::new(other)), "{other}");
        }
    }
}
