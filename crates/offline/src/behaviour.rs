//! The deviations that can be switched on, so that a client's way with odd endpoints can be seen end to end.

use std::time::Duration;

/// Deviations from a well-behaved endpoint. The default has none. They can be combined; what refuses comes before what
/// distorts, in the order of the fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Behaviour {
    /// How long a chat request waits before anything else happens, the status line included; zero does not wait.
    pub first_byte_after: Duration,
    /// Chat requests that end with an error status.
    pub fail: Option<Failing>,
    /// A request with `tools` is refused with status 400, in this wording.
    pub reject_tools: Option<ToolRefusal>,
    /// A request with `tool_choice`, whatever its value, is refused with status 400.
    pub reject_tool_choice: bool,
    /// A request with `stream_options` is refused with status 400.
    pub reject_stream_options: bool,
    /// A system message anywhere but at the head is refused with status 400, as strict chat templates do.
    pub reject_second_system: bool,
    /// A prompt of more tokens than this, by our own estimate, is refused with status 400 and
    /// `context_length_exceeded`.
    pub context_window: Option<u64>,
    /// A `tool_choice` that demands a call is not heeded: the first reply of a turn is text.
    pub ignore_required: bool,
    /// The last call of the turn is made again, whatever it returned, for as long as tools are offered.
    pub repeat_call: bool,
    /// A call is written into the text of the reply, in this markup, instead of `tool_calls`.
    pub leak: Option<Markup>,
    /// Thoughts come before the reply, here.
    pub reasoning: Option<ReasoningPlace>,
    /// Lines of a stream end with CR LF.
    pub crlf: bool,
    /// A stream ends with its finish reason, without `[DONE]`.
    pub no_done: bool,
    /// A stream ends without a finish reason and without `[DONE]`, as one that was interrupted.
    pub no_finish: bool,
    /// After this many words, or fragments of a call, nothing more is sent and the connection stays open. A reply that
    /// is shorter ends well.
    pub stall_after: Option<usize>,
    /// After this many words, or fragments of a call, the connection is closed in the middle of the body. A reply that
    /// is shorter ends well.
    pub drop_after: Option<usize>,
}

/// An error status for the first chat requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    /// The status, 400 to 599. 401, 402, 429 and 503 come with the words that public endpoints use.
    pub status: u16,
    /// How many chat requests fail, counted from the start of the endpoint; `None` is all of them.
    pub requests: Option<u64>,
    /// The `Retry-After` of the answer, in seconds.
    pub retry_after: Option<u64>,
}

/// The wording in which `tools` are refused, one for each that public endpoints are known for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolRefusal {
    /// `registry.example/model does not support tools`.
    Unsupported,
    /// `"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`.
    NeedsFlag,
    /// `Extra inputs are not permitted, field: 'tools'`.
    ExtraInputs,
}

/// The markup in which calls leak into the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    /// `<tool_call>{"name": …, "arguments": {…}}</tool_call>`.
    ToolCall,
    /// `<｜DSML｜tool_calls>` with `invoke` and `parameter` inside.
    Dsml,
    /// `<function=…>` with `<parameter=…>` inside.
    Function,
}

/// Where thoughts come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningPlace {
    /// In `reasoning_content`.
    ReasoningContent,
    /// In `reasoning`.
    Reasoning,
    /// In the text, between `<think>` and `</think>`.
    ThinkTags,
}

impl ToolRefusal {
    /// Every wording.
    pub const ALL: [Self; 3] = [Self::Unsupported, Self::NeedsFlag, Self::ExtraInputs];

    /// Its name on a command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unsupported => "unsupported",
            Self::NeedsFlag => "needs-flag",
            Self::ExtraInputs => "extra-inputs",
        }
    }
}

impl Markup {
    /// Every markup.
    pub const ALL: [Self; 3] = [Self::ToolCall, Self::Dsml, Self::Function];

    /// Its name on a command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ToolCall => "tool-call",
            Self::Dsml => "dsml",
            Self::Function => "function",
        }
    }
}

impl ReasoningPlace {
    /// Every place.
    pub const ALL: [Self; 3] = [Self::ReasoningContent, Self::Reasoning, Self::ThinkTags];

    /// Its name on a command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReasoningContent => "reasoning-content",
            Self::Reasoning => "reasoning",
            Self::ThinkTags => "think-tags",
        }
    }
}
