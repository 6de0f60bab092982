//! Tests of `plainwire servers`, which lists the servers in configuration files and checks whether they can
//! be used.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use plainwire_suite::binary;
use snapbox::{assert_data_eq, str};

use super::Ran;
use super::targets::folder;

const FILE: &str = r#"{ "mcpServers": {
    "works": { "command": "plainwire", "args": ["serve", "reference"], "env": { "TOKEN": "s3cret" } },
    "gone": { "command": "/nowhere/at/all", "args": ["s3cret"] },
    "silent": { "command": "sleep", "args": ["60"] },
    "off": { "command": "plainwire", "disabled": true },
    "wrong": { "args": ["s3cret"] },
    "web": { "url": "http://u:s3cret@127.0.0.1:1/s3cret?t=s3cret" }
} }"#;

fn servers(home: &Path, words: &[&str]) -> Ran {
    let mut command = binary::command();
    command.arg("servers").args(words).current_dir(home);
    command.env("HOME", home).env_remove("XDG_CONFIG_HOME").env_remove("CLAUDE_CONFIG_DIR");
    Ran::of(command.output().expect("the binary starts"))
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder of our own");
    fs::write(path, text).expect("a file of our own");
}

#[test]
fn a_url_without_its_scheme_is_an_invalid_entry() {
    let home = folder("servers-scheme");
    write(&home.join("c.json"), r#"{ "mcpServers": { "c": { "url": "localhost:8000/mcp?t=s3cret" } } }"#);
    let ran = servers(&home, &["--config", "c.json"]);
    let expected = "expected a URL with `http://` or `https://`, but found \"localhost:8000/mcp?t=…\"";
    assert!(ran.code == 1 && ran.stdout.contains(expected), "{ran:?}");
}

#[test]
fn lists_the_files_that_are_there_and_starts_nothing() {
    let home = folder("servers-list");
    let none = "no configuration file of a client was found; `plainwire servers add NAME -- COMMAND` names a server\n";
    assert_eq!(servers(&home, &[]).stderr, none);
    let trap = format!(
        "{{\"mcpServers\":{{\"trap\":{{\"command\":\"touch\",\"args\":[\"{}/sprung\"]}}}}}}",
        home.display()
    );
    write(&home.join(".mcp.json"), &trap);
    write(&home.join(".config/Code/User/mcp.json"), r#"{ "servers": {} } // none"#);
    write(
        &home.join(".cursor/mcp.json"),
        r#"{ "mcpServers": { "s": { "command": "shelf" }, "web": { "url": "https://a.example/mcp?x" } } }"#,
    );
    let home_text = home.display().to_string();
    assert_data_eq!(
        servers(&home, &[]).quietly().replace(&home_text, "~"),
        str![[r#"
.mcp.json (Claude Code)
  trap  stdio  touch

~/.cursor/mcp.json (Cursor)
  s    stdio  shelf
  web  http   https://a.example

.cursor/mcp.json (Cursor)
  s    stdio  shelf
  web  http   https://a.example

~/.config/Code/User/mcp.json (VS Code)
  no servers

"#]]
    );
    let listed = servers(&home, &["--json"]).json();
    assert_eq!(listed["servers"][0]["name"], "trap");
    assert_eq!(listed["servers"][2]["target"], "https://a.example");
    assert!(!home.join("sprung").exists());
}

#[test]
fn starts_no_command_of_a_folder_that_was_not_named() {
    let home = folder("servers-trap");
    let sprung = home.join("sprung");
    let trap = format!(
        "{{\"mcpServers\":{{\"trap\":{{\"command\":\"touch\",\"args\":[\"{}\"]}}}}}}",
        sprung.display()
    );
    write(&home.join(".mcp.json"), &trap);
    let ran = servers(&home, &["--check"]);
    assert!(ran.code == 0 && !sprung.exists(), "{ran:?}");
    assert!(ran.stderr.contains("servers of this folder were not started"), "{ran:?}");
    let ran = servers(&home, &["--check", "--config", ".mcp.json"]);
    assert!(ran.code == 1 && sprung.exists() && ran.stderr.is_empty(), "{ran:?}");
}

#[test]
fn a_file_that_is_no_json_is_the_only_thing_that_is_said() {
    let home = folder("servers-broken");
    write(&home.join("c.json"), "{");
    let ran = servers(&home, &["--config", "c.json"]);
    assert!(ran.code == 1 && ran.stderr.starts_with("error: c.json:1: expected JSON to go on"), "{ran:?}");
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
}

#[test]
fn checks_all_servers_at_the_same_time_and_shows_no_secret() {
    let home = folder("servers-check");
    write(&home.join("c.json"), FILE);
    let began = Instant::now();
    let ran = servers(&home, &["--check", "--config", "c.json", "--timeout", "3"]);
    assert!(began.elapsed() < Duration::from_secs(12), "{:?}", began.elapsed());
    assert_eq!((ran.code, &*ran.stderr), (1, ""));
    assert_data_eq!(
        &*ran.stdout,
        str![[r#"
c.json
  works   stdio  plainwire           plainwire-reference 0.1.0; 2026-07-28 (modern); 5 tools, 2 resources, 1 template, 1 prompt
  gone    stdio  /nowhere/at/all     error: starting the server: [..]
  silent  stdio  sleep               error: expected [..]
  off     stdio  plainwire           disabled
  wrong   ?                          error: c.json:6: server "wrong": expected `command`, `url` or `serverUrl`, but found none of them
  web     http   http://127.0.0.1:1  error: http://127.0.0.1:1 can't be reached: [..]

"#]]
    );
    assert!(!ran.stdout.contains("s3cret"), "{ran:?}");
    let json = servers(&home, &["--check", "--json", "--config", "c.json", "--timeout", "3"]).stdout;
    assert!(!json.contains("s3cret"), "{json}");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["servers"][0]["server"]["counts"]["tools"], 5);
    assert_eq!(json["servers"][0]["server"]["era"], "modern");
    assert_eq!(json["servers"][0]["line"], 2);
    assert!(json["servers"][1]["error"].as_str().is_some_and(|it| it.starts_with("starting the server")));
}

#[test]
fn a_server_that_writes_text_to_its_output_is_named_with_its_first_line() {
    let home = folder("servers-garbage");
    let entry = |script: &str| format!(r#"{{ "command": "sh", "args": ["-c", "{script}"] }}"#);
    let chats = entry("echo hello there; sleep 60");
    write(&home.join("c.json"), &format!(r#"{{ "mcpServers": {{ "chats": {chats} }} }}"#));
    let ran = servers(&home, &["--check", "--config", "c.json", "--timeout", "2"]);
    let row = ran.stdout.lines().find(|line| line.contains(" chats ")).unwrap_or_default();
    assert!(row.contains("and its output had the line \"hello there\", which is not a message"), "{ran:?}");
}

#[test]
fn shows_files_that_can_be_read_beside_one_that_can_not() {
    let home = folder("servers-broken");
    write(&home.join(".claude.json"), "{ \"mcpServers\": s3cret }");
    write(&home.join(".cursor/mcp.json"), r#"{ "mcpServers": { "s": { "command": "shelf" } } }"#);
    let ran = servers(&home, &[]);
    assert!(ran.code == 1 && ran.stdout.contains("shelf"), "{ran:?}");
    assert!(
        ran.stderr.contains(".claude.json:1: expected JSON") && !ran.stderr.contains("s3cret"),
        "{ran:?}"
    );
    let ran = servers(&home, &["--config", "nowhere.json"]);
    assert!(ran.code == 1 && ran.stderr.contains("expected nowhere.json to be readable"), "{ran:?}");
}

/// The shell script of a server that ignores SIGTERM and the end of its input, and starts a second process
/// that ignores SIGTERM. A test replaces `ANSWER` by the command that handles each line.
#[cfg(unix)]
const STUBBORN: &str = r#"
trap '' TERM
echo $$ >> "$PIDS"
(trap '' TERM; echo "$(exec sh -c 'echo $PPID')" >> "$PIDS"; while :; do sleep 1; done) &
while read -r line; do
    id=${line#*\"id\":}; id=${id%%[,\}]*}
    ANSWER
done
while :; do sleep 1; done
"#;

#[cfg(unix)]
#[test]
fn nothing_of_what_a_check_has_started_is_left_when_it_ends() {
    let home = folder("servers-stubborn");
    let hello = r#"case $line in *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}}\n' "$id";;
        *'"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id";; esac"#;
    let server = |answer: &str, pids: &str| {
        serde_json::json!({
            "command": "/bin/sh", "args": ["-c", STUBBORN.replace("ANSWER", answer)],
            "env": { "PIDS": home.join(pids) }
        })
    };
    // One server never answers. The other one answers the handshake only.
    let file = serde_json::json!({ "mcpServers": { "mute": server(":", "mute"), "greets": server(hello, "greets") } });
    write(&home.join("c.json"), &file.to_string());
    let ran = servers(&home, &["--check", "--config", "c.json", "--timeout", "2"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(ran.stdout.matches("error: expected").count(), 2, "{ran:?}");
    for name in ["mute", "greets"] {
        let pids = fs::read_to_string(home.join(name)).expect("it was started");
        assert_eq!(pids.lines().count(), 2, "{pids}");
        for pid in pids.lines() {
            let state =
                std::process::Command::new("ps").args(["-o", "stat=", "-p", pid]).output().expect("ps");
            let state = String::from_utf8_lossy(&state.stdout).trim().to_owned();
            // The process may still exist as a zombie, if the init process of this machine has not reaped it
            // yet.
            assert!(state.is_empty() || state.starts_with('Z'), "{pid} of {name} lives: {state}");
        }
    }
}

#[test]
fn knows_what_claude_code_keeps_for_this_folder() {
    let home = folder("servers-project");
    let here = fs::canonicalize(&home).expect("a folder of our own");
    let reference = serde_json::json!({ "command": "plainwire", "args": ["serve", "reference"] });
    let file = serde_json::json!({
        "mcpServers": { "both": { "command": "/nowhere/at/all" }, "mine": { "command": "shelf" } },
        "projects": {
            (here.to_str().expect("UTF-8")): { "mcpServers": { "both": reference } },
            "/somewhere/else": { "mcpServers": { "other": { "command": "shelf" } } }
        }
    });
    write(&home.join(".claude.json"), &file.to_string());
    let listed = servers(&here, &[]).quietly();
    let text = listed.replace(&here.display().to_string(), "~");
    assert!(
        text.contains("~/.claude.json (Claude Code)\n")
            && text.contains("~/.claude.json (Claude Code, for ~)\n"),
        "{text}"
    );
    assert!(!text.contains("other"), "{text}");
    let json = servers(&here, &["--json"]).json();
    assert_eq!(json["servers"][2]["project"], here.to_str().expect("UTF-8"));
    assert_eq!(json["servers"][0]["project"], serde_json::Value::Null);
    // The check may start the server of this entry, because the user has added the entry. For this folder,
    // its own entry precedes the one for all folders.
    let ran = servers(&here, &["--check"]);
    assert!(ran.stdout.contains("plainwire-reference 0.1.0"), "{ran:?}");
    let mut command = binary::command();
    command.args(["call", "calculate", "expression=6*7", "--server", "both"]).current_dir(&here);
    command.env("HOME", &here).env_remove("XDG_CONFIG_HOME").env_remove("CLAUDE_CONFIG_DIR");
    assert_eq!(Ran::of(command.output().expect("the binary starts")).quietly(), "42\n");
}

#[cfg(unix)]
#[test]
fn check_starts_16_servers_at_a_time() {
    let home = folder("servers-at-a-time");
    let (begun, go) = (home.join("begun"), home.join("go"));
    fs::create_dir(&begun).expect("a folder of our own");
    let script =
        format!("touch {}/$$; while [ ! -e {} ]; do sleep 0.05; done", begun.display(), go.display());
    let entries: serde_json::Map<String, serde_json::Value> = (0..17)
        .map(|n| (format!("s{n}"), serde_json::json!({ "command": "sh", "args": ["-c", script] })))
        .collect();
    let file = home.join("f.json");
    write(&file, &serde_json::json!({ "mcpServers": entries }).to_string());
    let count = || fs::read_dir(&begun).expect("our folder").count();
    let checking = std::thread::spawn({
        let (home, file) = (home.clone(), file.display().to_string());
        move || servers(&home, &["--check", "--timeout", "60", "--config", &file])
    });
    while count() < 16 && !checking.is_finished() {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(count(), 16);
    fs::write(&go, "").expect("a file of our own");
    checking.join().expect("no panic");
    assert_eq!(count(), 17);
}
