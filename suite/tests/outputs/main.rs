//! Whole outputs: what is too large for a model is kept, and every byte of it can be read again, by its owner only.

#![allow(clippy::disallowed_methods, reason = "these tests serve and ask in one program")]

mod bad_input;
mod growing;
mod process;
mod rebuilt;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use plainwire::model::{CallToolResult, Content};
use plainwire::outputs::{Folder, Settings};
use plainwire::prelude::*;
use plainwire::{Client, Error};
use serde_json::json;

static NEXT: AtomicUsize = AtomicUsize::new(0);

/// Returns the path of a folder that does not exist yet.
fn path() -> PathBuf {
    let name =
        format!("plainwire-suite-outputs-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn settings() -> Settings {
    Settings::new(Folder::open(path()).expect("a folder")).threshold(1_024)
}

/// Returns the links to outputs in a result.
fn links(result: &CallToolResult) -> Vec<String> {
    let links = result.content.iter().filter_map(|block| match block {
        Content::ResourceLink(it) if it.uri.starts_with("output://") => Some(it.uri.clone()),
        // Revisions without links have them as text.
        Content::Text(it) => it
            .text
            .split_whitespace()
            .find(|it| it.starts_with("output://"))
            .map(|it| it.trim_end_matches([')', ',', '.']).to_owned()),
        _ => None,
    });
    let mut links: Vec<String> = links.collect();
    links.dedup();
    links
}

async fn call(client: &Client, tool: &str, arguments: Value) -> Result<Value, Error> {
    client.call::<Value>(tool, arguments).await
}

/// Reads all of an output by pages of `length` bytes.
async fn by_pages(client: &Client, uri: &str, length: usize) -> Result<Vec<u8>, Error> {
    let (mut bytes, mut offset) = (Vec::new(), 0);
    loop {
        let page =
            call(client, "output_page", json!({ "id": uri, "offset": offset, "length": length })).await?;
        assert_eq!(page["offset"], offset, "a page begins where the one before ended");
        bytes.extend(bytes_of(&page));
        match page["nextOffset"].as_u64() {
            Some(next) => offset = next,
            None => return Ok(bytes),
        }
    }
}

/// Reads all of an output by its lines.
async fn by_lines(client: &Client, uri: &str, limit: usize) -> Result<Vec<u8>, Error> {
    let (mut bytes, mut offset) = (Vec::new(), 0);
    loop {
        let found = call(
            client,
            "output_grep",
            json!({ "id": uri, "pattern": "", "offset": offset, "limit": limit }),
        )
        .await?;
        for line in found["matches"].as_array().expect("matches") {
            // Between two lines is a line break, and nothing within a long one.
            let at = line["offset"].as_u64().expect("an offset") as usize;
            bytes.resize(at, b'\n');
            bytes.extend(bytes_of(line));
        }
        match found["nextOffset"].as_u64() {
            Some(next) => offset = next,
            None => {
                bytes.resize(found["totalBytes"].as_u64().expect("a number") as usize, b'\n');
                return Ok(bytes);
            }
        }
    }
}

fn bytes_of(part: &Value) -> Vec<u8> {
    match (part["text"].as_str(), part["base64"].as_str()) {
        (Some(text), None) => text.as_bytes().to_vec(),
        (None, Some(base64)) => plainwire::proto::base64::decode(base64).expect("base64"),
        other => panic!("a text or base64, but not {other:?}"),
    }
}
