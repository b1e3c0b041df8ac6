//! The flags that make the offline model behave as odd endpoints do.

use std::time::Duration;

use attest_offline::{Behaviour, Failing, Markup, ReasoningPlace, ToolRefusal};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// One flag for each deviation; they can be combined.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Behaving badly on purpose")]
pub(super) struct Oddities {
    /// Wait this long before answering, the status line included
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=600_000))]
    first_byte_ms: u64,
    /// Answer chat requests with this error status, 401, 402, 429 and 503 in the words of public endpoints
    #[arg(long, value_name = "STATUS", value_parser = clap::value_parser!(u16).range(400..=599))]
    fail: Option<u16>,
    /// Fail only that many requests and answer the ones after them
    #[arg(long, value_name = "NUMBER", requires = "fail")]
    fail_requests: Option<u64>,
    /// Send this Retry-After with the error
    #[arg(long, value_name = "SECONDS", requires = "fail")]
    retry_after: Option<u64>,
    /// Refuse requests with tools, in one of three public wordings
    #[arg(long, value_name = "WORDING", value_parser = one_of(ToolRefusal::ALL, ToolRefusal::name))]
    reject_tools: Option<ToolRefusal>,
    /// Refuse requests with tool_choice
    #[arg(long)]
    reject_tool_choice: bool,
    /// Refuse requests with stream_options
    #[arg(long)]
    reject_stream_options: bool,
    /// Refuse a system message that is not the first message
    #[arg(long)]
    reject_second_system: bool,
    /// Refuse longer prompts as too long for the model
    #[arg(long, value_name = "TOKENS")]
    context_window: Option<u64>,
    /// Answer with text first although a call is required
    #[arg(long)]
    ignore_required: bool,
    /// Make the same call again and again
    #[arg(long)]
    repeat_call: bool,
    /// Write calls into the text, in this markup
    #[arg(long, value_name = "MARKUP", value_parser = one_of(Markup::ALL, Markup::name))]
    leak: Option<Markup>,
    /// Send thoughts before each reply, in this place
    #[arg(long, value_name = "PLACE", value_parser = one_of(ReasoningPlace::ALL, ReasoningPlace::name))]
    reasoning: Option<ReasoningPlace>,
    /// End the lines of a stream with CR LF
    #[arg(long)]
    crlf: bool,
    /// End streams without [DONE]
    #[arg(long)]
    no_done: bool,
    /// End streams without a finish reason and without [DONE]
    #[arg(long)]
    no_finish: bool,
    /// Send that many words, then nothing more, and keep the connection open
    #[arg(long, value_name = "WORDS")]
    stall_after: Option<usize>,
    /// Send that many words, then close the connection
    #[arg(long, value_name = "WORDS", conflicts_with = "stall_after")]
    drop_after: Option<usize>,
}

impl Oddities {
    pub(super) fn behaviour(&self) -> Behaviour {
        Behaviour {
            first_byte_after: Duration::from_millis(self.first_byte_ms),
            fail: self.fail.map(|status| Failing {
                status,
                requests: self.fail_requests,
                retry_after: self.retry_after,
            }),
            reject_tools: self.reject_tools,
            reject_tool_choice: self.reject_tool_choice,
            reject_stream_options: self.reject_stream_options,
            reject_second_system: self.reject_second_system,
            context_window: self.context_window,
            ignore_required: self.ignore_required,
            repeat_call: self.repeat_call,
            leak: self.leak,
            reasoning: self.reasoning,
            crlf: self.crlf,
            no_done: self.no_done,
            no_finish: self.no_finish,
            stall_after: self.stall_after,
            drop_after: self.drop_after,
        }
    }
}

/// Takes one of the values by its name.
fn one_of<T, const N: usize>(values: [T; N], name: fn(T) -> &'static str) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    PossibleValuesParser::new(values.map(name))
        .try_map(move |text| values.into_iter().find(|value| name(*value) == text).ok_or("no such value"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        oddities: Oddities,
    }

    fn read(flags: &str) -> Result<Behaviour, String> {
        let words = ["offline-model"].into_iter().chain(flags.split_whitespace());
        Line::try_parse_from(words).map(|line| line.oddities.behaviour()).map_err(|error| error.to_string())
    }

    #[test]
    fn every_deviation_has_a_flag() {
        assert_eq!(read(""), Ok(Behaviour::default()));
        let all = "--first-byte-ms 90 --fail 429 --fail-requests 2 --retry-after 7 --reject-tools needs-flag \
             --reject-tool-choice --reject-stream-options --reject-second-system --context-window 4096 --ignore-required \
             --repeat-call --leak dsml --reasoning think-tags --crlf --no-done --no-finish --stall-after 3";
        let expected = Behaviour {
            first_byte_after: Duration::from_millis(90),
            fail: Some(Failing { status: 429, requests: Some(2), retry_after: Some(7) }),
            reject_tools: Some(ToolRefusal::NeedsFlag),
            reject_tool_choice: true,
            reject_stream_options: true,
            reject_second_system: true,
            context_window: Some(4096),
            ignore_required: true,
            repeat_call: true,
            leak: Some(Markup::Dsml),
            reasoning: Some(ReasoningPlace::ThinkTags),
            crlf: true,
            no_done: true,
            no_finish: true,
            stall_after: Some(3),
            drop_after: None,
        };
        assert_eq!(read(all), Ok(expected));
        assert_eq!(read("--drop-after 5"), Ok(Behaviour { drop_after: Some(5), ..Behaviour::default() }));
    }

    #[test]
    fn a_value_that_is_none_of_the_known_ones_is_refused_with_all_of_them() {
        for (flags, words) in [
            ("--reject-tools ollama", "unsupported, needs-flag, extra-inputs"),
            ("--leak xml", "tool-call, dsml, function"),
            ("--reasoning aside", "reasoning-content, reasoning, think-tags"),
            ("--fail 200", "400..=599"),
            ("--retry-after 3", "--fail <STATUS>"),
            ("--stall-after 3 --drop-after 3", "cannot be used with"),
        ] {
            let refused = read(flags).unwrap_err();
            assert!(refused.contains(words), "{flags}: {refused}");
        }
    }
}
