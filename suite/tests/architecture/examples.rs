//! The Rust examples of README.md and docs/: a project that `plainwire new` makes has every crate that they name.
//!
//! In: the pages, and the template of such a project. Out: the examples that name another crate. Examples are
//! read as text: doctests compile them, but with more crates than a new project has.

use std::collections::BTreeSet;
use std::fs;

use super::nobody;
use plainwire_suite::{files_below, root};

/// Crates that the examples of a page may name too, each with the words by which the page tells its readers
/// to add the crate.
const ADDED: [(&str, &str, &str); 5] = [
    ("docs/http.md", "axum", "`axum` 0.8"),
    ("docs/oauth.md", "http", "`cargo add http`"),
    ("docs/oauth.md", "plainwire_oauth", "plainwire-oauth = {"),
    ("docs/rich-text.md", "plainwire_richtext", "plainwire-richtext = {"),
    ("docs/tokens.md", "plainwire_inspect", "plainwire-inspect = {"),
];

/// Names that begin a path in every program, besides those of its dependencies.
const ALWAYS: [&str; 23] = [
    "alloc", "bool", "char", "core", "crate", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize",
    "self", "std", "str", "super", "u128", "u16", "u32", "u64", "u8", "usize",
];

/// Returns the dependencies of a project that `plainwire new` makes.
fn dependencies() -> Vec<String> {
    let template = root().join("crates/cli/templates/Cargo.toml.txt");
    let template = fs::read_to_string(template).expect("the template");
    let (_, listed) = template.split_once("[dependencies]\n").expect("dependencies");
    let lines = listed.lines().take_while(|line| !line.starts_with('['));
    lines.filter_map(|line| Some(line.split_once(" = ")?.0.replace('-', "_"))).collect()
}

/// Returns each Rust example of a page, with the number of the line above it. Lines that the page hides
/// (`# `) are part of the example.
fn examples(page: &str) -> Vec<(usize, String)> {
    let (mut found, mut is_rust): (Vec<(usize, String)>, Option<bool>) = (Vec::new(), None);
    for (n, line) in page.lines().enumerate() {
        match (is_rust, line.strip_prefix("```")) {
            (None, Some(language)) => {
                let language = language.split(',').next().unwrap_or_default();
                is_rust = Some(["rs", "rust"].contains(&language));
                found.extend(is_rust.filter(|it| *it).map(|_| (n + 1, String::new())));
            }
            (Some(_), Some(_)) => is_rust = None,
            (Some(true), None) => {
                let (_, text) = found.last_mut().expect("an example that has begun");
                let trimmed = line.trim_start();
                *text += trimmed.strip_prefix("# ").unwrap_or(if trimmed == "#" { "" } else { line });
                text.push('\n');
            }
            _ => {}
        }
    }
    found
}

/// Returns the names, `::` and other characters of Rust code, without comments and literals.
fn tokens(code: &str) -> Vec<String> {
    let (mut found, mut rest) = (Vec::new(), code);
    while let Some(first) = rest.chars().next() {
        let is_in_name = |it: char| it.is_alphanumeric() || it == '_';
        let raw = rest
            .trim_start_matches(['b', 'c'])
            .strip_prefix('r')
            .filter(|it| it.trim_start_matches('#').starts_with('"'));
        let length = if let Some(raw) = raw {
            let marks = raw.len() - raw.trim_start_matches('#').len();
            let (begin, end) = (rest.len() - raw.len() + marks + 1, format!("\"{}", "#".repeat(marks)));
            rest[begin..].find(&end).map_or(rest.len(), |at| begin + at + end.len())
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if first == '"' {
            quoted(rest, '"')
        } else if first == '\'' {
            // `'a` without a second quote is a lifetime.
            let is_char = rest.starts_with("'\\") || rest.chars().nth(2) == Some('\'');
            if is_char { quoted(rest, '\'') } else { 1 }
        } else if is_in_name(first) {
            let end = rest.find(|it| !is_in_name(it)).unwrap_or(rest.len());
            found.push(rest[..end].to_owned());
            end
        } else {
            let length = if rest.starts_with("::") { 2 } else { first.len_utf8() };
            found.extend(Some(&rest[..length]).filter(|it| !it.trim().is_empty()).map(|it| (*it).to_owned()));
            length
        };
        rest = &rest[length..];
    }
    found
}

/// Returns the length of the literal in quotes with which `text` begins.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, it)| {
        let ends = *it == quote && !escaped;
        escaped = *it == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// The `use` declarations of an example: the first and the last name of each path.
#[derive(Default)]
struct Imports(BTreeSet<(String, String)>);

impl Imports {
    /// Reads one tree, such as `a::{self, b::c}`, below a path with the first and last name `above`, if there is
    /// one. Returns the tokens behind the tree.
    fn read<'t>(&mut self, above: Option<(&str, &str)>, mut tokens: &'t [String]) -> &'t [String] {
        let mut path = above.map(|(first, last)| (first.to_owned(), last.to_owned()));
        while let Some((token, rest)) = tokens.split_first() {
            match token.as_str() {
                "," | "}" | ";" => break,
                "{" => {
                    let above = path.as_ref().map(|(first, last)| (&**first, &**last));
                    tokens = rest;
                    while tokens.first().is_some_and(|it| it != "}" && it != ";") {
                        tokens = self.read(above, tokens);
                        tokens = tokens.strip_prefix(&[",".to_owned()]).unwrap_or(tokens);
                    }
                    return tokens.get(1..).unwrap_or_default();
                }
                "::" | "*" | "as" | "self" => {}
                name => {
                    let first = path.map_or_else(|| name.to_owned(), |(first, _)| first);
                    path = Some((first, name.to_owned()));
                }
            }
            tokens = rest;
        }
        self.0.extend(path);
        tokens
    }

    /// Returns whether a name in the example is that of an import from another crate or module.
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(first, last)| last == name && first != name)
    }
}

/// Returns the crates that an example names, except those in `known`.
fn foreign(code: &str, known: &[String]) -> BTreeSet<String> {
    let all = tokens(code);
    let (mut imports, mut tokens, mut rest) = (Imports::default(), Vec::new(), &all[..]);
    while let Some((token, behind)) = rest.split_first() {
        rest = if token == "use" { imports.read(None, behind) } else { behind };
        tokens.extend((token != "use").then_some(token.as_str()));
    }
    let mut found = derived(code, &tokens);
    found.extend(imports.0.iter().map(|(first, _)| first.as_str()).filter(|it| !imports.has(it)));
    let mut modules = BTreeSet::new();
    for (n, name) in tokens.iter().enumerate() {
        let before = |back| n.checked_sub(back).map_or("", |n: usize| tokens[n]);
        let (next, second) = (tokens.get(n + 1).copied(), tokens.get(n + 2).copied());
        let is_word = |it: &str| it.starts_with(|it: char| it.is_alphanumeric() || it == '_');
        match before(1) {
            "mod" => drop(modules.insert(*name)),
            "crate" if before(2) == "extern" => drop(found.insert(name)),
            // `::name` names a crate, unless it is the end of a path such as `a::name` or `<T>::name`.
            "::" if is_word(name) && !is_word(before(2)) && before(2) != ">" => drop(found.insert(name)),
            "::" | "." => {}
            _ if next == Some("::") && second != Some("<") && name.starts_with(char::is_lowercase) => {
                found.extend((!imports.has(name)).then_some(*name));
            }
            _ => {}
        }
    }
    let is_ours =
        |it: &str| known.iter().any(|known| known == it) || ALWAYS.contains(&it) || modules.contains(it);
    found.into_iter().filter(|it| !is_ours(it)).map(ToOwned::to_owned).collect()
}

/// Returns the crates that the derives of an example name in the code that they generate.
fn derived<'t>(code: &str, tokens: &[&'t str]) -> BTreeSet<&'t str> {
    let mut found = BTreeSet::new();
    for (n, _) in tokens.windows(2).enumerate().filter(|(_, pair)| *pair == ["derive", "("]) {
        for name in tokens[n..].iter().take_while(|it| **it != ")") {
            found.extend(match *name {
                "Deserialize" | "Serialize" => Some("serde"),
                "JsonSchema" => Some("schemars"),
                _ => None,
            });
        }
    }
    found.retain(|krate| !code.contains(&format!("crate = \"plainwire::{krate}\"")));
    found
}

#[test]
fn an_example_names_no_crate_that_a_new_project_lacks() {
    let known = dependencies();
    assert_eq!(known, ["plainwire", "tokio"]);
    let docs = files_below(&root().join("docs"), ".md");
    let pages = docs.into_iter().chain([root().join("README.md"), root().join("examples/README.md")]);
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for path in pages {
        let page = fs::read_to_string(&path).expect("UTF-8");
        let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
        for (line, example) in examples(&page) {
            for krate in foreign(&example, &known) {
                match ADDED.iter().find(|(page, added, _)| *page == name && *added == krate) {
                    Some(added) => drop(used.insert(*added)),
                    None => wrong.push(format!("{name}:{line}: `{krate}`")),
                }
            }
        }
        let added = ADDED.iter().filter(|it| it.0 == name && !page.contains(it.2));
        wrong.extend(added.map(|(_, krate, words)| format!("{name}: `{krate}` without the words {words}")));
    }
    let unused = ADDED.iter().filter(|it| !used.contains(it));
    wrong.extend(unused.map(|(page, krate, _)| format!("{page}: no example names `{krate}`")));
    nobody(
        "CONTRIBUTING.md (Tests): examples compile in a project of `plainwire new`: use the prelude, `#[data]` and \
         `plainwire::serde_json`, or tell readers to add the crate",
        wrong,
    );
}

#[test]
fn a_crate_that_a_new_project_lacks_is_found() {
    let known = ["plainwire".to_owned(), "tokio".to_owned()];
    for (code, expected) in [
        (
            "use plainwire::{Client, testing};\ntesting::client(1); tokio::spawn(x); u32::MAX; x.call::<u32>(1);",
            &[][..],
        ),
        ("use plainwire::serde_json::{self, Value};\nlet it: Value = serde_json::from_str(text);", &[]),
        ("use std::sync::{Arc, atomic::{self, AtomicU32 as Count}};\natomic::fence(x); Count::new(1);", &[]),
        (
            "mod part {}\npart::run(); crate::run(); // serde::x\nlet x = \"serde::x\"; let c = '\"'; serde::y();",
            &["serde"],
        ),
        ("let text = r#\"a \"serde::x\" b\"#;\nfn f<'a>(it: &'a str) {}", &[]),
        ("let it = serde_json::json!({});", &["serde_json"]),
        ("let it: ::serde_json::Value = x;", &["serde_json"]),
        ("use serde_json::Value;", &["serde_json"]),
        ("use serde;\nserde::x();", &["serde"]),
        ("use {axum::Router, plainwire::prelude::*};", &["axum"]),
        ("extern crate rand;", &["rand"]),
        ("#[derive(Debug, thiserror::Error)]\nenum E {}", &["thiserror"]),
        ("use plainwire::prelude::*;\n#[derive(Deserialize, JsonSchema)]\nstruct S;", &["schemars", "serde"]),
        ("#[derive(Serialize)]\n#[serde(crate = \"plainwire::serde\")]\nstruct S;", &[]),
    ] {
        let found = foreign(code, &known);
        assert!(found.iter().eq(expected), "{code}\n{found:?}");
    }
}

#[test]
fn examples_have_their_hidden_lines_and_no_other_languages() {
    let page = "```rust,no_run\n# use a::b;\n#[data]\n  #\nstruct S;\n```\n\n```json\nserde::x\n```\n```rs\ny\n```\n";
    let expected = [(1, "use a::b;\n#[data]\n\nstruct S;\n".to_owned()), (11, "y\n".to_owned())];
    assert_eq!(examples(page), expected);
}
