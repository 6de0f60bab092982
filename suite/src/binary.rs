//! The command `plainwire`, built from the present sources.
//!
//! In: nothing. Out: a path, or a [`Command`]. Cargo builds a binary only for the tests of its own package,
//! so the tests of this package might find an old binary or none. Therefore they run `cargo build`, which
//! also reports the path. If nothing has changed, that takes a moment.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

/// The servers of `examples/`. They and the example client are built with the command, into the folder of the
/// command.
pub const EXAMPLES: [&str; 8] =
    ["apps", "asks", "hello", "layers", "long_work", "resources", "state", "typed"];

/// Returns the path of the binary. The first call in a process builds it, with the Cargo profile of the
/// calling test.
///
/// # Panics
/// If it can't be built.
pub fn path() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(build)
}

/// Returns the command without arguments. `PATH` in its environment begins with the folder of the binary, so
/// that child processes find `plainwire`.
///
/// # Panics
/// As [`path`].
pub fn command() -> Command {
    let mut command = Command::new(path());
    command.env("PATH", search_path());
    command
}

/// Returns `PATH` with the folder of the binary in front.
///
/// # Panics
/// As [`path`].
pub fn search_path() -> OsString {
    let folder = path().parent().expect("a file lies in a folder").to_owned();
    let others = env::var_os("PATH").unwrap_or_default();
    env::join_paths([folder].into_iter().chain(env::split_paths(&others))).expect("came from a PATH")
}

/// Removes variables from the environment of `command`, which is cargo or starts cargo: those that cargo sets
/// for a package while it builds or tests the package.
///
/// The build script of `ring` depends on these variables. With them, cargo would build `ring` again, and
/// every crate that depends on it. The next cargo without the variables would then build these crates again.
pub fn without_package(command: &mut Command) -> &mut Command {
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text == "OUT_DIR" || text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

fn build() -> PathBuf {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
    let mut command = Command::new(cargo);
    without_package(&mut command);
    // With `--examples`, dependencies have the same features as in `cargo test --workspace`, which also
    // builds dev-dependencies. With the command as the only target, cargo would build the dependencies again:
    // 100 s.
    command.current_dir(crate::root()).args([
        "build",
        "--workspace",
        "--bins",
        "--examples",
        "--message-format=json",
    ]);
    // The profile of `cargo test` is not that of `cargo build`: it optimises more.
    command.args(["--profile", if cfg!(debug_assertions) { "test" } else { "release" }]);
    let output = command.output().expect("cargo starts: it has started this test");
    assert!(output.status.success(), "building failed:\n{}", String::from_utf8_lossy(&output.stderr));
    let messages = output.stdout.split(|byte| *byte == b'\n');
    let is_the_command = |message: &Value| {
        message.pointer("/target/name") == Some(&Value::from("plainwire"))
            && message.pointer("/target/kind/0") == Some(&Value::from("bin"))
            && message.pointer("/profile/test") == Some(&Value::from(false))
    };
    let executable = messages
        .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
        .filter(is_the_command)
        .filter_map(|message| Some(PathBuf::from(message.get("executable")?.as_str()?)))
        .next_back();
    executable.expect("cargo names the binary it has built")
}
