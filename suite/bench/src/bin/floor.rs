//! A lower bound for stdio servers: one thread that reads and writes JSON-RPC lines, no checks, no framework.
//!
//! It is not a usable MCP server. It answers `echo`, `blob`, `nap`, `active` and `tools/list`, the requests
//! of the benchmark.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;

#[path = "../cheap.rs"]
mod cheap;

use cheap::Request;

/// Running naps, by their end and number. The thread that ends them waits on the condition variable.
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
    let tools = cheap::tools();
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
        ("tools/call", Some("echo")) => write_line(out, id, arguments.message.map_or("\"\"", RawValue::get)),
        ("tools/call", Some("blob")) => {
            cheap::write_blob(out, id, arguments.bytes.unwrap_or(0));
            out.push(b'\n');
        }
        ("tools/call", Some("nap")) => {
            let end = Instant::now() + Duration::from_millis(arguments.ms.unwrap_or(0));
            let number = open.len() as u64;
            open.insert((end, number), id.to_owned());
            naps.changed.notify_one();
        }
        ("tools/call", _) => write_line(out, id, &format!("\"{}\"", open.len())),
        ("tools/list", _) => {
            cheap::write_list(out, id, tools);
            out.push(b'\n');
        }
        ("server/discover", _) => {
            cheap::write_discovered(out, id);
            out.push(b'\n');
        }
        _ => {
            cheap::write_initialized(out, id);
            out.push(b'\n');
        }
    }
}

fn write_line(out: &mut Vec<u8>, id: &str, json: &str) {
    cheap::write_text(out, id, json);
    out.push(b'\n');
}

fn end_naps(naps: &Naps, mut output: File) {
    let mut open = naps.by_end.lock().expect("no panic under the lock");
    loop {
        let now = Instant::now();
        let mut out = Vec::new();
        while open.first_key_value().is_some_and(|((end, _), _)| *end <= now) {
            if let Some((_, id)) = open.pop_first() {
                write_line(&mut out, &id, "\"slept\"");
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
