//! The commands in a page of the docs: this module parses them, runs them, and compares their output with the
//! page.
//!
//! In: a page. Out: its commands, their real output, and the differences. `tests/readme.rs` describes the
//! form of the commands.

use std::path::Path;
use std::process::{Command, Stdio};

use plainwire_suite::binary;
use snapbox::{Assert, IntoData as _};

/// A command in a page, and the output that the page shows below it.
#[derive(Debug, PartialEq)]
pub(crate) struct Shown {
    /// The number of the code block that contains the command, counted from 1.
    pub(crate) block: usize,
    /// The exit code that the page shows; 0 if it shows none.
    pub(crate) code: i32,
    pub(crate) command: String,
    pub(crate) line: usize,
    pub(crate) output: String,
}

/// Returns the commands in the `console` blocks of a page.
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

/// Runs a command in `folder` by `sh`. Returns its exit code and its stdout.
pub(crate) fn run(command: &str, folder: &Path) -> (i32, String) {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder).env("PATH", binary::search_path()).stdin(Stdio::null());
    let output = binary::without_package(&mut shell).output().expect("sh starts");
    let code = output.status.code().expect("an exit code: no signal");
    (code, String::from_utf8(output.stdout).expect("UTF-8"))
}

/// Compares the exit code and the output of a command with the page. The error describes the difference.
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
