//! House rules as tests: see `tests/`.
