//! Calls that are measured on the client's side, and their rows: the part that all three clients share.
//!
//! In: the command line, `stdio|http ERA SERVER [CALLS]`. Out: rows on stdout, each a name and a number
//! separated by a tab. CPU time is that of the client's own threads, without the server. With CALLS, it makes
//! that many calls one after another and prints no rows, for tools that count instructions.

use std::io::Write as _;
use std::time::{Duration, Instant};

/// A call of a tool.
#[derive(Clone, Copy)]
pub(crate) enum Ask {
    /// Returns a text of this many bytes.
    Blob(usize),
    /// Returns the [`message`] of this number.
    Echo(u64),
}

/// A connected client.
pub(crate) trait Calling {
    /// Makes calls one after another until `more` ends; returns the microseconds of each.
    fn alone(&mut self, more: More) -> Result<Vec<f64>, String>;

    /// Keeps `window` calls of echo in flight for `time`; returns the number of answers.
    fn in_flight(&mut self, window: usize, time: Duration) -> Result<u64, String>;
}

/// The sequence of calls, with its end.
pub(crate) struct More {
    ask: fn(u64) -> Ask,
    began: Instant,
    count: u64,
    end: End,
}

enum End {
    Count(u64),
    Time(Duration),
}

/// The parsed command line.
pub(crate) struct Words {
    pub(crate) calls: Option<u64>,
    pub(crate) over: Over,
    /// The revision to speak: the newest with sessions, or the one without.
    pub(crate) revision: String,
    /// The path of the server, or its URL.
    pub(crate) server: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    Http,
    Stdio,
}

/// The revision without sessions.
pub(crate) const STATELESS: &str = "2026-07-28";

const SECOND: Duration = Duration::from_secs(1);

/// Calls in flight.
const WINDOW: usize = 32;

const MEGABYTE: usize = 1_000_000;

impl Words {
    pub(crate) fn read() -> Result<Self, String> {
        const USAGE: &str = "expected stdio|http ERA SERVER [CALLS]";
        let words: Vec<String> = std::env::args().skip(1).collect();
        let [over, revision, server, calls @ ..] = words.as_slice() else { return Err(USAGE.into()) };
        let over = match over.as_str() {
            "http" => Over::Http,
            "stdio" => Over::Stdio,
            _ => return Err(USAGE.into()),
        };
        let calls = calls.first().map(|n| n.parse().map_err(|_| USAGE)).transpose()?;
        Ok(Self { calls, over, revision: revision.clone(), server: server.clone() })
    }
}

impl More {
    pub(crate) fn next(&mut self) -> Option<Ask> {
        let enough = match self.end {
            End::Count(count) => self.count >= count,
            End::Time(time) => self.began.elapsed() >= time,
        };
        self.count += 1;
        (!enough).then(|| (self.ask)(self.count))
    }

    fn until(end: End, ask: fn(u64) -> Ask) -> Self {
        Self { ask, began: Instant::now(), count: 0, end }
    }
}

/// Measures the client and prints the rows.
pub(crate) fn report(calling: &mut impl Calling, calls: Option<u64>) -> Result<(), String> {
    if let Some(count) = calls {
        return calling.alone(More::until(End::Count(count), Ask::Echo)).map(drop);
    }
    calling.in_flight(WINDOW, SECOND / 2)?;
    let cpu = cpu()?;
    let micros = calling.alone(More::until(End::Time(SECOND), Ask::Echo))?;
    row("echo alone, p50 us", median(&micros))?;
    row("echo alone, CPU s per 100k", (self::cpu()? - cpu) * 1e5 / micros.len() as f64)?;

    let (cpu, began) = (self::cpu()?, Instant::now());
    let count = calling.in_flight(WINDOW, SECOND * 2)? as f64;
    row("echo, 32 in flight, calls/s", count / began.elapsed().as_secs_f64())?;
    row("echo, 32 in flight, CPU s per 100k", (self::cpu()? - cpu) * 1e5 / count)?;

    let blob = |_| Ask::Blob(MEGABYTE);
    calling.alone(More::until(End::Time(SECOND / 2), blob))?;
    let cpu = self::cpu()?;
    let micros = calling.alone(More::until(End::Time(SECOND), blob))?;
    row("1 MB back, MB/s", MEGABYTE as f64 / median(&micros))?;
    row("1 MB back, CPU ms each", (self::cpu()? - cpu) * 1e3 / micros.len() as f64)
}

/// Returns 64 bytes that differ from call to call.
pub(crate) fn message(number: u64) -> String {
    format!("{number:x>64}")
}

fn row(name: &str, value: f64) -> Result<(), String> {
    writeln!(std::io::stdout(), "{name}\t{value}").map_err(|error| error.to_string())
}

fn median(micros: &[f64]) -> f64 {
    let mut sorted = micros.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Returns the CPU seconds of our own threads so far.
fn cpu() -> Result<f64, String> {
    let threads = std::fs::read_dir("/proc/self/task").map_err(|error| error.to_string())?;
    let nanos = threads.filter_map(|thread| {
        let text = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    });
    Ok(nanos.sum::<f64>() / 1e9)
}
