//! The speed of kept outputs beside `cat` and `grep`, in one run: `cargo run --release -p plainwire-suite --bin outputs-speed [MiB]`.
//!
//! In: the size of the output. Out: a table on stdout. A tool streams the output, `cat` copies the same bytes to a file, and both are
//! searched for the same lines. The memory is that of this process, which is the server and its client.

#![allow(clippy::print_stdout, reason = "the table is for people")]

use std::process::Command;
use std::time::{Duration, Instant};

use plainwire::model::CallToolResult;
use plainwire::outputs::{Folder, Keeper, Settings};
use plainwire::prelude::*;

/// The number of runs of each row, of which the median is shown.
const RUNS: usize = 3;

/// The bytes that the tool writes at once.
const PIECE: usize = 256 << 10;

#[tokio::main]
async fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mib: usize = std::env::args().nth(1).map_or(Ok(1_024), |it| it.parse())?;
    let folder = std::env::temp_dir().join(format!("plainwire-outputs-speed-{}", std::process::id()));
    let outcome = measure(&folder, mib).await;
    std::fs::remove_dir_all(&folder)?;
    outcome
}

async fn measure(
    folder: &std::path::Path,
    mib: usize,
) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let piece = piece();
    let write = move |outputs: State<Keeper>, ctx: Context| {
        let piece = piece.clone();
        async move {
            let mut output = outputs.create(&ctx, "write", "text/plain").await?;
            for _ in 0..(mib << 20) / PIECE {
                output.write(piece.clone()).await?;
            }
            output.finish().await
        }
    };
    let store = Folder::open(folder)?.budget((8 * mib as u64) << 20);
    let server = Server::new("speed").tool(Tool::new("write", write)).outputs(Settings::new(store));
    let client = plainwire::testing::client(server).await?;

    // The bytes that `cat` copies and that are searched.
    let id = link(&client.call_tool("write", json!({})).await?)?;
    let file = folder.join(id.trim_start_matches("output://"));
    let copy = folder.join("copy");
    let (mut stream, mut cat) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        // Before each, all is on the disk: a system with much that is not makes writers wait.
        Command::new("sync").status()?;
        let began = Instant::now();
        Command::new("sh").args(["-c", "cat \"$1\" > \"$2\"", "sh"]).arg(&file).arg(&copy).status()?;
        cat.push(began.elapsed());
        std::fs::remove_file(&copy)?;
        Command::new("sync").status()?;
        let began = Instant::now();
        let result = client.call_tool("write", json!({})).await?;
        stream.push(began.elapsed());
        std::fs::remove_file(folder.join(link(&result)?.trim_start_matches("output://")))?;
    }
    row("streamed, against `cat > file`", &mut stream, &mut cat);
    for pattern in ["needle 7", "needle [0-9]+ of", "(?i)NEEDLE 77"] {
        let (mut ours, mut grep) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            let began = Instant::now();
            let arguments = json!({ "id": id, "pattern": format!("{pattern}x"), "limit": 1 });
            client.call::<Value>("output_grep", arguments).await?;
            ours.push(began.elapsed());
            let began = Instant::now();
            let (flag, words) = pattern.strip_prefix("(?i)").map_or(("-cE", pattern), |it| ("-ciE", it));
            Command::new("grep").arg(flag).arg(format!("{words}x")).arg(&file).output()?;
            grep.push(began.elapsed());
        }
        row(&format!("searched for `{pattern}x`, against `grep -E`"), &mut ours, &mut grep);
    }
    let mut pages = Vec::new();
    for at in 0..200_u64 {
        let offset = at * ((mib as u64) << 20) / 200;
        let began = Instant::now();
        client.call::<Value>("output_page", json!({ "id": id, "offset": offset })).await?;
        pages.push(began.elapsed());
    }
    println!("| a page of 16 KiB | {:.2} ms | |  |", median(&mut pages).as_secs_f64() * 1e3);
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find_map(|it| it.strip_prefix("VmHWM:")).unwrap_or_default();
        println!("| resident, at most | {} | | |", peak.trim());
    }
    Ok(())
}

/// Returns the link in a result.
fn link(result: &CallToolResult) -> std::result::Result<String, String> {
    match result.content.first() {
        Some(Content::ResourceLink(link)) => Ok(link.uri.clone()),
        other => Err(format!("expected a link, but found {other:?}")),
    }
}

/// Returns lines of about 80 bytes, of which none matches.
fn piece() -> Vec<u8> {
    let mut bytes = Vec::with_capacity(PIECE + 100);
    for it in 0.. {
        if bytes.len() >= PIECE {
            break;
        }
        bytes.extend(
            format!("{it:08} a line of a log with some words in it, and a needle {it} of many\n").bytes(),
        );
    }
    bytes.truncate(PIECE);
    bytes
}

fn row(what: &str, ours: &mut [Duration], floor: &mut [Duration]) {
    let (ours, floor) = (median(ours), median(floor));
    let ratio = floor.as_secs_f64() / ours.as_secs_f64();
    println!("| {what} | {:.2} s | {:.2} s | {ratio:.2} |", ours.as_secs_f64(), floor.as_secs_f64());
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}
