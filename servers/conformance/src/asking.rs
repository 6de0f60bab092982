//! Tools that ask questions. In the revisions up to 2025-11-25, the questions are requests to the client. For
//! the scenarios `tools-call-sampling`, `tools-call-elicitation`, `elicitation-*`, and parts of
//! `server-stateless`.

use plainwire::Entries;
use plainwire::model::{ClientCapability, CreateMessage};
use plainwire::prelude::*;

pub(crate) fn entries() -> Entries {
    Entries::new()
        .tool(test_sampling)
        .tool(test_elicitation)
        .tool(test_elicitation_sep1034_defaults)
        .tool(test_elicitation_sep1330_enums)
        .tool(test_missing_capability)
        .tool(test_streaming_elicitation)
}

/// Asks the model behind the client.
#[tool(read_only)]
async fn test_sampling(
    /// What to ask.
    prompt: String,
    ctx: &Context,
) -> Result<String, ToolError> {
    let answer = ctx.sample("sampling", CreateMessage::ask(prompt, 100)).await?;
    Ok(format!("LLM response: {}", answer.to_text()))
}

#[data]
struct User {
    /// User's response
    username: String,
    /// User's email address
    email: String,
}

/// Asks the person for a name and an address.
#[tool(read_only)]
async fn test_elicitation(
    /// What the person reads.
    message: String,
    ctx: &Context,
) -> Result<String, ToolError> {
    let answer = ctx.elicit::<User>("user", message).await?;
    Ok(format!("User response: {}", told(&answer)))
}

#[data]
#[serde(rename_all = "lowercase")]
enum Status {
    Active,
    Inactive,
    Pending,
}

#[data]
struct Profile {
    #[default("John Doe")]
    name: String,
    #[default(30)]
    age: i64,
    #[default(95.5)]
    score: f64,
    #[default(Status::Active)]
    status: Status,
    #[default(true)]
    verified: bool,
}

/// Asks the person with a form whose fields are filled in already.
#[tool(read_only)]
async fn test_elicitation_sep1034_defaults(ctx: &Context) -> Result<String, ToolError> {
    let answer = ctx.elicit::<Profile>("profile", "Please review the defaults").await?;
    Ok(format!("Elicitation completed: {}", told(&answer)))
}

/// Asks the person to choose, in each way that a form has for it.
#[tool(read_only)]
async fn test_elicitation_sep1330_enums(ctx: &Context) -> Result<String, ToolError> {
    // Written by hand: `enumNames` is deprecated, so no type generates it.
    let form = json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": ["option1", "option2", "option3"] },
            "titledSingle": {
                "type": "string",
                "oneOf": [
                    { "const": "value1", "title": "First Option" },
                    { "const": "value2", "title": "Second Option" },
                    { "const": "value3", "title": "Third Option" },
                ],
            },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": {
                "type": "array",
                "items": { "type": "string", "enum": ["option1", "option2", "option3"] },
            },
            "titledMulti": {
                "type": "array",
                "items": {
                    "anyOf": [
                        { "const": "value1", "title": "First Choice" },
                        { "const": "value2", "title": "Second Choice" },
                        { "const": "value3", "title": "Third Choice" },
                    ],
                },
            },
        },
    });
    let answer = ctx.elicit_form("choices", "Please choose", &form).await?;
    Ok(format!("Elicitation completed: {}", told(&answer)))
}

/// Works only for clients with a model to ask.
#[tool(read_only, requires = ClientCapability::Sampling)]
async fn test_missing_capability() -> &'static str {
    "The client can be asked for a model's answer"
}

/// Reports progress, then asks the person.
#[tool(read_only)]
async fn test_streaming_elicitation(ctx: &Context) -> Result<String, ToolError> {
    ctx.progress(1.0, Some(2.0), None);
    let answer = ctx.elicit::<Confirm>("confirm", "Shall I go on?").await?;
    Ok(format!("Elicitation completed: {}", told(&answer)))
}

/// Returns the user's reply in the form that the suite expects.
fn told(answer: &Answer<impl Serialize>) -> String {
    match answer {
        Answer::Accepted(content) => format!("action=accept, content={}", json!(content)),
        Answer::Declined => "action=decline, content={}".to_owned(),
        Answer::Cancelled => "action=cancel, content={}".to_owned(),
    }
}
