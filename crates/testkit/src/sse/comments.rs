//! Counts the comments of a stream, which event-stream parsers throw away.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Reads bytes as they pass by.
#[derive(Debug, Default)]
pub(crate) struct Comments {
    count: AtomicUsize,
}

/// Where the reading stands in a line.
#[derive(Debug)]
pub(crate) struct LineState {
    at_start: bool,
}

impl Default for LineState {
    fn default() -> Self {
        Self { at_start: true }
    }
}

impl Comments {
    /// Takes the next bytes in.
    pub(crate) fn see(&self, state: &mut LineState, bytes: &[u8]) {
        for byte in bytes {
            if state.at_start && *byte == b':' {
                self.count.fetch_add(1, Ordering::Relaxed);
            }
            state.at_start = matches!(byte, b'\n' | b'\r');
        }
    }

    /// Comments so far.
    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_counted_however_the_bytes_are_cut() {
        let stream = b": one\n\ndata: a: b\n\n: two\n\n";
        for cut in 0..stream.len() {
            let (comments, mut state) = (Comments::default(), LineState::default());
            comments.see(&mut state, &stream[..cut]);
            comments.see(&mut state, &stream[cut..]);
            assert_eq!(comments.count(), 2, "cut at {cut}");
        }
    }
}
