//! The drawing of DESIGN.md section 3 and the house rules that a machine can check, checked.
//!
//! In: `cargo metadata` and the source files. Out: who breaks which rule, and where. Sources are looked at as text, line by
//! line: comments do not count, and neither do tests, which stand last in their file or in files of their own.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use plainwire_suite::{files_below, root};
use serde_json::Value;

/// Whom each package may know. Who is not in here may know nobody, and has to be drawn first.
const MAY_KNOW: [(&str, &[&str]); 23] = [
    // Examples: they know what their reader knows.
    ("apps", &["plainwire"]),
    ("asks", &["plainwire"]),
    ("client", &["plainwire"]),
    ("hello", &["plainwire"]),
    ("layers", &["plainwire"]),
    ("long_work", &["plainwire"]),
    ("resources", &["plainwire"]),
    ("state", &["plainwire"]),
    ("typed", &["plainwire"]),
    ("plainwire-proto", &[]),
    ("plainwire-macros", &[]),
    ("plainwire-richtext", &[]),
    ("plainwire", &["plainwire-macros", "plainwire-proto"]),
    ("plainwire-gateway", &["plainwire", "plainwire-proto"]),
    ("plainwire-inspect", &["plainwire", "plainwire-proto"]),
    ("plainwire-atlassian", &["plainwire", "plainwire-richtext"]),
    ("plainwire-conformance", &["plainwire"]),
    ("plainwire-inventory", &["plainwire"]),
    ("plainwire-learning", &["plainwire"]),
    ("plainwire-patterns", &["plainwire"]),
    ("plainwire-reference", &["plainwire"]),
    ("plainwire-runner", &["plainwire"]),
    ("plainwire-site", &["plainwire", "plainwire-richtext"]),
];

/// These may know everybody, and nobody may know them.
const KNOW_ALL: [&str; 2] = ["plainwire-cli", "plainwire-suite"];

/// A source file of a package that is shipped, without its tests.
struct Source {
    lines: Vec<String>,
    path: String,
}

impl Source {
    fn new(path: &str, text: &str) -> Self {
        let mut lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
        let tests = lines.windows(2).position(|it| it[0] == "#[cfg(test)]" && it[1] == "mod tests {");
        lines.truncate(tests.unwrap_or(lines.len()));
        Self { lines, path: path.to_owned() }
    }

    /// The places at which `breaks` finds something in code.
    fn offences(&self, breaks: impl Fn(&str) -> bool) -> Vec<String> {
        let code = self.lines.iter().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        let found = code.filter(|(_, line)| breaks(line));
        found.map(|(n, line)| format!("{}:{}: {}", self.path, n + 1, line.trim())).collect()
    }
}

/// The sources of everything that is shipped.
fn shipped() -> Vec<Source> {
    let is_test = |path: &str| path.contains("/tests/") || path.ends_with("/tests.rs");
    let all = sources(&["crates", "servers"]);
    all.iter().filter(|(path, _)| !is_test(path)).map(|(path, text)| Source::new(path, text)).collect()
}

/// Every Rust file in `folders` with its text, by its path from the root.
fn sources(folders: &[&str]) -> BTreeMap<String, String> {
    let name = |path: &Path| {
        let path = path.strip_prefix(root()).expect("below the root");
        path.to_string_lossy().replace('\\', "/")
    };
    let found = folders.iter().flat_map(|folder| files_below(&root().join(folder), ".rs"));
    let ours =
        found.filter(|path| !name(path).contains("/target/") && !name(path).contains("/node_modules/"));
    ours.map(|path| (name(&path), fs::read_to_string(&path).expect("UTF-8"))).collect()
}

/// The edges between packages of ours that are not drawn. `edges` go from who knows to who is known.
fn undrawn(packages: &[String], edges: &[(String, String)]) -> Vec<String> {
    let drawn = |from: &str| MAY_KNOW.iter().find(|(name, _)| *name == from).map(|(_, known)| *known);
    let missing = packages.iter().filter(|it| drawn(it).is_none() && !KNOW_ALL.contains(&it.as_str()));
    let missing = missing.map(|it| format!("{it} is not in DESIGN.md section 3"));
    let wrong = edges.iter().filter(|(from, to)| match KNOW_ALL.contains(&from.as_str()) {
        true => KNOW_ALL.contains(&to.as_str()),
        false => !drawn(from).is_some_and(|known| known.contains(&to.as_str())),
    });
    missing.chain(wrong.map(|(from, to)| format!("{from} may not know {to}"))).collect()
}

/// Whether `line` asks which revision it is.
fn asks_for_the_revision(line: &str) -> bool {
    let matches = line.split_once("match ").is_some_and(|(_, what)| what.to_lowercase().contains("revision"));
    matches || line.contains("Revision::V20")
}

fn may_ask_for_the_revision(path: &str) -> bool {
    let rooms = ["revision", "codec", "error", "peer", "http"];
    // The demo goes through all revisions and says what each is: data, not behaviour.
    path == "crates/cli/src/demo/mod.rs"
        || rooms.iter().any(|room| {
            path.strip_prefix("crates/proto/src/")
                .and_then(|path| path.strip_prefix(room))
                .is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        })
}

fn spawns(line: &str) -> bool {
    ["tokio::spawn", "task::spawn", "spawn_blocking", "spawn_local", "JoinSet", ".spawn_on("]
        .iter()
        .any(|word| line.contains(word))
}

fn prints(line: &str) -> bool {
    ["println!", "print!(", "eprint!(", "dbg!("].iter().any(|word| line.contains(word))
}

/// `env!` is the compiler's, and `std::env::consts` are no environment.
fn reads_the_environment(line: &str) -> bool {
    let line = line.replace("env::consts", "");
    line.contains("env::") || line.contains("use std::env") || line.contains(", env}")
}

#[track_caller]
fn nobody(rule: &str, offences: impl IntoIterator<Item = String>) {
    let offences: Vec<String> = offences.into_iter().collect();
    assert!(offences.is_empty(), "\n{rule}\n{}\n", offences.join("\n"));
}

/// Asks cargo for our packages and the edges between them, those of tests included.
fn workspace() -> (Vec<String>, Vec<(String, String)>) {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
    let mut command = Command::new(cargo);
    command.current_dir(root()).args(["metadata", "--no-deps", "--format-version", "1"]);
    let output = command.output().expect("cargo starts: it has started this test");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON from cargo metadata");
    let name = |it: &Value| it["name"].as_str().expect("a name").to_owned();
    let packages = metadata["packages"].as_array().expect("packages");
    let names: Vec<String> = packages.iter().map(name).collect();
    let mut edges = Vec::new();
    for package in packages {
        let known = package["dependencies"].as_array().into_iter().flatten().map(name);
        edges.extend(known.filter(|it| names.contains(it)).map(|known| (name(package), known)));
    }
    (names, edges)
}

#[test]
fn packages_know_only_whom_the_design_lets_them_know() {
    let (packages, edges) = workspace();
    assert!(packages.len() >= 5 && edges.len() >= 4, "expected more than {packages:?} and {edges:?}");
    nobody("DESIGN.md section 3: who may know whom", undrawn(&packages, &edges));
}

#[test]
fn no_package_is_called_common_utils_or_types() {
    let (packages, _) = workspace();
    let vague = |name: &String| ["common", "util", "utils", "types"].iter().any(|word| name.ends_with(word));
    nobody("DESIGN.md section 3: a package says what it is for", packages.into_iter().filter(vague));
}

#[test]
fn only_the_protocol_asks_which_revision_it_is() {
    let files = shipped().into_iter().filter(|it| !may_ask_for_the_revision(&it.path));
    nobody(
        "DESIGN.md section 3: only proto::{revision, codec, error, peer, http} match on a revision",
        files.flat_map(|it| it.offences(asks_for_the_revision)),
    );
}

#[test]
fn only_the_runtime_spawns_tasks() {
    let files = shipped().into_iter().filter(|it| !it.path.starts_with("crates/plainwire/src/runtime/"));
    nobody("STYLE.md 36: one room spawns", files.flat_map(|it| it.offences(spawns)));
}

#[test]
fn nothing_prints_past_its_output() {
    let files = shipped().into_iter().filter(|it| it.path.starts_with("crates/"));
    nobody("STYLE.md 40: no print and no dbg", files.flat_map(|it| it.offences(prints)));
}

#[test]
fn only_the_command_line_reads_the_environment() {
    // The server for the conformance suite is a program of its own, and nobody installs it.
    let programs = ["crates/cli/", "servers/conformance/src/main.rs"];
    let files = shipped().into_iter().filter(|it| !programs.iter().any(|path| it.path.starts_with(path)));
    nobody(
        "DESIGN.md section 3: only `cli` reads argv and environment",
        files.flat_map(|it| it.offences(reads_the_environment)),
    );
}

#[test]
fn every_file_says_first_what_it_is_for() {
    let all = sources(&["crates", "servers", "suite", "examples", "fuzz"]);
    assert!(all.len() > 50, "expected more than {} files", all.len());
    let silent = all.into_iter().filter(|(_, text)| !text.starts_with("//! "));
    nobody("STYLE.md 2: a file opens with `//!`", silent.map(|(path, _)| path));
}

#[test]
fn no_file_of_logic_is_longer_than_500_lines() {
    let long = shipped().into_iter().filter(|it| it.lines.len() > 500);
    nobody(
        "STYLE.md 1: past 500 lines logic is split",
        long.map(|it| format!("{}: {}", it.path, it.lines.len())),
    );
}

#[test]
fn every_error_has_its_row_in_the_documentation() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("a file that is there");
    let (code, page) = (read("crates/plainwire/src/error.rs"), read("docs/errors.md"));
    let (_, variants) = code.split_once("pub enum Error {\n").expect("the type");
    let (variants, _) = variants.split_once("\n}\n").expect("its end");
    let lines = variants.lines().filter_map(|line| line.strip_prefix("    "));
    let names = lines.filter(|line| line.starts_with(|first: char| first.is_ascii_uppercase()));
    let names: Vec<&str> = names.filter_map(|line| line.split(['(', ' ', ',']).next()).collect();
    assert!(names.contains(&"Unreachable") && names.contains(&"Rpc"), "{names:?}");
    let has_row = |name: &str| [' ', '('].iter().any(|end| page.contains(&format!("\n| `{name}{end}")));
    nobody(
        "a variant has a row in docs/errors.md",
        names.iter().filter(|it| !has_row(it)).map(|it| (*it).to_owned()),
    );
}

#[test]
fn each_rule_finds_what_breaks_it() {
    let name = |it: &str| it.to_owned();
    let edge = |from: &str, to: &str| vec![(name(from), name(to))];
    assert_eq!(undrawn(&[], &edge("plainwire", "plainwire-proto")), [""; 0]);
    assert_eq!(undrawn(&[], &edge("plainwire-cli", "plainwire-reference")), [""; 0]);
    for (from, to) in [
        ("plainwire-proto", "plainwire"),
        ("plainwire-reference", "plainwire-proto"),
        ("plainwire-reference", "plainwire-atlassian"),
        ("plainwire", "plainwire-suite"),
        ("plainwire-cli", "plainwire-suite"),
        ("plainwire-new", "plainwire"),
    ] {
        assert_eq!(undrawn(&[], &edge(from, to)), [format!("{from} may not know {to}")]);
    }
    assert_eq!(undrawn(&[name("plainwire-new")], &[]), ["plainwire-new is not in DESIGN.md section 3"]);

    let text = "//! About.\n// Revision::V2024_11_05\nlet a = 1;\n#[cfg(test)]\nmod tests {\nRevision::V2024_11_05\n}";
    assert_eq!(Source::new("a.rs", text).offences(asks_for_the_revision), [""; 0]);
    let text = "//! About.\n    match call.revision {\n";
    let found = Source::new("a.rs", text).offences(asks_for_the_revision);
    assert_eq!(found, ["a.rs:2: match call.revision {"]);
    assert!(may_ask_for_the_revision("crates/proto/src/peer/mod.rs"));
    assert!(!may_ask_for_the_revision("crates/proto/src/peers.rs"));
    assert!(spawns("tokio::spawn(async {})") && !spawns("std::thread::spawn(|| ())"));
    assert!(prints("eprintln!(\"x\")") && !prints("writeln!(out)"));
    assert!(reads_the_environment("std::env::var(\"X\")") && !reads_the_environment("std::env::consts::OS"));
    assert!(!reads_the_environment("env!(\"CARGO_PKG_VERSION\")"));
}
