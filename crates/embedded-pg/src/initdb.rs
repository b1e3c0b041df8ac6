//! Making the database files.

use std::{
    fs::{self, File},
    path::Path,
    process::Stdio,
    time::Instant,
};

use crate::{Binaries, Durability, Error, SUPERUSER, account::Account, command, error::Doing};

/// Makes `pgdata` unless it is there. initdb works under another name and the result is renamed, so that a
/// `pgdata` is always a whole one, whenever the machine stops.
pub(crate) fn ensure(
    pgdata: &Path,
    binaries: &Binaries,
    account: Account,
    durability: Durability,
) -> Result<(), Error> {
    if pgdata.exists() {
        return Ok(());
    }
    if !account.has_name() {
        return Err(Error::NamelessUid { uid: account.uid() });
    }
    let started = Instant::now();
    let partial = pgdata.with_extension("partial");
    if partial.exists() {
        tracing::warn!("an earlier start stopped half-way through making the database; making it anew");
        fs::remove_dir_all(&partial).doing(|| format!("remove {}", partial.display()))?;
    }
    let mut initdb = command::new(&binaries.folder.join("initdb"), account);
    initdb.arg("-D").arg(&partial).args(["-U", SUPERUSER, "-E", "UTF8", "--no-instructions"]);
    // Safe without a password: the only way in is a socket in a folder of mode 0700, and there is no port.
    initdb.args(["--auth-local=trust", "--auth-host=reject"]).args(locale(binaries.major));
    if durability == Durability::Disposable {
        initdb.arg("--no-sync");
    }
    let output = initdb
        .stdin(Stdio::null())
        .output()
        .doing(|| format!("run {}", binaries.folder.join("initdb").display()))?;
    if !output.status.success() {
        let both = [output.stdout, output.stderr].concat();
        return Err(Error::Initdb { output: String::from_utf8_lossy(&both).trim().to_owned() });
    }
    fs::rename(&partial, pgdata).doing(|| format!("rename {}", partial.display()))?;
    if durability == Durability::Kept
        && let Some(parent) = pgdata.parent()
    {
        // Makes the rename itself outlive a power cut.
        File::open(parent)
            .and_then(|folder| folder.sync_all())
            .doing(|| format!("sync {}", parent.display()))?;
    }
    let duration_ms = started.elapsed().as_millis() as u64;
    tracing::info!(postgres.version = binaries.version, duration_ms, "made the database files");
    Ok(())
}

/// From 17 on PostgreSQL brings a UTF-8 locale of its own; before, the host's C.UTF-8 is needed (with plain
/// C, lower('Ä') does nothing).
fn locale(major: u32) -> &'static [&'static str] {
    if major >= 17 {
        &["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    } else {
        &["--locale=C.UTF-8"]
    }
}
