//! The one tokenizer, as the index wants it.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::terms::index_terms;

/// Cuts a text that is indexed into [`index_terms`]. It states no character offsets: nothing reads them.
#[derive(Clone, Default)]
pub(crate) struct TermTokenizer;

impl Tokenizer for TermTokenizer {
    type TokenStream<'a> = TermStream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> TermStream {
        TermStream { terms: index_terms(text).into_iter(), token: Token::default() }
    }
}

/// The terms of one text.
pub(crate) struct TermStream {
    terms: std::vec::IntoIter<String>,
    token: Token,
}

impl TokenStream for TermStream {
    fn advance(&mut self) -> bool {
        let Some(term) = self.terms.next() else { return false };
        self.token.position = self.token.position.wrapping_add(1);
        self.token.text = term;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
