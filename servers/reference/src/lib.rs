//! The smallest complete MCP server, and the example to read first: tools, a resource, a template and a prompt.

mod expression;

use std::time::{Duration, Instant};

use plainwire::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Calculation {
    /// Numbers, `+ - * / % ^` and parentheses, such as `2 + 3 * 4`.
    expression: String,
}

#[derive(Deserialize, JsonSchema)]
struct Sleep {
    /// How long, in milliseconds; at most an hour.
    #[schemars(range(max = 3_600_000))]
    ms: u64,
}

#[derive(Deserialize, JsonSchema)]
struct Count {
    /// The last number, at most 1000.
    #[schemars(range(max = 1000))]
    to: u32,
    /// The time between two numbers in milliseconds, 10 unless given.
    #[schemars(range(max = 10_000))]
    ms: Option<u64>,
}

async fn calculate(it: Calculation) -> Result<String, ToolError> {
    expression::evaluate(&it.expression).map(|value| value.to_string()).map_err(ToolError::invalid_input)
}

async fn get_timestamp() -> String {
    jiff::Timestamp::now().to_string()
}

async fn sleep(it: Sleep) -> String {
    tokio::time::sleep(Duration::from_millis(it.ms)).await;
    format!("slept {} ms", it.ms)
}

async fn count(it: Count, ctx: Context) -> String {
    for n in 1..=it.to {
        tokio::time::sleep(Duration::from_millis(it.ms.unwrap_or(10))).await;
        ctx.progress(n.into(), Some(it.to.into()), Some(&format!("{n} of {}", it.to)));
    }
    format!("counted to {}", it.to)
}

async fn explain(it: Calculation) -> String {
    format!("Explain step by step how to calculate {}, then check it with `calculate`.", it.expression)
}

/// Returns the state of this process as JSON; the resident memory in bytes is known on Linux only.
fn info(began: Instant) -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"));
    let info = serde_json::json!({
        "name": env!("CARGO_PKG_NAME"),
        "version": env!("CARGO_PKG_VERSION"),
        "uptime": began.elapsed().as_secs_f64(),
        "memory": resident.and_then(|kib| kib.parse::<u64>().ok()).map(|kib| kib * 1024),
        "pid": std::process::id(),
        "platform": std::env::consts::OS,
    });
    format!("{info:#}")
}

/// Returns the server, ready to be served.
pub fn server() -> Server {
    let began = Instant::now();
    Server::new(env!("CARGO_PKG_NAME"))
        .version(env!("CARGO_PKG_VERSION"))
        .instructions("Use `calculate` for arithmetic instead of working it out.")
        .tool(Tool::new("calculate", calculate).read_only().closed_world().description(
            "Evaluates an arithmetic expression and returns the result as text. Use it for any arithmetic.",
        ))
        .tool(
            Tool::new("get_timestamp", get_timestamp).read_only().description(
                "Returns the current time in UTC as ISO 8601 text. Use it for anything about now.",
            ),
        )
        .tool(Tool::new("sleep", sleep).read_only().description("Waits, then returns how long it did."))
        .tool(Tool::new("count", count).read_only().description("Counts up with progress, returns the end."))
        .resource(
            Resource::new("server://info", "Server Information", move || async move { info(began) })
                .description("Name, version, uptime in seconds, resident bytes, process id, platform.")
                .mime_type("application/json"),
        )
        .resource_template(
            ResourceTemplate::new("calculation://{expression}", "Calculation", calculate)
                .description("The result of an expression, with percent escapes where the URI needs them.")
                .mime_type("text/plain"),
        )
        .prompt(
            Prompt::new("explain_calculation", explain).description("Asks for a calculation step by step."),
        )
}
