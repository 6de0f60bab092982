//! Prints results on stdout and all other output on stderr. On a terminal, names in lists are bold unless the
//! environment has `NO_COLOR` or says that the terminal is dumb; nothing else is coloured.
//!
//! Everything that the command prints passes here, because it may quote a server or a file, whose text must
//! not overwrite or hide other text on a terminal. On stderr, and on stdout if that is a terminal, characters
//! that could do so are escaped. A pipe or file gets the exact bytes of results.

use std::env;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::LazyLock;

use plainwire::model::{
    CallToolResult, Content, GetPromptResult, RawJson, ReadResourceResult, ResourceContents,
};
use plainwire::proto::json::visible_json;
use plainwire::proto::json::write::{self, Object};
use serde::Serialize;
use serde_json::Value;

use crate::exit::{Exit, Failure};
use crate::held::Stream;
use crate::{above, progress, visible};

/// Whether stdout is a terminal.
static IS_TERMINAL: LazyLock<bool> = LazyLock::new(|| io::stdout().is_terminal());

/// Whether stdout shows bold text.
static HAS_COLOUR: LazyLock<bool> = LazyLock::new(|| {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    *IS_TERMINAL && !is_set("NO_COLOR") && env::var_os("TERM").is_none_or(|term| term != "dumb")
});

const BOLD: &str = "\u{1b}[1m";
const PLAIN: &str = "\u{1b}[0m";

/// Writes text to stdout without adding a line end, and flushes it, so that it precedes later output on
/// stderr.
pub(crate) fn to_stdout(text: &str) -> io::Result<()> {
    if *IS_TERMINAL { print_out(&visible::text(text)) } else { print_out(text) }
}

/// Writes text to stdout. On a terminal, it waits while a question is open.
fn print_out(text: &str) -> io::Result<()> {
    if *IS_TERMINAL { progress::print(Stream::Stdout, text) } else { write(Stream::Stdout, text) }
}

/// Writes a line to stdout.
pub(crate) fn line(text: &str) -> io::Result<()> {
    to_stdout(&format!("{text}\n"))
}

/// Writes a line of JSON to stdout. A terminal gets it escaped by JSON's own escapes, so that it is the same value.
fn json_line(text: &str) -> io::Result<()> {
    let shown = if *IS_TERMINAL { visible_json(text) } else { text.into() };
    print_out(&format!("{shown}\n"))
}

/// Writes a frame to stdout, for the program that reads it. On a terminal it stays the same JSON value.
pub(crate) fn frame(text: &str) -> io::Result<()> {
    json_line(text)?;
    io::stdout().flush()
}

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Left,
    Right,
}

/// Prints rows with aligned columns.
pub(crate) fn table<const N: usize>(rows: &[[String; N]], columns: [Column; N]) -> io::Result<()> {
    let width = |n: usize| rows.iter().map(|row| row[n].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    rows.iter().try_for_each(|row| {
        let cells = row.iter().zip(columns).zip(widths).map(|((cell, column), width)| match column {
            Column::Left => format!("{cell:width$}"),
            Column::Right => format!("{cell:>width$}"),
        });
        line(cells.collect::<Vec<_>>().join("  ").trim_end())
    })
}

/// Returns a number with its noun: `1 tool`, `2 tools`.
pub(crate) fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Prints a value as JSON on one line. A `RawJson` from a server is printed byte for byte, except on a
/// terminal.
pub(crate) fn json(value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string(value).map_err(io::Error::other)?;
    json_line(&text)
}

/// Prints lists of entries as one JSON object with a member for each list. Each entry is printed byte for
/// byte as the server sent it, except on a terminal.
pub(crate) fn json_lists(all: &[(&str, Vec<RawJson>)]) -> io::Result<()> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    for (list, entries) in all {
        object.array(list, entries, |out, entry| write::raw(out, entry.get()));
    }
    object.close();
    json_line(&String::from_utf8_lossy(&out))
}

/// Prints an error and its hint on stderr. Prints nothing if the exit code is 0, as for a closed stdout, or if there is no
/// text, as for an error that clap has printed.
pub(crate) fn failure(failure: &Failure) {
    if failure.exit == Exit::Done || failure.text.is_empty() {
        return;
    }
    let mut text = format!("error: {}\n", failure.text);
    if let Some(hint) = &failure.hint {
        text += &format!("\nhint: {hint}\n");
    }
    to_stderr(&text);
}

/// Writes text to stderr, without adding a line end. While a question is open, the text waits.
pub(crate) fn to_stderr(text: &str) {
    // If stderr is closed, there is nowhere to report it.
    let _ = progress::print(Stream::Stderr, &visible::text(text));
}

/// Writes a part of the dialogue with the user to stderr, without adding a line end.
pub(crate) fn say(text: &str) {
    progress::print_dialogue(&visible::text(text));
}

/// Writes text as it is, and flushes it.
pub(crate) fn write(to: Stream, text: &str) -> io::Result<()> {
    if to == Stream::Stdout {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        return out.flush();
    }
    if above::print(text) { Ok(()) } else { io::stderr().write_all(text.as_bytes()) }
}

/// A writer of lines of JSON to stderr, for the frames of `--trace`. Characters that could change a terminal are
/// escaped in the way of JSON.
pub(crate) struct Frames;

impl io::Write for Frames {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        to_stderr(&visible_json(&String::from_utf8_lossy(line)));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Prints a line on stderr.
pub(crate) fn note(text: &str) {
    to_stderr(&format!("{text}\n"));
}

/// Prints a value as JSON on one line of stderr.
pub(crate) fn note_json(value: &Value) {
    let _ = writeln!(io::stderr(), "{}", visible_json(&value.to_string()));
}

/// Prints a line that begins with `first`, and then `text`. On a terminal it is broken at blanks to fit, and
/// further lines begin with `next`; elsewhere it stays one line.
pub(crate) fn wrapped(first: &str, next: &str, text: &str) -> io::Result<()> {
    wrapped_bold(first, next, text, 0)
}

/// Like [`wrapped`], but the first `bold` characters of `text` are bold where bold text can be shown.
pub(crate) fn wrapped_bold(first: &str, next: &str, text: &str, bold: usize) -> io::Result<()> {
    let width = if *IS_TERMINAL {
        terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
    } else {
        None
    };
    let Some(width) = width.filter(|width| *width > 20) else { return line(&format!("{first}{text}")) };
    let mut row = first.to_owned();
    let (mut is_empty, mut is_first) = (true, true);
    for word in visible::line(text).split(' ') {
        if !is_empty && row.chars().count() + 1 + word.chars().count() > width {
            bold_line(first.len(), &row, if is_first { bold } else { 0 })?;
            next.clone_into(&mut row);
            (is_empty, is_first) = (true, false);
        }
        row += if is_empty { "" } else { " " };
        row += word;
        is_empty = false;
    }
    bold_line(first.len(), &row, if is_first { bold } else { 0 })
}

/// Prints a line. Where bold text can be shown, `bold` characters from byte `from` on are bold.
fn bold_line(from: usize, row: &str, bold: usize) -> io::Result<()> {
    let Some((before, after)) = row.split_at_checked(from).filter(|_| bold > 0 && *HAS_COLOUR) else {
        return line(row);
    };
    let end = after.char_indices().nth(bold).map_or(after.len(), |(at, _)| at);
    let [before, name, after] = [before, &after[..end], &after[end..]].map(visible::text);
    print_out(&format!("{before}{BOLD}{name}{PLAIN}{after}\n"))
}

/// Prints the content of a tool's result, or its structured content if it has no other content. If the tool
/// failed, a line on stderr says so first.
pub(crate) fn tool_result(result: &CallToolResult) -> io::Result<()> {
    if result.is_error {
        note("the tool failed:");
    }
    if let (true, Some(structured)) = (result.content.is_empty(), &result.structured_content) {
        return json_line(structured.get());
    }
    result.content.iter().try_for_each(content)
}

/// Prints the contents of a resource: text as it is, binary contents as their URI, media type and size in
/// base64.
pub(crate) fn resource(result: &ReadResourceResult) -> io::Result<()> {
    result.contents.iter().try_for_each(contents)
}

/// Prints the messages of a prompt.
pub(crate) fn prompt(result: &GetPromptResult) -> io::Result<()> {
    for message in &result.messages {
        line(&format!("{}:", message.role.as_str()))?;
        content(&message.content)?;
    }
    Ok(())
}

pub(crate) fn content(block: &Content) -> io::Result<()> {
    match block {
        Content::Text(it) => line(&it.text),
        Content::Image(it) => bytes("image", &it.mime_type, &it.data),
        Content::Audio(it) => bytes("audio", &it.mime_type, &it.data),
        Content::ResourceLink(it) => line(&visible::line(&format!("[{} {}]", it.name, it.uri))),
        Content::Resource(it) => contents(&it.resource),
        Content::Other(raw) => json_line(raw.get()),
    }
}

pub(crate) fn contents(it: &ResourceContents) -> io::Result<()> {
    match it {
        ResourceContents::Text(it) => line(&it.text),
        ResourceContents::Blob(it) => {
            let kind = it.mime_type.as_deref().unwrap_or("application/octet-stream");
            let what = visible::line(&format!("{} {kind}", it.uri));
            line(&format!("[{what}, {} bytes of base64; --json shows them]", it.blob.len()))
        }
    }
}

fn bytes(what: &str, mime_type: &str, data: &str) -> io::Result<()> {
    line(&format!("[{what} {}, {} bytes of base64]", visible::line(mime_type), data.len()))
}
