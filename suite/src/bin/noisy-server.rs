//! A server whose tools misbehave: they print, panic, block, and start child processes that read and print.
//!
//! `DRAIN_MS=n` sets how many milliseconds its calls may keep running after the client has closed the
//! connection. `LAST_WORDS=text` makes it write the text to stderr at its end. `SERVE=address` makes it serve over HTTP
//! and HTTP+SSE instead of stdin and stdout.

use std::process::{Command, Stdio};
use std::time::Duration;

use plainwire::http::Http;
use plainwire::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
struct Text {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
struct Time {
    ms: u64,
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "this is what a tool should not do")]
async fn say(it: Text) -> &'static str {
    println!("{}", it.text);
    eprintln!("and on stderr: {}", it.text);
    // Without a line break, like a progress bar.
    print!("{{\"jsonrpc\":");
    "said"
}

/// Returns the text that a child process reads from the standard input it inherits, once the file with the
/// path `it.text` exists. Before that, the child writes `started` to stderr.
async fn child_reads(it: Text) -> Result<String, ToolError> {
    let script = r#"echo started >&2; while [ ! -e "$0" ]; do sleep 0.01; done; cat"#;
    let mut command = Command::new("sh");
    command.args(["-c", script, &it.text]).stdin(Stdio::inherit()).stderr(Stdio::inherit());
    Ok(String::from_utf8_lossy(&command.output()?.stdout).into_owned())
}

async fn child_prints(it: Text) -> Result<String, ToolError> {
    let status = Command::new("echo").arg(it.text).status()?;
    Ok(status.to_string())
}

async fn panics(it: Text) -> String {
    panic!("{}", it.text)
}

async fn block(it: Time) -> String {
    std::thread::sleep(Duration::from_millis(it.ms));
    "blocked".to_owned()
}

async fn sleep(it: Time) -> String {
    tokio::time::sleep(Duration::from_millis(it.ms)).await;
    "slept".to_owned()
}

#[expect(clippy::print_stderr, reason = "this is what the test reads")]
async fn last_words() -> std::result::Result<(), String> {
    std::env::var_os("LAST_WORDS").into_iter().for_each(|words| eprintln!("{}", words.display()));
    Ok(())
}

#[tokio::main]
async fn main() -> Result<()> {
    let drain = std::env::var("DRAIN_MS").ok().and_then(|ms| ms.parse().ok()).map(Duration::from_millis);
    let server = Server::new("noisy")
        .drain(drain.unwrap_or(Duration::from_secs(5)))
        .on_shutdown(last_words)
        .tool(Tool::new("say", say))
        .tool(Tool::new("child_reads", child_reads))
        .tool(Tool::new("child_prints", child_prints))
        .tool(Tool::new("panics", panics))
        .tool(Tool::new("block", block))
        .tool(Tool::new("sleep", sleep));
    match std::env::var("SERVE") {
        Ok(address) => Http::new(server).http_sse().serve(&address).await,
        Err(_) => server.stdio().await,
    }
}
