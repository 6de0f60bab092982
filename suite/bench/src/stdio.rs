//! Measurements over stdio. One blocking thread drives, so that the other CPUs are left to the server.

use std::time::{Duration, Instant};

use crate::pipe::Pipe;
use crate::table::{Measures, median};

/// Measures the server at `path` once.
pub fn measure(path: &str) -> Result<Measures, String> {
    let second = Duration::from_secs(1);
    let starts: Vec<f64> = (0..9)
        .map(|_| Pipe::start(path, 0).map(|pipe| pipe.startup.as_secs_f64() * 1e3))
        .collect::<Result<_, _>>()?;
    let mut pipe = Pipe::start(path, 0)?;
    let echo = |n: u64| Pipe::call(n, "echo", &format!(r#""message":"hello, world, message number {n:08}""#));
    pipe.pipelined(64, second / 2, echo)?;
    let idle = pipe.resident_mb()?;
    let mut measures = vec![("startup, ms", median(&starts)), ("resident after echo, MB", idle)];

    let (cpu, mut times) = (pipe.cpu()?, Vec::new());
    let began = Instant::now();
    while began.elapsed() < second {
        times.push(pipe.ask(echo)?.as_secs_f64() * 1e6);
    }
    let per_100k = 1e5 / times.len() as f64;
    measures.push(("echo alone, p50 us", median(&times)));
    measures.push(("echo alone, CPU s per 100k", (pipe.cpu()? - cpu) * per_100k));

    let cpu = pipe.cpu()?;
    let (count, took) = pipe.pipelined(64, second * 2, echo)?;
    measures.push(("echo 64 in flight, calls/s", count as f64 / took));
    measures.push(("echo 64 in flight, CPU s per 100k", (pipe.cpu()? - cpu) * 1e5 / count as f64));

    let blob = |n| Pipe::call(n, "blob", r#""bytes":1000000"#);
    measures.push(("1 MB out, MB/s", throughput(&mut pipe, blob)?));
    let big = format!(r#""message":"{}""#, "y".repeat(1_000_000));
    measures.push(("1 MB in and back, MB/s", throughput(&mut pipe, |n| Pipe::call(n, "echo", &big))?));
    measures.push(("resident after that, MB", pipe.resident_mb()?));
    measures
        .push(("1,000 calls of 100 ms, ms", pipe.at_once(1_000, |n| Pipe::call(n, "nap", r#""ms":100"#))?));

    let mut cancels = Vec::new();
    for _ in 0..5 {
        cancels.push(pipe.cancel()?);
    }
    measures.push(("cancel until stopped, us", median(&cancels)));

    let mut pipe = Pipe::start(path, 100)?;
    let list = |n| Pipe::request(n, "tools/list", "");
    pipe.pipelined(8, second / 4, list)?;
    let cpu = pipe.cpu()?;
    let (count, _) = pipe.pipelined(8, second, list)?;
    measures.push(("tools/list of 100, CPU us", (pipe.cpu()? - cpu) * 1e6 / count as f64));
    Ok(measures)
}

fn throughput(pipe: &mut Pipe, make: impl Fn(u64) -> String) -> Result<f64, String> {
    let began = Instant::now();
    let mut times = Vec::new();
    while began.elapsed() < Duration::from_secs(1) || times.len() < 5 {
        times.push(pipe.ask(&make)?.as_secs_f64());
    }
    Ok(1.0 / median(&times))
}
