//! What the machine itself asks for a JSON-RPC line in and a line out: one thread, no checks, no framework.
//!
//! It is no MCP server for use. It answers `echo`, `blob`, `nap`, `active` and `tools/list`, which is what the
//! benchmark asks for.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Request<'f> {
    #[serde(borrow)]
    id: Option<&'f RawValue>,
    method: &'f str,
    #[serde(borrow, default)]
    params: Params<'f>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'f> {
    name: Option<&'f str>,
    #[serde(borrow, default)]
    arguments: Arguments<'f>,
    #[serde(borrow)]
    request_id: Option<&'f RawValue>,
}

#[derive(Default, Deserialize)]
struct Arguments<'f> {
    #[serde(borrow)]
    message: Option<&'f RawValue>,
    bytes: Option<usize>,
    ms: Option<u64>,
}

/// Naps that are not over yet, by their end and number; the thread that ends them waits on the condition.
#[derive(Default)]
struct Naps {
    by_end: Mutex<BTreeMap<(Instant, u64), String>>,
    changed: Condvar,
}

fn main() -> io::Result<()> {
    let mut input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let naps = Arc::new(Naps::default());
    thread::spawn({
        let (naps, output) = (Arc::clone(&naps), output.try_clone()?);
        move || end_naps(&naps, output)
    });
    let tools = tools();
    let (mut buffer, mut filled, mut out) = (vec![0; 1 << 16], 0, Vec::new());
    loop {
        if filled == buffer.len() {
            buffer.resize(filled * 2, 0);
        }
        let count = input.read(&mut buffer[filled..])?;
        if count == 0 {
            return Ok(());
        }
        let scanned = filled;
        filled += count;
        if let Some(end) = buffer[scanned..filled].iter().rposition(|&byte| byte == b'\n') {
            let end = scanned + end + 1;
            for line in buffer[..end].split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
                answer(line, &tools, &naps, &mut out);
            }
            buffer.copy_within(end..filled, 0);
            filled -= end;
            output.write_all(&out)?;
            out.clear();
        }
    }
}

fn answer(line: &[u8], tools: &str, naps: &Naps, out: &mut Vec<u8>) {
    let Ok(request) = serde_json::from_slice::<Request<'_>>(line) else { return };
    let arguments = request.params.arguments;
    let mut open = naps.by_end.lock().expect("no panic under the lock");
    let Some(id) = request.id.map(RawValue::get) else {
        if let Some(cancelled) = request.params.request_id {
            open.retain(|_, id| id != cancelled.get());
        }
        return;
    };
    match (request.method, request.params.name) {
        ("tools/call", Some("echo")) => text(out, id, arguments.message.map_or("\"\"", RawValue::get)),
        ("tools/call", Some("blob")) => {
            text(out, id, &format!("\"{}\"", "x".repeat(arguments.bytes.unwrap_or(0))))
        }
        ("tools/call", Some("nap")) => {
            let end = Instant::now() + Duration::from_millis(arguments.ms.unwrap_or(0));
            let number = open.len() as u64;
            open.insert((end, number), id.to_owned());
            naps.changed.notify_one();
        }
        ("tools/call", _) => text(out, id, &format!("\"{}\"", open.len())),
        ("tools/list", _) => {
            drop(writeln!(out, r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{tools}]}}}}"#))
        }
        _ => drop(writeln!(
            out,
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"floor","version":"0"}}}}}}"#
        )),
    }
}

fn text(out: &mut Vec<u8>, id: &str, json: &str) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(br#","result":{"content":[{"type":"text","text":"#);
    out.extend_from_slice(json.as_bytes());
    out.extend_from_slice(b"}]}}\n");
}

fn end_naps(naps: &Naps, mut output: File) {
    let mut open = naps.by_end.lock().expect("no panic under the lock");
    loop {
        let now = Instant::now();
        let mut out = Vec::new();
        while open.first_key_value().is_some_and(|((end, _), _)| *end <= now) {
            if let Some((_, id)) = open.pop_first() {
                text(&mut out, &id, "\"slept\"");
            }
        }
        if output.write_all(&out).is_err() {
            return;
        }
        let wait = open
            .first_key_value()
            .map_or(Duration::from_secs(1), |((end, _), _)| end.saturating_duration_since(now));
        open = naps.changed.wait_timeout(open, wait).expect("no panic under the lock").0;
    }
}

fn tools() -> String {
    let dummies = std::env::var("MCP_TOOLS").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let tool = |name: &str| {
        format!(
            r#"{{"name":"{name}","description":"A dummy tool that does nothing of use","inputSchema":{{"type":"object","properties":{{"path":{{"type":"string","description":"Where to look"}},"limit":{{"type":"integer","description":"At most this many"}},"deep":{{"type":"boolean"}}}},"required":["path"]}}}}"#
        )
    };
    let names = ["echo", "blob", "nap", "active"]
        .into_iter()
        .map(String::from)
        .chain((0..dummies).map(|n| format!("dummy_{n}")));
    names.map(|name| tool(&name)).collect::<Vec<_>>().join(",")
}
