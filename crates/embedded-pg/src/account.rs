//! Which account PostgreSQL runs as. It refuses uid 0, so root hands it to an unprivileged one.

use std::{
    ffi::CStr,
    fs, io,
    mem::MaybeUninit,
    os::unix::fs::{MetadataExt, chown},
    path::Path,
    process::Stdio,
};

use crate::{Error, command};

/// Our own account, or the one root drops to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Account {
    /// PostgreSQL runs as we do.
    Ours,
    /// We are root; the children become this one.
    Dropped { uid: u32, gid: u32 },
}

pub(crate) fn effective_uid() -> u32 {
    // SAFETY: geteuid has no preconditions and cannot fail.
    unsafe { libc::geteuid() }
}

impl Account {
    /// The account for the cluster in `data_dir`. Root keeps to the owner of database files that are there
    /// already, else takes `postgres`, else `nobody`.
    pub(crate) fn choose(pgdata: &Path) -> Result<Self, Error> {
        if effective_uid() != 0 {
            return Ok(Self::Ours);
        }
        if let Ok(existing) = fs::metadata(pgdata)
            && existing.uid() != 0
        {
            return Ok(Self::Dropped { uid: existing.uid(), gid: existing.gid() });
        }
        [c"postgres", c"nobody"].into_iter().find_map(by_name).ok_or(Error::NoAccount)
    }

    /// The uid the children run as.
    pub(crate) fn uid(self) -> u32 {
        match self {
            Self::Ours => effective_uid(),
            Self::Dropped { uid, .. } => uid,
        }
    }

    /// Gives `path` to this account; nothing to do when it is ours already.
    pub(crate) fn give(self, path: &Path) -> io::Result<()> {
        match self {
            Self::Ours => Ok(()),
            Self::Dropped { uid, gid } => chown(path, Some(uid), Some(gid)),
        }
    }

    /// Whether this account can enter `folder` through every parent. The kernel is asked, in a child with
    /// that uid: modes alone do not tell (access lists, mount options).
    pub(crate) fn reaches(self, folder: &Path) -> bool {
        command::new(Path::new("/bin/sh"), self)
            .args(["-c", "cd \"$1\"", "sh"])
            .arg(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    /// Whether the uid has a name; initdb does not work without.
    pub(crate) fn has_name(self) -> bool {
        let uid = self.uid();
        lookup(|entry, buffer, length, found| {
            // SAFETY: `lookup` hands pointers that are valid for this call, and the buffer's true length.
            unsafe { libc::getpwuid_r(uid, entry, buffer, length, found) }
        })
        .is_some()
    }
}

fn by_name(name: &CStr) -> Option<Account> {
    lookup(|entry, buffer, length, found| {
        // SAFETY: the name is NUL-terminated; the other pointers come from `lookup` and are valid for this call.
        unsafe { libc::getpwnam_r(name.as_ptr(), entry, buffer, length, found) }
    })
    .map(|(uid, gid)| Account::Dropped { uid, gid })
}

/// Runs one of the reentrant passwd calls (the plain ones share a static buffer between threads).
fn lookup(
    call: impl Fn(*mut libc::passwd, *mut libc::c_char, usize, *mut *mut libc::passwd) -> libc::c_int,
) -> Option<(u32, u32)> {
    // 16 KiB holds any entry of a sane system; a longer one (ERANGE) counts as missing.
    let mut buffer = vec![0 as libc::c_char; 16 * 1024];
    let mut entry = MaybeUninit::<libc::passwd>::uninit();
    let mut found = std::ptr::null_mut();
    let code = call(entry.as_mut_ptr(), buffer.as_mut_ptr(), buffer.len(), &mut found);
    if code != 0 || found.is_null() {
        return None;
    }
    // SAFETY: the call returned 0 and set `found`, so it has filled `entry`.
    let entry = unsafe { entry.assume_init() };
    Some((entry.pw_uid, entry.pw_gid))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_has_a_name_and_an_unknown_name_has_no_account() {
        assert!(Account::Dropped { uid: 0, gid: 0 }.has_name());
        assert_eq!(by_name(c"no-such-account-here"), None);
    }

    #[test]
    fn a_uid_without_a_passwd_entry_has_no_name() {
        assert!(!Account::Dropped { uid: 3_999_999_999, gid: 0 }.has_name());
    }
}
