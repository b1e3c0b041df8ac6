//! HTTP, settings, the composition root; the attest binary.
