//! What a reply comes to.

use std::fmt;

/// What follows a reply that said something and keeps the floor.
pub const NEXT: &str = "(next)";
const SECOND_CALL: &str =
    "(next) One block per reply. Your call was not run. Send it again as its own reply.";
const FOREIGN_MARKUP: &str =
    "(next) That format is not read here. Call with C name[values] as the whole reply.";
const FABRICATED_RESULT: &str = "(next) Results come only from me. Send the call as a C block and stop.";

/// True for a message that this protocol puts into the person's place. Such a message is never stored and never shown.
#[must_use]
pub fn is_nudge(message: &str) -> bool {
    [NEXT, SECOND_CALL, FOREIGN_MARKUP, FABRICATED_RESULT].contains(&message.trim())
}

/// Whether a message comes from the system and not from the person: a nudge, or a note that stands in round brackets
/// as a whole, which is how the lesson says that they come.
pub(super) fn is_note(message: &str) -> bool {
    let message = message.trim();
    is_nudge(message) || (message.starts_with('(') && message.ends_with(')'))
}

/// What one reply comes to. Its words are not in here: they were handed out while it came.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// What was said is the answer.
    Done {
        /// The token limit ended it.
        cut: bool,
        /// It had no tag.
        untagged: bool,
    },
    /// What was said keeps the floor; nothing may have been said, when all of it was hidden.
    Say(Floor),
    /// One call.
    Call(WrittenCall),
    /// One call that cannot run.
    CallError {
        /// The call, its arguments as they were written.
        call: WrittenCall,
        /// Why.
        fault: Fault,
        /// What the model is told: why, and how the tool is called.
        sentence: String,
    },
    /// Nothing was said.
    Empty(Emptiness),
}

/// A call as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenCall {
    /// The tool's own name; the written one when there is no such tool.
    pub name: String,
    /// JSON of an object; as it was written, and shortened, for a call that cannot run.
    pub arguments: String,
    /// It was written in a form that this protocol does not teach.
    pub foreign: bool,
    /// More followed and was dropped.
    pub tail_dropped: bool,
}

/// Why a reply keeps the floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Floor {
    /// It was a `T`.
    Told,
    /// It was a `T` that had been said in this turn before; it is not shown again.
    Repeated,
    /// Words without a tag that announce something and do not do it.
    Announced,
    /// A call stood behind the words; it was not run.
    SecondCall,
    /// Markup of another protocol stood behind the words.
    ForeignMarkup,
    /// A result that no tool gave stood behind the words.
    FabricatedResult,
}

/// Why nothing was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emptiness {
    /// Blanks.
    Blank,
    /// A thought and nothing else.
    ReasoningOnly,
    /// A `T` without words.
    EmptyTell,
    /// An `E` without words in a turn that had shown nothing.
    NoAnswer,
    /// A result that no tool gave.
    FabricatedResult,
    /// Markup of another protocol that could not be read as a call.
    ForeignMarkup,
}

/// Why a call cannot run. Its text is what the model is told, without the tool's signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No values follow the name in a form that is read.
    NoBracket,
    /// The bracket never closed.
    Unclosed,
    /// The token limit ended the reply inside of the call.
    CutOff,
    /// More values than the tool has.
    TooManyArgs,
    /// Required arguments are missing.
    Missing(Vec<String>),
    /// A value is not of its type.
    BadType {
        /// The argument.
        name: String,
        /// What it must be.
        expected: String,
    },
    /// An object or a list must be written as JSON.
    UseJson(String),
    /// The tool has no such argument.
    UnknownArg(String),
    /// The arguments are no JSON object.
    BadJson,
    /// The call or one of its values is too long.
    TooLong,
    /// There is no such tool.
    UnknownTool {
        /// The name as it was written.
        name: String,
        /// The tool that may have been meant.
        closest: Option<String>,
        /// The tools that there are, at most 20.
        names: Vec<String>,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBracket => f.write_str("no_bracket: the values belong between [ and ]."),
            Self::Unclosed => f.write_str("unclosed: the call has no closing bracket."),
            Self::CutOff => f.write_str("cut_off: the reply ended inside of the call. Write a shorter one."),
            Self::TooManyArgs => f.write_str("too_many_args: | separates values, \\| is a plain one."),
            Self::Missing(names) => write!(f, "missing: {}.", names.join(", ")),
            Self::BadType { name, expected } => write!(f, "bad_type: {name} must be {expected}."),
            Self::UseJson(name) => write!(f, "use_json: {name} must be written as JSON."),
            Self::UnknownArg(name) => write!(f, "unknown_arg: {name}."),
            Self::BadJson => f.write_str("bad_json: the arguments are no complete JSON object."),
            Self::TooLong => {
                f.write_str("too_long: a call holds at most 32 KiB, a value at most 16 KiB, nested 32 deep.")
            }
            Self::UnknownTool { name, closest, names } => {
                write!(f, "unknown_tool: {name}.")?;
                if let Some(closest) = closest {
                    write!(f, " Did you mean {closest}?")?;
                }
                write!(f, " Tools: {}.", names.join(", "))
            }
        }
    }
}

impl Fault {
    /// The name of the kind of fault, for logs: it holds nothing that the model wrote.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::NoBracket => "no_bracket",
            Self::Unclosed => "unclosed",
            Self::CutOff => "cut_off",
            Self::TooManyArgs => "too_many_args",
            Self::Missing(_) => "missing",
            Self::BadType { .. } => "bad_type",
            Self::UseJson(_) => "use_json",
            Self::UnknownArg(_) => "unknown_arg",
            Self::BadJson => "bad_json",
            Self::TooLong => "too_long",
            Self::UnknownTool { .. } => "unknown_tool",
        }
    }
}

impl Outcome {
    /// What the loop appends as the next user message; `None` when the reply does not keep the floor.
    #[must_use]
    pub const fn nudge(&self) -> Option<&'static str> {
        match self {
            Self::Say(floor) => Some(match floor {
                Floor::Told | Floor::Repeated | Floor::Announced => NEXT,
                Floor::SecondCall => SECOND_CALL,
                Floor::ForeignMarkup => FOREIGN_MARKUP,
                Floor::FabricatedResult => FABRICATED_RESULT,
            }),
            Self::Empty(Emptiness::FabricatedResult) => Some(FABRICATED_RESULT),
            Self::Empty(Emptiness::ForeignMarkup) => Some(FOREIGN_MARKUP),
            Self::Done { .. } | Self::Call(_) | Self::CallError { .. } | Self::Empty(_) => None,
        }
    }

    /// The name of the outcome, for logs.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Done { untagged: false, .. } => "done",
            Self::Done { untagged: true, .. } => "done_untagged",
            Self::Say(Floor::Told) => "say",
            Self::Say(Floor::Repeated) => "say_repeated",
            Self::Say(Floor::Announced) => "say_announced",
            Self::Say(Floor::SecondCall) => "say_second_call",
            Self::Say(Floor::ForeignMarkup) => "say_foreign_markup",
            Self::Say(Floor::FabricatedResult) => "say_fabricated_result",
            Self::Call(_) => "call",
            Self::CallError { fault, .. } => fault.name(),
            Self::Empty(Emptiness::Blank) => "empty_blank",
            Self::Empty(Emptiness::ReasoningOnly) => "empty_reasoning_only",
            Self::Empty(Emptiness::EmptyTell) => "empty_tell",
            Self::Empty(Emptiness::NoAnswer) => "empty_no_answer",
            Self::Empty(Emptiness::FabricatedResult) => "empty_fabricated_result",
            Self::Empty(Emptiness::ForeignMarkup) => "empty_foreign_markup",
        }
    }
}
