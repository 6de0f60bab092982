//! Tools that send notifications before they answer: progress and log messages. For the scenarios
//! `tools-call-with-*`, `server-sse-polling`, and parts of `server-stateless`.

use std::time::Duration;

use plainwire::Entries;
use plainwire::prelude::*;

pub(crate) fn entries() -> Entries {
    Entries::new()
        .tool(test_tool_with_logging)
        .tool(test_tool_with_progress)
        .tool(test_logging_tool)
        .tool(test_reconnection)
}

async fn pause() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

/// Sends three log messages, 50 ms apart.
#[tool(read_only)]
async fn test_tool_with_logging(ctx: &Context) -> &'static str {
    ctx.log(LogLevel::Info, "Tool execution started");
    pause().await;
    ctx.log(LogLevel::Info, "Tool processing data");
    pause().await;
    ctx.log(LogLevel::Info, "Tool execution completed");
    "Tool with logging executed successfully"
}

/// Reports progress, from 0 to 100 in three steps.
#[tool(read_only)]
async fn test_tool_with_progress(ctx: &Context) -> &'static str {
    ctx.progress(0.0, Some(100.0), None);
    pause().await;
    ctx.progress(50.0, Some(100.0), None);
    pause().await;
    ctx.progress(100.0, Some(100.0), None);
    "Tool with progress executed successfully"
}

/// Sends a log message to whoever wants one.
#[tool(read_only)]
async fn test_logging_tool(ctx: &Context) -> &'static str {
    ctx.log(LogLevel::Info, "Log message of test_logging_tool");
    "Logging tool executed successfully"
}

/// Answers after a while, so that a client can go away and come back.
#[tool(read_only)]
async fn test_reconnection(ctx: &Context) -> &'static str {
    ctx.close_stream(Duration::from_millis(500));
    pause().await;
    "Reconnection test completed successfully"
}
