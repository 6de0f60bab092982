//! Prompts with arguments, with a resource, with a picture, and one that asks. For the scenarios `prompts-*`,
//! `completion-complete` and `input-required-result-non-tool-request`.

use plainwire::Entries;
use plainwire::handler::embed;
use plainwire::model::ResourceContents;
use plainwire::prelude::*;

use crate::media::pixel;

pub(crate) fn entries() -> Entries {
    Entries::new()
        .prompt(test_simple_prompt)
        .prompt(test_prompt_with_arguments)
        .prompt(test_prompt_with_embedded_resource)
        .prompt(test_prompt_with_image)
        .prompt(test_input_required_result_prompt)
}

/// A prompt without arguments.
#[prompt]
async fn test_simple_prompt() -> &'static str {
    "This is a simple prompt for testing."
}

/// A prompt with two arguments.
#[prompt(complete(arg1 = known))]
async fn test_prompt_with_arguments(
    /// First test argument
    arg1: String,
    /// Second test argument
    arg2: String,
) -> String {
    format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")
}

async fn known(it: Completing) -> Vec<String> {
    let known = ["paris", "park", "party"].map(String::from);
    known.into_iter().filter(|known| known.starts_with(&it.value)).collect()
}

/// A prompt that holds a resource.
#[prompt]
async fn test_prompt_with_embedded_resource(
    /// URI of the resource to embed
    #[serde(rename = "resourceUri")]
    resource_uri: String,
) -> Vec<PromptMessage> {
    let text = "Embedded resource content for testing.";
    vec![
        user(embed(ResourceContents::text(resource_uri, "text/plain", text))),
        user(Content::text("Please process the embedded resource above.")),
    ]
}

/// A prompt that holds a picture.
#[prompt]
async fn test_prompt_with_image() -> Vec<PromptMessage> {
    vec![user(pixel().into()), user(Content::text("Please analyze the image above."))]
}

#[data]
struct Subject {
    context: String,
}

/// A prompt that asks the person what it is about.
#[prompt]
async fn test_input_required_result_prompt(ctx: &Context) -> Result<String, ToolError> {
    let asked = ctx.elicit("user_context", "What context should the prompt use?").await?;
    let Subject { context } = asked.accepted()?;
    Ok(format!("Use this context: {context}"))
}

fn user(content: Content) -> PromptMessage {
    PromptMessage { content, role: Role::User }
}
