//! A server that plays what a test has written: a shell, some frames, and when to wait for one.

use std::io::Write as _;
use std::process::{Command, Stdio};

use plainwire_suite::binary;
use serde_json::{Value, json};

use super::Ran;

/// What a scripted server does next.
pub(crate) enum Step {
    /// Answers the request with this id with what it read last, as structured content.
    Echo(u64),
    /// Reads one frame.
    Read,
    /// Writes one frame.
    Say(Value),
    /// Runs a command of the shell.
    Shell(&'static str),
}

/// Each step is a word, or two: what to do, and with what.
const PLAYER: &str = r#"
while [ $# -gt 0 ]; do
  case "$1" in
    read) IFS= read -r line || exit ;;
    echo) printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[],"structuredContent":%s}}\n' "$2" "$line" ;;
    say) printf '%s\n' "$2" ;;
    shell) eval "$2" ;;
  esac
  shift 2
done
"#;

/// Runs `plainwire` with a scripted server and with `typed` on its stdin. The server stays until its input ends.
pub(crate) fn play(words: &[&str], steps: Vec<Step>, typed: &str) -> Ran {
    let mut command = binary::command();
    command.args(words).args(["--", "sh", "-c", &format!("{PLAYER} cat > /dev/null"), "sh"]);
    for step in steps {
        let (verb, what) = match step {
            Step::Echo(id) => ("echo", id.to_string()),
            Step::Read => ("read", String::new()),
            Step::Say(frame) => ("say", frame.to_string()),
            Step::Shell(command) => ("shell", command.to_owned()),
        };
        command.args([verb, &what]);
    }
    run(command, typed)
}

/// Runs a command with `typed` on its stdin.
pub(crate) fn run(mut command: Command, typed: &str) -> Ran {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // Whoever has ended needs no more of it.
    let _ = stdin.write_all(typed.as_bytes());
    drop(stdin);
    Ran::of(child.wait_with_output().expect("it ends"))
}

/// The beginning of a legacy server called `shop`, up to the first request behind the handshake.
pub(crate) fn legacy(capabilities: &Value) -> Vec<Step> {
    let result = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": capabilities,
        "serverInfo": { "name": "shop", "version": "1" },
    });
    vec![Step::Read, answer(1, &result), Step::Read, Step::Read]
}

/// As [`legacy`], in 2026-07-28.
pub(crate) fn modern(capabilities: &Value) -> Vec<Step> {
    let result = json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": capabilities,
        "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "shop", "version": "1" } },
    });
    vec![Step::Read, answer(1, &result), Step::Read]
}

pub(crate) fn answer(id: u64, result: &Value) -> Step {
    Step::Say(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

pub(crate) fn notify(method: &str, params: &Value) -> Step {
    Step::Say(json!({ "jsonrpc": "2.0", "method": method, "params": params }))
}
