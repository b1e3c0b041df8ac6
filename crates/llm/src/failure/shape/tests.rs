//! Every public wording in its class, and what must not be mistaken for one.

use reqwest::header::HeaderMap;
use time::macros::datetime;

use super::RefusedShape::{ModelMissing, OwnCall, Schema, Template, ToolChoice, Tools};
use super::*;
use crate::failure::{Refusal, classify};

fn shape(status: u16, body: &str) -> Option<RefusedShape> {
    let received_at = datetime!(2026-12-01 10:00 UTC);
    classify(&Refusal { status, headers: &HeaderMap::new(), body, received_at }, None).shape
}

fn said(message: &str) -> String {
    serde_json::json!({"error": {"message": message, "type": "invalid_request_error"}}).to_string()
}

#[test]
fn every_wording_of_a_refused_shape_has_its_class() {
    let extra = r#"{"detail":[{"type":"extra_forbidden","loc":["body","tools"],"msg":"Extra inputs are not permitted","input":[{"tool_choice":1}]}]}"#;
    let router = r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"bad\",\"param\":\"tool_choice\"}}","provider_name":"Hoster"}}}"#;
    let cases = [
        (404, r#"{"error":{"message":"model \"nope\" not found, try pulling it first"}}"#.to_owned(), Some(ModelMissing)),
        (404, said("The model `gpt-9` does not exist or you do not have access to it."), Some(ModelMissing)),
        (400, said("Model Not Exist"), Some(ModelMissing)),
        (404, r#"{"error":{"message":"x","code":"model_not_found"}}"#.to_owned(), Some(ModelMissing)),
        (400, said("Conversation roles must alternate user/assistant/user/assistant/..."), Some(Template)),
        (400, said("System role not supported"), Some(Template)),
        (500, said("Failed to apply chat template: jinja2.exceptions.UndefinedError"), Some(Template)),
        (400, said("Messages with role 'tool' must be a response to a preceding message with 'tool_calls'"), Some(Template)),
        (404, said("No endpoints found that support the provided 'tool_choice' value."), Some(ToolChoice)),
        (400, said("deepseek-reasoner does not support this tool_choice"), Some(ToolChoice)),
        (400, said("\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"), Some(ToolChoice)),
        (400, r#"{"error":{"message":"Invalid value","param":"tool_choice"}}"#.to_owned(), Some(ToolChoice)),
        (500, said("tool_choice param requires --jinja flag"), Some(ToolChoice)),
        (400, router.to_owned(), Some(ToolChoice)),
        (400, said("Failed to parse grammar"), Some(Schema)),
        (400, said("The compiled grammar has too many rules"), Some(Schema)),
        (400, r#"{"error":{"message":"Invalid schema for function 'f'","param":"tools[7].function.parameters"}}"#.to_owned(), Some(Schema)),
        (422, said("tools.0.custom.input: Field required"), Some(Schema)),
        (400, r#"{"error":{"message":"bad","code":"invalid_function_parameters"}}"#.to_owned(), Some(Schema)),
        (400, r#"{"error":"registry.ollama.ai/library/gemma:2b does not support tools"}"#.to_owned(), Some(Tools)),
        (404, said("No endpoints found that support tool use. Try disabling \"search_chunks\"."), Some(Tools)),
        (400, said("model features function calling not support"), Some(Tools)),
        (422, extra.to_owned(), Some(Tools)),
        (400, said("Unrecognized request argument supplied: tools"), Some(Tools)),
        (400, said("Unknown field: functions"), Some(Tools)),
        (501, said("Tool calling is not implemented"), Some(Tools)),
        (400, r#"{"error":{"message":"Unsupported parameter","param":"tools"}}"#.to_owned(), Some(Tools)),
        (500, said("tools param requires --jinja flag"), Some(Tools)),
        (500, said("Failed to parse input at pos 0: <tool_call>"), Some(OwnCall)),
    ];
    for (status, body, expected) in cases {
        assert_eq!(shape(status, &body), expected, "{status} {body}");
    }
}

#[test]
fn what_says_nothing_of_the_shape_has_no_class() {
    let cases = [
        (400, said("Bad request")),
        (400, said("temperature must be at most 2")),
        (401, said("your key does not support tools")),
        (402, said("tools need more credit")),
        (403, said("tools are not allowed for this key")),
        (408, said("timeout while running tools not supported")),
        (409, said("tools unsupported")),
        (429, said("tool_choice rate limit")),
        (503, said("tools are not available")),
        (500, said("CUDA error: out of memory")),
        (500, said("the tools service is unknown to us")),
        (400, said("This model's maximum context length is 4096 tokens, tools included; tools unsupported")),
        (400, said("余额不足 tools not supported")),
    ];
    for (status, body) in cases {
        assert_eq!(shape(status, &body), None, "{status} {body}");
    }
}
