//! Tests of completion: the candidates that the binary returns to the scripts of the shells, and bash with
//! its script.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use plainwire_suite::binary;
use serde_json::{Value, json};

use super::script::{Step, answer};
use super::{Ran, run};

/// The characters at which bash breaks a command line into words unless the user sets others.
const BREAKS: &str = " \t\n\"'@><=;|&(:";

/// Runs the binary as the completion script for `shell` does. In `typed`, `|` is the cursor. Returns the
/// candidates for completion.
pub(super) fn complete(shell: &str, typed: &str) -> Vec<String> {
    complete_with(shell, typed, &[])
}

/// Like [`complete`], with these variables in the environment of the shell.
fn complete_with(shell: &str, typed: &str, variables: &[(&str, &str)]) -> Vec<String> {
    let cursor = typed.chars().position(|c| c == '|').expect("a cursor");
    let line = typed.replacen('|', "", 1);
    let mut command = binary::command();
    command.env("PLAINWIRE_COMPLETE", shell).env("PLAINWIRE_BREAKS", BREAKS).envs(variables.iter().copied());
    let output = command.args(["--", &line, &cursor.to_string()]).stdin(Stdio::null()).output();
    Ran::of(output.expect("the binary starts")).quietly().lines().map(ToOwned::to_owned).collect()
}

#[test]
fn the_help_names_the_shells_that_complete_names() {
    let help = run(&["completion", "--help"]).quietly();
    assert!(help.replace('\n', " ").contains("bash, fish and zsh also complete the names"), "{help}");
}

#[track_caller]
fn check(typed: &str, expected: &[&str]) {
    assert_eq!(complete("bash", typed), expected, "{typed}");
}

const REFERENCE: &str = "-- plainwire serve reference";

#[test]
fn completes_commands_and_options_without_a_server() {
    check("plainwire wa|", &["watch"]);
    check("plainwire call --no|", &["--no-input"]);
    check("plainwire list --era |", &["auto", "legacy", "modern"]);
    check("plainwire completion f|", &["fish"]);
    check("plainwire call |", &[]);
    check(&format!("plainwire call --json calculate ex| {REFERENCE}"), &["expression="]);
    check(&format!("plainwire call --trace calculate ex| {REFERENCE}"), &["expression="]);
    assert!(complete("bash", "plainwire |").contains(&"completion".to_owned()));
    assert_eq!(
        complete("fish", "plainwire wat|"),
        ["watch\tPrint a line each time a resource or a list of a server changes"]
    );
}

#[test]
fn completes_the_names_of_a_server_behind_the_dashes() {
    check(&format!("plainwire call | {REFERENCE}"), &["calculate", "get_timestamp", "sleep", "count", "ask"]);
    check(&format!("plainwire call c| {REFERENCE}"), &["calculate", "count"]);
    check(&format!("plainwire call --era legacy --json c| {REFERENCE}"), &["calculate", "count"]);
    check(&format!("plainwire call calculate | {REFERENCE}"), &["expression="]);
    check(&format!("plainwire call count ms:=1 | {REFERENCE}"), &["to="]);
    check(&format!("plainwire prompt | {REFERENCE}"), &["explain_calculation"]);
    check(&format!("plainwire prompt explain_calculation e| {REFERENCE}"), &["expression="]);
    check(&format!("plainwire call ask whom=| {REFERENCE}"), &["user", "model", "client"]);
    check(
        &format!("plainwire prompt explain_calculation expression=2| {REFERENCE}"),
        &["2\\ +\\ 3\\ \\*\\ 4", "2\\ \\^\\ 10"],
    );
    check(&format!("plainwire read s| {REFERENCE}"), &["server://calculations", "server://info"]);
    check(
        &format!("plainwire read | {REFERENCE}"),
        &["calculation://", "server://calculations", "server://info"],
    );
    check(&format!("plainwire watch calc| {REFERENCE}"), &["calculation://"]);
    let described = complete("fish", &format!("plainwire call get| {REFERENCE}"));
    assert_eq!(described.len(), 1);
    assert!(described[0].starts_with("get_timestamp\tReturns the current time"), "{described:?}");
}

#[test]
fn completes_the_names_of_servers_in_the_files_of_this_user() {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("completion-home");
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(home.join(".config/plainwire")).expect("a folder of our own");
    let home = home.to_str().expect("UTF-8");
    let variables = [("HOME", home), ("XDG_CONFIG_HOME", ""), ("CLAUDE_CONFIG_DIR", "")];
    for name in ["library", "books"] {
        let mut command = binary::command();
        command.args(["servers", "add", name, "--", "sh"]).envs(variables);
        Ran::of(command.output().expect("the binary starts"));
    }
    fs::write(format!("{home}/.claude.json"), r#"{"mcpServers":{"lamp":{"command":"a"}}}"#)
        .expect("a file of our own");
    assert_eq!(complete_with("bash", "plainwire list --server l|", &variables), ["lamp", "library"]);
    let mut own = complete_with("bash", "plainwire servers remove |", &variables);
    own.sort();
    assert_eq!(own, ["books", "library"]);
}

#[test]
fn gives_bash_only_what_stands_behind_its_last_word_break() {
    check(&format!("plainwire read server:| {REFERENCE}"), &["//calculations", "//info"]);
    check(&format!("plainwire read 'server:| {REFERENCE}"), &[]);
    assert_eq!(
        complete("fish", &format!("plainwire read server://i| {REFERENCE}")),
        ["server://info\tServer Information"]
    );
}

/// Writes the shell script of a modern server that answers one request after the other with the results in
/// `frames`, and records the requests. Returns the path of the script.
fn offers(name: &str, frames: &[(&str, Value)]) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("completion");
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    let mut script = String::new();
    let hello = json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"],
        "capabilities": { "tools": {}, "prompts": {}, "resources": {}, "completions": {} },
    });
    let answers = [("server/discover", hello)].into_iter().chain(frames.iter().cloned());
    for (n, (_, mut result)) in answers.enumerate() {
        result["resultType"] = "complete".into();
        let Step::Say(frame) = answer(n as u64 + 1, &result) else { continue };
        script += &format!(
            "IFS= read -r line || exit\nprintf '%s\\n' \"$line\" >> \"$0.asked\"\ncat <<'END'\n{frame}\nEND\n"
        );
    }
    fs::write(&path, script + "cat > /dev/null\n").expect("a script");
    let _ = fs::remove_file(path.with_extension("asked"));
    path.to_str().expect("UTF-8").to_owned()
}

fn tool(name: &str, properties: &Value) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object", "properties": properties, "$defs": { "Unit": { "enum": ["c", "f"] } } } })
}

#[test]
fn completes_the_values_that_a_schema_names() {
    let tools = json!({ "tools": [tool("t", &json!({
        "colour": { "type": "string", "enum": ["red", "dark green"] },
        "deep": { "type": "boolean" },
        "unit": { "anyOf": [{ "$ref": "#/$defs/Unit" }, { "type": "null" }] },
        "whole": { "type": "integer", "enum": [1, 2] },
    }))] });
    let server = offers("values", &[("tools/list", tools)]);
    let check = |typed: &str, expected: &[&str]| {
        assert_eq!(
            complete("bash", &format!("plainwire call t {typed}| -- sh {server}")),
            expected,
            "{typed}"
        );
    };
    check("", &["colour=", "deep=", "unit=", "whole="]);
    check("colour=", &["red", "dark\\ green"]);
    check("colour=r", &["red"]);
    check("deep=t", &["true"]);
    check("unit=", &["c", "f"]);
    check("whole=", &["1", "2"]);
    check("unit=c ", &["colour=", "deep=", "whole="]);
}

#[test]
fn asks_the_server_for_the_values_of_a_prompt() {
    let prompts =
        json!({ "prompts": [{ "name": "p", "arguments": [{ "name": "lang" }, { "name": "city" }] }] });
    let values = json!({ "completion": { "values": ["paris", "parma", "rome"] } });
    let server = offers("prompt", &[("prompts/list", prompts), ("completion/complete", values)]);
    let found = complete("fish", &format!("plainwire prompt p lang=fr city=pa| -- sh {server}"));
    assert_eq!(found, ["city=paris", "city=parma"]);
    let asked = fs::read_to_string(format!("{server}.asked")).expect("what was asked");
    let request: Value = serde_json::from_str(asked.lines().last().expect("a line")).expect("JSON");
    assert_eq!(request["params"]["ref"], json!({ "type": "ref/prompt", "name": "p" }));
    assert_eq!(request["params"]["argument"], json!({ "name": "city", "value": "pa" }));
    assert_eq!(request["params"]["context"], json!({ "arguments": { "lang": "fr" } }));
}

#[test]
fn puts_nothing_on_a_command_line_that_a_shell_would_run_or_nobody_can_see() {
    let names = ["good", "$(touch x)", "a;b", "--trace=x", "line\nbreak", "\u{1b}[A", "\u{202e}x", "*"];
    let tools: Vec<Value> = names.iter().map(|name| tool(name, &json!({}))).collect();
    let server = offers("evil", &[("tools/list", json!({ "tools": tools }))]);
    let typed = format!("plainwire call | -- sh {server}");
    assert_eq!(complete("bash", &typed), ["good", "\\$\\(touch\\ x\\)", "a\\;b", "\\*"]);
    assert_eq!(
        complete("bash", &typed.replace('|', "'|")),
        [""; 0],
        "the quote is open, so that nothing stands behind it"
    );
    let dashed = complete("bash", &typed.replace('|', "-|"));
    assert!(dashed.contains(&"--era".to_owned()) && !dashed.contains(&"--trace=x".to_owned()), "{dashed:?}");
    assert_eq!(complete("fish", &typed), ["good", "$(touch x)", "a;b", "*"], "fish quotes by itself");
}

#[test]
fn runs_nothing_but_the_command_behind_the_dashes_as_it_stands_there() {
    let ran = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ran");
    let path = ran.to_str().expect("UTF-8");
    // The files may be left from an earlier run that failed.
    let _ = (fs::remove_file(&ran), fs::remove_file(format!("{path}.trace")));
    for typed in [
        format!("plainwire call | touch {path}"),
        format!("plainwire call | --trace={path} touch {path}"),
        format!("plainwire call |; touch {path}"),
        format!("plainwire call | -- touch $HOME/../{path}"),
        format!("plainwire call | -- touch {path} > /dev/null"),
        format!("plainwire call | -- touch `echo {path}`"),
        format!("plainwire serve ref| -- touch {path}"),
        format!("plainwire call a:b -- touch {path} |"),
        format!("plainwire --nonsense call | -- touch {path}"),
    ] {
        let found = complete("bash", &typed);
        assert_eq!(found, if typed.contains("serve") { vec!["reference"] } else { vec![] }, "{typed}");
        assert!(!ran.exists(), "{typed}");
    }
    complete("bash", &format!("plainwire call | --trace={path}.trace -- plainwire serve reference"));
    assert!(!Path::new(&format!("{path}.trace")).exists(), "nobody has asked for a trace yet");
    complete("bash", &format!("plainwire call | -- touch {path}"));
    assert!(ran.exists());
    fs::remove_file(ran).expect("there is a file");
}

#[test]
fn the_server_gets_no_variables_but_a_short_list_and_those_that_are_named() {
    let seen = Path::new(env!("CARGO_TARGET_TMPDIR")).join("completion-environment");
    // The file may be left from an earlier run that failed.
    let _ = fs::remove_file(&seen);
    let secrets = [("MY_SECRET", "s3cret"), ("PLAINWIRE_TOKEN_KEY", "k3y"), ("WANTED", "w")];
    let listed = |options: &str| {
        let line = format!("plainwire call {options} | -- sh -c 'env > {}'", seen.display());
        complete_with("bash", &line, &secrets);
        let text = fs::read_to_string(&seen).expect("the server has started");
        fs::remove_file(&seen).expect("there is a file");
        text.lines().map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    let found = listed("");
    assert!(found.iter().any(|line| line.starts_with("PATH=")), "{found:?}");
    assert!(!found.iter().any(|line| line.contains("s3cret") || line.contains("k3y")), "{found:?}");
    assert!(!found.iter().any(|line| line.contains("PLAINWIRE_COMPLETE")), "{found:?}");
    assert!(!found.contains(&"WANTED=w".to_owned()), "{found:?}");
    let named = listed("--env WANTED --env=SET=a=b");
    assert!(named.contains(&"WANTED=w".to_owned()) && named.contains(&"SET=a=b".to_owned()), "{named:?}");
}

#[test]
fn is_silent_and_quick_whatever_the_server_does() {
    for server in ["/nowhere/at/all", "true", "sh -c 'echo oops; echo oops >&2; cat'"] {
        check(&format!("plainwire call | -- {server}"), &[]);
    }
    let pid = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stubborn");
    let began = Instant::now();
    check(&format!("plainwire call | -- sh -c 'echo $$ > {}; exec sleep 60'", pid.display()), &[]);
    let took = began.elapsed();
    // It has 2.4 s for the handshake.
    assert!(took > Duration::from_millis(2_300) && took < Duration::from_secs(6), "{took:?}");
    let pid = fs::read_to_string(pid).expect("it has begun").trim().to_owned();
    let alive = Command::new("sh").args(["-c", &format!("kill -0 {pid} 2> /dev/null")]).status();
    assert!(!alive.expect("sh starts").success(), "{pid} sleeps on");
}

#[test]
fn prints_a_script_for_each_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(&["completion", shell]).quietly();
        assert!(script.contains("PLAINWIRE_COMPLETE") && script.contains(shell), "{script}");
    }
    assert_eq!(run(&["completion", "csh"]).code, 2);
    assert!(run(&["help", "completion"]).quietly().contains("source <(plainwire completion bash)"));
}

/// Runs bash with the script of `plainwire completion bash`. In `typed`, `|` is the cursor. Returns the
/// candidates for completion; `None` if bash is not installed.
fn in_bash(typed: &str) -> Option<String> {
    let cursor = typed.find('|').expect("a cursor");
    let line = typed.replacen('|', "", 1);
    let bash = r#"source <(plainwire completion bash); COMP_LINE=$1 COMP_POINT=$2; _plainwire; printf '[%s]' "${COMPREPLY[@]}""#;
    let mut command = Command::new("bash");
    command.args(["--norc", "-c", bash, "bash", &line, &cursor.to_string()]);
    command.env("PATH", binary::search_path()).stdin(Stdio::null());
    // If bash can't be started, the test is skipped.
    let ran = Ran::of(command.output().ok()?);
    assert_eq!(ran.stderr, "");
    Some(ran.stdout)
}

#[test]
fn bash_offers_what_it_was_answered() {
    let offered = |typed: &str| in_bash(&format!("{typed} {REFERENCE}"));
    let Some(found) = offered("plainwire call c|") else { return };
    assert_eq!(found, "[calculate][count]");
    assert_eq!(offered("plainwire read server:|").as_deref(), Some("[//calculations][//info]"));
    let server = offers(
        "bash",
        &[("tools/list", json!({ "tools": [tool("two words", &json!({})), tool("*", &json!({}))] }))],
    );
    assert_eq!(in_bash(&format!("plainwire call | -- sh {server}")).as_deref(), Some("[two\\ words][\\*]"));
}
