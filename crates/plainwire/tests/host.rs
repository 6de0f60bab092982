//! Many servers as one: names, lists with and without slow and dead servers, changes, calls.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire::host::{Connection, Host, HostChange, Listing, Member, PartState};
use plainwire::prelude::*;
use plainwire::proto::cursor::List;
use plainwire::proto::peer::EraChoice;
use plainwire::testing;
use plainwire::transport::tap::{Direction, Tap};
use plainwire::{Change, Client, Error, Stage};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

const PATIENCE: Duration = Duration::from_secs(30);

fn tool(name: &str) -> Tool {
    let says = name.to_owned();
    Tool::new(name, move || {
        let says = says.clone();
        async move { says }
    })
}

fn server(tools: &[&str]) -> Server {
    tools.iter().fold(Server::new("some"), |server, name| server.tool(tool(name)))
}

fn member(name: &'static str, server: Server) -> Member {
    Member::connecting(name, testing::client(server))
}

fn names(listing: &Listing) -> Vec<&str> {
    listing.entries.iter().map(|entry| entry.name.as_str()).collect()
}

/// What a scripted server does.
#[derive(Clone, Debug)]
struct Mode {
    /// Leaves.
    is_dead: bool,
    /// Reads, and answers nothing.
    is_slow: bool,
    list_changed: bool,
    tools: Value,
}

impl Default for Mode {
    fn default() -> Self {
        let tools = json!([{ "name": "hello", "inputSchema": { "type": "object" } }]);
        Self { is_dead: false, is_slow: false, list_changed: true, tools }
    }
}

/// A legacy server that does what `mode` says; what it is asked stands in `asked`.
struct Scripted {
    asked: Arc<Mutex<Vec<String>>>,
    mode: watch::Sender<Mode>,
    _task: JoinSet<()>,
}

impl Scripted {
    fn asked(&self, method: &str) -> usize {
        self.asked.lock().expect("no panic").iter().filter(|asked| *asked == method).count()
    }

    fn change(&self, change: impl FnOnce(&mut Mode)) {
        self.mode.send_modify(change);
    }
}

async fn scripted(mode: Mode) -> (Client, Scripted) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (mode, changes) = watch::channel(mode);
    let asked = Arc::new(Mutex::new(Vec::new()));
    let mut task = JoinSet::new();
    task.spawn(serve(theirs, changes, Arc::clone(&asked)));
    let (reader, writer) = tokio::io::split(ours);
    let client =
        Client::builder().era(EraChoice::Legacy).streams(reader, writer).await.expect("a connection");
    (client, Scripted { asked, mode, _task: task })
}

async fn serve(
    stream: tokio::io::DuplexStream,
    mut mode: watch::Receiver<Mode>,
    asked: Arc<Mutex<Vec<String>>>,
) {
    let (from, mut to) = tokio::io::split(stream);
    let mut lines = BufReader::new(from).lines();
    let mut waiting: Vec<Value> = Vec::new();
    loop {
        tokio::select! {
            line = lines.next_line() => {
                let Ok(Some(line)) = line else { return };
                let message: Value = serde_json::from_str(&line).expect("JSON");
                asked.lock().expect("no panic").push(message["method"].as_str().unwrap_or_default().to_owned());
                waiting.push(message);
            }
            changed = mode.changed() => if changed.is_err() { return },
        }
        let now = mode.borrow_and_update().clone();
        if now.is_dead {
            return;
        }
        if now.is_slow {
            continue;
        }
        for message in waiting.drain(..) {
            let result = match message["method"].as_str() {
                Some("initialize") => {
                    let tools = json!({ "listChanged": now.list_changed });
                    json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": tools } })
                }
                Some("tools/list") => json!({ "tools": now.tools }),
                Some("tools/call") => {
                    json!({ "content": [{ "type": "text", "text": message["params"]["name"] }] })
                }
                _ => continue,
            };
            let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
            if to.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
                return;
            }
        }
    }
}

#[tokio::test]
async fn another_server_renames_nothing_and_a_bare_name_does_while_it_is_the_only_one() {
    let one = Host::start([member("jira", server(&["search", "issue"]))]).expect("a host");
    assert_eq!(names(&one.tools().await), ["jira__search", "jira__issue"]);
    assert_eq!(one.call::<String>("search", json!({})).await.expect("text"), "search");

    let two = [member("jira", server(&["search", "issue"])), member("wiki", server(&["search"])).prefix("w")];
    let two = Host::start(two).expect("a host");
    assert_eq!(names(&two.tools().await), ["jira__search", "jira__issue", "w__search"]);
    assert_eq!(two.call::<String>("issue", json!({})).await.expect("text"), "issue");
    assert_eq!(two.call::<String>("w__search", json!({})).await.expect("text"), "search");
    let error = two.call_tool("search", json!({})).await.expect_err("two of them");
    assert!(matches!(&error, Error::Ambiguous { servers, .. } if *servers == ["jira", "wiki"]), "{error}");
    assert_eq!(
        error.to_string(),
        r#"expected the tool of one server, but found "search" at several: jira, wiki"#
    );
    let error = two.call_tool("jira_serch", json!({})).await.expect_err("nobody's");
    let expected =
        r#"expected a tool that is known here, but found "jira_serch"; did you mean `jira__search`?"#;
    assert_eq!(error.to_string(), expected);
    let error = two.client("jura").await.expect_err("nobody");
    assert!(matches!(&error, Error::Unknown { meant: Some(meant), .. } if meant == "jira"), "{error}");
}

#[tokio::test]
async fn prefixes_that_clash_or_are_none_are_refused() {
    let two = |one: Member, other: Member| match Host::start([one, other]) {
        Err(Error::Target { message }) => message,
        other => panic!("{other:?}"),
    };
    let some = |name| member(name, server(&[]));
    assert!(two(some("a"), some("a").prefix("b")).contains("another name and another prefix"));
    assert!(two(some("a"), some("b").prefix("a")).contains("another name and another prefix"));
    assert!(two(some("a"), some("b c")).contains("expected a prefix of at most 32 characters"));
    Host::start([some("a"), some("b c").prefix("")]).expect("a server without a prefix is allowed");
}

#[tokio::test]
async fn a_name_that_two_would_have_is_nobodys() {
    let members = [member("plain", server(&["b__x", "y"])).prefix(""), member("b", server(&["x"]))];
    let host = Host::start(members).expect("a host");
    let listing = host.tools().await;
    assert_eq!(names(&listing), ["y"]);
    assert_eq!((listing.collisions[0].name.as_str(), listing.collisions[0].servers.len()), ("b__x", 2));
    let error = host.call_tool("b__x", json!({})).await.expect_err("two of them");
    assert!(matches!(error, Error::Ambiguous { .. }), "{error}");
}

#[tokio::test]
async fn an_entry_is_as_it_was_sent_but_for_its_name() {
    let sent = r#"{"x-mine":1.0e2,"name":"a.b","inputSchema":{"type":"object","zz":1,"aa":2},"annotations":{"readOnlyHint":true}}"#;
    let mode = Mode { tools: json!([serde_json::from_str::<Value>(sent).expect("JSON")]), ..Mode::default() };
    let (client, _script) = scripted(mode).await;
    let raw = client.list_raw(List::Tools).await.expect("tools")[0].get().to_owned();
    let host = Host::start([Member::connected("s", client)]).expect("a host");
    let listing = host.tools().await;
    let entry = &listing.entries[0];
    assert_eq!((entry.own_name.as_str(), entry.server.as_str()), ("a.b", "s"));
    assert!(entry.name.starts_with("s__a_b_"), "{}", entry.name);
    assert_eq!(entry.raw.get(), raw.replace("a.b", &entry.name));
    assert_eq!(
        host.call::<String>(&entry.name, json!({})).await.expect("text"),
        "a.b",
        "called by its own name"
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_connect_holds_up_nobody() {
    let slow = Member::connecting("slow", async {
        sleep(Duration::from_secs(20)).await;
        testing::client(server(&["late"])).await
    });
    let host = Host::start([slow.deadline(Duration::from_secs(2)), member("quick", server(&["hello"]))])
        .expect("a host");
    let began = Instant::now();
    assert_eq!(host.call::<String>("quick__hello", json!({})).await.expect("text"), "hello");
    assert!(began.elapsed() < Duration::from_millis(1), "its prefix says whose it is");
    assert_eq!(host.call::<String>("hello", json!({})).await.expect("text"), "hello");
    assert_eq!(began.elapsed().as_secs(), 2, "a name without a prefix waits for whoever might have it");

    let began = Instant::now();
    let listing = host.tools().await;
    assert_eq!(names(&listing), ["quick__hello"]);
    let why = "it has not connected yet".to_owned();
    assert_eq!(listing.parts[0].state, PartState::Missing { why });
    assert!(began.elapsed() <= Duration::from_secs(2));
    let began = Instant::now();
    host.tools().await;
    assert!(began.elapsed() < Duration::from_millis(1), "who was late once is not waited for again");

    let change = timeout(PATIENCE, host.next_change()).await.expect("a change in time");
    assert_eq!(change, HostChange { change: Change::List(List::Tools), server: "slow".to_owned() });
    assert_eq!(names(&host.tools().await), ["slow__late", "quick__hello"]);
}

#[tokio::test]
async fn a_name_that_is_near_draws_nothing_on_a_terminal() {
    let tools = json!([{ "name": "hello\u{1b}[2J", "inputSchema": { "type": "object" } }]);
    let (client, _script) = scripted(Mode { tools, ..Mode::default() }).await;
    let host = Host::start([Member::connected("a", client)]).expect("a host");
    let error = host.call_tool("hello[2J", json!({})).await.expect_err("no such name").to_string();
    assert!(error.ends_with(r"did you mean `hello\u{1b}[2J`?"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_fails_or_takes_too_long_is_said_to() {
    let never = Member::connecting("never", std::future::pending()).connect_deadline(Duration::from_secs(3));
    let refused = Member::connecting("refused", async { Err(Error::Closed { why: "no".to_owned() }) });
    let host = Host::start([never, refused, member("good", server(&["hello"]))]).expect("a host");
    let listing = host.tools().await;
    assert_eq!(names(&listing), ["good__hello"]);
    let missing = |n: usize| match &listing.parts[n].state {
        PartState::Missing { why } => why.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(missing(0), "the connection ended: expected a connection within 3s, but there is none");
    assert_eq!(missing(1), "the connection ended: no");
    assert!(matches!(host.servers()[1].connection, Connection::Failed { .. }));
    assert!(matches!(host.servers()[2].connection, Connection::Connected(_)));
    let error = host.call_tool("refused__x", json!({})).await.expect_err("nobody");
    assert!(matches!(&error, Error::Unreachable { origin, .. } if origin == "refused"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn the_last_list_of_a_slow_server_stands_for_it() {
    let (client, script) = scripted(Mode { list_changed: false, ..Mode::default() }).await;
    let host = Host::start([Member::connected("slow", client), member("b", server(&["x"]))]).expect("a host");
    assert_eq!(host.tools().await.parts[0].state, PartState::Fresh);

    script.change(|mode| mode.is_slow = true);
    let began = Instant::now();
    let listing = host.tools().await;
    assert_eq!(names(&listing), ["slow__hello", "b__x"]);
    assert!(
        matches!(&listing.parts[0].state, PartState::Stale { age, .. } if *age >= Duration::from_secs(5))
    );
    assert_eq!(began.elapsed().as_secs(), 5);

    script.change(|mode| {
        mode.is_slow = false;
        mode.tools = json!([{ "name": "other", "inputSchema": { "type": "object" } }]);
    });
    let change = timeout(PATIENCE, host.next_change()).await.expect("a change in time");
    assert_eq!(change.server, "slow");
    assert_eq!(names(&host.tools().await), ["slow__other", "b__x"]);
}

#[tokio::test]
async fn the_last_list_of_a_server_that_died_stands_for_it() {
    let (client, script) = scripted(Mode::default()).await;
    let host = Host::start([Member::connected("a", client), member("b", server(&["x"]))]).expect("a host");
    assert_eq!(names(&host.tools().await), ["a__hello", "b__x"]);
    script.change(|mode| mode.is_dead = true);
    let error = host.call_tool("a__hello", json!({})).await.expect_err("nobody is left");
    assert!(matches!(error, Error::OutcomeUnknown { .. }), "{error}");
    let listing = host.tools().await;
    assert_eq!(names(&listing), ["a__hello", "b__x"]);
    assert!(
        matches!(&listing.parts[0].state, PartState::Stale { why, .. } if why.contains("the connection ended"))
    );
    assert_eq!(listing.parts[1].state, PartState::Fresh);
}

#[tokio::test(start_paused = true)]
async fn a_burst_of_changes_is_one_change_and_one_fetch() {
    let asked = Arc::new(Mutex::new(0));
    let count = Arc::clone(&asked);
    let tap = Tap::new(move |frame| {
        let message: Value = serde_json::from_slice(frame.bytes).expect("JSON");
        *count.lock().expect("no panic") +=
            usize::from(frame.direction == Direction::Out && message["method"] == "tools/list");
    });
    let mut server = server(&["one"]);
    let handle = server.handle();
    let client = testing::client_with(server, Client::builder().tap(tap)).await.expect("a connection");
    let host = Host::start([Member::connected("a", client)]).expect("a host");
    // Until the list is known to be as the server will tell.
    host.tools().await;
    sleep(Duration::from_secs(1)).await;
    host.tools().await;
    let before = *asked.lock().expect("no panic");
    host.tools().await;
    assert_eq!(*asked.lock().expect("no panic"), before, "a list that is watched is not asked for");

    for name in ["two", "three", "four"] {
        handle.add_tool(tool(name)).expect("a tool");
        sleep(Duration::from_millis(50)).await;
    }
    let change = timeout(PATIENCE, host.next_change()).await.expect("a change in time");
    assert_eq!(change, HostChange { change: Change::List(List::Tools), server: "a".to_owned() });
    assert_eq!(*asked.lock().expect("no panic"), before + 1);
    assert_eq!(host.tools().await.entries.len(), 4);
    assert_eq!(*asked.lock().expect("no panic"), before + 1, "it was fetched before it was told");
    assert!(timeout(PATIENCE, host.next_change()).await.is_err(), "once is enough");
}

#[tokio::test(start_paused = true)]
async fn a_list_that_nobody_watches_is_asked_for_each_time() {
    let (client, script) = scripted(Mode { list_changed: false, ..Mode::default() }).await;
    let host = Host::start([Member::connected("a", client)]).expect("a host");
    host.tools().await;
    let before = script.asked("tools/list");
    host.tools().await;
    host.tools().await;
    assert_eq!(script.asked("tools/list"), before + 2);
    tokio::join!(host.tools(), host.tools(), host.tools());
    assert_eq!(script.asked("tools/list"), before + 3, "those who wait together share a fetch");
}

#[tokio::test(start_paused = true)]
async fn a_tool_of_a_server_that_has_listed_none_is_called_by_its_prefix() {
    let (client, script) = scripted(Mode { is_slow: false, ..Mode::default() }).await;
    script.change(|mode| mode.is_slow = true);
    let host =
        Host::start([Member::connected("a", client).deadline(Duration::from_secs(1))]).expect("a host");
    let (result, ()) = tokio::join!(host.call::<String>("a__secret", json!({})), async {
        sleep(Duration::from_millis(1_500)).await;
        script.change(|mode| {
            mode.is_slow = false;
        });
    });
    assert_eq!(result.expect("text"), "secret");
}

#[tokio::test]
async fn a_resource_is_read_where_it_is_listed_or_fits_a_template() {
    let one = server(&[]).resource(Resource::new("a:1", "one", || async { "1" })).resource(Resource::new(
        "both:1",
        "both",
        || async { "1" },
    ));
    let two = server(&[]).resource(Resource::new("both:1", "both", || async { "2" })).resource_template(
        ResourceTemplate::new("page://{name}", "pages", |it: Page| async move { it.name }),
    );
    let host = Host::start([member("one", one), member("two", two)]).expect("a host");
    let read = async |uri: &str| {
        let result = host.read_resource(uri).await?;
        let text = serde_json::to_value(result.contents[0].as_text()).unwrap_or_default();
        Ok::<_, Error>(text)
    };
    assert_eq!(read("a:1").await.expect("text"), "1");
    assert_eq!(read("page://Home").await.expect("text"), "Home");
    assert!(matches!(read("both:1").await, Err(Error::Ambiguous { .. })));
    assert!(matches!(read("c:1").await, Err(Error::Unknown { what: "resource", .. })));
    let both = host.resources().await;
    assert_eq!(names(&both), ["a:1", "both:1", "both:1"]);
    assert_eq!(names(&host.resource_templates().await), ["page://{name}"]);
    assert!(host.prompts().await.parts.iter().all(|part| part.state == PartState::Fresh));
}

#[derive(Deserialize, JsonSchema)]
struct Page {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

#[tokio::test]
async fn a_trace_of_a_host_says_whose_the_tool_is_and_whether_the_arguments_fit() {
    let sum = Server::new("sums").tool(Tool::new("add", |it: Add| async move { it.a + it.b }));
    let host = Host::start([member("sums", sum)]).expect("a host");
    let (result, trace) = host.call_traced("sums__add", json!({ "a": 1, "b": 2 })).await;
    assert!(!result.expect("a result").is_error);
    let stages: Vec<&Stage> = trace.steps.iter().map(|step| &step.stage).collect();
    assert_eq!(*stages[1], Stage::Resolved { name: "add".to_owned(), server: "sums".to_owned() });
    assert_eq!(*stages[2], Stage::Checked { fault: None });
    assert!(matches!(stages[6], Stage::Decoded { is_error: false }) && stages.len() == 7, "{stages:?}");
    assert_eq!(trace.server.as_deref(), Some("sums"));

    let (result, trace) = host.call_traced("add", json!({ "a": 1 })).await;
    assert!(result.expect("a result").is_error, "the server decides");
    let Stage::Checked { fault: Some(fault) } = &trace.steps[2].stage else { panic!("{:?}", trace.steps) };
    assert!(fault.contains("`arguments.b`"), "{fault}");

    let (result, trace) = host.call_traced("sub", json!({})).await;
    assert!(matches!(result, Err(Error::Unknown { .. })));
    assert!(
        trace.steps.len() == 2
            && trace.revision.is_none()
            && trace.to_string().starts_with("tools/call to the server\n")
    );
}

#[tokio::test]
async fn closing_ends_every_connection() {
    let (client, mut script) = scripted(Mode::default()).await;
    let host = Host::start([Member::connected("a", client)]).expect("a host");
    host.tools().await;
    host.close().await;
    timeout(PATIENCE, script._task.join_next())
        .await
        .expect("the server sees the end")
        .expect("a task")
        .expect("no panic");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_was_slow_once_is_waited_for_again() {
    let (client, script) = scripted(Mode { list_changed: false, ..Mode::default() }).await;
    let host = Host::start([Member::connected("a", client)]).expect("a host");
    script.change(|mode| mode.is_slow = true);
    host.tools().await;
    script.change(|mode| mode.is_slow = false);
    sleep(Duration::from_secs(1)).await;
    script.change(|mode| mode.is_slow = true);
    let (one, other, ()) = tokio::join!(host.tools(), host.tools(), async {
        sleep(Duration::from_secs(1)).await;
        script.change(|mode| mode.is_slow = false);
    });
    assert_eq!([&one.parts[0].state, &other.parts[0].state], [&PartState::Fresh; 2]);
}

#[tokio::test(start_paused = true)]
async fn who_comes_while_a_list_is_fetched_waits_for_that_fetch() {
    let (client, script) = scripted(Mode { list_changed: false, ..Mode::default() }).await;
    let host = Host::start([Member::connected("a", client)]).expect("a host");
    host.tools().await;
    let before = script.asked("tools/list");
    script.change(|mode| mode.is_slow = true);
    let late = async {
        sleep(Duration::from_secs(1)).await;
        host.tools().await
    };
    let (one, other, ()) = tokio::join!(host.tools(), late, async {
        sleep(Duration::from_secs(2)).await;
        script.change(|mode| mode.is_slow = false);
    });
    assert_eq!([&one.parts[0].state, &other.parts[0].state], [&PartState::Fresh; 2]);
    assert_eq!(script.asked("tools/list"), before + 1);
}
