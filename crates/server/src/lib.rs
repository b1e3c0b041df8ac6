//! HTTP, settings and the composition root: everything that makes the parts of attest one service.
//!
//! [`App::start`] builds the production service from [`Settings`] and nothing else: it reads no environment, installs
//! no signal handler and no log subscriber, so a test can run many in one process. `command/serve.rs` adds those.
//!
//! What it deliberately does not do: it decides nothing about a turn, holds no SQL and no prompt, and knows no
//! model's wire. Nothing below this crate knows the settings, and nothing below it knows HTTP.
//!
//! Start at `router.rs`, the table of contents of the service, and at `app.rs`, the order in which it starts and stops.
//! To add a route: a function in `routes/<resource>.rs` and a line in `router.rs`. To add a setting: see
//! [`settings`].

pub mod app;
pub mod command;
mod doctor;
mod error;
mod http;
mod router;
mod routes;
pub mod settings;
mod state;

pub use app::{App, RunningApp, StartError};
pub use settings::Settings;
