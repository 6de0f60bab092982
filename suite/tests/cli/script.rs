//! A server that plays a script of a test: a shell that reads and writes frames in the given order.

use std::io::Write as _;
use std::process::{Command, Stdio};

use plainwire_suite::binary;
use serde_json::{Value, json};

use super::Ran;

/// A step of a scripted server.
pub(crate) enum Step {
    /// Answers the request with this id. Its structured content is the last frame that was read.
    Echo(u64),
    /// Reads one frame.
    Read,
    /// Writes one frame.
    Say(Value),
    /// Runs a command of the shell.
    Shell(&'static str),
}

/// The shell script of the server. Its arguments are pairs: a verb, and the verb's argument.
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

/// Runs `plainwire` with a scripted server and with `typed` on its stdin. The server stays until its input
/// ends.
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
    // A command that has already ended does not read its stdin; the error is ignored.
    let _ = stdin.write_all(typed.as_bytes());
    drop(stdin);
    Ran::of(child.wait_with_output().expect("it ends"))
}

/// Returns the first steps of a legacy server called `shop`, up to the first request after the handshake.
pub(crate) fn legacy(capabilities: &Value) -> Vec<Step> {
    let result = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": capabilities,
        "serverInfo": { "name": "shop", "version": "1" },
    });
    vec![Step::Read, answer(1, &result), Step::Read, Step::Read]
}

/// Like [`legacy`], but in 2026-07-28.
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
