//! State shared by calls: a value that tools find by its type, and a type whose methods are tools.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use plainwire::prelude::*;

#[derive(Default)]
struct Visits(AtomicU64);

/// Counts a visit and returns how many there were. Use it once per conversation.
#[tool]
async fn visit(visits: State<Visits>) -> u64 {
    visits.0.fetch_add(1, Relaxed) + 1
}

/// Notes that all calls share. Calls run at the same time, so data that changes is behind a lock.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

#[server]
impl Notes {
    /// Keeps a note and returns how many there are. Use it for what has to be remembered.
    #[tool(additive)]
    async fn keep(
        &self,
        /// The note.
        text: String,
    ) -> usize {
        let mut all = self.0.lock().expect("nobody panics with it");
        all.push(text);
        all.len()
    }

    /// Returns all notes, the oldest first. Use it to remember.
    #[tool(read_only)]
    async fn notes(&self) -> Vec<String> {
        self.0.lock().expect("nobody panics with it").clone()
    }
}

fn server() -> Server {
    plainwire::server!().state(Visits::default()).tool(visit).with(Notes::default())
}

#[tokio::main]
async fn main() -> Result<()> {
    server().stdio().await
}

#[tokio::test]
async fn calls_share_what_there_is() -> Result<()> {
    let client = plainwire::testing::client(server()).await?;
    assert_eq!(client.call::<u64>("visit", json!({})).await?, 1);
    assert_eq!(client.call::<u64>("visit", json!({})).await?, 2);
    assert_eq!(client.call::<usize>("keep", json!({ "text": "moss" })).await?, 1);
    assert_eq!(client.call::<Vec<String>>("notes", json!({})).await?, ["moss"]);
    Ok(())
}
