//! The `attest` binary as people run it: a process with its private PostgreSQL.

use std::fs::{self, Permissions};
use std::ops::Deref;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::api::Api;
use crate::options::TestOptions;
use crate::server::install_tls;
use crate::wait::until;

/// How long a start may take: the first one makes the database files.
const START: std::time::Duration = std::time::Duration::from_secs(60);

/// A running `attest serve`. It is called as an [`Api`]; dropping it kills it.
pub struct AttestProcess {
    child: Child,
    api: Api,
    /// What it printed before it listened.
    pub greeting: Vec<String>,
}

impl AttestProcess {
    /// An empty folder for [`AttestProcess::start`], which goes with the value.
    ///
    /// # Panics
    /// When there is no room for one.
    #[must_use]
    pub fn folder() -> TempDir {
        // Root hands PostgreSQL to another account, which has to pass through.
        let permissions = Permissions::from_mode(0o755);
        tempfile::Builder::new().prefix("attest-").permissions(permissions).tempdir().expect("a folder")
    }

    /// Starts the binary in a folder and waits until it listens.
    ///
    /// # Panics
    /// When it does not.
    pub async fn start(folder: &Path, options: &TestOptions) -> Self {
        install_tls();
        let mut command = Command::new(binary());
        command
            .arg("serve")
            .current_dir(folder)
            .env_clear()
            .envs(
                ["PATH", "HOME", "PG_BINDIR", "XDG_CACHE_HOME"]
                    .map(|name| (name, std::env::var_os(name).unwrap_or_default())),
            )
            .envs(options.variables(&folder.join("data"), None))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(fs::File::options().create(true).append(true).open(folder.join("log")).expect("a log"))
            .kill_on_drop(true);
        let mut child = command.spawn().expect("the attest binary starts");
        let stdout = child.stdout.take().expect("its output is read here");
        let mut lines = BufReader::new(stdout).lines();
        let mut greeting = Vec::new();
        let listening = async {
            while let Ok(Some(line)) = lines.next_line().await {
                greeting.push(line.clone());
                if let Some(base) = line.trim().strip_prefix("listening on ") {
                    return base.trim().to_owned();
                }
            }
            let log = fs::read_to_string(folder.join("log")).unwrap_or_default();
            panic!("attest ended before it listened; it printed {greeting:?} and logged:\n{log}");
        };
        let base = tokio::time::timeout(START, listening).await.expect("attest listens within a minute");
        // What it prints later is read and thrown away, so that it is never held up by a full pipe.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Self { child, api: Api::new(base), greeting }
    }

    /// Ctrl-C; waits until it has ended.
    pub async fn interrupt(mut self) -> ExitStatus {
        let pid = self.child.id().expect("attest runs").to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status().await.expect("kill runs");
        assert!(sent.success(), "attest takes a signal");
        self.ended().await
    }

    /// kill -9; waits until it has ended.
    pub async fn kill(mut self) -> ExitStatus {
        self.child.start_kill().expect("attest can be killed");
        self.ended().await
    }

    async fn ended(&mut self) -> ExitStatus {
        let ended = tokio::time::timeout(START, self.child.wait()).await;
        ended.expect("attest ends").expect("its status can be read")
    }

    /// The process id of the private PostgreSQL of a folder, where one has left its file.
    #[must_use]
    pub fn postgres_pid(folder: &Path) -> Option<u32> {
        let file = find(&folder.join("data"), "postmaster.pid")?;
        fs::read_to_string(file).ok()?.lines().next()?.trim().parse().ok()
    }

    /// Waits until no process has this id, or only the corpse of one.
    pub async fn until_process_gone(pid: u32) {
        until(&format!("process {pid} to end"), async || {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
            matches!(state, None | Some('Z')).then_some(())
        })
        .await;
    }
}

impl Deref for AttestProcess {
    type Target = Api;

    fn deref(&self) -> &Api {
        &self.api
    }
}

/// The binary that the same build made: it stands above the folder of the test executables.
fn binary() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let found = test.ancestors().skip(1).map(|folder| folder.join("attest")).find(|path| path.is_file());
    found.unwrap_or_else(|| {
        panic!(
            "there is no `attest` binary beside {}; `cargo build -p attest-server` makes it",
            test.display()
        )
    })
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    entries.filter_map(Result::ok).map(|entry| entry.path()).find_map(|path| {
        if path.is_dir() {
            find(&path, name)
        } else {
            path.file_name().is_some_and(|n| n == name).then_some(path)
        }
    })
}
