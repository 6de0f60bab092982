//! Environment variables of server processes: a short list, and those that the program names.

use std::collections::BTreeMap;

use plainwire::client::process::Program;

use super::support::{Script, again, builder, role};

/// Returns the variables of a server that is started as `change` says.
async fn variables(change: impl FnOnce(Program) -> Program) -> BTreeMap<String, String> {
    let script = Script::serving("env >> \"$NOTES\"");
    let mut command = script.command();
    command.env("SET", "by the command").env_remove("TERM");
    let client = builder().command(change(Program::new(command))).await.expect("a connection");
    client.close().await;
    let notes = script.notes();
    let pairs = notes.iter().filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// The client is this test program, started a second time with variables of its own.
#[tokio::test]
async fn a_server_inherits_a_short_list_and_what_the_program_names() {
    let name = "process::environment::a_server_inherits_a_short_list_and_what_the_program_names";
    if role().is_none() {
        let mut client = again(name, "client");
        let secrets =
            [("MY_SECRET", "s3cret"), ("PLAINWIRE_TOKEN_KEY", "k3y"), ("WANTED", "w"), ("TERM", "dumb")];
        client.envs(secrets).envs([("LC_ALL", "C"), ("HOME", "/home/of/a/test")]);
        let ended = client.output().expect("it ends");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
        return;
    }
    let has = |variables: &BTreeMap<String, String>, name: &str| variables.get(name).cloned();
    let listed = variables(|program| program).await;
    assert_eq!(has(&listed, "HOME").as_deref(), Some("/home/of/a/test"));
    assert_eq!(has(&listed, "LC_ALL").as_deref(), Some("C"));
    assert_eq!(has(&listed, "SET").as_deref(), Some("by the command"));
    assert!(has(&listed, "PATH").is_some(), "{listed:?}");
    for name in ["MY_SECRET", "PLAINWIRE_TOKEN_KEY", "WANTED", "TERM"] {
        assert_eq!(has(&listed, name), None, "{name}");
    }
    let named = variables(|program| program.inherit(["WANTED"]).env("SET", "by the program")).await;
    assert_eq!(has(&named, "WANTED").as_deref(), Some("w"));
    assert_eq!(has(&named, "SET").as_deref(), Some("by the program"));
    assert_eq!(has(&named, "MY_SECRET"), None);
    let all = variables(Program::inherit_all).await;
    assert_eq!(has(&all, "MY_SECRET").as_deref(), Some("s3cret"));
    assert_eq!(has(&all, "PLAINWIRE_TOKEN_KEY"), None);
    assert_eq!(has(&all, "TERM"), None, "the command removes it");
}
