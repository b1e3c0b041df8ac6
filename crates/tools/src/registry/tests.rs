use attest_domain::{KbId, Principal};
use schemars::JsonSchema;
use serde::Deserialize;

use super::*;
use crate::check::RefusalKind;
use crate::get_document::GetDocumentArgs;
use crate::no_evidence_needed::{NO_EVIDENCE_NEEDED, NoEvidenceNeededArgs};
use crate::numbering::Numbering;
use crate::search_chunks::SearchChunksArgs;
use crate::tool::{Rendered, ToolOutput};

#[derive(Deserialize, JsonSchema)]
struct EchoArgs {
    /// What to say.
    text: String,
}

struct Echo;
struct Echoed(String);

#[async_trait]
impl Tool for Echo {
    const NAME: &'static str = "echo";
    const DESCRIPTION: &'static str = "Says it again.";
    const READS_ONLY: bool = true;
    type Args = EchoArgs;
    type Output = Echoed;

    async fn run(&self, _context: &ToolContext, args: EchoArgs) -> Result<Echoed, ToolError> {
        Ok(Echoed(args.text))
    }
}

impl ToolOutput for Echoed {
    fn render(&self, _numbers: &mut Numbering) -> Rendered {
        Rendered { text: self.0.clone(), ..Rendered::default() }
    }
}

fn context() -> ToolContext {
    ToolContext { kb_id: KbId::new(), principal: Principal::local(), question: "Why?".into() }
}

#[test]
fn the_schemas_that_a_model_sees_are_kept() {
    let schemas = [
        ("search_chunks", ArgumentSchema::of::<SearchChunksArgs>()),
        ("get_document", ArgumentSchema::of::<GetDocumentArgs>()),
        (NO_EVIDENCE_NEEDED, ArgumentSchema::of::<NoEvidenceNeededArgs>()),
    ]
    .map(|(name, schema)| format!("{name} {}", schema.to_json()));
    insta::assert_snapshot!(schemas.join("\n"));
}

#[tokio::test]
async fn a_checked_call_runs_and_is_rendered() {
    let registry = Registry::default().with(Echo);
    let call = registry.check(" functions.echo", r#"{ "text" : "hello" }"#).unwrap();
    assert_eq!((registry.name_of(&call), call.canonical_arguments()), ("echo", r#"{"text":"hello"}"#));
    let outcome = registry.run(&call, &context()).await.unwrap();
    assert_eq!(outcome.render(&mut Numbering::default()).text, "hello");
}

#[test]
fn a_call_that_does_not_fit_never_runs() {
    let registry = Registry::default().with(Echo);
    assert_eq!(registry.check("echoes", "{}").unwrap_err().kind, RefusalKind::UnknownTool);
    assert_eq!(registry.check("echo", "{}").unwrap_err().kind, RefusalKind::BadArgument);
    assert_eq!(registry.check("echo", "{").unwrap_err().kind, RefusalKind::NotAnObject);
}

#[tokio::test]
async fn the_honest_exit_keeps_its_reason_and_makes_no_step() {
    let registry = Registry::default().with(NoEvidenceNeeded);
    let call = registry.check(NO_EVIDENCE_NEEDED, r#"{"reason":" A greeting. "}"#).unwrap();
    let rendered = registry.run(&call, &context()).await.unwrap().render(&mut Numbering::default());
    assert_eq!((rendered.exit_reason.as_deref(), rendered.step), (Some("A greeting."), None));
}
