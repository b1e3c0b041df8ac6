//! The attest binary.
fn main() {}
