//! The testing kit against our own server and client: bad connections, sessions recorded and played again, contracts.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use plainwire::model::{ElicitResult, Elicitation};
use plainwire::prelude::*;
use plainwire::proto::peer::{EraChoice, RequestOptions};
use plainwire::testing::fault::{Fault, Faults, reader};
use plainwire::testing::transcript::{self, Recording, Transcript};
use plainwire::testing::{self, show};
use plainwire::transport::Stream;
use plainwire::{Client, ClientBuilder, Error};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

/// How long anything may take before the test gives up.
const PATIENCE: Duration = Duration::from_secs(30);

const ERAS: [EraChoice; 2] = [EraChoice::Legacy, EraChoice::Modern];

#[derive(Deserialize, JsonSchema)]
struct Add {
    /// First addend.
    a: f64,
    /// Second addend.
    b: f64,
}

async fn greet(ctx: Context) -> Result<String, ToolError> {
    let name: String = ctx.elicit("name", "Who are you?").await?.accepted()?;
    Ok(format!("Hello, {name}!"))
}

fn server() -> Server {
    Server::new("kit")
        .page_size(1)
        .tool(Tool::new("add", |it: Add| async move { it.a + it.b }).description("Adds."))
        .tool(Tool::new("greet", greet))
}

fn client(era: EraChoice) -> ClientBuilder {
    let ada = async |_: Elicitation| ElicitResult::accept(json!({ "value": "Ada" }));
    Client::builder().era(era).on_elicit(ada)
}

/// A short session: hello, a list, a call. Returns how many tools there are, and the sum.
async fn session(client: Result<Client>) -> Result<(usize, f64)> {
    let client = client?;
    let tools = client.list_tools().await?.len();
    Ok((tools, client.call("add", json!({ "a": 1, "b": 2 })).await?))
}

/// How many bytes each side says in a session: to the server, to the client.
async fn lengths(era: EraChoice) -> (u64, u64) {
    let (client, recording) = transcript::record(server(), client(era)).await.expect("a connection");
    session(Ok(client)).await.expect("a whole session");
    let steps = recording.transcript().steps;
    let bytes = |lines: &[String]| lines.iter().map(|line| line.len() as u64 + 1).sum::<u64>();
    (steps.iter().map(|it| bytes(&it.client)).sum(), steps.iter().map(|it| bytes(&it.server)).sum())
}

#[tokio::test(start_paused = true)]
async fn sessions_in_single_bytes_are_whole() {
    for era in ERAS {
        let faults = Faults::new().to_server(Fault::Split(1)).to_client(Fault::Split(1));
        assert_eq!(
            session(testing::client_over(server(), client(era), faults).await).await.expect("a sum"),
            (2, 3.0)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_closes_at_any_byte_ends_every_call_at_once() {
    for era in ERAS {
        let (to_server, to_client) = lengths(era).await;
        let to_server = (0..to_server).map(|at| Faults::new().to_server(Fault::CloseAt(at)));
        let to_client = (0..to_client).map(|at| Faults::new().to_client(Fault::CloseAt(at)));
        let mut tried = 0;
        for faults in to_server.chain(to_client) {
            let shown = format!("{era:?} {faults:?}");
            let ended = timeout(Duration::from_secs(1), async {
                session(testing::client_over(server(), client(era), faults).await).await
            });
            match ended.await.unwrap_or_else(|_| panic!("{shown} hangs")) {
                // A server tells what is wrong with the half line that it read last.
                Err(Error::Closed { .. } | Error::OutcomeUnknown { .. } | Error::Rpc(_)) => tried += 1,
                // The last byte is a line break, and the last line counts without it.
                Ok(found) => assert_eq!(found, (2, 3.0), "{shown}"),
                Err(error) => panic!("{shown}: {error}"),
            }
        }
        assert!(tried > 1_000, "{tried}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_hangs_at_any_byte_ends_calls_by_their_deadline() {
    for era in ERAS {
        let (to_server, to_client) = lengths(era).await;
        let to_server = (0..to_server).step_by(7).map(|at| Faults::new().to_server(Fault::HangAt(at)));
        let to_client = (0..to_client).step_by(7).map(|at| Faults::new().to_client(Fault::HangAt(at)));
        for faults in to_server.chain(to_client) {
            let shown = format!("{era:?} {faults:?}");
            let deadline = Duration::from_secs(2);
            let options = RequestOptions { idle: deadline, hard: deadline };
            let client = client(era).deadlines(options);
            let began = Instant::now();
            let ended = timeout(Duration::from_secs(60), async {
                session(testing::client_over(server(), client, faults).await).await
            });
            let ended = ended.await.unwrap_or_else(|_| panic!("{shown} hangs"));
            assert!(ended.is_err(), "{shown}: {ended:?}");
            assert!(began.elapsed() <= 2 * deadline, "{shown}: {:?}", began.elapsed());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn garbled_and_lost_bytes_never_hang_a_session() {
    for era in ERAS {
        let (to_server, to_client) = lengths(era).await;
        let mut all = Vec::new();
        for at in (0..to_server).step_by(11) {
            all.push(Faults::new().to_server(Fault::Garble(at)));
            all.push(Faults::new().to_server(Fault::DropBytes(at..at + 3)));
        }
        for at in (0..to_client).step_by(11) {
            all.push(Faults::new().to_client(Fault::Garble(at)));
            all.push(Faults::new().to_client(Fault::DropBytes(at..at + 3)));
        }
        for faults in all {
            let shown = format!("{era:?} {faults:?}");
            let ended = timeout(Duration::from_secs(600), async {
                session(testing::client_over(server(), client(era), faults).await).await
            });
            // What is wrong inside of a string is nobody's mistake: an answer is all that can be asked for.
            assert!(ended.await.is_ok(), "{shown} hangs");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_lost_fails_its_call_and_no_other() {
    let faults = Faults::new().to_client(Fault::DropFrame(1)).to_client(Fault::Delay(Duration::from_secs(1)));
    let client =
        testing::client_over(server(), client(EraChoice::Modern), faults).await.expect("a connection");
    let began = Instant::now();
    let error = client.call::<f64>("add", json!({ "a": 1, "b": 2 })).await.expect_err("its answer is lost");
    assert!(error.to_string().contains("deadline"), "{error}");
    assert_eq!(began.elapsed().as_secs(), 60);
    assert_eq!(client.call::<f64>("add", json!({ "a": 2, "b": 2 })).await.expect("a sum"), 4.0);
    assert_eq!(began.elapsed().as_secs(), 61);
}

#[tokio::test(start_paused = true)]
async fn a_truncated_answer_is_no_answer() {
    let faults = Faults::new().to_client(Fault::Truncate { bytes: 40, frame: 1 });
    let client =
        testing::client_over(server(), client(EraChoice::Modern), faults).await.expect("a connection");
    assert!(client.call::<f64>("add", json!({ "a": 1, "b": 2 })).await.is_err());
    assert_eq!(client.call::<f64>("add", json!({ "a": 2, "b": 2 })).await.expect("a sum"), 4.0);
}

#[tokio::test]
async fn faults_go_between_a_server_and_any_stream() {
    let (mut ours, theirs) = tokio::io::duplex(1024);
    ours.write_all(b"{\"jsonrpc\"").await.expect("room");
    let (from, to) = tokio::io::split(theirs);
    let served = server().serve(reader(from, [Fault::CloseAt(5)]), to);
    timeout(PATIENCE, served).await.expect("an end").expect("a clean end");
    let mut answer = String::new();
    ours.read_to_string(&mut answer).await.expect("text");
    assert!(answer.contains("but found the end of the message"), "{answer}");
}

/// Lists, calls, and is asked.
async fn talk(client: &Client) -> Result<()> {
    client.list_tools().await?;
    assert_eq!(client.call::<f64>("add", json!({ "a": 1, "b": 2 })).await?, 3.0);
    assert_eq!(client.call::<String>("greet", json!({})).await?, "Hello, Ada!");
    Ok(())
}

async fn recorded(era: EraChoice) -> Transcript {
    let (client, recording) = transcript::record(server(), client(era)).await.expect("a connection");
    talk(&client).await.expect("a session");
    recording.transcript()
}

#[tokio::test(start_paused = true)]
async fn what_was_recorded_is_said_again() {
    for era in ERAS {
        let transcript = recorded(era).await;
        let text = transcript.to_string();
        assert!(text.contains("{nextCursor}") && text.contains("Hello, Ada!"), "{text}");
        assert_eq!(text.matches("{state 1}").count(), if era == EraChoice::Modern { 2 } else { 0 }, "{text}");
        let read = Transcript::parse(&text).expect("a transcript");
        let played = read.play(server()).await.expect("a session");
        assert_eq!(read.difference(&played), None);
        assert_eq!(played.to_string(), text);
    }
}

#[tokio::test]
async fn what_was_recorded_is_said_again_while_the_clock_runs() {
    let transcript = recorded(EraChoice::Legacy).await;
    let played = transcript.play(server()).await.expect("a session");
    assert_eq!(played, transcript);
}

#[tokio::test]
async fn a_running_clock_waits_for_what_is_written_down() {
    let slow = || {
        Server::new("slow")
            .tool(Tool::new("slow", || async { tokio::time::sleep(Duration::from_millis(400)).await }))
    };
    let (client, recording) = transcript::record(slow(), Client::builder()).await.expect("a connection");
    client.call_tool("slow", json!({})).await.expect("an end");
    client.call_tool("slow", json!({})).await.expect("an end");
    let transcript = recording.transcript();
    assert_eq!(transcript.play(slow()).await.expect("a session"), transcript);
}

#[tokio::test]
async fn a_server_is_played_to_a_client() {
    for era in ERAS {
        let transcript = recorded(era).await;
        let played = transcript.play_server(client(era), async |client| talk(&client).await);
        played.await.unwrap_or_else(|error| panic!("{era:?}: {error}"));
    }
}

#[tokio::test]
async fn a_client_that_says_something_else_is_told_what() {
    for era in ERAS {
        let transcript = recorded(era).await;
        let other = transcript.play_server(client(era), async |client| {
            client.list_tools().await?;
            client.call::<f64>("add", json!({ "a": 1, "b": 7 })).await.map(drop)
        });
        let error = other.await.expect_err("7 is not 2");
        assert!(matches!(error, Error::Mismatch { .. }), "{error}");
        let error = error.to_string();
        assert!(error.contains("expected the client to say {") && error.contains(r#""b":7"#), "{error}");

        let silent = transcript.play_server(client(era), async |client| client.list_tools().await.map(drop));
        let error = silent.await.expect_err("it leaves too early").to_string();
        assert!(error.contains("but found that it had left"), "{error}");

        let talkative = transcript.play_server(client(era), async |client| {
            talk(&client).await?;
            client.list_tools().await.map(drop)
        });
        let error = talkative.await.expect_err("it asks once more").to_string();
        assert!(error.contains("expected the client to have nothing left to say"), "{error}");

        let fails =
            transcript.play_server(client(era), async |_| Err(Error::Decode { message: "mine".into() }));
        assert_eq!(fails.await.expect_err("its own error").to_string(), "mine");
    }
}

#[tokio::test]
async fn any_stream_can_be_recorded() {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (from, to) = tokio::io::split(ours);
    let (ours, recording) = Recording::start(Stream::new(from, to));
    let mut served = JoinSet::new();
    let (from, to) = tokio::io::split(theirs);
    served.spawn(server().serve(from, to));
    let client = client(EraChoice::Modern).stream(ours).await.expect("a connection");
    talk(&client).await.expect("a session");
    assert_eq!(recording.transcript(), recorded(EraChoice::Modern).await);
}

/// A folder that is removed afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[tokio::test]
async fn a_trace_is_a_transcript() {
    let folder = Folder::new("trace");
    let path = folder.0.join("trace");
    let file = fs::File::create(&path).expect("a file");
    let tap = plainwire::transport::tap::Tap::lines(file);
    let client =
        testing::client_with(server(), client(EraChoice::Modern).tap(tap)).await.expect("a connection");
    talk(&client).await.expect("a session");
    let trace = fs::read_to_string(&path).expect("a trace");
    let transcript = Transcript::from_trace(&trace).expect("a trace");
    assert_eq!(transcript.play(server()).await.expect("a session"), transcript);
}

#[tokio::test(start_paused = true)]
async fn a_transcript_in_a_file_is_filled_in_once_and_checked_from_then_on() {
    let folder = Folder::new("transcript");
    let path = folder.0.join("adds.txt");
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"name":"add","arguments":{"a":1,"b":2}}}"#;
    let begun = format!("# Adds.\n\n-- client --\n{call}\n");
    fs::write(&path, &begun).expect("a file");
    let error = transcript::check(&path, server()).await.expect_err("nobody has read it").to_string();
    assert!(error.contains("review and commit"), "{error}");
    let written = fs::read_to_string(&path).expect("a file");
    assert!(written.starts_with(&begun) && written.contains("3.0"), "{written}");
    transcript::check(&path, server()).await.expect("the same as before");

    let other = Server::new("kit").tool(Tool::new("add", |it: Add| async move { it.a - it.b }));
    let error = transcript::check(&path, other).await.expect_err("another answer").to_string();
    assert!(error.contains("line 6\n expected: {") && error.contains("but said: {"), "{error}");
    assert_eq!(fs::read_to_string(&path).expect("a file"), written);

    fs::write(&path, "nonsense").expect("a file");
    let error = transcript::check(&path, server()).await.expect_err("no transcript").to_string();
    assert!(error.contains("adds.txt: expected a note") && error.contains("line 1"), "{error}");
    assert!(matches!(transcript::check(folder.0.join("none"), server()).await, Err(Error::Io { .. })));
    assert_eq!(fs::read_dir(&folder.0).expect("a folder").count(), 1, "nothing else is left behind");
}

/// Checks a contract that somebody has accepted before.
async fn contract(server: Server, path: &std::path::Path) -> Result<()> {
    let client = testing::client(server).await?;
    testing::contract(&client, path).await
}

#[tokio::test]
async fn a_contract_is_written_once_and_fails_until_it_is_reviewed() {
    let folder = Folder::new("contract");
    let path = folder.0.join("new/contract.json");
    let error = contract(server(), &path).await.expect_err("nobody has read it");
    assert!(matches!(error, Error::Mismatch { .. }), "{error}");
    assert!(error.to_string().contains("review and commit"), "{error}");
    contract(server(), &path).await.expect("the same as before");
    contract(server().page_size(100), &path).await.expect("pages are no part of it");
    let text = fs::read_to_string(&path).expect("a file");
    // Members in another order, and another layout, are the same contract.
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert!(text.ends_with("}\n") && value["tools"]["greet"]["inputSchema"].is_object(), "{text}");
    let tools = value["tools"].as_object().expect("tools").iter().rev();
    let tools: Vec<_> = tools.map(|(name, tool)| format!("{}:{tool}", json!(name))).collect();
    let reordered = format!(r#"{{"tools":{{{}}},"protocolVersion":"2026-07-28"}}"#, tools.join(","));
    fs::write(&path, &reordered).expect("a file");
    contract(server(), &path).await.expect("the same as before");
    assert_eq!(
        fs::read_dir(folder.0.join("new")).expect("a folder").count(),
        1,
        "nothing else is left behind"
    );

    #[derive(Deserialize, JsonSchema)]
    struct Other {
        /// First addend.
        a: f64,
        /// Second addend.
        #[expect(dead_code, reason = "only its schema matters")]
        b: String,
    }
    let changed = Server::new("kit")
        .instructions("Be careful.")
        .tool(Tool::new("add", |it: Other| async move { it.a }).description("Adds a lot."))
        .tool(Tool::new("new", || async {}))
        .prompt(Prompt::new("ask", || async { "Ask." }))
        .resource(Resource::new("item://1", "data", || async { "1" }))
        .resource_template(ResourceTemplate::new("item://{a}", "items", |_: Item| async { "1" }));
    let error = contract(changed, &path).await.expect_err("much has changed").to_string();
    for line in [
        "~ instructions is new: \"Be careful.\"",
        "+ prompt `ask` is new",
        "+ resource template `item://{a}` is new",
        "~ tool `add`: description was \"Adds.\", and is \"Adds a lot.\"",
        "~ tool `add`: inputSchema.properties.b.type was \"number\", and is \"string\"",
        "- tool `greet` is gone",
        "+ tool `new` is new",
    ] {
        assert!(error.lines().any(|it| it == line), "{line} is missing in\n{error}");
    }
    assert!(error.contains("delete") && !error.contains("item://1"), "{error}");
    assert_eq!(fs::read_to_string(&path).expect("a file"), reordered, "a failed check writes nothing");

    fs::write(&path, "{").expect("a file");
    let error = contract(server(), &path).await.expect_err("no JSON").to_string();
    assert!(error.contains("but found no JSON"), "{error}");
}

#[tokio::test]
async fn two_tools_of_one_name_have_no_contract() {
    let server = Transcript::parse(
        r#"-- client --
{"jsonrpc":"2.0","id":1,"method":"initialize"}
-- server --
{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"two","version":"1"}}}
-- client --
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}
-- server --
{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a","inputSchema":{}},{"name":"a","inputSchema":{"type":"object"}}]}}
"#,
    );
    let folder = Folder::new("two");
    let path = folder.0.join("contract.json");
    let server = server.expect("a transcript");
    let played =
        server.play_server(client(EraChoice::Legacy), async |client| testing::contract(&client, &path).await);
    let error = played.await.expect_err("there are two");
    assert_eq!(error.to_string(), "expected one tool `a`, but found two");
    assert!(!path.exists());
}

#[derive(Deserialize, JsonSchema)]
struct Item {
    /// Which one.
    #[expect(dead_code, reason = "only its name matters")]
    a: String,
}

#[tokio::test]
async fn a_snapshot_is_the_same_in_each_era() {
    #[derive(Serialize, JsonSchema)]
    struct Sum {
        sum: f64,
        of: usize,
    }
    let sum = async |it: Add| Sum { sum: it.a + it.b, of: 2 };
    let server = || Server::new("kit").tool(Tool::new("add", sum).description("Adds."));
    testing::in_each_era(server, Client::builder(), async |client| {
        let result = client.call_tool("add", json!({ "a": 1, "b": 2 })).await?;
        assert_eq!(
            show(&result),
            "text:\n  {\"sum\":3.0,\"of\":2}\nstructured:\n  {\n    \"of\": 2,\n    \"sum\": 3.0\n  }\n"
        );
        let result = client.call_tool("add", json!({ "a": 1 })).await?;
        assert!(show(&result).starts_with("the tool failed\ntext:\n  "), "{}", show(&result));
        let tools = show(&client.list_tools().await?[..1]);
        assert!(tools.starts_with("add\n  Adds.\n"), "{tools}");
        assert!(tools.contains("\n          \"description\": \"First addend.\","), "{tools}");
        Ok(())
    })
    .await
    .expect("snapshots");
}

#[tokio::test]
async fn a_contract_that_is_none_or_can_not_be_read_says_what_and_where() {
    let folder = Folder::new("none");
    let path = folder.0.join("contract.json");
    for text in ["null", "[]", r#"{"tools":5}"#, r#"{"tools":{"a":5}}"#] {
        fs::write(&path, text).expect("a file");
        let error = contract(server(), &path).await.expect_err("no contract").to_string();
        assert_eq!(error, format!("expected a contract in {}, but found {text}", path.display()));
    }
    let error = contract(server(), &folder.0).await.expect_err("a folder").to_string();
    let start = format!("expected to read the contract {}, but found: ", folder.0.display());
    assert!(error.len() > start.len() && error.starts_with(&start), "{error}");
}

#[tokio::test]
async fn a_contract_may_begin_with_a_byte_order_mark() {
    let folder = Folder::new("mark");
    let path = folder.0.join("contract.json");
    contract(server(), &path).await.expect_err("nobody has read it");
    let text = fs::read_to_string(&path).expect("a file");
    fs::write(&path, format!("\u{feff}{text}")).expect("a file");
    contract(server(), &path).await.expect("the same as before");
}
