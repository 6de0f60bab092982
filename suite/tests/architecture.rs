//! The rules of ARCHITECTURE.md and of CONTRIBUTING.md that a machine can check.
//!
//! In: `cargo metadata` and the source files. Out: the rule that is broken, and the lines that break it.
//! Sources are read as text. Comments and tests do not count, unless a rule is about them. Tests are at the
//! end of their file, or in files of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use plainwire_suite::{files_below, root};
use serde_json::Value;

#[path = "architecture/examples.rs"]
mod examples;
#[path = "architecture/limits.rs"]
mod limits;
#[path = "architecture/modules.rs"]
mod modules;
#[path = "architecture/pages.rs"]
mod pages;
#[path = "architecture/rooms.rs"]
mod rooms;

use modules::{ModulePath, Modules, module_of};
use rooms::{MAY_BE_IN_A_CIRCLE, ROOMS, Room};

/// Each package, and the packages of this repository that it may depend on. A new package has to be added
/// here and to ARCHITECTURE.md.
const MAY_KNOW: [(&str, &[&str]); 26] = [
    // Examples may depend only on what a reader of them would depend on.
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
    ("plainwire-oauth", &["plainwire"]),
    ("plainwire-inspect", &["plainwire-proto"]),
    ("plainwire-sqlite", &[]),
    ("plainwire-atlassian", &["plainwire", "plainwire-richtext", "plainwire-sqlite"]),
    ("plainwire-inventory", &["plainwire", "plainwire-sqlite"]),
    ("plainwire-learning", &["plainwire", "plainwire-sqlite"]),
    ("plainwire-patterns", &["plainwire", "plainwire-sqlite"]),
    ("plainwire-reference", &["plainwire"]),
    ("plainwire-site", &["plainwire-richtext", "plainwire-sqlite"]),
    ("plainwire-conformance", &["plainwire"]),
    ("plainwire-bench-server", &["plainwire"]),
    ("plainwire-hostile", &["plainwire"]),
    ("plainwire-compile-fail", &["plainwire"]),
];

/// Packages that may depend on every package but each other, and that no package may depend on.
const KNOW_ALL: [&str; 2] = ["plainwire-cli", "plainwire-suite"];

/// The rooms (folders or files of modules) whose code may start tasks.
const SPAWN: [&str; 7] = [
    "crates/plainwire/src/runtime/",
    "crates/oauth/src/runtime.rs",
    "servers/atlassian/src/runtime.rs",
    "servers/inventory/src/runtime.rs",
    "servers/learning/src/runtime.rs",
    "servers/patterns/src/runtime.rs",
    "servers/site/src/runtime.rs",
];

/// A source file that is shipped, without the unit tests at its end.
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

    /// Returns the lines of code for which `breaks` returns true, with path and line number.
    fn offences(&self, breaks: impl Fn(&str) -> bool) -> Vec<String> {
        let code = self.lines.iter().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        let found = code.filter(|(_, line)| breaks(line));
        found.map(|(n, line)| format!("{}:{}: {}", self.path, n + 1, line.trim())).collect()
    }
}

/// Returns the sources of `crates/` and `servers/`, except files of tests.
fn shipped() -> Vec<Source> {
    let is_test = |path: &str| path.contains("/tests/") || path.ends_with("/tests.rs");
    let all = sources(&["crates", "servers"]);
    all.iter().filter(|(path, _)| !is_test(path)).map(|(path, text)| Source::new(path, text)).collect()
}

/// Returns the text of every Rust file in `folders`, by its path from the root of the repository.
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

/// Returns a message for each package that is in neither [`MAY_KNOW`] nor [`KNOW_ALL`], and for each
/// dependency that these tables do not allow. An edge is a package and a package that it depends on.
fn undrawn(packages: &[String], edges: &[(String, String)]) -> Vec<String> {
    let drawn = |from: &str| MAY_KNOW.iter().find(|(name, _)| *name == from).map(|(_, known)| *known);
    let missing = packages.iter().filter(|it| drawn(it).is_none() && !KNOW_ALL.contains(&it.as_str()));
    let missing = missing.map(|it| format!("{it} is not in ARCHITECTURE.md (Packages)"));
    let wrong = edges.iter().filter(|(from, to)| match KNOW_ALL.contains(&from.as_str()) {
        true => KNOW_ALL.contains(&to.as_str()),
        false => !drawn(from).is_some_and(|known| known.contains(&to.as_str())),
    });
    missing.chain(wrong.map(|(from, to)| format!("{from} may not know {to}"))).collect()
}

/// Returns whether `line` depends on the revision: it has a `match` on a revision, or names one.
fn asks_for_the_revision(line: &str) -> bool {
    let matches = line.split_once("match ").is_some_and(|(_, what)| what.to_lowercase().contains("revision"));
    matches || line.contains("Revision::V20")
}

fn may_ask_for_the_revision(path: &str) -> bool {
    let rooms = ["revision", "codec", "error", "peer", "http"];
    // The demo connects in every revision and prints the name of each. Its behaviour does not depend on the
    // revision.
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

/// Returns whether `line` reads an environment variable. `env!` is read by the compiler, and
/// `std::env::consts` are constants.
fn reads_the_environment(line: &str) -> bool {
    let line = line.replace("env::consts", "");
    line.contains("env::") || line.contains("use std::env") || line.contains(", env}")
}

#[track_caller]
fn nobody(rule: &str, offences: impl IntoIterator<Item = String>) {
    let offences: Vec<String> = offences.into_iter().collect();
    assert!(offences.is_empty(), "\n{rule}\n{}\n", offences.join("\n"));
}

/// Returns the packages of the workspace, and the dependencies between them as pairs, those of tests
/// included.
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
fn packages_depend_only_on_the_packages_that_the_table_allows() {
    let (packages, edges) = workspace();
    assert!(packages.len() >= 5 && edges.len() >= 4, "expected more than {packages:?} and {edges:?}");
    nobody("ARCHITECTURE.md (Packages): which package may depend on which", undrawn(&packages, &edges));
}

#[test]
fn no_package_is_called_common_utils_or_types() {
    let (packages, _) = workspace();
    let vague = |name: &String| ["common", "util", "utils", "types"].iter().any(|word| name.ends_with(word));
    nobody(
        "ARCHITECTURE.md (Packages): a name says what the package is for",
        packages.into_iter().filter(vague),
    );
}

#[test]
fn only_the_protocol_asks_which_revision_it_is() {
    let files = shipped().into_iter().filter(|it| !may_ask_for_the_revision(&it.path));
    nobody(
        "ARCHITECTURE.md (Revisions): only proto::{revision, codec, error, peer, http} match on a revision",
        files.flat_map(|it| it.offences(asks_for_the_revision)),
    );
}

#[test]
fn only_the_runtime_spawns_tasks() {
    let files = shipped().into_iter().filter(|it| !SPAWN.iter().any(|room| it.path.starts_with(room)));
    nobody(
        "ARCHITECTURE.md (Invariants): only a crate's `runtime` spawns",
        files.flat_map(|it| it.offences(spawns)),
    );
}

#[test]
fn nothing_prints_past_its_output() {
    // The templates are sources of other people's programs.
    let is_ours = |path: &str| path.starts_with("crates/") && !path.starts_with("crates/cli/templates/");
    let files = shipped().into_iter().filter(|it| is_ours(&it.path));
    nobody("CONTRIBUTING.md (Style): no print and no dbg", files.flat_map(|it| it.offences(prints)));
}

#[test]
fn only_the_command_line_reads_the_environment() {
    // The server for the conformance suite is a program too. It is not installed, but may read the
    // environment. A client passes variables on to the servers that it starts. `Server::run` is called by a program that
    // wants its arguments to be read.
    let programs = [
        "crates/cli/",
        "crates/plainwire/src/client/process/environment.rs",
        "crates/plainwire/src/run.rs",
        "servers/conformance/src/main.rs",
        // A build script learns its folder from the environment.
        "servers/patterns/build.rs",
    ];
    let files = shipped().into_iter().filter(|it| !programs.iter().any(|path| it.path.starts_with(path)));
    nobody(
        "ARCHITECTURE.md (Invariants): only `cli` reads argv and the environment",
        files.flat_map(|it| it.offences(reads_the_environment)),
    );
}

#[test]
fn every_file_says_first_what_it_is_for() {
    let all = sources(&["crates", "servers", "suite", "examples", "fuzz"]);
    assert!(all.len() > 50, "expected more than {} files", all.len());
    let silent = all.into_iter().filter(|(_, text)| !text.starts_with("//! "));
    nobody("CONTRIBUTING.md (Style): a file opens with `//!`", silent.map(|(path, _)| path));
}

#[test]
fn no_file_of_logic_is_longer_than_500_lines() {
    let long = shipped().into_iter().filter(|it| it.lines.len() > 500);
    nobody(
        "CONTRIBUTING.md (Style): past 500 lines logic is split",
        long.map(|it| format!("{}: {}", it.path, it.lines.len())),
    );
}

/// Returns the innermost room (a folder or file of modules) of the crate `krate` that has the module; `None`
/// for `lib.rs` and `main.rs`, and for crates without rooms.
fn room_of(krate: &str, module: &ModulePath) -> Option<&'static Room> {
    let holds = |room: &&Room| {
        let path = module_of(room.path);
        room.krate == krate && module.starts_with(&path)
    };
    ROOMS.iter().filter(holds).max_by_key(|room| module_of(room.path).len())
}

/// Returns the shipped sources of the crate `krate`, each with its path below `src`.
fn of_crate(krate: &str) -> Vec<(String, Source)> {
    let below = format!("crates/{krate}/src/");
    let ours = shipped().into_iter().filter_map(|source| {
        let path = source.path.strip_prefix(&below)?.to_owned();
        Some((path, source))
    });
    ours.collect()
}

/// Returns a message for each place where a room (a folder or file of modules) of the crate `krate` uses
/// another room that it may not use. In `plainwire`, a room may not use names of `lib.rs` either.
fn through_walls(krate: &str, sources: &[(String, Source)]) -> Vec<String> {
    let modules = Modules::new(sources.iter().map(|(path, _)| path.as_str()));
    let mut found = Vec::new();
    for (path, source) in sources {
        let Some(room) = room_of(krate, &module_of(path)) else { continue };
        for (line, module) in modules.used_by(path, &source.lines.join("\n")) {
            let Some(used) = room_of(krate, &module) else {
                if module.is_empty() && krate == "plainwire" {
                    found.push(format!(
                        "{}:{line}: `{}` uses a name of `lib.rs`: name its room",
                        source.path, room.path
                    ));
                }
                continue;
            };
            if used.path != room.path && !room.may_use.contains(&used.path) {
                found.push(format!("{}:{line}: `{}` may not use `{}`", source.path, room.path, used.path));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

const CRATES_WITH_ROOMS: [&str; 6] = ["cli", "inspect", "oauth", "plainwire", "proto", "richtext"];

#[test]
fn rooms_use_only_the_rooms_that_the_table_allows() {
    for krate in CRATES_WITH_ROOMS {
        let sources = of_crate(krate);
        assert!(sources.len() > 5, "expected more files in {krate}");
        nobody(
            "ARCHITECTURE.md (Rooms): a folder uses only the folders that suite/tests/architecture/rooms.rs allows",
            through_walls(krate, &sources),
        );
    }
}

#[test]
fn the_table_of_rooms_has_every_folder_and_no_other() {
    let mut wrong = Vec::new();
    for krate in CRATES_WITH_ROOMS {
        let sources = of_crate(krate);
        for room in ROOMS.iter().filter(|room| room.krate == krate) {
            let is_in = |path: &str| module_of(path).starts_with(&module_of(room.path));
            if !sources.iter().any(|(path, _)| is_in(path)) {
                wrong.push(format!("{krate}: there is no `{}`", room.path));
            }
        }
        for (path, _) in sources.iter().filter(|(path, _)| path.contains('/')) {
            if room_of(krate, &module_of(path)).is_none() {
                wrong.push(format!("{krate}: `{path}` is in no room"));
            }
        }
    }
    nobody("ARCHITECTURE.md (Rooms): the table in suite/tests/architecture/rooms.rs is complete", wrong);
}

#[test]
fn rooms_are_in_no_circle() {
    let mut circles = Vec::new();
    for krate in CRATES_WITH_ROOMS {
        let allowed: &[&str] =
            MAY_BE_IN_A_CIRCLE.iter().find(|(name, _)| *name == krate).map_or(&[], |(_, rooms)| rooms);
        let uses = |from: &str| {
            let room = ROOMS.iter().find(|room| room.krate == krate && room.path == from);
            room.map_or(&[] as &[&str], |room| room.may_use)
        };
        for room in ROOMS.iter().filter(|room| room.krate == krate && !allowed.contains(&room.path)) {
            let (mut seen, mut open) = (BTreeSet::new(), uses(room.path).to_vec());
            while let Some(next) = open.pop() {
                if next == room.path {
                    circles.push(format!("{krate}: `{}` leads back to itself", room.path));
                    break;
                }
                if seen.insert(next) {
                    open.extend(uses(next));
                }
            }
        }
    }
    nobody("ARCHITECTURE.md (Rooms): no circle of rooms", circles);
}

#[test]
fn the_server_half_knows_nothing_of_the_client_half() {
    let server = ROOMS.iter().filter(|room| room.krate == "plainwire" && room.path.starts_with("server"));
    let knows = server.filter(|room| room.may_use.iter().any(|used| used.starts_with("client")));
    nobody("ARCHITECTURE.md (Rooms): two halves on one ground", knows.map(|room| room.path.to_owned()));
}

#[test]
fn no_room_has_outgrown_its_size_alarm() {
    let mut sizes: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for krate in CRATES_WITH_ROOMS {
        for (path, source) in of_crate(krate) {
            if let Some(room) = room_of(krate, &module_of(&path)) {
                *sizes.entry((room.krate, room.path)).or_default() += source.lines.len();
            }
        }
    }
    let size = |room: &Room| sizes.get(&(room.krate, room.path)).copied().unwrap_or_default();
    let large = ROOMS.iter().filter(|room| size(room) > room.max_lines);
    nobody(
        "ARCHITECTURE.md (Rooms): above the size limit of a room, look for a concept that is now in two rooms",
        large.map(|room| {
            format!("{}/{}: {} lines, alarm at {}", room.krate, room.path, size(room), room.max_lines)
        }),
    );
}

/// Words with which a doc must not open, because it has to begin with the thing that it describes.
const RIDDLES: [&str; 12] = [
    "What",
    "Whatever",
    "Who",
    "Whoever",
    "Whom",
    "Whose",
    "How",
    "Something",
    "Somebody",
    "Someone",
    "Nobody",
    "Whether",
];

/// Returns the docs of modules, types and functions in `text` that open with one of [`RIDDLES`], each with
/// its line number.
fn riddles(text: &str) -> Vec<(usize, String)> {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let is_doc = |line: &str| line.starts_with("///") || line.starts_with("//!");
    let opens = |n: usize| is_doc(lines[n]) && (n == 0 || !is_doc(lines[n - 1]));
    let declares = |line: &str| {
        let line = line.strip_prefix("pub").map_or(line, |rest| {
            let rest = rest.trim_start();
            rest.strip_prefix('(')
                .and_then(|rest| rest.split_once(')'))
                .map_or(rest, |(_, rest)| rest.trim_start())
        });
        let kinds = [
            "async fn ",
            "const fn ",
            "fn ",
            "struct ",
            "enum ",
            "trait ",
            "type ",
            "mod ",
            "macro_rules! ",
            "union ",
            "unsafe fn ",
        ];
        kinds.iter().any(|kind| line.starts_with(kind))
    };
    let mut found = Vec::new();
    for n in (0..lines.len()).filter(|n| opens(*n)) {
        let words = lines[n][3..].trim_start();
        let first = words.split(|it: char| !it.is_alphanumeric()).next().unwrap_or_default();
        if !RIDDLES.contains(&first) {
            continue;
        }
        let item = lines[n..].iter().find(|line| !line.starts_with("//") && !line.starts_with("#["));
        if lines[n].starts_with("//!") || item.is_some_and(|item| declares(item)) {
            found.push((n + 1, words.to_owned()));
        }
    }
    found
}

#[test]
fn docs_of_modules_types_and_functions_begin_with_the_thing() {
    let all = sources(&["crates", "servers", "suite", "examples", "fuzz"]);
    // Docs of handlers, of their parameters and of types are left out here: they are sent to clients, and
    // models read them.
    let wire = [
        "examples/",
        "servers/",
        "suite/cost/",
        "suite/src/specimen",
        "suite/src/bin/",
        "crates/cli/templates/",
    ];
    let ours = all.iter().filter(|(path, _)| !wire.iter().any(|it| path.starts_with(it)));
    nobody(
        "CONTRIBUTING.md (Plain words): docs of modules, types and functions open with the noun or the verb of the thing",
        ours.flat_map(|(path, text)| {
            riddles(text).into_iter().map(move |(n, words)| format!("{path}:{n}: {words}"))
        }),
    );
}

#[test]
fn no_text_cites_a_page_that_is_not_in_the_repository() {
    let folders = [".ci", "crates", "docs", "examples", "fuzz", "servers", "suite"];
    let texts = [".rs", ".md", ".toml", ".sh", ".py", "run", "nightly", "instructions"];
    let below = folders
        .iter()
        .flat_map(|folder| texts.iter().flat_map(move |end| files_below(&root().join(folder), end)));
    let top = [
        "README.md",
        "SECURITY.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "Cargo.toml",
        "clippy.toml",
        "deny.toml",
    ];
    let files = below.chain(top.iter().map(|it| root().join(it)));
    let is_ours = |path: &Path| {
        !["target", "node_modules"].iter().any(|it| path.components().any(|c| c.as_os_str() == *it))
    };
    let below = folders.iter().flat_map(|folder| files_below(&root().join(folder), ".md"));
    let pages: BTreeSet<String> = below
        .chain(top.iter().map(|it| root().join(it)))
        .filter_map(|it| Some(it.file_name()?.to_str()?.to_owned()))
        .collect();
    let mut missing = Vec::new();
    // Pages of the design and guides have names in capitals. Other names of pages appear in examples and
    // tests only.
    let is_page = |word: &str| {
        word.ends_with(".md") && word != "NAME.md" && word.chars().next().is_some_and(char::is_uppercase)
    };
    for path in files.filter(|path| is_ours(path)) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for (n, line) in text.lines().enumerate() {
            let words = line.split(|it: char| !(it.is_ascii_alphanumeric() || "._-".contains(it)));
            for word in
                words.map(|it| it.trim_end_matches('.')).filter(|it| is_page(it) && !pages.contains(*it))
            {
                missing.push(format!("{}:{}: {word}", path.display(), n + 1));
            }
        }
    }
    nobody("nothing cites a page that is not in the repository", missing);
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
    assert_eq!(
        undrawn(&[name("plainwire-new")], &[]),
        ["plainwire-new is not in ARCHITECTURE.md (Packages)"]
    );

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
