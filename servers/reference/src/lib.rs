//! The smallest complete MCP server, and the example to read first. It has tools (one asks questions),
//! resources (one changes), a resource template, and a prompt with completion.

mod expression;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use plainwire::{model::CreateMessage, prelude::*};

/// State that the handlers share.
struct Process {
    began: Instant,
    calculations: AtomicU64,
}

/// Evaluates an arithmetic expression and returns the result as text. Use it for any arithmetic.
#[tool(read_only, closed_world)]
async fn calculate(
    /// Numbers, `+ - * / % ^` and parentheses, such as `2 + 3 * 4`.
    expression: String,
    process: State<Process>,
    ctx: &Context,
) -> Result<String, ToolError> {
    process.calculations.fetch_add(1, Relaxed);
    ctx.notify_resource_updated("server://calculations");
    calculation(expression).await
}

/// Returns the current time in UTC as ISO 8601 text. Use it for anything about now.
#[tool(read_only)]
async fn get_timestamp() -> String {
    jiff::Timestamp::now().to_string()
}

/// Waits, then returns how long it did. Use it to try out deadlines and cancellation.
#[tool(read_only)]
async fn sleep(
    /// How long, in milliseconds; at most an hour.
    #[range(..=3_600_000)]
    ms: u64,
) -> String {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    format!("slept {ms} ms")
}

/// Counts up with progress, then returns the last number. Use it to try out progress.
#[tool(read_only)]
async fn count(
    /// The last number, at most 1000.
    #[range(..=1000)]
    to: u32,
    /// The time between two numbers, in milliseconds.
    #[default(10)]
    #[range(..=10_000)]
    ms: u64,
    ctx: &Context,
) -> String {
    for n in 1..=to {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        ctx.progress(n.into(), Some(to.into()), Some(&format!("{n} of {to}")));
    }
    format!("counted to {to}")
}

#[data]
#[serde(rename_all = "lowercase")]
enum Whom {
    User,
    Model,
    Client,
}

#[data]
struct Name {
    /// What you want to be called.
    name: String,
}

/// Asks somebody something, then returns the answer. Use it to try out questions to the user, the model or the client.
#[tool(read_only)]
async fn ask(
    /// The user is asked for a name, the model for a capital, the client for its roots.
    whom: Whom,
    ctx: &Context,
) -> Result<String, ToolError> {
    match whom {
        Whom::User => {
            let Name { name } = ctx.elicit("name", "What is your name?").await?.accepted()?;
            let Confirm {} = ctx.elicit("sure", format!("Shall I greet {name}?")).await?.accepted()?;
            Ok(format!("Hello, {name}!"))
        }
        Whom::Model => {
            let question = CreateMessage::ask("What is the capital of France?", 100);
            Ok(ctx.sample("capital", question).await?.to_text())
        }
        Whom::Client => Ok(ctx.roots().await?.iter().map(|root| &*root.uri).collect::<Vec<_>>().join("\n")),
    }
}

/// Name, version, uptime in seconds, resident bytes (on Linux), process id, platform.
#[resource("server://info", name = "Server Information", mime_type = "application/json")]
async fn info(process: State<Process>) -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"));
    let info = json!({
        "name": env!("CARGO_PKG_NAME"),
        "version": env!("CARGO_PKG_VERSION"),
        "uptime": process.began.elapsed().as_secs_f64(),
        "memory": resident.and_then(|kib| kib.parse::<u64>().ok()).map(|kib| kib * 1024),
        "pid": std::process::id(),
        "platform": std::env::consts::OS,
    });
    format!("{info:#}")
}

/// How often `calculate` was called since the server began.
#[resource("server://calculations", name = "Calculations", mime_type = "text/plain", subscribable)]
async fn calculations(process: State<Process>) -> String {
    process.calculations.load(Relaxed).to_string()
}

/// The result of an expression, with percent escapes where the URI needs them.
#[resource("calculation://{expression}", name = "Calculation", mime_type = "text/plain")]
async fn calculation(expression: String) -> Result<String, ToolError> {
    expression::evaluate(&expression).map(|value| value.to_string()).map_err(ToolError::invalid_input)
}

/// Asks for a calculation, explained step by step and checked with `calculate`.
#[prompt(complete(expression = known))]
async fn explain_calculation(
    /// Numbers, `+ - * / % ^` and parentheses, such as `2 + 3 * 4`.
    expression: String,
) -> String {
    format!("Explain step by step how to calculate {expression}, then check it with `calculate`.")
}

async fn known(it: Completing) -> Vec<String> {
    let known = ["2 + 3 * 4", "2 ^ 10", "(1 + 2) / 3"].map(String::from);
    known.into_iter().filter(|known| known.starts_with(&it.value)).collect()
}

/// Returns the server, ready to be served.
pub fn server() -> Server {
    plainwire::server!()
        .instructions("Use `calculate` for arithmetic instead of working it out.")
        .state(Process { began: Instant::now(), calculations: AtomicU64::new(0) })
        .tool(calculate)
        .tool(get_timestamp)
        .tool(sleep)
        .tool(count)
        .tool(ask)
        .resource(info)
        .resource(calculations)
        .resource(calculation)
        .prompt(explain_calculation)
}
