//! Commands and their output, as pages show them and as they are.
//!
//! In: a page. Out: the commands in it, what they really say, and how that differs. `tests/readme.rs` explains the form.

use std::path::Path;
use std::process::{Command, Stdio};

use plainwire_suite::binary;
use snapbox::{Assert, IntoData as _};

/// A command of a page, and the output below it.
#[derive(Debug, PartialEq)]
pub(crate) struct Shown {
    /// Counts the blocks of the page.
    pub(crate) block: usize,
    /// How it exits.
    pub(crate) code: i32,
    pub(crate) command: String,
    pub(crate) line: usize,
    pub(crate) output: String,
}

/// Finds the commands of a page.
pub(crate) fn shown(page: &str) -> Vec<Shown> {
    let (mut found, mut fence, mut block) = (Vec::<Shown>::new(), None, 0);
    for (n, line) in page.lines().enumerate() {
        match (fence, line.strip_prefix("```")) {
            (None, Some(language)) => {
                block += 1;
                fence = Some(language.trim());
            }
            (Some(_), Some(_)) => fence = None,
            (Some("console"), None) => match (line.strip_prefix("$ "), found.last_mut()) {
                (Some(command), _) => {
                    let (command, output) = (command.to_owned(), String::new());
                    found.push(Shown { block, code: 0, command, line: n + 1, output });
                }
                (None, Some(last)) if last.block == block => match line.strip_prefix("? ") {
                    Some(code) if last.output.is_empty() => last.code = code.parse().expect("an exit code"),
                    _ => last.output += &format!("{line}\n"),
                },
                (None, _) => {}
            },
            _ => {}
        }
    }
    found
}

/// Runs a command in `folder`, and returns its exit code with what it said.
pub(crate) fn run(command: &str, folder: &Path) -> (i32, String) {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder).env("PATH", binary::search_path()).stdin(Stdio::null());
    let output = shell.output().expect("sh starts");
    let code = output.status.code().expect("an exit code: no signal");
    (code, String::from_utf8(output.stdout).expect("UTF-8"))
}

/// Says how what was said differs from what is shown.
pub(crate) fn compare(shown: &Shown, (code, said): (i32, &str)) -> Result<(), String> {
    if code != shown.code {
        return Err(format!(
            "expected the exit code {}, but found {code} with this output:\n{said}",
            shown.code
        ));
    }
    let assert = Assert::new().normalize_paths(false);
    let (said, expected) = (said.trim_end().into_data(), shown.output.trim_end().into_data());
    assert.try_eq(Some(&shown.command), said, expected).map_err(|difference| difference.to_string())
}
