//! A database of its own for every test, in some ten milliseconds: cloned from a template that holds the
//! schema of `/migrations`.
//!
//! ```no_run
//! # async fn test() {
//! let db = attest_testkit_db::fresh_database().await;
//! sqlx::query("insert into …").execute(db.pool()).await.unwrap();
//! # }
//! ```
//!
//! The server behind it: `make test` starts one for the whole run and names it in `TEST_DATABASE_URL`
//! (`with-test-cluster`, the binary of this crate). Without that variable each test binary starts one of its
//! own, so that a plain `cargo test -p …` works. The server is the embedded one with durability off.
//!
//! What this deliberately does not do: put rows in (a test says what it needs) or start the service
//! (`attest-testkit` does). It panics where a test could do nothing about an error.
//!
//! Start reading at `database.rs`. A new migration needs nothing here: the template is named after what the
//! migrations say.

mod database;
mod server;
mod sweep;
mod template;

pub use database::{TestDatabase, empty_database, fresh_database};
pub use server::start_cluster;
