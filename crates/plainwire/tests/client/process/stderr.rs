//! Stderr of server processes: the client keeps a bounded part of it, passes it on, and never blocks the
//! server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use plainwire::client::host::{Host, Member};
use plainwire::client::process::{Program, Stderr};
use serde_json::json;

use super::support::{Killed, Script, again, builder, role};

const FLOOD: &str = "called() { head -c 300000000 /dev/zero >&2; echo the end >&2; answer \"$text\"; }";

/// The peak of the memory is that of a whole process. So the client is this test program, started a second time.
#[tokio::test]
async fn neither_blocks_nor_grows_when_a_server_floods_its_stderr() {
    let name = "process::stderr::neither_blocks_nor_grows_when_a_server_floods_its_stderr";
    if role().is_none() {
        let ended = again(name, "client").output().expect("a client");
        return assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    }
    let script = Script::serving(FLOOD);
    let client = script.connect().await;
    client.call_tool("any", json!({})).await.expect("an answer");
    client.close().await;
    script.expect_nobody_left();
    if cfg!(target_os = "linux") {
        let status = std::fs::read_to_string("/proc/self/status").expect("a status");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
        let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
        assert!(kilobytes < 60_000, "{kilobytes} kB");
    }
}

/// A server writes 20 MB to stderr, which its client passes on, but the test does not read the client's
/// stderr: the call must still be answered. The client is this test program, started a second time.
#[tokio::test]
async fn does_not_block_a_server_when_nobody_reads_our_own_stderr() {
    let name = "process::stderr::does_not_block_a_server_when_nobody_reads_our_own_stderr";
    if role().is_some() {
        let script = Script::serving("called() { head -c 20000000 /dev/zero >&2; answer \"$text\"; }");
        let program = Program::new(script.command()).grace(Duration::from_secs(2));
        let client = builder().command(program).await.expect("a connection");
        client.call_tool("any", json!({})).await.expect("an answer");
        writeln!(std::io::stdout(), "\nanswered").expect("a stdout");
        return client.close().await;
    }
    let mut client = again(name, "client");
    let client = client.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a client");
    let mut client = Killed(client);
    let (said, hears) = std::sync::mpsc::channel();
    let stdout = BufReader::new(client.0.stdout.take().expect("a pipe"));
    thread::spawn(move || {
        let mut lines = stdout.lines().map_while(Result::ok);
        let _ = said.send(lines.any(|line| line == "answered"));
    });
    assert_eq!(hears.recv_timeout(Duration::from_secs(20)), Ok(true));
    drop(client);
}

/// The stderr of servers must appear on the client's stderr with [`Stderr::Pass`] and
/// [`Stderr::AsTheCommandSays`], and must not with [`Stderr::Keep`]. The client is this test program, started
/// a second time.
#[tokio::test]
async fn passes_stderr_on_unless_told_otherwise() {
    let name = "process::stderr::passes_stderr_on_unless_told_otherwise";
    if role().is_some() {
        for (word, how) in
            [("passed", Stderr::Pass), ("kept", Stderr::Keep), ("inherited", Stderr::AsTheCommandSays)]
        {
            let script = Script::serving(&format!(
                "ended() {{ printf 'the server was {word}\\033[2J\\r\\302\\233 \\303' >&2; printf '\\251\\n' >&2; }}"
            ));
            let program = Program::new(script.command()).stderr(how);
            builder().command(program).await.expect("a connection").close().await;
        }
        return;
    }
    let mut client = Killed(again(name, "client").stderr(Stdio::piped()).spawn().expect("a client"));
    let mut said = String::new();
    client.0.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
    assert!(said.contains("the server was passed\\u{1b}[2J\\r\\u{9b} é\n"), "{said:?}");
    assert!(said.contains("the server was inherited\u{1b}[2J\r\u{9b} é\n"), "{said:?}");
    assert!(!said.contains("the server was kept"), "{said}");
}

/// The client is this test program, started a second time.
#[tokio::test]
async fn a_host_puts_the_name_of_the_server_before_each_line() {
    let name = "process::stderr::a_host_puts_the_name_of_the_server_before_each_line";
    if role().is_some() {
        let script = Script::serving("ended() { printf 'one\\ntwo\\n' >&2; }");
        let host = Host::start([Member::to("lamp\u{1b}", Program::new(script.command())).prefix("l")])
            .expect("a host");
        host.tools().await;
        return host.close().await;
    }
    let mut client = Killed(again(name, "client").stderr(Stdio::piped()).spawn().expect("a client"));
    let mut said = String::new();
    client.0.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
    assert!(said.contains("lamp\\u{1b}: one\nlamp\\u{1b}: two\n"), "{said:?}");
}

#[tokio::test]
async fn a_program_can_take_the_lines_itself() {
    let script = Script::serving(
        "called() { printf 'one\\033[2J\\ntw' >&2; printf 'o\\nthe rest' >&2; answer \"$text\"; }",
    );
    let (taken, shown) = std::sync::mpsc::channel();
    let program = Program::new(script.command()).stderr_to(move |lines| {
        let _ = taken.send(lines.to_owned());
    });
    let client = builder().command(program).await.expect("a connection");
    client.call_tool("any", json!({})).await.expect("an answer");
    // A thread reads stderr, so the lines may come after the answer.
    let last_words = async {
        loop {
            match client.server_stderr() {
                Some(text) if text.ends_with("the rest") => return text,
                _ => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    };
    let in_time = Duration::from_secs(20);
    let last_words = tokio::time::timeout(in_time, last_words).await.expect("the lines in time");
    client.close().await;
    assert_eq!(shown.try_iter().collect::<String>(), "one\\u{1b}[2J\ntwo\nthe rest");
    assert!(last_words.starts_with("one"), "the last lines are kept too: {last_words}");
}

#[tokio::test]
async fn has_no_last_words_of_a_stderr_that_is_the_commands_own() {
    let script = Script::new("echo lost >&2; read -r line; exit 3");
    let mut command = script.command();
    command.stderr(Stdio::null());
    let program = Program::new(command).stderr(Stderr::AsTheCommandSays);
    let failed = builder().command(program).await.expect_err("no greeting");
    assert!(failed.to_string().ends_with("(exit status: 3)"), "{failed}");
}
