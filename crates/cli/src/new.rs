//! `plainwire new`: creates a project, a server or a client with a test.
//!
//! In: a name, and a checkout with the library. Out: a folder of that name with the files below `templates/`.
//! If the folder has files already, nothing is created or changed.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::args::{New, Template};
use crate::exit::{Exit, Failure};
use crate::output;

/// The files of every project: their paths and templates.
const FILES: [(&str, &str); 4] = [
    ("Cargo.toml", include_str!("../templates/Cargo.toml.txt")),
    ("README.md", include_str!("../templates/README.md")),
    ("rustfmt.toml", include_str!("../templates/rustfmt.toml")),
    (".gitignore", include_str!("../templates/gitignore")),
];

/// A kind of project.
struct Kind {
    /// The commands in the README, with `{{name}}` for the name of the project.
    commands: &'static str,
    /// The features in the dependency on the library in Cargo.toml, as text; empty for none.
    features: &'static str,
    /// The source files: their paths and templates.
    sources: &'static [(&'static str, &'static str)],
    /// The command to try the project with, after `cargo test`.
    then: &'static str,
    what: &'static str,
}

fn kind(template: Template) -> Kind {
    match template {
        Template::Stdio => Kind {
            commands: "cargo test                                            # calls the tools without starting a process\n\
                       cargo build\n\
                       plainwire list -- target/debug/{{name}}                   # lists what the server offers\n\
                       plainwire call greet name=Ada -- target/debug/{{name}}    # calls the tool",
            features: "",
            sources: &[("src/main.rs", include_str!("../templates/src/main.rs"))],
            then: "plainwire call greet name=Ada -- cargo run --quiet",
            what: "An MCP server on stdin and stdout, written with Plainwire.",
        },
        Template::Http => Kind {
            commands: "cargo test                                            # calls the tools without a network\n\
                       cargo run -- --http 127.0.0.1:8000                    # serves until Ctrl-C\n\
                       plainwire list --url http://127.0.0.1:8000/mcp        # lists what the server offers",
            features: ", features = [\"http\"]",
            sources: &[("src/main.rs", include_str!("../templates/http/main.rs"))],
            then: "cargo run -- --http 127.0.0.1:8000",
            what: "An MCP server over HTTP or stdio, written with Plainwire.",
        },
        Template::Client => Kind {
            commands: "cargo test                                            # talks to a server in the same process\n\
                       cargo run -- plainwire serve reference                # starts a server and lists its tools\n\
                       cargo run -- http://127.0.0.1:8000/mcp                # the same over HTTP",
            features: ", features = [\"http-client\"]",
            sources: &[("src/main.rs", include_str!("../templates/client/main.rs"))],
            then: "cargo run -- plainwire serve reference",
            what: "An MCP client, written with Plainwire.",
        },
        Template::Apps => Kind {
            commands: "cargo test                                            # calls the tools without starting a process\n\
                       cargo build\n\
                       plainwire call count what=heron -- target/debug/{{name}}",
            features: "",
            sources: &[
                ("src/main.rs", include_str!("../../../examples/apps/src/main.rs")),
                ("src/bars.html", include_str!("../../../examples/apps/src/bars.html")),
            ],
            then: "plainwire call count what=heron -- cargo run --quiet",
            what: "An MCP server whose results have a page (MCP Apps), written with Plainwire.",
        },
    }
}

/// Names that cargo refuses for a package, or that another crate in the project has.
const TAKEN: [&str; 11] = [
    "alloc",
    "build",
    "core",
    "deps",
    "examples",
    "incremental",
    "plainwire",
    "proc_macro",
    "std",
    "test",
    "tokio",
];

/// Keywords of Rust.
const WORDS: [&str; 52] = [
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];

pub(crate) fn run(args: &New) -> Result<Exit, Failure> {
    check(&args.name).map_err(Failure::usage)?;
    let library = library(args.path.as_deref())?;
    let folder = Path::new(&args.name);
    refuse_existing(folder)?;
    let mut made = format!("made `{}`:", args.name);
    let kind = kind(args.template);
    let [manifest, others @ ..] = &FILES;
    for (path, template) in std::iter::once(manifest).chain(kind.sources).chain(others) {
        let path = folder.join(path);
        let mut text = (*template).to_owned();
        for (mark, value) in [
            ("{{what}}", kind.what),
            ("{{commands}}", kind.commands),
            ("{{features}}", kind.features),
            ("{{library}}", &library),
            ("{{name}}", &args.name),
        ] {
            text = text.replace(mark, value);
        }
        write(&path, &text).map_err(|error| failure(&path, &error))?;
        made += &format!("\n  {}", path.display());
    }
    output::line(&made)?;
    output::line(&format!("\nnext:\n  cd {}\n  cargo test\n  {}", args.name, kind.then))?;
    Ok(Exit::Done)
}

const UNPUBLISHED: &str = "Plainwire is not published yet, so the project needs a checkout of its repository: \
                           CHECKOUT is the folder of the checkout";

/// Checks that `name` is a legal name for a package and is not reserved.
fn check(name: &str) -> Result<(), String> {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(legal) {
        let expected = "expected a name of letters, digits, `-` and `_`, with a letter first";
        return Err(format!("{expected}, but found `{name}`"));
    }
    if TAKEN.contains(&&*name.replace('-', "_")) || WORDS.contains(&name) {
        return Err(format!("expected a legal package name, but found `{name}`, which is reserved"));
    }
    Ok(())
}

/// Returns the path of the crate `plainwire` in the checkout, as a string for Cargo.toml.
///
/// `--path` is optional for clap and required here: the error of clap could not explain why it is required.
fn library(checkout: Option<&Path>) -> Result<String, Failure> {
    let Some(checkout) = checkout else {
        let text = "expected `--path CHECKOUT`, but found nothing".to_owned();
        return Err(Failure { hint: Some(UNPUBLISHED.into()), ..Failure::usage(text) });
    };
    let library = checkout.join("crates/plainwire");
    if !library.join("Cargo.toml").is_file() {
        let expected = "expected --path to be a checkout of the Plainwire repository";
        let found = "without `crates/plainwire/Cargo.toml`";
        return Err(Failure::usage(format!("{expected}, but found `{}` {found}", checkout.display())));
    }
    let library = library.canonicalize().map_err(|error| failure(&library, &error))?;
    // A JSON string is also a legal TOML string.
    Ok(Value::from(library.to_string_lossy()).to_string())
}

/// Refuses a path that exists, except an empty folder, which the user may have created for the project.
fn refuse_existing(folder: &Path) -> Result<(), Failure> {
    let found = match fs::read_dir(folder).map(Iterator::count) {
        Ok(0) => return Ok(()),
        Ok(_) => "a folder with files in it",
        Err(_) if folder.symlink_metadata().is_ok() => "a file",
        Err(_) => return Ok(()),
    };
    let text = format!("expected nothing at `{}`, but found {found}", folder.display());
    Err(Failure {
        hint: Some("choose another name, or change to another folder".into()),
        ..Failure::usage(text)
    })
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    fs::write(path, text)
}

fn failure(path: &Path, error: &std::io::Error) -> Failure {
    Failure::usage(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_that_a_package_may_have() {
        for name in ["shelf", "my-server", "a1_b", "B"] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        for name in ["", "1a", "-a", "_a", "a b", "a/b", "..", "ä", "fn", "test", "plainwire", "tokio"] {
            assert!(check(name).is_err_and(|text| text.contains(&format!("found `{name}`"))), "{name}");
        }
        // Cargo has folders of these names, and `proc-macro` is the crate `proc_macro`.
        for name in ["build", "deps", "examples", "incremental", "proc-macro", "proc_macro", "yield"] {
            assert!(check(name).is_err(), "{name}");
        }
    }

    #[test]
    fn the_library_is_that_of_a_checkout() {
        let failure = library(None).expect_err("no checkout");
        assert_eq!(failure.text, "expected `--path CHECKOUT`, but found nothing");
        assert!(failure.hint.is_some_and(|hint| hint.contains("not published yet")));
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let found = library(Some(&checkout)).expect("this checkout");
        assert!(found.starts_with("\"/") && found.ends_with("plainwire\""), "{found}");
        let failure = library(Some(Path::new("/nowhere"))).expect_err("no checkout");
        assert!(
            failure.text.contains("`/nowhere` without `crates/plainwire/Cargo.toml`"),
            "{}",
            failure.text
        );
    }
}
