//! Reads configuration files and the files that they name, within a size limit; parses files of variables.
//!
//! The contents of these files may be secret: no error shows any part of the contents.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Size limit of a configuration file. 64 MiB: `~/.claude.json` also holds a history of prompts.
pub(super) const MAX_CONFIG: u64 = 64 * 1024 * 1024;

/// Size limit of an `envFile`, and of a file that `${file:…}` names. 1 MiB.
pub(super) const MAX_VALUE: u64 = 1024 * 1024;

/// Returns the text of a file. Fails if the file can't be read, or has more than `max_bytes`.
pub(super) fn read(path: &Path, max_bytes: u64) -> Result<String, String> {
    let failed = |error: io::Error| format!("expected {} to be readable, but found: {error}", path.display());
    let mut text = String::new();
    let file = File::open(path).map_err(failed)?;
    file.take(max_bytes + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > max_bytes {
        return Err(format!("expected {} to have at most {max_bytes} bytes, but found more", path.display()));
    }
    Ok(text)
}

/// Parses the variables of an `envFile`: lines of `NAME=value`, with `#` for comments, optionally with
/// `export` in front and quotes around values. Within double quotes `\n` is a line break.
pub(super) fn variables(text: &str) -> Result<Vec<(String, String)>, String> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).zip(1..);
    let lines = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
    lines.map(|(line, n)| variable(line).ok_or(format!("expected NAME=value in line {n}"))).collect()
}

fn variable(line: &str) -> Option<(String, String)> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty() || name.contains(char::is_whitespace) {
        return None;
    }
    let within = |quote| value.strip_prefix(quote).and_then(|it: &str| Some(it.split_once(quote)?.0));
    let value = match (within('"'), within('\'')) {
        (Some(text), _) => text.replace("\\n", "\n"),
        (_, Some(text)) => text.to_owned(),
        _ => value.split_once(" #").map_or(value, |(value, _)| value.trim_end()).to_owned(),
    };
    Some((name.to_owned(), value))
}
