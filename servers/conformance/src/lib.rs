//! The fixtures that the official conformance suite expects of a server, built with the public API.
//!
//! In: the names, texts and schemas of `@modelcontextprotocol/conformance`, role `server`. Out: one server
//! for both revisions that the suite scores. Each module has the fixtures of one subject, and its first lines
//! name the suite's scenarios that use them.

mod asking;
mod changing;
mod content;
mod input_required;
mod media;
mod notifications;
mod prompts;
mod resources;
mod schema;

use plainwire::prelude::*;

/// Returns the server, ready to be served.
pub fn server() -> Server {
    let mut server = plainwire::server!();
    let handle = server.handle();
    server
        .state(handle)
        .logging()
        .with(content::entries())
        .with(notifications::entries())
        .with(asking::entries())
        .with(input_required::entries())
        .with(schema::entries())
        .with(changing::entries())
        .with(resources::entries())
        .with(prompts::entries())
}
