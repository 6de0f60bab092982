//! Plays every transcript to a specimen server, and compares the server's lines with the transcript, byte for
//! byte. The transcripts in `asking/` go to a server that asks questions, those that `TOUCH` lists to a
//! server whose catalog changes, and the others to a plain server.
//!
//! `UPDATE=1 cargo test -p plainwire-suite --test transcripts` writes the server's lines anew. Review the
//! changes as JSON. A new file needs only its comments and its `-- client --` sections.

use std::path::{Path, PathBuf};
use std::{env, fs};

use plainwire::Server;
use plainwire::proto::revision::Revision;
use plainwire_suite::specimen;
use plainwire_suite::transcript::read_all;

/// The transcripts that exist for every revision. Some revisions have further ones.
const TOPICS: [&str; 15] = [
    "asking/forms",
    "asking/roots",
    "asking/rounds",
    "asking/sampling",
    "asking/unable",
    "cancel",
    "completion",
    "errors",
    "lifecycle",
    "logging",
    "paging",
    "prompts",
    "resources",
    "subscriptions",
    "tools",
];

/// The transcripts that are played to a server whose entries change while it serves.
const TOUCH: [&str; 3] = ["completion", "logging", "subscriptions"];

fn folder(revision: Revision) -> PathBuf {
    plainwire_suite::root().join("suite/transcripts").join(revision.as_str())
}

/// Returns the specimen server to which the transcript at `path` is played.
fn server(path: &Path) -> Server {
    let asks = path.parent().is_some_and(|folder| folder.ends_with("asking"));
    let touches = path.file_stem().is_some_and(|name| TOUCH.iter().any(|it| name == *it));
    match (asks, touches) {
        (true, _) => specimen::asking::server(),
        (false, true) => specimen::notifications::server(),
        (false, false) => specimen::server(),
    }
}

/// Plays the transcripts of a revision, and checks that the server's lines are those in the files. With
/// `UPDATE=1`, writes the lines to the files instead.
async fn check(revision: Revision) {
    let update = env::var_os("UPDATE").is_some_and(|update| update == "1");
    let mut differences = String::new();
    for (path, transcript) in read_all(&folder(revision)).expect("transcripts") {
        let played = transcript.play(server(&path)).await;
        let path = path.display();
        assert!(!transcript.steps[0].notes.is_empty(), "{path} does not say at the top what it shows");
        let played = played.unwrap_or_else(|error| panic!("{path}: {error}"));
        if update {
            fs::write(path.to_string(), played.to_string()).expect("a writable file");
            continue;
        }
        for step in &transcript.steps {
            assert!(step.line.is_some(), "{path} has a step without `-- server --`");
        }
        if let Some(difference) = transcript.difference(&played) {
            differences += &format!("{path}: {difference}");
        }
    }
    assert!(differences.is_empty(), "\n{differences}UPDATE=1 writes down what is said now");
}

#[tokio::test(start_paused = true)]
async fn answers_in_2024_11_05_as_written_down() {
    check(Revision::V2024_11_05).await;
}

#[tokio::test(start_paused = true)]
async fn answers_in_2025_03_26_as_written_down() {
    check(Revision::V2025_03_26).await;
}

#[tokio::test(start_paused = true)]
async fn answers_in_2025_06_18_as_written_down() {
    check(Revision::V2025_06_18).await;
}

#[tokio::test(start_paused = true)]
async fn answers_in_2025_11_25_as_written_down() {
    check(Revision::V2025_11_25).await;
}

#[tokio::test(start_paused = true)]
async fn answers_in_2026_07_28_as_written_down() {
    check(Revision::V2026_07_28).await;
}

#[test]
fn has_every_topic_in_every_revision() {
    for revision in Revision::ALL {
        for topic in TOPICS {
            let path = folder(revision).join(topic).with_extension("txt");
            assert!(path.is_file(), "{} is missing", path.display());
        }
    }
}
