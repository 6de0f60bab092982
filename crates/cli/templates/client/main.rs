//! An MCP client: lists the tools of a server. The arguments are the server's command, or its URL.

use plainwire::client::Target;
use plainwire::client::http::Remote;
use plainwire::{Client, Result};

/// Returns the target that the words of the command line name.
fn target(words: &[String]) -> Target {
    match words {
        [url] if url.contains("://") => Remote::new(url).into(),
        [program, arguments @ ..] => {
            let mut command = std::process::Command::new(program);
            command.args(arguments);
            command.into()
        }
        [] => {
            eprintln!("expected the command of a server, or its URL");
            std::process::exit(2);
        }
    }
}

/// Returns a line for each tool of the server: its name and its description.
async fn tools(client: &Client) -> Result<Vec<String>> {
    let tools = client.list_tools().await?;
    Ok(tools.into_iter().map(|it| format!("{}: {}", it.name, it.description.unwrap_or_default())).collect())
}

#[tokio::main]
async fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let client = Client::connect(target(&words)).await?;
    for tool in tools(&client).await? {
        println!("{tool}");
    }
    client.close().await;
    Ok(())
}

#[test]
fn a_url_is_no_command() {
    let is_url = |word: &str| matches!(target(&[word.to_owned()]), Target::Remote(_));
    assert!(is_url("HTTP://127.0.0.1:8000/mcp") && !is_url("http-server"));
}

#[tokio::test]
async fn lists_the_tools_of_a_server() -> Result<()> {
    let wave = plainwire::Tool::new("wave", || async { "hello" }).description("Waves.");
    let client = plainwire::testing::client(plainwire::server!().tool(wave)).await?;
    assert_eq!(tools(&client).await?, ["wave: Waves."]);
    Ok(())
}
