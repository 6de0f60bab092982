//! The command that builds a server before each start.
//!
//! In: the text of --build, or the command of the server. Out: the command, as words.

use std::ffi::OsString;

use crate::exit::Failure;
use crate::quote::quoted;

/// Returns the command of --build.
pub(super) fn read(line: &str) -> Result<Vec<OsString>, Failure> {
    let words = shlex::split(line)
        .filter(|words| !words.is_empty())
        .ok_or_else(|| Failure::usage(format!("expected a command as --build, but found {line:?}")))?;
    if let Some(sign) = sign_of_shell(line) {
        return Err(Failure {
            hint: Some(format!(
                "a shell runs such a line: --build {}",
                quoted(&format!("sh -c {}", quoted(line)))
            )),
            ..Failure::usage(format!(
                "expected one command as --build, but found `{sign}`, which only a shell knows"
            ))
        });
    }
    Ok(words.into_iter().map(OsString::from).collect())
}

/// Returns the first sign outside of quotes that a shell would not pass on, such as `&`.
fn sign_of_shell(line: &str) -> Option<char> {
    let (mut quote, mut chars) = (None, line.chars());
    while let Some(char) = chars.next() {
        match (quote, char) {
            (None | Some('"'), '\\') => drop(chars.next()),
            (None, '\'' | '"') => quote = Some(char),
            (Some(open), _) if open == char => quote = None,
            (None, '&' | ';' | '<' | '>' | '|') => return Some(char),
            _ => {}
        }
    }
    None
}

/// The options of `cargo run` whose value is the next word, unless that begins with `-`.
const WITH_VALUE: [&str; 18] = [
    "--bin",
    "--color",
    "--config",
    "--example",
    "--features",
    "--jobs",
    "--lockfile-path",
    "--manifest-path",
    "--message-format",
    "--package",
    "--profile",
    "--target",
    "--target-dir",
    "-C",
    "-F",
    "-Z",
    "-j",
    "-p",
];

/// Returns the build of a server that `cargo run` starts: `cargo build` with the same options, which end at `--` or at the
/// first word for the program. Nothing for another command.
pub(super) fn of_cargo(command: &[OsString]) -> Vec<OsString> {
    let [cargo, run, rest @ ..] = command else { return Vec::new() };
    if cargo != "cargo" || !(run == "run" || run == "r") {
        return Vec::new();
    }
    let mut is_value = false;
    let is_option = |word: &&OsString| {
        let word = word.to_string_lossy();
        let is_one = std::mem::take(&mut is_value) || word.starts_with('-');
        is_value = WITH_VALUE.contains(&&*word);
        is_one && word != "--"
    };
    let options = rest.iter().take_while(is_option).cloned();
    [cargo.clone(), "build".into()].into_iter().chain(options).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_a_shell_is_no_build() {
        assert_eq!(
            read("npm run 'a > b'").map_err(|it| it.text),
            Ok(["npm", "run", "a > b"].map(OsString::from).into())
        );
        let refused = read("npm ci && npm run build").expect_err("two commands");
        assert_eq!(refused.text, "expected one command as --build, but found `&`, which only a shell knows");
        for line in ["sh -c 'npm ci && npm run build;'", "node -e \"build('a;b')\"", "a\\;b", "a '>=2'"] {
            assert!(read(line).is_ok(), "{line}");
        }
        assert_eq!(
            refused.hint.as_deref(),
            Some("a shell runs such a line: --build \"sh -c 'npm ci && npm run build'\"")
        );
    }

    #[test]
    fn cargo_run_is_built_by_cargo_build() {
        let words = |line: &str| {
            shlex::split(line).expect("words").into_iter().map(OsString::from).collect::<Vec<_>>()
        };
        for (command, build) in [
            ("cargo run --release -- --port 1", "cargo build --release"),
            ("cargo r", "cargo build"),
            // Cargo gives a word that is no option, and what follows, to the program.
            ("cargo run foo", "cargo build"),
            ("cargo run -p shelf --release foo --port 1", "cargo build -p shelf --release"),
            ("cargo run --bin shelf -j4 --config=a=1 foo -q", "cargo build --bin shelf -j4 --config=a=1"),
            ("cargo run --features a,b -- foo", "cargo build --features a,b"),
            ("cargo test", ""),
            ("target/debug/server run", ""),
        ] {
            assert_eq!(of_cargo(&words(command)), words(build), "{command}");
        }
    }
}
