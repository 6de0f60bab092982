//! A text resource, a binary one, one that clients can subscribe to, and a template. For the scenarios
//! `resources-*`.

use plainwire::Entries;
use plainwire::prelude::*;

use crate::media::pixel;

pub(crate) fn entries() -> Entries {
    Entries::new()
        .resource(static_text)
        .resource(static_binary)
        .resource(watched_resource)
        .resource(template_data)
}

/// A text that stays the same.
#[resource("test://static-text", mime_type = "text/plain")]
async fn static_text() -> &'static str {
    "This is the content of the static text resource."
}

/// A picture that stays the same.
#[resource("test://static-binary", mime_type = "image/png")]
async fn static_binary() -> Vec<u8> {
    pixel().bytes
}

/// A text that clients may subscribe to.
#[resource("test://watched-resource", mime_type = "text/plain", subscribable)]
async fn watched_resource() -> &'static str {
    "Watched resource content"
}

/// The data of an id.
#[resource("test://template/{id}/data", mime_type = "application/json")]
async fn template_data(id: String) -> String {
    json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") }).to_string()
}
