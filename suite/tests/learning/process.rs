//! The server as a process: a vault that survives every end, and what its command refuses.

use std::process::{Command, Output};
use std::time::Duration;

use plainwire_learning::vault::Vault;
use plainwire_suite::binary;
use plainwire_suite::program::Program;
use serde_json::json;

use crate::scratch;

fn serve(path: &std::path::Path) -> Command {
    let mut command = binary::command();
    command.args(["serve", "learning", "--data"]).arg(path);
    command
}

fn resource(id: &str) -> serde_json::Value {
    let url = format!("https://{id}.example/");
    json!({ "id": id, "title": format!("Title of {id}"), "url": url, "description": "Text.", "type": "article" })
}

/// Ends a program in the middle of what it does, as `kill -9` does, after it has acknowledged some additions.
fn killed(path: &std::path::Path, round: usize) -> Vec<String> {
    let mut program = Program::start(&mut serve(path));
    program.initialize();
    let ids: Vec<String> = (0..8).map(|at| format!("r{round}-{at}")).collect();
    for (at, id) in ids.iter().enumerate() {
        program.send_text(format!(
            "{}\n",
            plainwire_suite::program::call(at as u64 + 10, "add_resource", resource(id))
        ));
    }
    let mut acknowledged = Vec::new();
    // A different number of answers in each round, so that the end comes at different times.
    for _ in 0..round % 8 {
        let answer = program.hear().expect("an answer");
        assert_ne!(answer["result"]["isError"], json!(true), "{answer}");
        let at = answer["id"].as_u64().expect("an id") - 10;
        acknowledged.push(ids[at as usize].clone());
    }
    program.child.kill().expect("killed");
    program.child.wait().expect("ended");
    acknowledged
}

#[test]
fn what_was_acknowledged_survives_a_hundred_kills() {
    let path = scratch();
    let mut acknowledged = Vec::new();
    for round in 0..100 {
        acknowledged.extend(killed(&path, round));
    }
    assert!(acknowledged.len() > 300, "{}", acknowledged.len());
    let vault = Vault::open(&path).expect("a vault");
    let lost: Vec<&String> =
        acknowledged.iter().filter(|id| vault.get(id).expect("an answer").is_none()).collect();
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn options_of_other_servers_are_refused() {
    let run = |words: &[&str]| -> Output { binary::command().args(words).output().expect("the command") };
    for (words, says) in [
        (
            &["serve", "learning", "--upstream", "https://x.example"][..],
            "expected --upstream with the server `patterns`",
        ),
        (
            &["serve", "patterns", "--allow-private-addresses"],
            "expected --allow-private-addresses with the server `learning`",
        ),
        (
            &["serve", "reference", "--data", "x"],
            "expected --data with the server `patterns`, `learning`, `inventory` or `site`",
        ),
        (&["serve", "learning", "--data", "/proc/nowhere/vault.db"], "its folder can't be made"),
    ] {
        let output = run(words);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(says), "{words:?}: {error}");
    }
}

#[test]
fn the_vault_is_in_the_folder_of_the_user() {
    let folder = scratch().with_file_name("home");
    let mut command = binary::command();
    let mut program = Program::start(
        command.args(["serve", "learning"]).env("XDG_DATA_HOME", &folder).env("HOME", &folder),
    );
    program.initialize();
    let answer = program.call("add_resource", resource("mine"));
    assert!(answer.to_string().contains("Title of mine"), "{answer}");
    program.hang_up();
    assert!(program.ends_within(Duration::from_secs(20)).success());
    let found = std::fs::read_dir(&folder).expect("the folder").count();
    assert!(found > 0 && (cfg!(not(target_os = "linux")) || folder.join("plainwire/learning.db").exists()));
}
