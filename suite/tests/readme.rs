//! Runs the commands in README.md, examples/README.md and below docs/, and compares their output with the
//! pages.
//!
//! Only blocks of this form are checked:
//!
//! ````markdown
//! ```console
//! $ plainwire call calculate 'expression=2 + 3 * 4' -- plainwire serve reference
//! 14
//!
//! $ plainwire call calculate expression=1/0 -- plainwire serve reference
//! ? 1
//! the tool failed:
//! division by zero
//! ```
//! ````
//!
//! - The fence is `console`. A command begins with `$ `. Below it is its output as a terminal shows it: stdout
//!   and stderr together. Blank lines at the end do not count.
//! - The exit code is 0. A line like `? 1` right below the command gives another one.
//! - `sh` runs the commands, so quotes and pipes work. The commands of one block run in one folder, which is
//!   empty at first. `plainwire` and `cargo run --` run the current binary; `cat FILE` shows a file
//!   that an earlier command has written. Other commands are not run. Commands without output are not run either.
//! - In that folder, `target/debug` and `target/release` have the servers of `examples/`. Beside them are the
//!   files of `docs/samples`.
//! - `[..]` stands for any text inside a line: times, process ids, memory, versions. A line `...` stands for any
//!   number of lines.
//!
//! Fences marked `rust` are doctests of this crate: `cargo test -p plainwire-suite --doc`.

mod page;

use std::fs;
use std::path::{Path, PathBuf};

use page::{Shown, compare, run, shown};
use plainwire_suite::{binary, files_below, root};

/// Returns the shell command that runs `command`, a command of a page, with stderr in its stdout; `None` if
/// the command is not to be run.
fn runnable(command: &str) -> Option<String> {
    let (program, rest) = match command.strip_prefix("cargo run -- ") {
        Some(rest) => ("plainwire", rest),
        None => command.split_once(' ')?,
    };
    matches!(program, "plainwire" | "cat").then(|| format!("exec 2>&1; {program} {rest}"))
}

/// Returns the paths of all pages except the tutorial, which `tests/tutorial.rs` tests as a whole.
fn pages() -> Vec<PathBuf> {
    let docs = files_below(&root().join("docs"), ".md").into_iter().filter(|it| !it.ends_with("tutorial.md"));
    let others = [root().join("README.md"), root().join("examples/README.md")];
    others.into_iter().chain(docs).filter(|page| page.is_file()).collect()
}

/// Copies the samples into a folder, and makes `target/debug` and `target/release` in it links to the built
/// binaries.
fn folder(path: &Path) {
    let target = path.join("target");
    fs::create_dir_all(&target).expect("a folder of our own");
    for sample in files_below(&root().join("docs/samples"), "") {
        let name = sample.file_name().expect("a file has a name");
        fs::copy(&sample, path.join(name)).expect("a folder of our own");
    }
    #[cfg(unix)]
    for profile in ["debug", "release"] {
        let built = binary::path().parent().expect("a file lies in a folder");
        // The error is ignored: after the first command of a block, the link exists.
        let _ = std::os::unix::fs::symlink(built, target.join(profile));
    }
}

#[test]
fn what_the_pages_show_of_the_command_is_what_it_does() {
    let folders = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme");
    let _ = fs::remove_dir_all(&folders);
    let mut differences = String::new();
    for (n, page) in pages().into_iter().enumerate() {
        let text = fs::read_to_string(&page).expect("UTF-8");
        for shown in shown(&text).iter().filter(|shown| !shown.output.trim().is_empty()) {
            let Some(command) = runnable(&shown.command) else { continue };
            let folder = folders.join(format!("{n}-{}", shown.block));
            self::folder(&folder);
            let (code, said) = run(&command, &folder);
            if let Err(difference) = compare(shown, (code, &said)) {
                differences += &format!("{}:{}\n{difference}\n", page.display(), shown.line);
            }
        }
    }
    assert!(differences.is_empty(), "\n{differences}");
}

#[test]
fn finds_commands_with_their_output() {
    let page =
        "```sh\n$ plainwire a\n```\n\n```console\n$ plainwire b\none\n? 2\n\n$ cat c\n? 3\ntwo\n```\nthree\n";
    let expect = |command: &str, code, line, output: &str| {
        let (command, output) = (command.to_owned(), output.to_owned());
        Shown { block: 2, code, command, line, output }
    };
    assert_eq!(shown(page), [expect("plainwire b", 0, 6, "one\n? 2\n\n"), expect("cat c", 3, 10, "two\n")]);
}

#[test]
fn runs_nothing_but_the_command_and_cat() {
    assert_eq!(runnable("cargo run -- demo").as_deref(), Some("exec 2>&1; plainwire demo"));
    assert_eq!(runnable("cat trace.txt").as_deref(), Some("exec 2>&1; cat trace.txt"));
    for other in ["cargo test --workspace", "plainwired x", "rm -r x", "npx y"] {
        assert_eq!(runnable(other), None, "{other}");
    }
}

#[test]
fn sees_other_output_and_overlooks_what_was_left_out() {
    let shown =
        |output: &str| Shown { block: 1, code: 1, command: "c".into(), line: 1, output: output.into() };
    assert_eq!(
        compare(&shown("in [..] ms\n...\n{\\\"a\\\"}\n"), (1, "in 5 ms\nb\nc\n{\\\"a\\\"}\n")),
        Ok(())
    );
    assert!(compare(&shown("14\n"), (1, "15\n")).is_err_and(|text| text.contains("15")));
    assert!(compare(&shown("one\n"), (1, "one\ntwo\n")).is_err());
    assert!(compare(&shown("one\n"), (0, "one\n")).is_err());
}
