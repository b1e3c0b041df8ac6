//! One struct for each section of the manual, in its order. The manual explains each key.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use attest_llm::ladder::Level;
use attest_llm::secret::Secret;
use url::Url;

use super::reader::Reader;

/// Everything that can be set.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How it is served.
    pub http: HttpSettings,
    /// Where things are kept.
    pub data: DataSettings,
    /// Which database.
    pub database: DatabaseSettings,
    /// Which chat model.
    pub model: ModelSettings,
    /// Which embedding model.
    pub embeddings: EmbeddingsSettings,
    /// The model without a network.
    pub offline: OfflineSettings,
    /// How a question is answered.
    pub turn: TurnSettings,
    /// What is taken in.
    pub documents: DocumentsSettings,
    /// The sample base.
    pub sample: SampleSettings,
    /// What is logged.
    pub log: LogSettings,
}

/// `[http]`
#[derive(Clone, Debug)]
pub struct HttpSettings {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The largest body of a question, in bytes.
    pub max_chat_body_bytes: usize,
    /// Between two keep-alive comments.
    pub keep_alive: Duration,
    /// What running answers get to finish.
    pub shutdown_grace: Duration,
}

/// `[data]`
#[derive(Clone, Debug)]
pub struct DataSettings {
    /// The folder.
    pub dir: PathBuf,
}

/// `[database]`
#[derive(Clone, Debug)]
pub struct DatabaseSettings {
    /// Where it is; `None` starts the private one.
    pub url: Option<Secret>,
    /// Connections at most.
    pub max_connections: u32,
    /// How long a request waits for one.
    pub acquire_timeout: Duration,
}

/// `[model]`
#[derive(Clone, Debug)]
pub struct ModelSettings {
    /// Its endpoint; `None` uses the offline model.
    pub base_url: Option<Url>,
    /// Its name there; set together with `base_url`.
    pub name: Option<String>,
    /// Its key.
    pub api_key: Option<Secret>,
    /// With what of tools it is asked; `None` finds out.
    pub level: Option<Level>,
    /// The most tokens of a reply.
    pub max_tokens: Option<u32>,
    /// For a connection.
    pub connect_timeout: Duration,
    /// From the request to the first piece of the reply.
    pub first_event_timeout: Duration,
    /// Between two pieces.
    pub idle_timeout: Duration,
    /// Whether its replies begin inside of a thought.
    pub starts_in_reasoning: bool,
}

/// `[embeddings]`
#[derive(Clone, Debug)]
pub struct EmbeddingsSettings {
    /// The endpoint; `None` means full text only.
    pub base_url: Option<Url>,
    /// The model's name there; set together with `base_url`.
    pub name: Option<String>,
    /// Its key.
    pub api_key: Option<Secret>,
}

/// `[offline]`
#[derive(Clone, Debug)]
pub struct OfflineSettings {
    /// Between two words.
    pub pace: Duration,
}

/// `[turn]`
#[derive(Clone, Debug)]
pub struct TurnSettings {
    /// Requests that may call tools.
    pub calls: u32,
    /// For the answer at the end of the budget.
    pub answer_deadline: Duration,
    /// For a whole answer.
    pub deadline: Duration,
    /// The longest answer.
    pub max_answer_bytes: usize,
    /// Tools of one reply at a time.
    pub tool_concurrency: usize,
    /// Earlier messages that the model sees.
    pub history_messages: u32,
    /// The longest question.
    pub max_message_characters: usize,
    /// Answers at once.
    pub max_running: usize,
}

/// `[documents]`
#[derive(Clone, Debug)]
pub struct DocumentsSettings {
    /// The largest document.
    pub max_bytes: usize,
    /// The most files of an upload.
    pub max_files: usize,
    /// The largest upload.
    pub max_upload_bytes: usize,
    /// The size of a passage.
    pub chunk_tokens: usize,
    /// Documents read at a time.
    pub workers: usize,
}

/// `[sample]`
#[derive(Clone, Debug)]
pub struct SampleSettings {
    /// Whether a new database gets it.
    pub seed: bool,
}

/// `[log]`
#[derive(Clone, Debug)]
pub struct LogSettings {
    /// How lines look.
    pub format: LogFormat,
    /// What is logged.
    pub filter: String,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

impl Settings {
    pub(super) fn read(from: &mut Reader<'_>) -> Self {
        Self {
            http: HttpSettings {
                listen: from.address("http.listen"),
                max_chat_body_bytes: from.size("http.max_chat_body_bytes", 1_024..=16_777_216),
                keep_alive: from.seconds("http.keep_alive_seconds", 1..=300),
                shutdown_grace: from.seconds("http.shutdown_grace_seconds", 0..=3_600),
            },
            data: DataSettings { dir: from.path("data.dir") },
            database: DatabaseSettings {
                url: from.database_url("database.url"),
                max_connections: from.count("database.max_connections", 4..=500),
                acquire_timeout: from.seconds("database.acquire_timeout_seconds", 1..=60),
            },
            model: ModelSettings::read(from),
            embeddings: EmbeddingsSettings::read(from),
            offline: OfflineSettings {
                pace: Duration::from_millis(from.number("offline.pace_ms", 0..=1_000)),
            },
            turn: TurnSettings {
                calls: from.count("turn.calls", 1..=50),
                answer_deadline: from.seconds("turn.answer_deadline_seconds", 1..=3_600),
                deadline: from.seconds("turn.deadline_seconds", 1..=86_400),
                max_answer_bytes: from.size("turn.max_answer_bytes", 1_024..=16_777_216),
                tool_concurrency: from.size("turn.tool_concurrency", 1..=64),
                history_messages: from.count("turn.history_messages", 0..=200),
                max_message_characters: from.size("turn.max_message_characters", 1..=1_000_000),
                max_running: from.size("turn.max_running", 1..=100_000),
            },
            documents: DocumentsSettings {
                max_bytes: from.size("documents.max_bytes", 1_024..=268_435_456),
                max_files: from.size("documents.max_files", 1..=1_000),
                max_upload_bytes: from.size("documents.max_upload_bytes", 1_024..=1_073_741_824),
                chunk_tokens: from.size("documents.chunk_tokens", 50..=2_000),
                workers: from.size("documents.workers", 1..=32),
            },
            sample: SampleSettings { seed: from.flag("sample.seed") },
            log: LogSettings {
                format: from.choice("log.format", &[("text", LogFormat::Text), ("json", LogFormat::Json)]),
                filter: from.log_filter("log.filter"),
            },
        }
    }
}

/// The words of `model.level`.
const LEVELS: [(&str, Option<Level>); 5] = [
    ("auto", None),
    ("native", Some(Level::Native)),
    ("native-no-choice", Some(Level::NativeWithoutChoice)),
    ("text", Some(Level::Text)),
    ("rag", Some(Level::Retrieval)),
];

impl ModelSettings {
    fn read(from: &mut Reader<'_>) -> Self {
        let settings = Self {
            base_url: from.base_url("model.base_url"),
            name: from.optional_text("model.name"),
            api_key: from.api_key("model.api_key"),
            level: from.choice("model.level", &LEVELS),
            max_tokens: Some(from.count("model.max_tokens", 0..=1_000_000)).filter(|limit| *limit > 0),
            connect_timeout: from.seconds("model.connect_timeout_seconds", 1..=300),
            first_event_timeout: from.seconds("model.first_event_timeout_seconds", 1..=3_600),
            idle_timeout: from.seconds("model.idle_timeout_seconds", 1..=3_600),
            starts_in_reasoning: from.flag("model.starts_in_reasoning"),
        };
        from.together("model.base_url", "model.name", "to use the offline model");
        settings
    }
}

impl EmbeddingsSettings {
    fn read(from: &mut Reader<'_>) -> Self {
        let settings = Self {
            base_url: from.base_url("embeddings.base_url"),
            name: from.optional_text("embeddings.name"),
            api_key: from.api_key("embeddings.api_key"),
        };
        from.together("embeddings.base_url", "embeddings.name", "to search by full text only");
        settings
    }
}
