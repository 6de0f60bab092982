//! Servers that exit while a client uses them, and clients that are killed while they have servers.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use plainwire::Error;
use plainwire::client::process::Program;
use serde_json::json;

use super::support::{Killed, STUBBORN, Script, again, builder, eventually, lives, role};

#[tokio::test]
async fn says_how_a_server_ended_that_was_killed_in_the_middle_of_a_call() {
    let script = Script::serving(
        "(trap '' TERM; while :; do sleep 1; done) &\n\
         called() { echo about to write >&2; kill -9 $$; }",
    );
    let client = script.connect().await;
    let began = Instant::now();
    let failed = client.call_tool("write", json!({})).await.expect_err("no answer");
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    let Error::OutcomeUnknown { what, why } = failed else { panic!("{failed}") };
    assert_eq!(what, "`tools/call` of \"write\"");
    assert!(why.contains("signal: 9"), "{why}");
    assert!(why.ends_with("its last words on stderr:\nabout to write"), "{why}");
    // The server has left a second process, which ignores SIGTERM. The client ends that process although the
    // client itself is still open.
    script.expect_nobody_left();
    let again = client.call_tool("write", json!({})).await.expect_err("no server");
    assert!(matches!(&again, Error::Closed { why } if why.contains("signal: 9")), "{again}");
    assert_eq!(script.calls(), 1);
}

#[tokio::test]
async fn reaps_a_server_that_ends_while_nobody_asks() {
    let script = Script::serving(
        "answer() { printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\\n' \"$id\" \"$1\"; exit 0; }",
    );
    let _client = script.connect().await;
    script.expect_nobody_left();
}

/// A client is killed by SIGKILL: its server processes must end within 4 s. The test starts this test program
/// a second time, as that client.
#[tokio::test]
async fn ends_the_servers_of_a_client_that_was_killed() {
    let name = "process::exits::ends_the_servers_of_a_client_that_was_killed";
    if role().is_some() {
        let scripts = [&format!("{STUBBORN} echo $$ >&2"), "echo $$ >&2", STUBBORN].map(Script::serving);
        let [_one, two, _three] = &scripts;
        for (script, seconds) in scripts.iter().zip([2, 2, 1]) {
            let program = Program::new(script.command()).grace(Duration::from_secs(seconds));
            let client = builder().command(program).await.expect("a connection");
            writeln!(std::io::stderr(), "server {}", script.pid()).expect("a stderr");
            std::mem::forget(client);
        }
        drop(two.connect().await);
        return std::future::pending().await;
    }
    let mut client = Killed(again(name, "client").stderr(Stdio::piped()).spawn().expect("a client"));
    let mut stderr = BufReader::new(client.0.stderr.take().expect("a pipe"));
    let mut servers: Vec<u32> = Vec::new();
    while servers.len() < 3 {
        let mut line = String::new();
        assert!(stderr.read_line(&mut line).expect("a line") > 0);
        servers.extend(line.strip_prefix("server ").and_then(|pid| pid.trim().parse::<u32>().ok()));
    }
    assert!(servers.iter().all(|pid| lives(*pid)));
    client.0.kill().expect("SIGKILL");
    let began = Instant::now();
    for pid in servers {
        eventually(|| (!lives(pid)).then_some(()));
    }
    let took = began.elapsed();
    assert!(took < Duration::from_secs(4), "{took:?}");
}
