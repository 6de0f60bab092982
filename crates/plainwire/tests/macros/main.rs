//! The attributes: functions, methods and types that become entries of a server.

mod attributes;
mod calls;
#[path = "../support/collected_logs.rs"]
mod collected_logs;
mod completions;
mod data;
mod errors;
mod forms;
mod headers;
mod kinds;
mod on_one_line;
mod renamed;

use plainwire::prelude::*;
use plainwire::{Client, model};
use serde_json::Value;

async fn serve(server: Server) -> Client {
    plainwire::testing::client(server).await.expect("a right declaration")
}

fn schema(tool: &model::Tool) -> Value {
    serde_json::from_str(tool.input_schema.get()).expect("JSON")
}

async fn only_tool(server: Server) -> model::Tool {
    let mut tools = serve(server).await.list_tools().await.expect("a list");
    assert_eq!(tools.len(), 1);
    tools.remove(0)
}
