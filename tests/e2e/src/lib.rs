//! The real server, end to end: the production service on a port of its own, over a database of its own, called as
//! a client calls it.
//!
//! All tests are one binary, `tests/e2e/main.rs`, so that they share one database server and are linked once. This
//! library is empty: what tests need stands in `attest-testkit`.
//!
//! Start at `tests/e2e/main.rs`, which names the files; each is about one thing. A new route gets a test here.
