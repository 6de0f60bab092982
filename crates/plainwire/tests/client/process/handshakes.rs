//! Programs that hang or crash in the handshake, write lines that are no messages before its end, or can't be
//! started.

use std::error::Error as _;
use std::process::Command;
use std::time::{Duration, Instant};

use plainwire::Client;

use super::support::{STUBBORN, Script, builder, impatient};

#[tokio::test]
async fn gives_up_a_server_that_hangs_in_initialize() {
    let script = Script::new(&format!("{STUBBORN} ended"));
    let program = script.program().grace(Duration::from_secs(10));
    let began = Instant::now();
    let failed = impatient().command(program).await.expect_err("no greeting");
    let took = began.elapsed();
    assert!(failed.to_string().starts_with("expected an answer to `initialize`, but the "), "{failed}");
    assert!(took < Duration::from_secs(2), "{took:?}");
    script.expect_nobody_left_within(Duration::from_secs(1));
}

#[tokio::test]
async fn tells_at_once_of_a_crash_in_initialize() {
    let script = Script::new("read -r line; echo 'no database at db.example' >&2; exit 3");
    let began = Instant::now();
    let failed = Client::builder().command(script.program()).await.expect_err("no greeting");
    let took = began.elapsed();
    assert_eq!(
        failed.to_string(),
        "the connection ended: the server exited (exit status: 3); its last words on stderr:\n\
         no database at db.example"
    );
    assert!(took < Duration::from_secs(2), "{took:?}");
    script.expect_nobody_left_within(Duration::from_secs(1));
}

#[tokio::test]
async fn passes_over_lines_that_are_no_messages() {
    let script = Script::serving("echo listening; echo; echo '{\"level\": \"info\"}'");
    script.connect().await.close().await;
}

#[tokio::test]
async fn names_lines_that_are_no_messages_when_the_handshake_fails() {
    let script = Script::new("echo Listening on port 80; read -r line; exit 7");
    let failed = builder().command(script.program()).await.expect_err("no greeting").to_string();
    let found = "the server exited (exit status: 7), and its output had the line \"Listening on port 80\", which \
                 is not a message";
    assert!(failed.ends_with(found), "{failed}");

    let script = Script::new("printf 'one\\ntwo\\nthree\\n'; sleep 1000");
    let failed = impatient().command(script.program()).await.expect_err("no greeting").to_string();
    let found = "and its output had 3 lines that are not messages, the first of which is \"one\"";
    assert!(failed.contains(found), "{failed}");
}

#[tokio::test]
async fn names_a_program_that_can_not_be_started_and_what_was_expected() {
    let missing = Command::new("no-such-program-anywhere");
    let mut elsewhere = Command::new("sh");
    elsewhere.current_dir("/no/such/directory");
    let mut secret = Command::new("/no/such/program");
    secret.args(["--token", "s3cret"]);
    let cases = [
        (missing, "expected \"no-such-program-anywhere\" to be a program on the PATH, but found: "),
        (elsewhere, "expected the working directory \"/no/such/directory\" to exist, but found: "),
        (Command::new("/etc/passwd"), "expected \"/etc/passwd\" to be an executable file, but found: "),
        (secret, "expected \"/no/such/program\" to exist, but found: "),
    ];
    for (command, expected) in cases {
        let failed = builder().command(command).await.expect_err("no server");
        let why = failed.to_string();
        assert!(
            why.starts_with(&format!("starting the server: {expected}")) && !why.contains("s3cret"),
            "{why}"
        );
        assert!(failed.source().is_none() && format!("{failed:?}") == why, "the reason is there once");
    }
}
