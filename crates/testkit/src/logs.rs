//! What the servers of this test process log, kept in memory: so that a test can look for what must not be in it.

use std::io;
use std::sync::{Mutex, Once, PoisonError};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

/// The most that is kept, in bytes. What comes after it is not looked at, so tests stay far below.
const LIMIT: usize = 64 * 1024 * 1024;

/// Set, the log also goes to standard error, to look for what went wrong.
const MIRROR: &str = "ATTEST_TEST_LOG";

static LOG: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Begins to keep the log. Everything of ours at its finest, because a secret must not stand there either.
pub(crate) fn keep() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let filter = EnvFilter::new("info,attest=trace");
        let subscriber =
            tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(Keeper);
        // A test that installed its own keeps it.
        let _ = subscriber.try_init();
    });
}

/// Everything that was logged in this process so far.
#[must_use]
pub fn log_so_far() -> String {
    String::from_utf8_lossy(&LOG.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
}

struct Keeper;

impl io::Write for Keeper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut log = LOG.lock().unwrap_or_else(PoisonError::into_inner);
        if std::env::var_os(MIRROR).is_some() {
            io::stderr().write_all(bytes)?;
        }
        let room = LIMIT.saturating_sub(log.len()).min(bytes.len());
        log.extend_from_slice(&bytes[..room]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Keeper {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        Self
    }
}
