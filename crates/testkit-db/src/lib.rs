//! A database of its own for every test, cloned from a template.
