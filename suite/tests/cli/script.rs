//! A server that is a shell script: it reads and writes frames in the order that a test gives.

use std::io::Write as _;
use std::process::{Command, Stdio};

use plainwire_suite::binary;
use serde_json::{Value, json};

use super::Ran;

/// A step of the server in a shell script.
pub(crate) enum Step {
    /// The server answers the request with this id. The structured content of the result is the frame that it
    /// has read last.
    Echo(u64),
    /// The server reads one frame.
    Read,
    /// The server writes this frame.
    Say(Value),
    /// The server runs this shell command.
    Shell(&'static str),
}

/// The shell script of the server. Its arguments are the steps: for each one a verb, and the verb's argument.
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

/// Runs `plainwire` with the arguments `words`, a server that performs `steps`, and `typed` on stdin.
pub(crate) fn play(words: &[&str], steps: Vec<Step>, typed: &str) -> Ran {
    run(command(words, steps), typed)
}

/// Returns the command `plainwire` with the arguments `words`, and a server that performs `steps`. After its
/// steps, the server waits until its input ends.
pub(crate) fn command(words: &[&str], steps: Vec<Step>) -> Command {
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
    command
}

/// Runs a command with `typed` on its stdin.
pub(crate) fn run(mut command: Command, typed: &str) -> Ran {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // The error is ignored: a command that has already ended does not read its stdin.
    let _ = stdin.write_all(typed.as_bytes());
    drop(stdin);
    Ran::of(child.wait_with_output().expect("it ends"))
}

/// Returns the first steps of a legacy server called `shop`: the handshake, and reading the request after it.
pub(crate) fn legacy(capabilities: &Value) -> Vec<Step> {
    let result = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": capabilities,
        "serverInfo": { "name": "shop", "version": "1" },
    });
    vec![Step::Read, answer(1, &result), Step::Read, Step::Read]
}

/// Like [`legacy`], but for a server of 2026-07-28.
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
