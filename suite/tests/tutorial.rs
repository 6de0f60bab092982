//! Follows docs/tutorial.md to the letter, like a reader with a checkout and an empty folder.
//!
//! - The commands in `console` fences run in order, `cargo` and `cd` included. Their output is compared with
//!   the page.
//! - A `rust` fence is a whole `src/main.rs`. The first one is the final file, which is written later; the
//!   second one is compared with the file that `plainwire new` makes; each later one is written to the project.
//! - An `rs` fence is a part of the final file. At the first of them, the final file is written.
//! - An `rs http` fence is a new `main`. Below it, `cargo run` with `--http` starts a server that runs on, at a free port
//!   instead of that of the page.
//!
//! Cargo runs offline, with the versions, the crates and the target folder of this workspace.

#![cfg(unix)]

#[path = "../../crates/cli/templates/client/main.rs"]
#[expect(
    clippy::exit,
    clippy::print_stderr,
    clippy::print_stdout,
    dead_code,
    reason = "a program of its own"
)]
mod client_template;
#[path = "../../crates/cli/templates/http/main.rs"]
#[expect(dead_code, reason = "a program of its own")]
mod http_template;
mod page;

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

use page::{compare, run, shown};
use plainwire_suite::{binary, root};

/// Returns the content of each code fence of a language, and the number of the line at which the content
/// begins.
fn fences(text: &str, language: &str) -> Vec<(usize, String)> {
    let (mut found, mut inside): (Vec<(usize, String)>, _) = (Vec::new(), None);
    for (n, line) in text.lines().enumerate() {
        match (inside, line.strip_prefix("```")) {
            (None, Some(opening)) => {
                let word = opening.split(',').next().unwrap_or_default();
                inside = Some(word == language);
                if word == language {
                    found.push((n + 1, String::new()));
                }
            }
            (Some(_), Some(_)) => inside = None,
            (Some(true), None) => {
                let (_, text) = found.last_mut().expect("a fence that has begun");
                *text += &format!("{line}\n");
            }
            _ => {}
        }
    }
    found
}

/// Returns the tables `[profile.dev…]` of the workspace, which say how its crates are built.
fn dev_profile() -> String {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("UTF-8");
    let mut is_inside = false;
    let mut is_wanted = |line: &&str| {
        if line.starts_with('[') {
            is_inside = line.starts_with("[profile.dev");
        }
        is_inside
    };
    manifest.lines().filter(|it| is_wanted(it)).map(|it| format!("{it}\n")).collect()
}

/// The port in the page.
const PORT: &str = "127.0.0.1:8000";

/// A reader who follows the page. `folder` is the folder in which the next command runs.
struct Reader {
    folder: PathBuf,
    /// The address of the server that runs, and the process; `None` before there is one.
    running: Option<(String, Child)>,
}

impl Reader {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder of our own");
        std::os::unix::fs::symlink(root(), folder.join("plainwire")).expect("a link to the checkout");
        // These are the settings of the workspace, so that its compiled crates are used again. In a file, because
        // servers get only a few variables of the environment.
        let built = binary::path().ancestors().nth(2).expect("target/debug/plainwire").display();
        let profile = dev_profile();
        let settings = format!("[build]\ntarget-dir = '{built}'\n[net]\noffline = true\n{profile}");
        fs::create_dir(folder.join(".cargo")).expect("a folder of our own");
        fs::write(folder.join(".cargo/config.toml"), settings).expect("a folder of our own");
        Self { folder, running: None }
    }

    /// Runs one command line of the page; `cd` changes the folder. Returns the exit code and the output,
    /// stderr included.
    fn run(&mut self, command: &str) -> (i32, String) {
        if let Some(folder) = command.strip_prefix("cd ") {
            self.folder.push(folder);
            // The workspace's lock file names the versions that this machine has. Cargo removes those that
            // are not used.
            fs::copy(root().join("Cargo.lock"), self.folder.join("Cargo.lock")).expect("a folder of our own");
            return (0, String::new());
        }
        // Tests run in a fixed order.
        let address = self.running.as_ref().map_or(PORT, |(address, _)| address);
        let command = command.replace(PORT, address);
        run(
            &format!("export RUST_TEST_THREADS=1; unset CARGO_TARGET_DIR; {{ {command}; }} 2>&1"),
            &self.folder,
        )
    }

    /// Starts the server with another `main`, and waits until it serves.
    fn serve(&mut self, file: &str, main: &str) {
        let begin = file.find("#[tokio::main]").expect("a `main`");
        let end = begin + file[begin..].find("\n}\n").expect("its end") + 3;
        let free =
            TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a free port").to_string();
        self.write_main(&format!("{}{}{}", &file[..begin], main, &file[end..]));
        let (code, said) = self.run("cargo build --quiet");
        assert_eq!(code, 0, "{said}");
        let program = binary::path().with_file_name("shelf");
        let mut server =
            Command::new(program).args(["--http", &free]).stdin(Stdio::null()).spawn().expect("it starts");
        while TcpStream::connect(&free).is_err() {
            assert!(server.try_wait().expect("a child").is_none(), "the server has ended");
            thread::sleep(Duration::from_millis(20));
        }
        self.running = Some((free, server));
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    fn write_main(&self, text: &str) {
        fs::write(self.folder.join("src/main.rs"), text).expect("a folder of our own");
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let Some((_, mut server)) = self.running.take() {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

#[test]
fn the_tutorial_can_be_followed_to_the_letter() {
    let page = fs::read_to_string(root().join("docs/tutorial.md")).expect("UTF-8");
    let (mut listings, mut parts) = (fences(&page, "rust"), fences(&page, "rs"));
    let mut over_http = fences(&page, "rs http");
    let (_, end) = listings.remove(0);
    let (_, made) = listings.remove(0);
    assert!(!listings.is_empty() && !parts.is_empty(), "expected steps on the page");
    for (line, part) in &parts {
        assert!(
            end.contains(part.trim()),
            "line {line}: expected a part of the file at the top, but found\n{part}"
        );
    }
    let mut reader = Reader::new("tutorial");
    for shown in shown(&page) {
        while listings.first().is_some_and(|(line, _)| *line < shown.line) {
            reader.write_main(&listings.remove(0).1);
        }
        while parts.first().is_some_and(|(line, _)| *line < shown.line) {
            parts.remove(0);
            reader.write_main(&end);
        }
        if shown.command == format!("cargo run --quiet -- --http {PORT}") {
            let (line, main) = over_http.pop().expect("a `main` for HTTP");
            assert!(line < shown.line && shown.output.is_empty(), "line {line}: it stands above its start");
            reader.serve(&end, &main);
            continue;
        }
        let (code, said) = reader.run(&shown.command);
        if let Err(difference) = compare(&shown, (code, &said)) {
            panic!("docs/tutorial.md:{}\n{difference}", shown.line);
        }
        if shown.command.starts_with("cd ") {
            assert_eq!(reader.read("src/main.rs"), made, "`plainwire new` makes what the page shows");
        }
    }
    assert!(
        listings.is_empty() && parts.is_empty() && over_http.is_empty(),
        "expected a command below every step"
    );
}

#[test]
fn a_project_is_made_once_and_by_a_legal_name_only() {
    let mut reader = Reader::new("new");
    let (code, said) = reader.run("plainwire new twice --path plainwire");
    assert_eq!(code, 0, "{said}");
    assert!(reader.read("twice/README.md").lines().count() <= 10);
    assert_eq!(reader.read("twice/.gitignore"), "/target\n");
    for (command, expected) in [
        (
            "plainwire new twice --path plainwire",
            "expected nothing at `twice`, but found a folder with files in it",
        ),
        ("touch file && plainwire new file --path plainwire", "expected nothing at `file`, but found a file"),
        ("plainwire new fn", "but found `fn`, which is reserved"),
        ("plainwire new ../x", "but found `../x`"),
        ("plainwire new other --path file", "expected --path to be a checkout"),
        ("plainwire new other", "expected `--path CHECKOUT`, but found nothing"),
        ("plainwire new other", "hint: Plainwire is not published yet"),
    ] {
        let (code, said) = reader.run(command);
        assert!(code == 2 && said.contains(expected), "{command}: {code}\n{said}");
    }
    assert!(!reader.folder.join("other").exists(), "nothing is made if something is wrong");
    let (code, said) = reader.run("mkdir empty && plainwire new empty --path plainwire");
    assert_eq!(code, 0, "{said}");
    let library = root().join("crates/plainwire").canonicalize().expect("the library of this checkout");
    let dependency = format!("plainwire = {{ path = \"{}\" }}", library.display());
    assert!(reader.read("empty/Cargo.toml").contains(&dependency), "{dependency}");
}

#[test]
fn each_template_has_its_source_and_the_features_that_it_needs() {
    let mut reader = Reader::new("templates");
    for (template, features, source) in [
        ("stdio", "", "server().stdio().await"),
        ("http", ", features = [\"http\"]", "server().run().await"),
        ("client", ", features = [\"http-client\"]", "Client::connect(target(&words)).await?"),
        ("apps", "", "apps::page(BARS, include_str!(\"bars.html\"))"),
    ] {
        let (code, said) =
            reader.run(&format!("plainwire new my-{template} --template {template} --path plainwire"));
        assert_eq!(code, 0, "{said}");
        let manifest = reader.read(&format!("my-{template}/Cargo.toml"));
        let end = format!("crates/plainwire\"{features} }}\n");
        assert!(
            manifest.contains(&end) && manifest.contains(&format!("name = \"my-{template}\"")),
            "{manifest}"
        );
        assert!(reader.read(&format!("my-{template}/src/main.rs")).contains(source), "{template}");
        let readme = reader.read(&format!("my-{template}/README.md"));
        assert!(!readme.contains("{{") && readme.contains("cargo test"), "{readme}");
        let (code, said) = reader.run(&format!("rustfmt --check --edition 2024 my-{template}/src/main.rs"));
        assert_eq!(code, 0, "{said}");
    }
    assert!(reader.folder.join("my-apps/src/bars.html").exists());
}
