//! A prompt that was cut in silence: some local servers drop its beginning when it does not fit and answer as if nothing
//! had happened. Only the count of the tokens that were read tells.

use futures::StreamExt;

use crate::chat::{ChatEvent, ChatMessage, ChatRequest, ChatStream};

/// Shorter prompts are not watched: templates and counting differ too much.
const WATCHED_FROM: usize = 8_000;

/// More characters to a token than any tokenizer reaches on running text; usual are two to five.
const MOST_CHARACTERS_PER_TOKEN: usize = 10;

/// The same reply; warns at its end when the endpoint read far fewer tokens than the prompt must have.
pub(super) fn watched(reply: ChatStream, request: &ChatRequest, endpoint: &str) -> ChatStream {
    let characters = characters(request);
    if characters < WATCHED_FROM {
        return reply;
    }
    let endpoint = endpoint.to_owned();
    Box::pin(reply.inspect(move |event| {
        if let Ok(ChatEvent::End { usage: Some(usage), .. }) = event
            && let Some(read) = usage.prompt_tokens
            && was_cut(characters, read)
        {
            tracing::warn!(
                endpoint.host = endpoint,
                prompt.characters = characters,
                prompt.tokens = read,
                "the endpoint read far fewer tokens than the prompt has, so it may have dropped the beginning without \
                 saying so; give the model a larger context on that server"
            );
        }
    }))
}

/// Nothing read at all means that the endpoint does not count.
fn was_cut(characters: usize, tokens_read: u64) -> bool {
    let most = usize::try_from(tokens_read).unwrap_or(usize::MAX).saturating_mul(MOST_CHARACTERS_PER_TOKEN);
    tokens_read > 0 && most < characters
}

fn characters(request: &ChatRequest) -> usize {
    let of = |message: &ChatMessage| match message {
        ChatMessage::System { content }
        | ChatMessage::User { content }
        | ChatMessage::Tool { content, .. }
        | ChatMessage::Assistant { content: Some(content), .. } => content.chars().count(),
        ChatMessage::Assistant { content: None, .. } => 0,
    };
    request.messages.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_count_that_no_tokenizer_reaches_tells_of_a_cut() {
        assert!(was_cut(100_000, 4_096));
        assert!(!was_cut(20_000, 4_096));
        assert!(!was_cut(100_000, 0));
        assert!(!was_cut(100_000, u64::MAX));
    }
}
