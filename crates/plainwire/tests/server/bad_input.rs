//! Mistakes of clients and of handlers: the exact answer to each, and a next request that is served as usual.

use std::future::{Ready, pending};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire::prelude::*;
use plainwire::proto::peer::Limits;
use plainwire::serde::{Deserializer, Serializer};
use plainwire::stream::tap::{Direction, Tap};

use crate::raw_client::{
    LEGACY, Raw, call, cancel, error, error_without_id, given_up, initialize, ping, pong, request, result,
    text,
};

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

/// Arguments whose deserialisation panics.
#[derive(JsonSchema)]
struct Unreadable {}

impl<'de> Deserialize<'de> for Unreadable {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("a secret in Deserialize")
    }
}

/// A value whose serialisation panics.
#[derive(JsonSchema)]
struct Unwritable {}

impl Serialize for Unwritable {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("a secret in Serialize")
    }
}

fn panics_before_its_future_exists() -> Ready<String> {
    panic!("a secret in a function")
}

async fn panics_at_once() -> String {
    panic!("a secret in a future")
}

async fn panics_later() -> String {
    tokio::task::yield_now().await;
    std::panic::panic_any(7)
}

async fn blocks() -> String {
    std::thread::sleep(Duration::from_millis(20));
    "blocked".to_owned()
}

#[expect(clippy::print_stdout, reason = "this is what a tool should not do")]
async fn prints() -> String {
    println!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"forged\"}}");
    "printed".to_owned()
}

fn server() -> Server {
    Server::new("patient")
        .drain(Duration::ZERO)
        .tool(Tool::new("echo", |it: Text| async move { it.text }))
        .tool(Tool::new("panics_before_its_future_exists", panics_before_its_future_exists))
        .tool(Tool::new("panics_at_once", panics_at_once))
        .tool(Tool::new("panics_later", panics_later))
        .tool(Tool::new("panics_while_reading", |_: Unreadable| async { "never" }))
        .tool(Tool::new("panics_while_writing", || async { Unwritable {} }))
        .tool(Tool::new("blocks", blocks))
        .tool(Tool::new("prints", prints))
        .tool(Tool::new("never_ends", || async { pending::<String>().await }))
        .resource(Resource::new("panic://here", "Panics", panics_at_once))
        .resource_template(ResourceTemplate::new("echo://{text}", "Echo", |it: Text| async move { it.text }))
        .prompt(Prompt::new("panics", panics_at_once))
}

/// Sends `input` in a session. Expects exactly the lines `expected`, and then the answer to one more request.
async fn check(input: impl AsRef<[u8]>, expected: &[String]) {
    let input = input.as_ref();
    let shown = String::from_utf8_lossy(&input[..input.len().min(120)]).into_owned();
    let mut raw = Raw::session(server(), LEGACY).await;
    raw.send_bytes(input).await;
    raw.send_bytes(b"\n").await;
    for line in expected {
        assert_eq!(raw.line().await, *line, "after {shown}");
    }
    let next = raw.ask(&call(r#""next""#, "echo", r#"{"text":"still here"}"#)).await;
    assert_eq!(next, text(r#""next""#, "still here"), "after {shown}");
    assert_eq!(raw.end().await, Vec::<String>::new(), "after {shown}");
}

#[tokio::test]
async fn answers_bytes_that_are_no_message() {
    for (input, code, message) in [
        (&b"garbage"[..], -32700, "expected a JSON value at byte 0, but found 'g'"),
        (b"{", -32700, "expected `,` or `}` at byte 1, but found the end of the message"),
        (br#"{"jsonrpc":"2.0"} x"#, -32700, "expected the end of the message at byte 18, but found 'x'"),
        (b"\xef\xbb\xbf{}", -32700, "expected a JSON value at byte 0, but found '\\u{feff}'"),
        (b"\0", -32700, "expected a JSON value at byte 0, but found '\\0'"),
        (b"null", -32600, "expected a message to be an object, but found null"),
        (b"7", -32600, "expected a message to be an object, but found a number"),
        (b"\"ping\"", -32600, "expected a message to be an object, but found a string"),
        (b"[]", -32600, "expected one message, but found a batch, which only 2025-03-26 has"),
        (b"{}", -32600, "expected `jsonrpc` to be \"2.0\", but found nothing"),
    ] {
        check(input, &[error_without_id(code, message)]).await;
    }
}

#[tokio::test]
async fn passes_over_blank_lines_and_takes_crlf() {
    check("\n\r\n  \n\t", &[]).await;
    check(format!("{}\r", ping("1")), &[pong("1")]).await;
}

#[tokio::test]
async fn answers_half_a_line_at_the_end_of_input() {
    for (half, expected) in [
        (
            r#"{"jsonrpc":"2.0","id":5,"me"#,
            vec![error(
                "5",
                -32700,
                "expected the end of the string at byte 27, but found the end of the message",
            )],
        ),
        (&ping("6"), vec![pong("6")]),
        ("   ", vec![]),
    ] {
        let mut raw = Raw::session(server(), LEGACY).await;
        assert_eq!(raw.ask(&ping("4")).await, pong("4"));
        raw.send_bytes(half.as_bytes()).await;
        assert_eq!(raw.end().await, expected, "{half}");
    }
}

#[tokio::test]
async fn a_tap_sees_everything_that_is_answered_the_half_line_too() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let frames = Arc::clone(&seen);
    let tap = Tap::new(move |frame| {
        let text = String::from_utf8_lossy(frame.bytes).into_owned();
        frames.lock().expect("no panics").push((frame.direction, text));
    });
    let mut raw = Raw::connect(server().tap(tap));
    raw.send("garbage").await;
    raw.send_bytes(ping("1").as_bytes()).await;
    let answers = raw.end().await;
    let seen = seen.lock().expect("no panics");
    let seen = |wanted| {
        seen.iter().filter(|(to, _)| *to == wanted).map(|(_, text)| text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(seen(Direction::In), ["garbage".to_owned(), ping("1")]);
    assert_eq!(seen(Direction::Out), answers);
}

#[tokio::test]
async fn answers_invalid_utf8_with_the_place_and_the_id() {
    let before = br#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":""#;
    let input = [&before[..], b"\xff\"}}"].concat();
    check(input, &[error("\"a\"", -32700, "expected UTF-8, but found the byte 0xff at 66")]).await;
    check(b"\xc3", &[error_without_id(-32700, "expected UTF-8, but found the byte 0xc3 at 0")]).await;
}

#[tokio::test]
async fn skips_a_line_of_17_mib_and_stays_in_sync() {
    let message = "expected a message of at most 16777216 bytes (limit `frame_in`), but found a longer one";
    let long = "x".repeat(17 << 20);
    check(call("5", "echo", &format!(r#"{{"text":"{long}"}}"#)), &[error("5", -32600, message)]).await;
    check(long, &[error_without_id(-32600, message)]).await;
}

#[tokio::test]
async fn refuses_nesting_of_10_000_levels() {
    let deep = call("5", "echo", &format!(r#"{{"text":{}{}}}"#, "[".repeat(10_000), "]".repeat(10_000)));
    // 128 levels are allowed. Three objects are already open where the lists begin, so the list at index 125
    // is one too deep.
    let place = deep.find('[').expect("a list") + 125;
    let message = format!("expected nesting within the limit `depth`, but found more at byte {place}");
    check(deep, &[error("5", -32600, &message)]).await;
}

#[tokio::test]
async fn refuses_a_broken_envelope() {
    for (input, expected) in [
        (
            r#"{"id":1,"method":"ping"}"#,
            error("1", -32600, "expected `jsonrpc` to be \"2.0\", but found nothing"),
        ),
        (
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            error("1", -32600, "expected `jsonrpc` to be \"2.0\", but found \"1.0\""),
        ),
        (
            r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#,
            error("1", -32600, "expected `jsonrpc` to be \"2.0\", but found 2.0"),
        ),
        (r#"{"jsonrpc":"2.0","id":1}"#, error("1", -32600, "expected `method`, but found nothing")),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            error("1", -32600, "expected `method` to be a string, but found 7"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            error_without_id(-32600, "expected `id` to be a string or a whole number, but found null"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            error_without_id(-32600, "expected `id` to be a string or a whole number, but found 1.5"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
            error_without_id(-32600, "expected `id` once, but found it twice"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#,
            error("1", -32602, "expected `params` to be an object, but found an array"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"echo"}"#,
            error("1", -32602, "expected `params` to be an object, but found a string"),
        ),
    ] {
        check(input, &[expected]).await;
    }
}

#[tokio::test]
async fn refuses_params_of_the_wrong_type_and_names_that_do_not_exist() {
    for (method, params, code, message) in [
        ("tools/call", "{}", -32602, "expected `name` to be a string, but found nothing"),
        ("tools/call", r#"{"name":7}"#, -32602, "expected `name` to be a string, but found 7"),
        (
            "tools/call",
            r#"{"name":"echo","arguments":["text"]}"#,
            -32602,
            "expected `arguments` to be an object, but found [\"text\"]",
        ),
        (
            "tools/call",
            r#"{"name":"rm -rf"}"#,
            -32602,
            "expected `name` to be a tool of this server, but found \"rm -rf\"",
        ),
        (
            "prompts/get",
            r#"{"name":"x"}"#,
            -32602,
            "expected `name` to be a prompt of this server, but found \"x\"",
        ),
        ("resources/read", "{}", -32602, "expected `uri` to be a string, but found nothing"),
        ("tools/list", r#"{"cursor":7}"#, -32602, "expected `cursor` to be a string, but found 7"),
        ("tools/call/now", "{}", -32601, "expected a method of this server, but found `tools/call/now`"),
        ("no/such", "{}", -32601, "expected a method of this server, but found `no/such`"),
        ("", "{}", -32601, "expected a method of this server, but found ``"),
    ] {
        check(request(LEGACY, "5", method, params), &[error("5", code, message)]).await;
    }
}

#[tokio::test]
async fn tells_the_model_what_is_wrong_with_its_arguments() {
    let refused = |message: &str| {
        let message = Value::from(message);
        result("5", &format!(r#"{{"content":[{{"type":"text","text":{message}}}],"isError":true}}"#))
    };
    for (arguments, message) in [
        ("{}", "expected `arguments.text` to be a string, but found nothing; \"text\" would fit"),
        (r#"{"text":5}"#, "expected `arguments.text` to be a string, but found 5; \"5\" would fit"),
        (r#"{"text":"a","more":1}"#, "expected `arguments` to have only `text`, but found `more`"),
    ] {
        check(call("5", "echo", arguments), &[refused(message)]).await;
    }
}

#[tokio::test]
async fn refuses_a_second_request_with_the_id_of_one_in_flight() {
    let mut raw = Raw::session(server(), LEGACY).await;
    raw.send(&call("5", "never_ends", "{}")).await;
    let refused = error("5", -32600, "expected `id` to be new, but found 5, which is in flight");
    assert_eq!(raw.ask(&call("5", "echo", r#"{"text":"a"}"#)).await, refused);
    // The string "5" is another id than the number 5. After the cancellation, the number can be used again.
    assert_eq!(raw.ask(&call(r#""5""#, "echo", r#"{"text":"b"}"#)).await, text(r#""5""#, "b"));
    raw.send(&cancel("5")).await;
    assert_eq!(raw.ask(&call("5", "echo", r#"{"text":"c"}"#)).await, text("5", "c"));
    assert_eq!(raw.end().await, Vec::<String>::new());
}

#[tokio::test]
async fn ignores_answers_and_notifications_that_nothing_asked_for() {
    for input in [
        r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"m"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}"#,
        r#"{"id":99,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":99,"result":{},"error":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/made_up","params":{"a":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/made_up","params":[1]}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"never_ends"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":99}}"#,
    ] {
        check(input, &[]).await;
    }
}

#[tokio::test]
async fn refuses_a_call_before_initialize_and_takes_it_afterwards() {
    let mut raw = Raw::connect(server());
    let early = raw.ask(&call("1", "echo", r#"{"text":"a"}"#)).await;
    // The server does not know the revision yet. It sends the id, which errors have in every revision.
    assert_eq!(early, error("1", -32600, "expected `initialize` first, but found `tools/call`"));
    assert_eq!(raw.ask(&ping("2")).await, pong("2"));
    assert_eq!(
        raw.ask("garbage").await,
        error("null", -32700, "expected a JSON value at byte 0, but found 'g'")
    );
    raw.ask(&initialize(LEGACY)).await;
    assert_eq!(raw.ask(&call("3", "echo", r#"{"text":"a"}"#)).await, text("3", "a"));
    let again = raw.ask(&initialize(LEGACY)).await;
    assert_eq!(again, error("0", -32600, "expected `initialize` once, but found it again"));
    assert_eq!(raw.ask(&call("4", "echo", r#"{"text":"b"}"#)).await, text("4", "b"));
}

#[tokio::test]
async fn refuses_a_cursor_of_another_server() {
    let paged = |name: &str| {
        let tools = ["a", "b", "c"].map(|name| Tool::new(name, || async { "x" }));
        tools.into_iter().fold(Server::new(name).page_size(2), Server::tool)
    };
    let mut other = Raw::session(paged("other"), LEGACY).await;
    let page = other.ask(&request(LEGACY, "1", "tools/list", "{}")).await;
    let page: Value = serde_json::from_str(&page).expect("JSON");
    let cursor = page["result"]["nextCursor"].as_str().expect("another page");

    let mut raw = Raw::session(paged("this"), LEGACY).await;
    let refused = raw.ask(&request(LEGACY, "2", "tools/list", &format!(r#"{{"cursor":"{cursor}"}}"#))).await;
    let message = format!("expected `cursor` to be a `nextCursor` of this list, but found \"{cursor}\"");
    assert_eq!(refused, error("2", -32602, &message));
    assert_eq!(raw.ask(&call("3", "a", "{}")).await, text("3", "x"));
}

#[tokio::test]
async fn answers_for_a_handler_that_panics_and_keeps_what_it_said_to_itself() {
    for tool in [
        "panics_before_its_future_exists",
        "panics_at_once",
        "panics_later",
        "panics_while_reading",
        "panics_while_writing",
    ] {
        let message = format!("expected the tool `{tool}` to answer, but it panicked");
        check(call("5", tool, "{}"), &[error("5", -32603, &message)]).await;
    }
    let message = "expected the resource `panic://here` to answer, but it panicked";
    let input = request(LEGACY, "5", "resources/read", r#"{"uri":"panic://here"}"#);
    check(input, &[error("5", -32603, message)]).await;
    let message = "expected the prompt `panics` to answer, but it panicked";
    check(request(LEGACY, "5", "prompts/get", r#"{"name":"panics"}"#), &[error("5", -32603, message)]).await;
}

#[tokio::test]
async fn goes_on_after_a_tool_that_blocks_or_prints() {
    for (tool, said) in [("blocks", "blocked"), ("prints", "printed")] {
        let twice = format!("{}\n{}", call("5", tool, "{}"), call("6", tool, "{}"));
        check(twice, &[text("5", said), text("6", said)]).await;
    }
}

#[tokio::test]
async fn goes_on_beside_a_tool_that_never_ends() {
    let mut raw = Raw::session(server(), LEGACY).await;
    raw.send(&call("5", "never_ends", "{}")).await;
    assert_eq!(raw.ask(&call("6", "echo", r#"{"text":"a"}"#)).await, text("6", "a"));
    assert_eq!(raw.end().await, [given_up("5")]);

    check(format!("{}\n{}", call("5", "never_ends", "{}"), cancel("5")), &[]).await;
}

#[tokio::test]
async fn takes_no_more_requests_at_a_time_than_the_limit() {
    let server = server().limits(Limits { in_flight: 2, ..Limits::default() });
    let mut raw = Raw::session(server, LEGACY).await;
    raw.send(&call("1", "never_ends", "{}")).await;
    raw.send(&call("2", "never_ends", "{}")).await;
    let message = "expected at most 2 requests at a time (limit `in_flight`), but found one more";
    assert_eq!(raw.ask(&call("3", "echo", r#"{"text":"a"}"#)).await, error("3", -32603, message));
    // Pings and cancellations do not count against the limit.
    assert_eq!(raw.ask(&ping("4")).await, pong("4"));
    raw.send(&cancel("1")).await;
    // The slot of the cancelled call is free once its handler has ended, a moment later than its id.
    let mut answer = String::new();
    for _ in 0..100 {
        answer = raw.ask(&call("5", "echo", r#"{"text":"a"}"#)).await;
        if answer != error("5", -32603, message) {
            break;
        }
    }
    assert_eq!(answer, text("5", "a"));
    assert_eq!(raw.end().await, [given_up("2")]);
}

#[tokio::test]
async fn refuses_an_answer_over_the_limit_by_its_name() {
    let server = server().limits(Limits { frame_out: 1_000, ..Limits::default() });
    let mut raw = Raw::session(server, LEGACY).await;
    let long = "x".repeat(1_000);
    let found = text("1", &long).len();
    let message = format!("expected a result of at most 1000 bytes (limit `frame_out`), but found {found}");
    let refused = raw.ask(&call("1", "echo", &format!(r#"{{"text":"{long}"}}"#))).await;
    assert_eq!(refused, error("1", -32603, &message));
    assert_eq!(raw.ask(&call("2", "echo", r#"{"text":"a"}"#)).await, text("2", "a"));
}
