//! The shortest client: it starts the server of `examples/hello` and calls its tool `add`.
//!
//! With the feature `http-client`, the target may be a URL instead of a command.

use plainwire::{Client, serde_json::json};

#[expect(clippy::print_stdout, reason = "the sum is what it is for")]
#[tokio::main]
async fn main() -> plainwire::Result<()> {
    let client = Client::connect(std::process::Command::new("target/debug/hello")).await?;
    let sum: f64 = client.call("add", json!({ "a": 1, "b": 2 })).await?;
    println!("{sum}");
    client.close().await;
    Ok(())
}
