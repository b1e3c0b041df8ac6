//! How knowledge gets in: intake, parsing, chunking, jobs.
