//! The smallest complete MCP server, and the example to read first: tools, a resource, a template and a prompt.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> plainwire::Result<()> {
//! let client = plainwire::testing::client(plainwire_reference::server()).await?;
//! let sum: String = client.call("calculate", serde_json::json!({ "expression": "2 + 3 * 4" })).await?;
//! assert_eq!(sum, "14");
//! # Ok(()) }
//! ```

mod expression;

use std::time::{Duration, Instant};

use plainwire::prelude::*;

/// What `calculate`, `calculation://` and `explain_calculation` take.
#[derive(Deserialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
struct Calculation {
    /// Numbers, `+ - * / % ^` and parentheses, such as `2 + 3 * 4`.
    expression: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
struct Sleep {
    /// How long, in milliseconds; at most an hour.
    #[schemars(range(max = 3_600_000))]
    ms: u64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
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
    format!(
        "Explain step by step how to calculate {}, then check the result with the tool `calculate`.",
        it.expression
    )
}

/// Returns the state of this process as JSON.
fn info(began: Instant) -> String {
    let info = serde_json::json!({
        "name": NAME,
        "version": env!("CARGO_PKG_VERSION"),
        "uptime": began.elapsed().as_secs_f64(),
        "memory": resident_bytes(),
        "pid": std::process::id(),
        "platform": std::env::consts::OS,
    });
    format!("{info:#}")
}

/// Returns the resident memory in bytes; nothing but Linux says so without a library.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

const NAME: &str = "plainwire-reference";

/// Returns the server, ready to be served.
pub fn server() -> Server {
    let began = Instant::now();
    Server::new(NAME)
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
        .tool(Tool::new("sleep", sleep).read_only().description(
            "Waits for some milliseconds and returns how long. Use it to try timeouts and cancellation.",
        ))
        .tool(Tool::new("count", count).read_only().description(
            "Counts up, reports each number as progress and returns the last one. Use it to try progress.",
        ))
        .resource(
            Resource::new("server://info", "Server Information", move || async move { info(began) })
                .description(
                    "Name, version, uptime in seconds, resident memory in bytes, process id and platform.",
                )
                .mime_type("application/json"),
        )
        .resource_template(
            ResourceTemplate::new("calculation://{expression}", "Calculation", calculate)
                .description("The result of an expression, with percent escapes where the URI needs them.")
                .mime_type("text/plain"),
        )
        .prompt(
            Prompt::new("explain_calculation", explain)
                .description("Asks for a calculation to be explained step by step."),
        )
}
