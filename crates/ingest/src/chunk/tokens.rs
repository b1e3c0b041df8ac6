//! The size of a passage, in tokens.

use std::sync::LazyLock;

use text_splitter::ChunkSizer;
use tiktoken_rs::CoreBPE;

/// Characters that count as a token at least: keeps a passage readable where tokens are long, such as runs of spaces.
const CHARACTERS_PER_TOKEN: usize = 4;

/// The vocabulary `o200k_base`, which is part of the program: nothing is downloaded. Loaded once. Passages are sized alike whichever model is configured, so that an index does not depend on it.
static VOCABULARY: LazyLock<Option<CoreBPE>> = LazyLock::new(|| match tiktoken_rs::o200k_base() {
    Ok(vocabulary) => Some(vocabulary),
    Err(error) => {
        tracing::error!(%error, "the tokenizer does not load; passages are sized by characters");
        None
    }
});

/// Loads the vocabulary, unless it is loaded: some hundred milliseconds.
pub(super) fn load() {
    LazyLock::force(&VOCABULARY);
}

/// Counts the tokens of a passage, or a quarter of its characters where that is more.
#[derive(Debug)]
pub(super) struct TokenSizer {
    max_tokens: usize,
}

impl TokenSizer {
    pub(super) const fn new(max_tokens: usize) -> Self {
        Self { max_tokens }
    }
}

impl ChunkSizer for TokenSizer {
    fn size(&self, chunk: &str) -> usize {
        let by_characters = chunk.chars().count().div_ceil(CHARACTERS_PER_TOKEN);
        // What is too long anyway is not tokenized: the splitter also asks about whole sections, and tokenizing
        // them again and again would make a large document take minutes.
        if by_characters > self.max_tokens {
            return by_characters;
        }
        VOCABULARY
            .as_ref()
            .map_or(by_characters, |vocabulary| vocabulary.encode_ordinary(chunk).len().max(by_characters))
    }
}
