//! `plainwire serve … --outputs`: folders, and disks that are full.

use std::process::{Command, Output};

use plainwire_suite::binary;

use super::*;

fn run(command: &mut Command) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("the command");
    (
        status.code(),
        String::from_utf8_lossy(&stdout).into_owned(),
        String::from_utf8_lossy(&stderr).into_owned(),
    )
}

/// Calls `search_patterns` of a server with these words before its options.
fn call_with(before: &[&str], folder: &std::path::Path) -> (Option<i32>, String, String) {
    let plainwire = binary::path();
    let mut command = Command::new(plainwire);
    command
        .args(["call", "search_patterns", "q=graceful shutdown", "--json", "--"])
        .args(before)
        .arg(plainwire);
    run(command.args(["serve", "patterns", "--outputs-threshold", "1024", "--outputs"]).arg(folder))
}

#[test]
fn a_large_result_is_kept_in_the_folder() {
    let folder = path();
    let (code, result, log) = call_with(&[], &folder);
    assert_eq!(code, Some(0), "{log}");
    assert!(result.contains("\"plainwire/outputs\""), "{result}");
    assert!(std::fs::read_dir(&folder).expect("the folder").count() >= 2);
}

#[cfg(unix)]
#[test]
fn on_a_full_disk_the_result_is_sent_whole() {
    // A limit for files of one block of 512 or 1,024 bytes, which is like a disk that fills.
    let limited = ["sh", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh"];
    let folder = path();
    let (code, result, log) = call_with(&limited, &folder);
    assert_eq!(code, Some(0), "{log}");
    assert!(!result.contains("output://") && result.contains("\"totalCount\":13"), "{result}");
    // The attempt is there, and is no output that anybody was told of.
    let names = std::fs::read_dir(&folder).expect("the folder").map(|it| it.expect("a file").file_name());
    assert!(names.into_iter().any(|it| it.to_string_lossy().ends_with(".part")));
}

#[test]
fn a_folder_that_cannot_be_used_is_told_at_the_start() {
    let file = path();
    std::fs::write(&file, "x").expect("a file");
    for (folder, expected) in [
        (file.clone(), "expected a folder, but found a file"),
        (file.join("inside"), "Not a directory"),
        (path().join("a/b"), "No such file or directory"),
    ] {
        let mut command = Command::new(binary::path());
        let (code, _, log) = run(command.args(["serve", "reference", "--outputs"]).arg(&folder));
        assert_eq!(code, Some(2), "{log}");
        assert!(
            log.contains(&format!("--outputs {}: ", folder.display())) && log.contains(expected),
            "{log}"
        );
    }
}
