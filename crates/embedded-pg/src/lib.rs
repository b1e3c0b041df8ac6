//! The private PostgreSQL of the default set-up.
