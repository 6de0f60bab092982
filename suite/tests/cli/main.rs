//! Tests of the command line by its output and its exit code.
//!
//! Most tests use the built-in reference server, which runs as a process of its own.

mod asking;
mod calling;
mod completion;
mod convert;
mod dev;
mod exits;
mod feedback;
mod hints;
mod hostile;
mod install;
mod lint;
mod login;
mod pictures;
mod pty;
mod schemas;
mod script;
mod servers;
mod shell;
mod targets;
mod tokens;
mod trace;
mod watch;
// The test servers for OAuth, shared with the tests of the crate `oauth`.
#[path = "../../../crates/oauth/tests/oauth/support.rs"]
#[expect(dead_code, reason = "the library's tests use more of it")]
mod oauth;
#[path = "../../../crates/oauth/tests/oauth/plain_http.rs"]
mod plain_http;

use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use plainwire::proto::revision::Revision;
use plainwire_suite::binary;
use serde_json::Value;
use snapbox::{assert_data_eq, str};

/// The arguments that name the server of most tests.
const REFERENCE: [&str; 4] = ["--", "plainwire", "serve", "reference"];

/// Each value of `--era`, and the revision on which the client and the reference server agree then.
const ERAS: [(&str, Revision); 3] =
    [("auto", Revision::NEWEST), ("legacy", Revision::NEWEST_LEGACY), ("modern", Revision::NEWEST)];

/// The outcome of a command that has ended.
#[derive(Debug)]
struct Ran {
    code: i32,
    stderr: String,
    stdout: String,
}

impl Ran {
    fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        let code = output.status.code().expect("an exit code: no signal");
        Self { code, stderr: text(output.stderr), stdout: text(output.stdout) }
    }

    /// Returns stdout. The command must have exit code 0 and an empty stderr.
    #[track_caller]
    fn quietly(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{}", self.stdout);
        self.stdout
    }

    /// Returns stdout as JSON. The command must have exit code 0, an empty stderr, and one line on stdout.
    #[track_caller]
    fn json(self) -> Value {
        let text = self.quietly();
        assert_eq!(text.lines().count(), 1, "{text}");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}

/// Runs `plainwire` with these arguments.
fn run(arguments: &[&str]) -> Ran {
    let mut command = binary::command();
    Ran::of(command.args(arguments).stdin(Stdio::null()).output().expect("the binary starts"))
}

/// Runs `plainwire` with these arguments, followed by those that name the reference server.
fn ask(arguments: &[&str]) -> Ran {
    run(&[arguments, &REFERENCE].concat())
}

#[test]
fn lists_what_a_server_has_in_every_era() {
    for (era, revision) in ERAS {
        let listed = ask(&["list", "--era", era]).quietly();
        assert_eq!(listed.lines().next(), Some(&*format!("plainwire-reference 0.1.0 ({revision})")));
        for entry in ["  calculate(expression: string)", "  server://info", "  calculation://{expression}"] {
            assert!(listed.lines().any(|line| line == entry), "{era}: no {entry} in\n{listed}");
        }
        for title in ["tools:", "resources:", "resourceTemplates:", "prompts:"] {
            assert!(listed.contains(&format!("\n{title}\n")), "{era}: no {title} in\n{listed}");
        }
    }
}

#[test]
fn a_list_in_which_nothing_has_the_text_is_not_shown() {
    let listed = ask(&["list", "--filter=server://calculations"]).quietly();
    assert!(listed.contains("\nresources:\n") && !listed.contains("tools:"), "{listed}");
    let ran = ask(&["list", "--filter", "no such text"]);
    assert_eq!(ran.stdout.lines().count(), 1, "{ran:?}");
    assert_eq!(ran.stderr, "nothing in the lists has \"no such text\" in its name or description\n");
}

#[test]
fn values_that_mean_nothing_are_refused() {
    let ran = ask(&["list", "--json=x"]);
    let said =
        "error: expected `--json` without a value, which only `call` and `prompt` take, but found \"x\"\n";
    assert_eq!((ran.code, &*ran.stderr), (2, said), "{ran:?}");
    assert_eq!(ask(&["ping", "--timeout", "0"]).code, 2);
    let ran = run(&["ping", "--url", "localhost"]);
    assert!(ran.code == 2 && ran.stderr.ends_with("hint: --url http://localhost\n"), "{ran:?}");
    let ran = run(&["ping", "--url", "http://127.0.0.1:1/mcp", "--bearer-env", "NOT_SET_AT_ALL"]);
    assert!(ran.stderr.contains("--bearer-env NOT_SET_AT_ALL: expected the variable to be set"), "{ran:?}");
}

#[test]
fn lists_only_what_a_text_is_in() {
    let listed = ask(&["list", "--json", "--filter=CALCUL"]).json();
    let names = |list: &str, member: &str| -> Vec<String> {
        let entries = listed[list].as_array().into_iter().flatten();
        entries.filter_map(|it| Some(it[member].as_str()?.to_owned())).collect()
    };
    assert_eq!(names("tools", "name"), ["calculate"]);
    assert_eq!(names("resources", "uri"), ["server://calculations"]);
    assert_eq!(names("resourceTemplates", "uriTemplate"), ["calculation://{expression}"]);
    let shown = ask(&["list", "--filter=arithmetic"]).quietly();
    assert!(shown.contains("  calculate(expression: string)\n") && !shown.contains("server://"), "{shown}");
}

#[test]
fn calls_reads_prompts_and_pings_in_every_era() {
    for (era, revision) in ERAS {
        let asked = |words: &[&str]| ask(&[words, &["--era", era]].concat()).quietly();
        assert_eq!(asked(&["call", "calculate", "expression=2 + 3 * 4"]), "14\n");
        assert_eq!(asked(&["read", "calculation://6%20*%207"]), "42\n");
        assert_data_eq!(
            asked(&["prompt", "explain_calculation", "expression=6 * 7"]),
            str![[r#"
user:
Explain [..] 6 * 7[..]

"#]]
        );
        let pinged = asked(&["ping"]);
        let expected = format!("plainwire-reference 0.1.0 speaks {revision} and answered in ");
        assert!(pinged.starts_with(&expected) && pinged.ends_with("s\n"), "{era}: {pinged}");
    }
}

#[test]
fn shows_what_the_process_says_of_itself() {
    assert_data_eq!(
        ask(&["read", "server://info"]).quietly(),
        str![[r#"
{
  "memory": [..],
  "name": "plainwire-reference",
  "pid": [..],
  "platform": "[..]",
  "uptime": [..],
  "version": "[..]"
}

"#]]
    );
}

#[test]
fn speaks_json_on_one_line_where_asked_to() {
    for (era, revision) in ERAS {
        let asked = |words: &[&str]| ask(&[words, &["--era", era, "--json"]].concat()).json();
        let listed = asked(&["list"]);
        assert_eq!(listed["tools"][0]["name"], "calculate");
        assert_eq!(listed["resources"][0]["uri"], "server://info");
        assert_eq!(listed["resourceTemplates"][0]["uriTemplate"], "calculation://{expression}");
        assert_eq!(listed["prompts"][0]["name"], "explain_calculation");
        assert_eq!(asked(&["call", "calculate", "expression=6*7"])["content"][0]["text"], "42");
        assert_eq!(asked(&["read", "calculation://1+1"])["contents"][0]["text"], "2");
        assert_eq!(asked(&["prompt", "explain_calculation", "expression=1"])["messages"][0]["role"], "user");
        let pinged = asked(&["ping"]);
        assert_eq!(pinged["protocolVersion"], revision.as_str());
        assert!(pinged["micros"].is_u64() && pinged["name"] == "plainwire-reference", "{pinged}");
    }
}

#[test]
fn takes_arguments_as_text_as_json_and_as_an_object() {
    for words in [
        &["to:=2", "ms:=0"][..],
        &["to=2", "ms=0"],
        &["--json={\"to\":2,\"ms\":0}"],
        // An argument that is given alone replaces the member of the object in `--json`.
        &["--json={\"to\":9,\"ms\":0}", "to:=2"],
    ] {
        let ran = ask(&[&["call", "count"], words].concat());
        assert!(ran.code == 0 && ran.stdout.contains("counted to 2"), "{words:?}: {ran:?}");
        assert_eq!(ran.stderr, "1/2 1 of 2\n2/2 2 of 2\n", "progress goes to stderr");
    }
}

#[test]
fn plays_all_five_revisions_in_under_five_seconds() {
    binary::path();
    let began = Instant::now();
    let shown = run(&["demo"]).quietly();
    assert!(began.elapsed() < Duration::from_secs(5), "it took {:?}", began.elapsed());
    let mut revisions = Vec::new();
    let mut frames = 0;
    for line in shown.lines() {
        let title = line.strip_prefix("== ").filter(|title| title.starts_with("20"));
        revisions.extend(title.and_then(|title| title.get(..10)));
        if let Some(frame) = line.strip_prefix("> {").or_else(|| line.strip_prefix("< {")) {
            serde_json::from_str::<Value>(&format!("{{{frame}")).expect("every frame is JSON");
            frames += 1;
        }
    }
    // The demo connects in every revision, and then once in each era over HTTP.
    let newest = [Revision::NEWEST_LEGACY, Revision::NEWEST].map(Revision::as_str);
    assert_eq!(revisions, [&Revision::ALL.map(Revision::as_str)[..], &newest].concat());
    // Four legacy handshakes of three frames and a modern one of two, each with a call of two frames. Over
    // HTTP, a legacy handshake of three frames and two calls, one of them without a handshake.
    assert_eq!(frames, 4 * 5 + 4 + 5 + 2);
    assert_eq!(shown.matches("the result is \"14\"").count(), 5);
    assert_eq!(shown.matches("< HTTP/1.1 200 OK").count(), 3);
    // The second act: one line of a stored document is another one, and then as before.
    assert!(shown.contains("+ \"text\": \"The gift voucher is taken off in \","), "{shown}");
    assert!(shown.contains("each byte is as before"), "{shown}");
}
