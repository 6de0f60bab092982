//! An MCP server over HTTP with `--http ADDRESS`, otherwise on stdin and stdout.

use plainwire::prelude::*;

/// Greets a person by name and returns the greeting. Use it to see whether the server answers.
#[tool(read_only)]
async fn greet(#[argument("The name to greet.")] name: String) -> String {
    format!("Hello, {name}!")
}

/// Returns the server: `main` serves it, tests call it.
fn server() -> Server {
    plainwire::server!().tool(greet)
}

#[tokio::main]
async fn main() -> Result<()> {
    // Only programs on this machine reach 127.0.0.1. Before you choose another address, require a token:
    // `--bearer-env VARIABLE`, where the environment variable VARIABLE has the token.
    server().run().await
}

#[tokio::test]
async fn greets_by_name() -> Result<()> {
    let client = plainwire::testing::client(server()).await?;
    let greeting: String = client.call("greet", json!({ "name": "Ada" })).await?;
    assert_eq!(greeting, "Hello, Ada!");
    Ok(())
}
