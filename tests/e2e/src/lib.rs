//! End to end: see `tests/`.
