//! The private PostgreSQL of the default set-up: a native server, started as a child process on a unix
//! socket inside the data folder and stopped with its owner.
//!
//! What it does: find server binaries ([`Binaries`]), make the data folder, start, watch and stop the server
//! ([`Cluster`]), as root and as an ordinary user, with durability on.
//!
//! What it deliberately does not do: speak SQL, download anything (`make postgres` does), open a TCP port,
//! upgrade a data folder to a new major version, or restart a server that fell over (its owner decides).
//! It is synchronous: a start takes a second, so callers on an async runtime use `spawn_blocking`.
//!
//! Start reading at [`Cluster::start`]; each step it takes is a file beside it. A new place to look for
//! binaries is a line in `binaries.rs`; a new server setting is a line in `postmaster.rs`.
//!
//! This is the only crate that may use `unsafe`: dropping root, tying the child's life to ours and sending
//! signals have no safe form in std.

mod account;
mod binaries;
mod cluster;
mod command;
mod error;
mod folder;
mod initdb;
mod leftover;
mod options;
mod postmaster;
mod process;
mod server_log;
mod socket;

pub use binaries::Binaries;
pub use cluster::Cluster;
pub use error::Error;
pub use folder::fallback_for;
pub use options::{Durability, Options};

/// The superuser of every cluster. There is no password: the socket's folder is private to its owner.
pub const SUPERUSER: &str = "postgres";
