//! Holds a cluster until its standard input closes: a process that the tests can kill. (A binary, because
//! cargo tells tests the place of those alone.)

use std::io::{Read, Write};

use attest_embedded_pg::{Cluster, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data_dir = std::env::args_os().nth(1).ok_or("usage: embedded-pg-holder DATA_DIR")?;
    let cluster = Cluster::start(Options::new(data_dir))?;
    let mut out = std::io::stdout();
    writeln!(out, "{}", cluster.pid())?;
    out.flush()?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    cluster.stop();
    Ok(())
}
