//! What a test of the endpoints found, as programs read it.

use serde::{Serialize, Serializer};

use crate::ladder::Level;

/// Everything that was found. Holds no key, and of an endpoint's words only what is short and without secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Whether a question will get an answer.
    pub chat_works: bool,
    /// With what of tools a turn will run; `None` when chat does not work.
    #[serde(serialize_with = "level_name")]
    pub level: Option<Level>,
    /// One sentence: what to change when chat does not work, or what to know about the answers.
    pub advice: Option<String>,
    /// The chat model.
    pub chat: Target,
    /// The embedding model, where one is set.
    pub embeddings: Option<Target>,
    /// The window in tokens, where a refusal stated it.
    pub window_tokens: Option<u64>,
    /// One for each [`Feature`], in their order.
    pub checks: Vec<Check>,
    /// How long all of it took.
    pub duration_ms: u64,
}

impl Report {
    /// What was found about one feature.
    pub fn check(&self, feature: Feature) -> Option<&Check> {
        self.checks.iter().find(|check| check.feature == feature)
    }
}

fn level_name<S: Serializer>(level: &Option<Level>, serializer: S) -> Result<S::Ok, S::Error> {
    level.map(Level::name).serialize(serializer)
}

/// Which model was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Target {
    /// Host and port.
    pub endpoint: String,
    /// The model's name there.
    pub model: String,
    /// True for the built-in model, which answers while none is configured.
    pub offline: bool,
}

/// What was found about one feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// The feature.
    pub feature: Feature,
    /// The verdict.
    pub verdict: Verdict,
    /// What was seen, or why nothing was tried.
    pub seen: String,
    /// What that means for a turn.
    pub meaning: String,
    /// The endpoint's own words, where it refused.
    pub refusal: Option<String>,
    /// How long its request took; `None` when it needed none of its own.
    pub duration_ms: Option<u64>,
}

macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $words:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$of])* $variant,)+ }

        impl $name {
            /// All of them, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// In plain words.
            pub const fn in_words(self) -> &'static str {
                match self { $(Self::$variant => $words),+ }
            }
        }
    };
}

named! {
    /// What of an endpoint is used, in the order in which it is tried.
    Feature {
        /// Its name, its address and TLS.
        Connection = "connection",
        /// The API key.
        Key = "API key",
        /// A question without tools.
        Plain = "plain question",
        /// The reply comes piece by piece.
        Streamed = "streamed reply",
        /// Token counts at the end of a stream.
        Usage = "token counts",
        /// Tools, and the model decides.
        Tools = "tools offered",
        /// `tool_choice: required`.
        ToolRequired = "some tool required",
        /// `tool_choice` with a name.
        ToolNamed = "one tool required",
        /// A call and its result in the history.
        ToolResult = "tool result",
        /// A second system message, right before the question.
        LateNote = "note before the question",
        /// Tools taught in words.
        TextMode = "text mode",
        /// A prompt of 32,000 characters.
        LongInput = "long input",
        /// One text.
        Embedding = "embedding",
        /// Several texts.
        EmbeddingBatch = "embedding batch",
    }
}

named! {
    /// What became of a try.
    Verdict {
        /// As it should be.
        Works = "works",
        /// Accepted, and not done.
        Ignored = "ignored",
        /// Done in another way than asked.
        Differs = "differs",
        /// Turned down, in words or with a status that speaks of the request.
        Refused = "refused",
        /// Something else went wrong, which says nothing about the feature.
        Unclear = "unclear",
        /// Not tried.
        Skipped = "skipped",
    }
}
