//! Work that takes a while: it reports progress, ends when the client cancels the call, and has a deadline.

use std::time::Duration;

use plainwire::prelude::*;
use tokio::sync::Mutex;

/// One printer for all calls.
struct Printer(Mutex<()>);

/// Prints pages and returns how many there are. Use it for anything that has to be on paper.
#[tool(additive, timeout = "10s")]
async fn print(
    /// How many pages.
    #[range(1..=100)]
    pages: u32,
    printer: State<Printer>,
    ctx: &Context,
) -> u32 {
    // A cancelled call is dropped at its next `.await`, which also releases the lock.
    let _turn = printer.0.lock().await;
    for page in 1..=pages {
        tokio::time::sleep(Duration::from_millis(50)).await;
        ctx.progress(page.into(), Some(pages.into()), Some("printed"));
    }
    pages
}

fn server() -> Server {
    plainwire::server!().state(Printer(Mutex::new(()))).tool(print)
}

#[tokio::main]
async fn main() -> Result<()> {
    server().stdio().await
}

#[tokio::test]
async fn a_cancelled_call_makes_way_for_the_next_one() -> Result<()> {
    use tokio::time::timeout;
    let client = plainwire::testing::client(server()).await?;
    let (send, mut told) = tokio::sync::mpsc::unbounded_channel();
    let report = move |it: plainwire::client::Progress| send.send(it.done).unwrap_or_default();
    let long = client.call_tool("print", json!({ "pages": 100 })).on_progress(report);
    // Dropping the future cancels the call.
    assert!(timeout(Duration::from_millis(500), long).await.is_err());
    assert_eq!(told.recv().await, Some(1.0));
    let short = client.call::<u32>("print", json!({ "pages": 1 }));
    assert_eq!(timeout(Duration::from_secs(2), short).await.expect("a free printer")?, 1);
    Ok(())
}
