//! Spawns the real server on a database of its own; a scripted model; a typed SSE client.
