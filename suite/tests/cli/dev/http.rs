//! Tests of `plainwire dev --http`: clients over HTTP that stay while the server behind them changes.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use plainwire::Client;
use plainwire::client::Change;
use plainwire::model::{ElicitResult, SubscriptionFilter};
use plainwire::proto::cursor::List;
use plainwire::proto::peer::EraChoice;
use plainwire::serde_json::json;
use plainwire_suite::binary;
use tokio::time::{sleep, timeout};

use super::SOON;
use crate::Ran;

const SERVER: &str = env!("CARGO_BIN_EXE_changing-server");

/// A running `plainwire dev --http`, and the files of its server.
struct Running {
    child: Child,
    folder: PathBuf,
    own: SocketAddr,
    server: SocketAddr,
}

impl Running {
    fn start(name: &str, pause: &str) -> Self {
        Self::with(name, pause, |server| [SERVER, server, "src"].map(str::to_owned).to_vec())
    }

    /// Starts it with another command, which is made from the address of the server.
    fn with(name: &str, pause: &str, words: impl FnOnce(&str) -> Vec<String>) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("dev-http-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("src")).expect("a folder of our own");
        fs::write(folder.join("src/description"), "First").expect("a file of our own");
        fs::write(folder.join("src/pause"), pause).expect("a file of our own");
        // The build fails while there is this file.
        let build = "if [ -e src/broken ]; then echo 'expected a semicolon' >&2; exit 1; fi";
        fs::write(folder.join("build.sh"), build).expect("a file of our own");
        let (own, server) = (free(), free());
        let log = File::create(folder.join("log")).expect("a file of our own");
        let mut command = binary::command();
        command.current_dir(&folder).stdin(Stdio::null()).stderr(log);
        command.args(["dev", "--http", &own.to_string(), "--url", &format!("http://{server}/mcp")]);
        command.args(["--watch", "src", "--build", "sh build.sh", "--"]).args(words(&server.to_string()));
        let child = command.spawn().expect("the binary starts");
        Self { child, folder, own, server }
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.folder.join("src").join(file), text).expect("a file of our own");
    }

    async fn connect(&self, era: EraChoice) -> Client {
        self.until("the server was started").await;
        let url = format!("http://{}/mcp", self.own);
        Client::builder().era(era).connect(url.as_str()).await.expect("a server")
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).expect("UTF-8")
    }

    /// Waits until `plainwire dev` has said this.
    async fn until(&self, text: &str) {
        let end = Instant::now() + SOON;
        while !self.log().contains(text) {
            assert!(Instant::now() < end, "no {text:?} in {}", self.log());
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Asks the command to end, as a terminal or a service manager does. Returns its exit code.
    fn end(&mut self) -> Option<i32> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            self.end();
        }
    }
}

/// Returns an address that is free.
fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a free port")
}

async fn description(client: &Client) -> String {
    client.list_tools().await.expect("tools").remove(0).description.expect("a description")
}

#[tokio::test]
async fn clients_of_both_eras_hear_of_the_next_server_on_the_streams_that_they_have() {
    let running = Running::start("restart", "0");
    for (era, before, after) in
        [(EraChoice::Legacy, "First", "Second"), (EraChoice::Modern, "Second", "Third")]
    {
        let client = running.connect(era).await;
        assert_eq!(description(&client).await, before);
        let filter = SubscriptionFilter {
            tools_list_changed: true,
            resource_subscriptions: vec!["notes://all".to_owned()],
            ..SubscriptionFilter::default()
        };
        let mut changes = client.listen(filter).await.expect("a subscription");
        running.write("description", after);
        loop {
            let change = timeout(SOON, changes.next()).await;
            let change = change.unwrap_or_else(|_| panic!("{era:?}: {}", running.log())).expect("a change");
            if matches!(change, Change::List(List::Tools)) {
                break;
            }
        }
        assert_eq!(description(&client).await, after);
        let called = client.call_tool("t", json!({})).await.expect("a result");
        assert_eq!(called.content[0].as_text(), Some(after));
        client.close().await;
    }
    for said in ["src/description has changed", "the server was restarted", "tools/list", "tools/call t"] {
        running.until(said).await;
    }
}

#[tokio::test]
async fn a_build_that_fails_is_shown_and_the_server_over_http_goes_on() {
    let running = Running::start("broken", "0");
    let client = running.connect(EraChoice::Legacy).await;
    running.write("description", "Second");
    running.write("broken", "");
    running.until("expected a semicolon\nthe build failed; the server that runs goes on").await;
    assert_eq!(description(&client).await, "First");
    fs::remove_file(running.folder.join("src/broken")).expect("a file of our own");
    running.until("the server was restarted").await;
    assert_eq!(description(&client).await, "Second");
}

#[tokio::test]
async fn a_restart_waits_for_the_call_that_runs_and_later_requests_wait_for_the_restart() {
    let running = Running::start("running", "1000");
    for (era, before, after) in
        [(EraChoice::Legacy, "First", "Second"), (EraChoice::Modern, "Second", "Third")]
    {
        let client = running.connect(era).await;
        let again = client.clone();
        let called = async { again.call_tool("t", json!({})).await };
        let restart = async {
            sleep(Duration::from_millis(200)).await;
            running.write("description", after);
            // Until the change is noticed, the old server answers; then requests wait for the new one.
            loop {
                match description(&client).await {
                    described if described == before => sleep(Duration::from_millis(20)).await,
                    described => break described,
                }
            }
        };
        let (called, described) = tokio::join!(called, restart);
        assert_eq!(called.expect("a result").content[0].as_text(), Some(before));
        assert_eq!(described, after);
    }
}

#[tokio::test]
async fn a_call_that_asks_gets_its_answer_while_the_next_server_is_due() {
    let running = Running::start("asking", "0");
    running.until("the server was started").await;
    let (asked, question) = tokio::sync::watch::channel(false);
    let builder = Client::builder().era(EraChoice::Legacy).on_elicit(move |_| {
        let asked = asked.clone();
        async move {
            asked.send_replace(true);
            // Until the change is noticed, and the restart waits for this call.
            sleep(Duration::from_secs(1)).await;
            ElicitResult::accept(json!({}))
        }
    });
    let client = builder.connect(format!("http://{}/mcp", running.own).as_str()).await.expect("a server");
    let change = async {
        question.clone().wait_for(|asked| *asked).await.expect("a question");
        running.write("description", "Second");
    };
    let (called, ()) = tokio::join!(client.call_tool("asks", json!({})), change);
    assert_eq!(called.expect("a result").content[0].as_text(), Some("agreed"));
    assert_eq!(description(&client).await, "Second");
}

/// Posts a message to a path, with headers of its own. Returns the response.
fn post(running: &Running, path: &str, headers: &str, message: &str) -> String {
    let mut stream = TcpStream::connect(running.own).expect("it listens");
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\naccept: \
         application/json, text/event-stream\r\n{headers}content-length: {}\r\n\r\n",
        message.len()
    );
    stream.write_all(format!("{head}{message}").as_bytes()).expect("it reads");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("UTF-8");
    response
}

#[tokio::test]
async fn a_wrong_path_ends_no_session() {
    let running = Running::start("path", "0");
    running.until("the server was started").await;
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let opened = post(&running, "/mcp", "", initialize);
    let session = opened.lines().find(|line| line.starts_with("mcp-session-id: ")).expect("a session");
    let headers = format!("{session}\r\n");
    post(&running, "/mcp", &headers, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
    assert!(post(&running, "/elsewhere", &headers, list).starts_with("HTTP/1.1 404"));
    running.write("description", "Second");
    running.until("the server was restarted").await;
    let listed = post(&running, "/mcp", &headers, list);
    assert!(listed.contains("Second"), "{listed}");
}

#[tokio::test]
async fn calls_whose_server_is_killed_are_answered_with_an_error() {
    let running = Running::start("killed", "60000");
    let client = running.connect(EraChoice::Modern).await;
    let kill = async {
        // Time for both calls to reach the server.
        sleep(Duration::from_secs(1)).await;
        let pid = fs::read_to_string(running.folder.join("pid")).expect("a file of the server");
        let pid = rustix::process::Pid::from_raw(pid.parse().expect("a number")).expect("an id");
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it runs");
    };
    // The answer to the first call is a stream, that of the second has not begun.
    let (first, second) = (client.call_tool("t", json!({})), client.call_tool("quiet", json!({})));
    let (first, second, ()) = tokio::join!(first, second, kill);
    for called in [first, second] {
        let error = called.expect_err("no server").to_string();
        assert!(error.contains("the answer to `tools/call` got lost"), "{error}");
    }
    // At once, before the end of the server is noticed: this request was not lost, since nobody took it.
    let error = client.list_tools().await.expect_err("no server").to_string();
    assert!(error.contains("the server is not running"), "{error}");
    running.until("the server ended (signal: 9 (SIGKILL)); it is started again after the next change").await;
    let began = Instant::now();
    let error = client.list_tools().await.expect_err("no server").to_string();
    assert!(error.contains("the server is not running") && began.elapsed() < SOON, "{error}");
    running.write("pause", "0");
    assert_eq!(description(&client).await, "First");
}

#[tokio::test]
async fn a_server_that_does_not_listen_at_the_url_is_noticed() {
    let running = Running::with("elsewhere", "0", |_| ["sleep", "60"].map(str::to_owned).to_vec());
    running.until("yet; does its command name this address?").await;
    let url = format!("http://{}/mcp", running.own);
    let error = Client::connect(url.as_str()).await.expect_err("no server").to_string();
    assert!(error.contains("the server is not running"), "{error}");
    let running = Running::with("stdio", "0", |_| ["true"].map(str::to_owned).to_vec());
    running.until("it has accepted no connection at http://").await;
}

/// Over HTTP+SSE, answers come on the stream, and the response to each request is an empty 202.
#[tokio::test]
async fn a_request_over_http_sse_is_not_said_to_have_failed() {
    let words =
        |server: &str| ["plainwire", "serve", "reference", "--sse", "--http", server].map(str::to_owned);
    let running = Running::with("sse", "0", |server| words(server).to_vec());
    running.until("the server was started").await;
    let url = format!("http://{}/sse", running.own);
    let client = Client::builder().era(EraChoice::Legacy).connect(url.as_str()).await.expect("a server");
    let called = client.call_tool("calculate", json!({ "expression": "6*7" })).await.expect("a result");
    assert_eq!(called.content[0].as_text(), Some("42"));
    client.close().await;
    assert!(!running.log().contains("the response has no answer"), "{}", running.log());
}

#[tokio::test]
async fn a_signal_ends_the_command_and_its_server() {
    let mut running = Running::start("signal", "0");
    running.until("the server was started").await;
    assert_eq!(running.end(), Some(0));
    assert!(TcpStream::connect(running.server).is_err(), "the server still listens");
}

/// Sends the head of a request to `plainwire dev`, and `count` bytes. Returns the beginning of the response.
fn answer(running: &Running, head: &str, count: usize) -> String {
    let mut stream = TcpStream::connect(running.own).expect("it listens");
    let head =
        format!("POST /mcp HTTP/1.1\r\n{head}\r\nconnection: close\r\ncontent-length: {count}\r\n\r\n");
    // The command may refuse the request before it has read all of it.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&vec![b' '; count]));
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).expect("a response");
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn a_name_that_a_web_page_bound_to_this_machine_is_refused() {
    let running = Running::start("host", "0");
    running.until("the server was started").await;
    assert_eq!(answer(&running, "host: evil.example", 2), "HTTP/1.1 403");
    assert_eq!(answer(&running, "host: localhost", 2), "HTTP/1.1 415", "the server's own answer");
}

#[tokio::test]
async fn a_body_over_64_mib_is_refused() {
    let running = Running::start("large", "0");
    running.until("the server was started").await;
    assert_eq!(answer(&running, "host: localhost", (64 << 20) + 1), "HTTP/1.1 413");
    assert_ne!(answer(&running, "host: localhost", 16 << 20), "HTTP/1.1 413");
}

/// A server that answers a POST with more than 64 MiB: one JSON body at first, and then an event, with another one behind
/// it.
fn serve_too_much(address: SocketAddr) {
    let listener = TcpListener::bind(address).expect("the address of the server");
    std::thread::spawn(move || {
        let mut answered = 0;
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut head = [0; 4_096];
            // A connection without a request only asks whether the server listens.
            if stream.read(&mut head).is_ok_and(|count| count > 0) {
                let large = "x".repeat((64 << 20) + 1);
                let (kind, body) = match answered {
                    0 => ("application/json", format!("\"{large}\"")),
                    _ => (
                        "text/event-stream",
                        format!("data: {large}\n\ndata: {{\"id\":1,\"result\":{{}}}}\n\n"),
                    ),
                };
                answered += 1;
                let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n");
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
            }
        }
    });
}

#[tokio::test]
async fn a_response_and_an_event_over_64_mib_are_left_out() {
    // The test is the server; the one that `dev` starts does nothing.
    let running = Running::with("large-answer", "0", |_| ["sleep", "60"].map(str::to_owned).to_vec());
    running.until("clients connect to").await;
    serve_too_much(running.server);
    running.until("the server was started").await;
    let ask = || {
        let mut stream = TcpStream::connect(running.own).expect("it listens");
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length";
        stream.write_all(format!("{head}: {}\r\n\r\n{body}", body.len()).as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("UTF-8");
        answer
    };
    let whole = ask();
    assert!(whole.contains("the answer to `ping` got lost"), "{} bytes", whole.len());
    running.until("the response broke off, or has more than 67108864 bytes").await;
    let events = ask();
    assert!(events.contains("\"result\":{}") && events.len() < 1_000, "{} bytes", events.len());
    running.until("an event of more than 67108864 bytes is left out").await;
}

#[tokio::test]
async fn of_connections_256_are_open_at_a_time() {
    let running = Running::start("many", "0");
    running.until("the server was started").await;
    let asks = || {
        let mut stream = TcpStream::connect(running.own).expect("it listens");
        stream.write_all(b"GET / HTTP/1.1\r\nhost: evil.example\r\n\r\n").expect("it reads");
        stream
    };
    let hears = |stream: &mut TcpStream, patience: Duration| {
        stream.set_read_timeout(Some(patience)).expect("a time");
        stream.read_exact(&mut [0; 12]).is_ok()
    };
    let mut open: Vec<TcpStream> = (0..256).map(|_| asks()).collect();
    assert!(open.iter_mut().all(|stream| hears(stream, SOON)));
    let mut next = asks();
    assert!(!hears(&mut next, Duration::from_millis(200)), "one connection too many is served");
    open.pop();
    assert!(hears(&mut next, SOON));
}

#[test]
fn a_server_needs_a_port_of_its_own() {
    let own = free();
    let url = format!("http://{own}/mcp");
    let ran = crate::run(&["dev", "--http", &own.to_string(), "--url", &url, "--", "true"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("expected --url to have another address than --http"),
        "{ran:?}"
    );
}

#[test]
fn addresses_that_can_not_work_are_named() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let taken = taken.local_addr().expect("an address");
    let at = |http: &str, url: &str| {
        let mut command = binary::command();
        command.args(["dev", "--http", http, "--url", url, "--watch", "/dev/null", "--", "true"]);
        Ran::of(command.stdin(Stdio::null()).output().expect("the binary starts"))
    };
    let taken_url = format!("http://{taken}/mcp");
    for (http, url, code, expected) in [
        (
            "0.0.0.0:0",
            "http://127.0.0.1:1/mcp",
            2,
            "expected a loopback address such as 127.0.0.1:8001 as --http",
        ),
        (
            "here",
            "http://127.0.0.1:1/mcp",
            2,
            "expected an address and port such as 127.0.0.1:8001 as --http",
        ),
        (
            "127.0.0.1:0",
            "https://127.0.0.1:1/mcp",
            2,
            "expected a URL such as http://127.0.0.1:8000/mcp as --url",
        ),
        ("127.0.0.1:0", "127.0.0.1:1", 2, "\n\nhint: --url http://127.0.0.1:1\n"),
        ("127.0.0.1:0", &taken_url, 3, "but another program listens at http://127.0.0.1:"),
        (&taken.to_string(), "http://127.0.0.1:1/mcp", 3, "listening at 127.0.0.1:"),
    ] {
        let ran = at(http, url);
        assert!(ran.code == code && ran.stderr.contains(expected), "{ran:?}");
    }
}
