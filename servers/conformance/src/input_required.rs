//! Tools that ask questions. In the revision 2026-07-28, the questions are in a result that requires input. For
//! the scenarios `input-required-result-*`; the prompt for these scenarios is in `prompts.rs`.

use plainwire::Entries;
use plainwire::model::{CreateMessage, Root};
use plainwire::prelude::*;

pub(crate) fn entries() -> Entries {
    Entries::new()
        .tool(test_input_required_result_elicitation)
        .tool(test_input_required_result_sampling)
        .tool(test_input_required_result_list_roots)
        .tool(test_input_required_result_request_state)
        .tool(test_input_required_result_multiple_inputs)
        .tool(test_input_required_result_multi_round)
        .tool(test_input_required_result_tampered_state)
        .tool(test_input_required_result_capabilities)
}

#[data]
struct Name {
    name: String,
}

#[data]
struct Color {
    color: String,
}

#[data]
struct Agreement {
    ok: bool,
}

/// Asks the person for a name.
#[tool(read_only)]
async fn test_input_required_result_elicitation(ctx: &Context) -> Result<String, ToolError> {
    let Name { name } = ctx.elicit("user_name", "What is your name?").await?.accepted()?;
    Ok(format!("Hello, {name}!"))
}

/// Asks the model for a capital.
#[tool(read_only)]
async fn test_input_required_result_sampling(ctx: &Context) -> Result<String, ToolError> {
    let question = CreateMessage::ask("What is the capital of France?", 100);
    Ok(ctx.sample("capital_question", question).await?.to_text())
}

/// Asks the client for its roots.
#[tool(read_only)]
async fn test_input_required_result_list_roots(ctx: &Context) -> Result<String, ToolError> {
    Ok(format!("Roots: {}", uris(&ctx.list_roots("client_roots").await?)))
}

/// Asks for a yes, and tells what the state of the first round held.
#[tool(read_only)]
async fn test_input_required_result_request_state(ctx: &Context) -> Result<String, ToolError> {
    let state = ctx.step("state", async || "state-ok".to_owned()).await?;
    let Agreement { ok } = ctx.elicit("confirm", "Please confirm").await?.accepted()?;
    Ok(format!("{state}, confirmed: {ok}"))
}

/// Asks the person, the model and the client at once.
#[tool(read_only)]
async fn test_input_required_result_multiple_inputs(ctx: &Context) -> Result<String, ToolError> {
    let (name, greeting, roots) = tokio::join!(
        ctx.elicit::<Name>("user_name", "What is your name?"),
        ctx.sample("greeting", CreateMessage::ask("Generate a greeting", 50)),
        ctx.list_roots("client_roots"),
    );
    let Name { name } = name?.accepted()?;
    Ok(format!("{} {name} works in {}", greeting?.to_text(), uris(&roots?)))
}

/// Asks the person twice, the second time about the first answer.
#[tool(read_only)]
async fn test_input_required_result_multi_round(ctx: &Context) -> Result<String, ToolError> {
    let Name { name } = ctx.elicit("step1", "Step 1: What is your name?").await?.accepted()?;
    let Color { color } = ctx.elicit("step2", "Step 2: What is your favorite color?").await?.accepted()?;
    Ok(format!("{name} likes {color}"))
}

/// Asks for a yes; a state that somebody has changed is refused.
#[tool(read_only)]
async fn test_input_required_result_tampered_state(ctx: &Context) -> Result<String, ToolError> {
    let Agreement { ok } = ctx.elicit("confirm", "Please confirm").await?.accepted()?;
    Ok(format!("confirmed: {ok}"))
}

/// Asks the person and the model, each only if the client says that they can be asked.
#[tool(read_only)]
async fn test_input_required_result_capabilities(ctx: &Context) -> Result<String, ToolError> {
    let (name, greeting) = tokio::join!(
        ctx.elicit::<Name>("user_name", "What is your name?"),
        ctx.sample("greeting", CreateMessage::ask("Generate a greeting", 50)),
    );
    let name = match if_asked(name)? {
        Some(answer) => answer.accepted()?.name,
        None => "nobody".to_owned(),
    };
    let greeting = if_asked(greeting)?.map_or_else(|| "Hello".to_owned(), |it| it.to_text());
    Ok(format!("{greeting} {name}"))
}

/// Returns the answer to a question; `None` if the client does not support this kind of question.
fn if_asked<T>(answer: Result<T, ToolError>) -> Result<Option<T>, ToolError> {
    match answer {
        Err(error) if error.code() == "unsupported" => Ok(None),
        answer => answer.map(Some),
    }
}

fn uris(roots: &[Root]) -> String {
    roots.iter().map(|root| &*root.uri).collect::<Vec<_>>().join(", ")
}
