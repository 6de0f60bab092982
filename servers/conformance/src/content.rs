//! Tools that return each kind of content, and one that fails. For the scenarios `tools-call-*`.

use plainwire::Entries;
use plainwire::handler::embed;
use plainwire::model::ResourceContents;
use plainwire::prelude::*;

use crate::media::{noise, pixel};

pub(crate) fn entries() -> Entries {
    Entries::new()
        .tool(test_simple_text)
        .tool(test_image_content)
        .tool(test_audio_content)
        .tool(test_embedded_resource)
        .tool(test_multiple_content_types)
        .tool(test_error_handling)
}

/// Returns a text.
#[tool(read_only)]
async fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// Returns a picture.
#[tool(read_only)]
async fn test_image_content() -> Image {
    pixel()
}

/// Returns a sound.
#[tool(read_only)]
async fn test_audio_content() -> Audio {
    noise()
}

/// Returns a resource with what it holds.
#[tool(read_only)]
async fn test_embedded_resource() -> Content {
    embed(ResourceContents::text(
        "test://embedded-resource",
        "text/plain",
        "This is an embedded resource content.",
    ))
}

/// Returns a text, a picture and a resource.
#[tool(read_only)]
async fn test_multiple_content_types() -> Vec<Content> {
    let json = json!({ "test": "data", "value": 123 }).to_string();
    vec![
        Content::text("Multiple content types test:"),
        pixel().into(),
        embed(ResourceContents::text("test://mixed-content-resource", "application/json", json)),
    ]
}

/// Fails, always.
#[tool(read_only)]
async fn test_error_handling() -> Result<(), ToolError> {
    Err(ToolError::failed("This tool intentionally returns an error for testing"))
}
