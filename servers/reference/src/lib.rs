//! The smallest complete MCP server, and the example to read first: tools, one of which asks, resources, one of which
//! changes, a template, and a prompt with completion.

mod expression;

use std::sync::{Arc, atomic::AtomicU64, atomic::Ordering::Relaxed};
use std::time::{Duration, Instant};

use plainwire::{model::CreateMessage, prelude::*};

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

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Whom {
    User,
    Model,
    Client,
}

#[derive(Deserialize, JsonSchema)]
struct Ask {
    /// The user is asked for a name, the model for a capital, the client for its roots.
    whom: Whom,
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    /// What you want to be called.
    name: String,
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

async fn ask(it: Ask, ctx: Context) -> Result<String, ToolError> {
    match it.whom {
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

async fn explain(it: Calculation) -> String {
    format!("Explain step by step how to calculate {}, then check it with `calculate`.", it.expression)
}

async fn complete(it: Completing) -> Vec<String> {
    let known = ["2 + 3 * 4", "2 ^ 10", "(1 + 2) / 3"].map(String::from);
    known.into_iter().filter(|known| known.starts_with(&it.value)).collect()
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
    let calculations = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&calculations);
    let calculate_and_count = move |it: Calculation, ctx: Context| {
        counted.fetch_add(1, Relaxed);
        ctx.notify_resource_updated("server://calculations");
        calculate(it)
    };
    Server::new(env!("CARGO_PKG_NAME"))
        .version(env!("CARGO_PKG_VERSION"))
        .instructions("Use `calculate` for arithmetic instead of working it out.")
        .tool(Tool::new("calculate", calculate_and_count).read_only().closed_world().description(
            "Evaluates an arithmetic expression and returns the result as text. Use it for any arithmetic.",
        ))
        .tool(
            Tool::new("get_timestamp", get_timestamp).read_only().description(
                "Returns the current time in UTC as ISO 8601 text. Use it for anything about now.",
            ),
        )
        .tool(Tool::new("sleep", sleep).read_only().description("Waits, then returns how long it did."))
        .tool(Tool::new("count", count).read_only().description("Counts up with progress, returns the end."))
        .tool(Tool::new("ask", ask).read_only().description("Asks somebody something, returns the answer."))
        .resource(
            Resource::new("server://info", "Server Information", move || async move { info(began) })
                .description("Name, version, uptime in seconds, resident bytes, process id, platform.")
                .mime_type("application/json"),
        )
        .resource(
            Resource::new("server://calculations", "Calculations", move || {
                let calculations = calculations.load(Relaxed).to_string();
                async { calculations }
            })
            .description("How often `calculate` was called.")
            .mime_type("text/plain")
            .subscribable(),
        )
        .resource_template(
            ResourceTemplate::new("calculation://{expression}", "Calculation", calculate)
                .description("The result of an expression, with percent escapes where the URI needs them.")
                .mime_type("text/plain"),
        )
        .prompt(
            Prompt::new("explain_calculation", explain)
                .description("Asks for a calculation step by step.")
                .complete("expression", complete),
        )
}
