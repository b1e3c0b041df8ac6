//! What a verdict means for a turn, in one sentence.

use super::report::{Feature, Verdict};

/// The sentence for a feature and its verdict.
pub(super) const fn meaning(feature: Feature, verdict: Verdict) -> &'static str {
    use Feature as F;
    use Verdict as V;
    match (feature, verdict) {
        (_, V::Skipped) => "nothing is known about it",
        (F::Connection, V::Works) => "requests arrive",
        (F::Connection, _) => "no question can be answered",
        (F::Key, V::Works) => "requests are let in",
        (F::Key, _) => "no question can be answered",
        (F::Plain, V::Works) => "questions can be answered",
        (F::Plain, V::Differs) => "questions can be answered; requests are written its way",
        (F::Plain, V::Ignored) => "answers would be empty",
        (F::Plain, V::Refused) => "no question can be answered",
        (F::Plain, V::Unclear) => "no question can be answered for now",
        (_, V::Unclear) => "says nothing about the feature; try again later",
        (F::Streamed, V::Works) => "readers see the answer grow",
        (F::Streamed, _) => "readers see nothing, then the whole answer at once",
        (F::Usage, V::Works) => "the cost of a turn is known",
        (F::Usage, _) => "turns work; their cost stays unknown",
        (F::Tools, V::Works) => "the model searches by itself",
        (F::Tools, V::Ignored) => "accepted; whether it searches is seen at `some tool required`",
        (F::Tools, V::Differs) => "calls may be missed, so answers may lack evidence",
        (F::Tools, V::Refused) => "turns use text mode instead",
        (F::ToolRequired, V::Works) => "every answer begins with a search",
        (F::ToolRequired, V::Refused) => "turns leave it out; an answer without a search is sent back once",
        (F::ToolRequired, _) => "an answer without a search is sent back once",
        (F::ToolNamed, V::Works) => "a certain tool can be asked for",
        (F::ToolNamed, _) => "turns do not depend on it",
        (F::ToolResult, V::Works) => "answers come from what was found",
        (F::ToolResult, V::Differs) => "answers come from what was found, perhaps after more searches",
        (F::ToolResult, V::Ignored) => "answers may not follow what was found",
        (F::ToolResult, V::Refused) => "answers break off after their first search",
        (F::LateNote, V::Works) => "what an earlier answer was about reaches the model in its place",
        (F::LateNote, V::Differs) => "such notes are sent in another place",
        (F::LateNote, V::Ignored) => "follow-up questions may miss what was said before",
        (F::LateNote, V::Refused) => "follow-up questions may fail",
        (F::TextMode, V::Works) => "the model can search without native tools",
        (F::TextMode, V::Refused) => "without native tools, turns search once before they ask",
        (F::TextMode, _) => "without native tools, answers may lack evidence",
        (F::LongInput, V::Works) => "long conversations and many passages fit",
        (F::LongInput, V::Refused) => "long conversations are shortened to fit",
        (F::LongInput, _) => "what stands early in a long conversation may be lost",
        (F::Embedding, V::Works) => "texts can be turned into vectors",
        (F::Embedding, _) => "search uses full text only",
        (F::EmbeddingBatch, V::Works) => "documents are taken in many passages at a time",
        (F::EmbeddingBatch, V::Differs) => "vectors may belong to the wrong texts; they must not be used",
        (F::EmbeddingBatch, _) => "documents are taken in slowly, one text a request",
    }
}
