//! Citation numbers: issued here, one for each passage of a conversation, never twice.

use std::collections::HashMap;

use attest_domain::ChunkId;

/// The numbers of one conversation.
#[derive(Clone, Debug, Default)]
pub struct Numbering {
    by_chunk: HashMap<ChunkId, u32>,
    issued_now: Vec<(u32, ChunkId)>,
    highest: u32,
}

impl Numbering {
    /// Goes on from the numbers that the conversation has issued so far.
    #[must_use]
    pub fn resume(issued: impl IntoIterator<Item = (u32, ChunkId)>) -> Self {
        let by_chunk: HashMap<ChunkId, u32> = issued.into_iter().map(|(n, chunk)| (chunk, n)).collect();
        let highest = by_chunk.values().copied().max().unwrap_or(0);
        Self { by_chunk, issued_now: Vec::new(), highest }
    }

    /// The passage's number: the one it has, or the next.
    pub fn number(&mut self, chunk: ChunkId) -> u32 {
        if let Some(n) = self.by_chunk.get(&chunk) {
            return *n;
        }
        self.highest += 1;
        self.by_chunk.insert(chunk, self.highest);
        self.issued_now.push((self.highest, chunk));
        self.highest
    }

    /// True when the number has been issued in this conversation.
    #[must_use]
    pub fn is_issued(&self, n: u32) -> bool {
        (1..=self.highest).contains(&n)
    }

    /// The numbers issued since [`Self::resume`], in order.
    #[must_use]
    pub fn issued_now(&self) -> &[(u32, ChunkId)] {
        &self.issued_now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_keeps_its_number_for_the_whole_conversation() {
        let (old, new) = (ChunkId::new(), ChunkId::new());
        let mut numbers = Numbering::resume([(1, ChunkId::new()), (2, old)]);
        assert_eq!([numbers.number(new), numbers.number(old), numbers.number(new)], [3, 2, 3]);
        assert_eq!(numbers.issued_now(), [(3, new)]);
    }

    #[test]
    fn only_issued_numbers_count_as_issued() {
        let mut numbers = Numbering::default();
        numbers.number(ChunkId::new());
        assert_eq!([0, 1, 2].map(|n| numbers.is_issued(n)), [false, true, false]);
    }
}
