//! `output_grep`: the lines of an output that match a regular expression.
//!
//! In: an expression, and where to begin. Out: lines, within limits, and where to go on. The time is linear in the size of the output.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plainwire_macros::data;
use regex::bytes::{Regex, RegexBuilder};

use super::lines::{Limits, Lines, Match};
use super::{Completeness, MAX_ANSWER, as_text, offset};
use crate::server::context::Context;
use crate::server::outputs::keeper::{Keeper, SCHEME};
use crate::server::outputs::store::OutputId;
use crate::server::result::ToolError;

/// The default of `limit`.
const LIMIT: usize = 100;

/// The largest compiled expression, in bytes. The time for each byte of an output grows with it.
const MAX_COMPILED: usize = 256 << 10;

/// The bytes after which progress is told. A call that is cancelled searches no more than these.
const STRIDE: u64 = 32 << 20;

/// The lines that are asked for.
#[data]
pub(crate) struct Wanted {
    /// The link or the id of the output.
    #[length(..=100)]
    id: String,
    /// A regular expression for a line, in the syntax of Rust: without look-around and references. An empty one matches every line. A line over 16 KiB is
    /// searched in parts of that length.
    #[length(..=1000)]
    pattern: String,
    /// Whether upper and lower case are the same. `false` by default.
    ignore_case: Option<bool>,
    /// The number of lines to show before and after each match. 0 by default.
    #[range(0..=20)]
    context: Option<usize>,
    /// The largest number of matches. 100 by default.
    #[range(1..=1000)]
    limit: Option<usize>,
    /// The byte at which the search begins: `nextOffset` of the answer before.
    #[range(0..=9007199254740991)]
    offset: Option<u64>,
}

/// The lines of an output that match.
#[data(kind = "outputLines:v1")]
#[serde(rename_all = "camelCase")]
pub(crate) struct Found {
    uri: String,
    matches: Vec<Line>,
    /// Where to go on; absent if all of the output was searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    total_bytes: u64,
    state: Completeness,
}

/// A line that matches.
#[data]
pub(crate) struct Line {
    /// The number of the line, from 1.
    line: u64,
    /// The offset of its first byte.
    offset: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The line in base64, if it is no text in UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
    /// `true` if the line is longer than 16 KiB and goes on after this part of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    continues: bool,
    /// The lines before, at most 1 KiB of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    before: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    after: Vec<String>,
}

pub(crate) async fn grep(keeper: Keeper, wanted: Wanted, ctx: Context) -> Result<Found, ToolError> {
    let regex = compile(&wanted)?;
    let (id, stat) = keeper.find(&ctx, &wanted.id).await?;
    let begin = offset(wanted.offset, &stat)?;
    let limits = Limits {
        bytes: MAX_ANSWER,
        context: wanted.context.unwrap_or(0),
        matches: wanted.limit.unwrap_or(LIMIT),
    };
    let line = line_at(&keeper, &id, begin).await?;
    let (mut at, total) = (begin, stat.bytes);
    let lines = Arc::new(Mutex::new(Lines::new(regex, limits, begin, line)));
    let has_room = || lock(&lines).has_room();
    while at < total && has_room() {
        let (shared, mut seen) = (Arc::clone(&lines), at);
        let visit = move |piece: &[u8]| {
            let mut lines = lock(&shared);
            seen += piece.len() as u64;
            lines.push(piece, seen >= total);
            if lines.has_room() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let passed = keeper.scan(&id, at..total.min(at + STRIDE), Box::new(visit)).await?;
        if passed == 0 {
            break;
        }
        at += passed;
        ctx.progress(at as f64, Some(total as f64), None);
    }
    let mut lines = lock(&lines);
    let (next, _) = lines.position();
    Ok(Found {
        uri: format!("{SCHEME}{}", id.as_str()),
        matches: lines.matches.drain(..).map(shown).collect(),
        next_offset: (next < stat.bytes).then_some(next),
        total_bytes: stat.bytes,
        state: Completeness::from(&stat),
    })
}

fn compile(wanted: &Wanted) -> Result<Regex, ToolError> {
    let built = RegexBuilder::new(&wanted.pattern)
        .case_insensitive(wanted.ignore_case.unwrap_or(false))
        .crlf(true)
        .multi_line(true)
        .size_limit(MAX_COMPILED)
        .build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => ToolError::invalid_input(format!(
            "expected a `pattern` that takes at most {MAX_COMPILED} bytes when it is compiled, but found a larger one"
        ))
        .hint("repeat fewer times, or use a smaller class, such as [a-z] instead of \\w"),
        // Several lines, of which the last says what is wrong.
        other => {
            let why = other.to_string();
            let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
            ToolError::invalid_input(format!("expected `pattern` to be a regular expression, but found: {why}"))
        }
    })
}

/// Returns the number of the line in which the byte at `offset` is.
async fn line_at(keeper: &Keeper, id: &OutputId, offset: u64) -> Result<u64, ToolError> {
    let breaks = Arc::new(AtomicU64::new(0));
    let mut at = 0;
    while at < offset {
        let counted = Arc::clone(&breaks);
        let visit = move |piece: &[u8]| {
            counted.fetch_add(memchr::memchr_iter(b'\n', piece).count() as u64, Ordering::Relaxed);
            ControlFlow::Continue(())
        };
        let passed = keeper.scan(id, at..offset.min(at + STRIDE), Box::new(visit)).await?;
        if passed == 0 {
            break;
        }
        at += passed;
    }
    Ok(breaks.load(Ordering::Relaxed) + 1)
}

fn lock(lines: &Mutex<Lines>) -> MutexGuard<'_, Lines> {
    lines.lock().unwrap_or_else(PoisonError::into_inner)
}

fn shown(it: Match) -> Line {
    let (text, base64) = as_text(&it.bytes);
    let texts =
        |lines: Vec<Vec<u8>>| lines.iter().map(|it| String::from_utf8_lossy(it).into_owned()).collect();
    let (before, after) = (texts(it.before), texts(it.after));
    Line { line: it.line, offset: it.offset, text, base64, continues: it.continues, before, after }
}
