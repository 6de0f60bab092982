//! A server that is one of several replicas: its tool asks two questions, with a step between them. Replicas
//! share nothing but the sealing keys.
//!
//! `replica-server LEDGER KEYS [--single-use]`: the step appends a line with the process id to the file
//! LEDGER. KEYS are separated by commas and have 64 hexadecimal digits each; the first key seals the state of
//! a call, and all of them open it. With `--single-use`, a state can be used only once.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::process;
use std::sync::Arc;

use plainwire::prelude::*;

/// Asks for a city, books, then asks for the number of nights.
async fn book(ctx: Context, ledger: Arc<str>) -> Result<String, ToolError> {
    let city: String = ctx.elicit("city", "Where to?").await?.accepted()?;
    let booked_by = ctx.try_step("book", || async { append(&ledger) }).await?;
    let nights: u8 = ctx.elicit("nights", format!("How many nights in {city}?")).await?.accepted()?;
    Ok(format!("{nights} nights in {city}, booked by {booked_by}"))
}

fn append(ledger: &str) -> std::io::Result<u32> {
    let line = format!("{}\n", process::id());
    OpenOptions::new().create(true).append(true).open(ledger)?.write_all(line.as_bytes())?;
    Ok(process::id())
}

/// Parses a key of 64 hexadecimal digits.
fn key(digits: &str) -> Option<[u8; 32]> {
    let bytes = (0..digits.len()).step_by(2).map(|n| u8::from_str_radix(digits.get(n..n + 2)?, 16).ok());
    bytes.collect::<Option<Vec<u8>>>()?.try_into().ok()
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let ledger: Arc<str> = arguments.next().expect("the path of a ledger").into();
    let keys = arguments.next().expect("keys");
    let keys: Vec<_> = keys.split(',').map(|digits| key(digits).expect("64 hexadecimal digits")).collect();
    let mut server = Server::new("replica").version("1.0.0").sealing_keys(keys);
    if arguments.next().is_some_and(|argument| argument == "--single-use") {
        server = server.single_use_states();
    }
    server.tool(Tool::new("book", move |ctx: Context| book(ctx, Arc::clone(&ledger)))).stdio().await
}
