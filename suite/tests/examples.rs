//! Tests of the example client: its output, and that it has at most ten lines.

use std::fs;
use std::path::Path;
use std::process::Command;

use plainwire_suite::{binary, root};

/// Counts the lines that are neither blank nor comments.
fn lines(text: &str) -> usize {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[test]
fn the_shortest_client_has_ten_lines() {
    let text = fs::read_to_string(root().join("examples/client/src/main.rs")).expect("UTF-8");
    assert!(text.contains("Client::connect(") && lines(&text) <= 10, "{} lines:\n{text}", lines(&text));
    assert_eq!(lines("//! a\n\nfn b() {\n    // c\n    d();\n}\n"), 3);
}

#[cfg(unix)]
#[test]
fn the_shortest_client_asks_the_shortest_server() {
    let built = binary::path().parent().expect("a file lies in a folder");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("example-client");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("target")).expect("a folder of our own");
    std::os::unix::fs::symlink(built, folder.join("target/debug")).expect("a link");
    let output = Command::new(built.join("client")).current_dir(&folder).output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!((text(&output.stdout), text(&output.stderr)), ("3\n".to_owned(), String::new()));
    assert_eq!(output.status.code(), Some(0));
}
