//! The manager against a real server.

#![expect(clippy::unwrap_used, reason = "what the tests share; clippy.toml excuses the test functions alone")]

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
    process::{Child, Command, Stdio},
};

use attest_embedded_pg::{Cluster, Durability, Error, Options, fallback_for};
use tempfile::TempDir;

/// Runs SQL with the server's own client and returns what it prints.
fn sql(cluster: &Cluster, statement: &str) -> String {
    let output = Command::new(cluster.binaries().folder.join("psql"))
        .args(["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-c", statement])
        .arg(cluster.url("postgres"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{statement}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A folder that PostgreSQL's account can pass through: run as root, one of mode 0700 would move the data.
fn folder() -> TempDir {
    let open = fs::Permissions::from_mode(0o755);
    tempfile::Builder::new().permissions(open).tempdir_in("/tmp").unwrap()
}

/// Without syncing, where no crash is part of the test: it is sooner done.
fn start(folder: &Path) -> Cluster {
    let mut options = Options::new(folder);
    options.durability = Durability::Disposable;
    Cluster::start(options).unwrap()
}

/// A cluster held by a process of its own, and the server's pid.
fn hold(folder: &Path) -> (Child, String) {
    let mut holder = Command::new(env!("CARGO_BIN_EXE_embedded-pg-holder"))
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(holder.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert!(!line.is_empty(), "the holder did not start");
    (holder, line.trim().to_owned())
}

#[test]
fn a_restart_keeps_the_data_and_leaves_no_server_behind() {
    let folder = folder();
    let cluster = Cluster::start(Options::new(folder.path())).unwrap();
    assert_eq!(sql(&cluster, "SHOW server_version").split(' ').next(), Some(cluster.version()));
    assert_eq!(sql(&cluster, "SHOW listen_addresses"), "");
    assert_eq!(sql(&cluster, "SHOW fsync"), "on");
    assert_eq!(sql(&cluster, "SHOW timezone"), "UTC");
    assert_eq!(sql(&cluster, "SELECT lower('ÄÖ'), 'Ä' ILIKE 'ä'"), "äö|t");
    sql(&cluster, "CREATE TABLE kept AS SELECT 'here' AS word");
    assert!(cluster.is_running());
    let data = cluster.data_dir().to_path_buf();
    cluster.stop();
    assert!(!data.join("pgdata/postmaster.pid").exists());

    let again = start(folder.path());
    assert_eq!(sql(&again, "SELECT word FROM kept"), "here");
}

#[test]
fn a_second_instance_on_one_folder_is_refused_in_words() {
    let folder = folder();
    let first = start(folder.path());
    let refused = Cluster::start(Options::new(folder.path())).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "another instance is using the data folder {}. Stop it first, or give this one a data folder of its \
             own (ATTEST__DATA__DIR)",
            first.data_dir().display()
        )
    );
    assert_eq!(sql(&first, "SELECT 1"), "1");
}

#[test]
fn settings_of_the_caller_come_last() {
    let folder = folder();
    let mut options = Options::new(folder.path());
    options.settings =
        vec![("max_connections".into(), "17".into()), ("timezone".into(), "Asia/Tokyo".into())];
    let cluster = Cluster::start(options).unwrap();
    assert_eq!(sql(&cluster, "SHOW max_connections"), "17");
    assert_eq!(sql(&cluster, "SHOW timezone"), "Asia/Tokyo");
}

#[test]
fn an_initdb_that_was_cut_short_is_done_again() {
    let folder = folder();
    // What a kill in the middle leaves.
    let data = {
        let cluster = start(folder.path());
        cluster.data_dir().to_path_buf()
    };
    fs::rename(data.join("pgdata"), data.join("pgdata.partial")).unwrap();
    fs::remove_file(data.join("pgdata.partial/global/pg_control")).unwrap();

    let cluster = start(folder.path());
    assert_eq!(sql(&cluster, "SELECT 1"), "1");
    assert!(!data.join("pgdata.partial").exists());
}

#[test]
fn a_start_that_fails_quotes_the_servers_own_words() {
    let folder = folder();
    let mut options = Options::new(folder.path());
    options.settings = vec![("shared_buffers".into(), "much".into())];
    let error = Cluster::start(options).unwrap_err();
    assert!(matches!(error, Error::Ended { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("invalid value for parameter \"shared_buffers\": \"much\""), "{text}");
}

#[test]
fn data_of_another_major_version_is_left_alone() {
    let folder = folder();
    let (data, binaries) = {
        let cluster = start(folder.path());
        (cluster.data_dir().to_path_buf(), cluster.binaries().clone())
    };
    fs::write(data.join("pgdata/PG_VERSION"), "9\n").unwrap();
    let mut options = Options::new(folder.path());
    options.binaries = Some(binaries.folder.clone());
    let error = Cluster::start(options).unwrap_err();
    assert!(
        matches!(&error, Error::OtherMajor { data, found, .. } if data == "9" && *found == binaries.version),
        "{error:?}"
    );
}

#[test]
fn a_deep_data_folder_works_through_a_short_socket_path() {
    let folder = folder();
    let deep = folder.path().join("a folder's name, with a comma").join("d".repeat(100));
    let cluster = start(&deep);
    assert_eq!(sql(&cluster, "SELECT 1"), "1");
    let socket = cluster.socket_dir().to_path_buf();
    assert!(!socket.starts_with(folder.path()));
    cluster.stop();
    assert!(!socket.exists());
}

#[test]
fn a_folder_name_with_odd_characters_works() {
    let folder = folder();
    let odd = folder.path().join("it's a \"d\" ä%");
    let cluster = start(&odd);
    assert_eq!(sql(&cluster, "SELECT 1"), "1");
    assert!(cluster.socket_dir().starts_with(cluster.data_dir()));
}

#[test]
#[cfg(target_os = "linux")]
fn killing_the_owner_stops_the_server_in_order_and_the_next_start_has_the_data() {
    let folder = folder();
    let data = {
        let cluster = start(folder.path());
        sql(&cluster, "CREATE TABLE kept AS SELECT 'here' AS word");
        cluster.data_dir().to_path_buf()
    };
    let (mut holder, _) = hold(folder.path());
    holder.kill().unwrap();
    holder.wait().unwrap();

    let next = start(folder.path());
    assert_eq!(sql(&next, "SELECT word FROM kept"), "here");
    let log = fs::read_to_string(data.join("postgres.log")).unwrap();
    assert!(log.contains("received fast shutdown request"), "{log}");
    assert!(!log.contains("was not properly shut down"), "{log}");
}

#[test]
fn a_server_that_was_killed_recovers_at_the_next_start() {
    let folder = folder();
    let cluster = Cluster::start(Options::new(folder.path())).unwrap();
    sql(&cluster, "CREATE TABLE kept AS SELECT 'here' AS word");
    // A backend at work does not notice that its server is gone, and a second server beside it would corrupt
    // the data: the next start has to wait for it. (Two seconds of work.)
    let work = "SELECT count(*) FROM generate_series(1, 5000) a, generate_series(1, 4000) b";
    let mut busy = Command::new(cluster.binaries().folder.join("psql"))
        .args(["-X", "-A", "-t", "-c", "SELECT 'connected'", "-c", work])
        .arg(cluster.url("postgres"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(busy.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "connected\n");
    assert!(Command::new("kill").args(["-9", &cluster.pid().to_string()]).status().unwrap().success());
    drop(cluster);

    let next = start(folder.path());
    assert_eq!(sql(&next, "SELECT word FROM kept"), "here");
    busy.wait().unwrap();
}

#[test]
fn root_keeps_the_data_where_postgres_can_reach_it_and_a_user_where_it_was_asked_for() {
    let private = folder();
    fs::set_permissions(private.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let asked = private.path().join("data");
    fs::create_dir(&asked).unwrap();
    let asked = asked.canonicalize().unwrap();
    let fallback = fallback_for(&asked);
    let is_root = fs::metadata(&asked).unwrap().uid() == 0;

    let cluster = start(&asked);
    assert_eq!(sql(&cluster, "SELECT 1"), "1");
    assert_eq!(cluster.relocated_from(), is_root.then_some(asked.as_path()));
    assert_eq!(cluster.data_dir(), if is_root { &fallback } else { &asked });
    cluster.stop();
    if is_root {
        fs::remove_dir_all(fallback).unwrap();
    }
}
