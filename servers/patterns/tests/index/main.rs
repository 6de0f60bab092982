//! An index in a file: files that are something else, newer, damaged, locked or read-only are refused and left as they are.

use std::fs;
use std::path::{Path, PathBuf};

use plainwire_patterns::index::Index;
use plainwire_patterns::library::Library;
use rusqlite::Connection;

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("index");
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(name);
    for end in ["", "-journal", "-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{end}", file.display()));
    }
    file
}

/// Opens the file, which has to be refused with `expected` in the message and to be as it was.
fn refused(file: &Path, library: &Library, expected: &str) {
    let before = fs::read(file).expect("a file");
    let error = Index::open(file, library).err().unwrap_or_else(|| panic!("{} is no index", file.display()));
    assert!(error.to_string().contains(expected), "{error}");
    assert!(fs::read(file).expect("a file") == before, "{} has changed", file.display());
}

fn small(text: &str) -> Library {
    let text = format!(
        r#"{{"schema":"patterns:v1","patterns":[{{"id":"a","title":"{text}","category":"c","difficulty":"beginner","summary":"s"}}]}}"#
    );
    Library::parse(&text).expect("a library")
}

#[test]
fn an_index_is_made_once_and_filled_anew_for_other_data() {
    let file = scratch("made.db");
    let library = small("heron");
    assert_eq!(
        Index::open(&file, &library).expect("an index").search("heron").expect("matches").positions,
        [0]
    );
    let before = fs::read(&file).expect("a file");
    assert_eq!(
        Index::open(&file, &library).expect("an index").search("heron").expect("matches").positions,
        [0]
    );
    assert!(fs::read(&file).expect("a file") == before, "it is not written again");
    let other = small("egret");
    let index = Index::open(&file, &other).expect("an index");
    assert_eq!(
        (
            index.search("egret").expect("matches").positions,
            index.search("heron").expect("matches").positions
        ),
        (vec![0], vec![])
    );
}

#[test]
fn an_index_that_another_program_fills_with_other_data_is_told_of_in_the_next_search() {
    let file = scratch("shared.db");
    let first = Index::open(&file, &small("heron")).expect("an index");
    let second = Index::open(&file, &small("egret")).expect("an index");
    let error = first.search("heron").expect_err("other data");
    assert_eq!(error.to_string(), "another program has filled it with other data");
    assert_eq!(second.search("egret").expect("matches").positions, [0]);
}

#[test]
fn of_programs_that_make_an_index_at_once_each_has_one() {
    let file = scratch("at-once.db");
    let made = std::thread::scope(|scope| {
        let make =
            || Index::open(&file, &small("heron")).map(|it| it.search("heron").expect("matches").positions);
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(make)).collect();
        threads.into_iter().map(|it| it.join().expect("no panic").expect("an index")).collect::<Vec<_>>()
    });
    assert_eq!(made, vec![vec![0]; 4]);
}

#[test]
fn files_that_are_no_index_of_this_version_are_left_alone() {
    let library = small("heron");
    let (text, other, newer) = (scratch("text.db"), scratch("other.db"), scratch("newer.db"));
    fs::write(&text, "no database, but a letter to a friend".repeat(100)).expect("a file");
    refused(&text, &library, "no SQLite database");
    Connection::open(&other)
        .and_then(|it| it.execute_batch("CREATE TABLE accounts (n)"))
        .expect("a database");
    refused(&other, &library, "another program");
    drop(Index::open(&newer, &library).expect("an index"));
    Connection::open(&newer).and_then(|it| it.pragma_update(None, "user_version", 2)).expect("a database");
    refused(&newer, &library, "the newer version 2");
    refused(&newer, &small("egret"), "the newer version 2");
}

#[test]
fn an_index_that_is_damaged_in_the_middle_is_refused() {
    let library = Library::embedded();
    let file = scratch("damaged.db");
    drop(Index::open(&file, &library).expect("an index"));
    let whole = fs::read(&file).expect("a file");
    let mut found = 0;
    for part in 1..8 {
        let mut bytes = whole.clone();
        let at = bytes.len() * part / 8;
        bytes[at..at + 4096].fill(0xa5);
        fs::write(&file, &bytes).expect("a file");
        refused(&file, &library, "damaged");
        found += 1;
    }
    assert_eq!(found, 7);
}

#[test]
fn a_locked_index_is_waited_for_and_then_refused() {
    let library = small("heron");
    let file = scratch("locked.db");
    drop(Index::open(&file, &library).expect("an index"));
    let other = Connection::open(&file).expect("a connection");
    other.execute_batch("BEGIN EXCLUSIVE").expect("a lock");
    let error = Index::open(&file, &library).expect_err("a locked file");
    assert_eq!(error.to_string(), "another program has it locked");
    other.execute_batch("ROLLBACK").expect("no lock");
    Index::open(&file, &library).expect("an index");
}

#[test]
fn a_folder_that_does_not_exist_is_told_of() {
    let error = Index::open(&scratch("nowhere").join("x.db"), &small("heron")).expect_err("no folder");
    assert_eq!(error.to_string(), "it can't be opened");
}

/// A disk that is full: a limit on the size of files, set for a child process.
#[test]
#[cfg(target_os = "linux")]
fn an_index_that_does_not_fit_on_the_disk_is_told_of_and_nothing_half_remains() {
    let file = scratch("full.db");
    let library = Library::embedded();
    Connection::open(&file)
        .and_then(|it| it.execute_batch("PRAGMA page_size=512; VACUUM;"))
        .expect("a database");
    let shell = format!(
        "ulimit -f 64; trap '' XFSZ; exec \"$0\" --exact child_fills_a_small_disk --nocapture --include-ignored; # {}",
        file.display()
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &shell])
        .arg(std::env::current_exe().expect("a test"))
        .env("PLAINWIRE_SMALL_DISK", &file)
        .output()
        .expect("bash");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.contains("refused: the disk is full") || said.contains("refused: it can't be read or written"),
        "{said}"
    );
    let index = Index::open(&file, &library).expect("there is room now");
    assert!(!index.search("cron").expect("matches").positions.is_empty());
}

/// The other half of the test above: fills the file that the environment names.
#[test]
#[expect(clippy::print_stdout, reason = "the other half reads it")]
fn child_fills_a_small_disk() {
    if let Some(file) = std::env::var_os("PLAINWIRE_SMALL_DISK") {
        let opened = Index::open(Path::new(&file), &Library::embedded());
        println!("refused: {}", opened.expect_err("a full disk"));
    }
}
