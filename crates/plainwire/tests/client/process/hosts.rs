//! Commands as the servers of a host, and legacy commands that an `Eras` remembers.

use std::time::Duration;

use plainwire::Client;
use plainwire::client::Eras;
use plainwire::client::host::{Connection, Host, Member};
use serde_json::json;
use tokio::time::timeout;

use super::support::{PATIENCE, Script};

#[tokio::test]
async fn a_command_of_a_host_that_died_is_started_again() {
    let script = Script::serving(r#"called() { answer "$text"; exit 3; }"#);
    let host = Host::start([Member::to("s", script.command())]).expect("a host");
    let call = || host.call::<String>("s__read", json!({}));
    for _ in 0..2 {
        assert_eq!(timeout(PATIENCE, call()).await.expect("in time").expect("text"), "done");
        timeout(PATIENCE, async {
            while matches!(host.servers()[0].connection, Connection::Connected(_)) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await
        .expect("its end is seen");
    }
    assert_eq!(script.notes().iter().filter(|it| it.starts_with("pid ")).count(), 2);
    let Connection::Lost { why } = &host.servers()[0].connection else { panic!("{:?}", host.servers()) };
    assert!(why.contains("exit status: 3") || why.contains("just ended"), "{why}");
    host.close().await;
}

/// The shell script of a legacy server that refuses `server/discover` and writes each handshake to its notes.
const OLD: &str = r#"
while read -r line; do
    id=${line#*\"id\":}; id=${id%%[,\}]*}
    case $line in
        *'"server/discover"'*) echo discover >> "$NOTES"
            printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
        *'"initialize"'*) echo initialize >> "$NOTES"
            printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}\n' "$id" ;;
    esac
done
"#;

#[tokio::test]
async fn a_command_that_was_legacy_is_not_asked_again_what_it_speaks() {
    let (script, other, eras) = (Script::new(OLD), Script::new(OLD), Eras::new());
    for script in [&script, &script, &other] {
        let client = Client::builder().eras(&eras).command(script.command()).await.expect("a connection");
        client.close().await;
    }
    let asked = |script: &Script| {
        script.notes().into_iter().filter(|it| !it.starts_with("pid ")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(asked(&script), "discover initialize initialize");
    assert_eq!(asked(&other), "discover initialize", "another command is another server");
}

/// A command that was legacy dies after 300 ms of the second, and then says nothing.
#[tokio::test]
async fn a_command_that_is_asked_again_has_the_rest_of_the_deadline() {
    let later = r#"case $(grep -c pid "$NOTES") in 1) ;; 2) sleep 0.3; exit ;; *) sleep 30 ;; esac"#;
    let (script, eras) = (Script::new(&format!("{later}\n{OLD}")), Eras::new());
    let connect = || {
        let builder = Client::builder().eras(&eras).connect_deadline(Duration::from_secs(1));
        builder.command(script.program())
    };
    connect().await.expect("a connection").close().await;
    let error = connect().await.expect_err("nobody answers").to_string();
    let within = error.strip_prefix("expected a connection within ").and_then(|it| it.split("ms").next());
    let within: u32 = within.and_then(|it| it.parse().ok()).unwrap_or_else(|| panic!("{error}"));
    assert!((1..=700).contains(&within), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_right_after_a_server_has_died_goes_to_the_next_one() {
    let pay = r#"tools='{"tools":[{"name":"pay","inputSchema":{"type":"object"}}]}'"#;
    let script = Script::serving(&format!("{pay}\ncalled() {{ exit 3; }}"));
    // The second call of each host comes as soon as possible: some of them would find the connection still open.
    for _ in 0..30 {
        let host = Host::start([Member::to("s", script.command())]).expect("a host");
        for _ in 0..2 {
            let call = host.call::<String>("s__pay", json!({}));
            let failed = timeout(PATIENCE, call).await.expect("in time").expect_err("a server that died");
            assert!(matches!(failed, plainwire::Error::OutcomeUnknown { .. }), "{failed:?}");
        }
        host.close().await;
    }
}
