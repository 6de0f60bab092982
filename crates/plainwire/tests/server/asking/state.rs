//! Request state: the calls for which a server accepts it, and the one message with which it refuses any
//! other state.

use std::cell::RefCell;
use std::time::Duration;

use plainwire::prelude::*;
use serde_json::{Value, json};

use super::support::{Asked, Person, accept, keys, state, text};
use crate::collected_logs::{install, logged};
use crate::raw_client::{MODERN, Raw, call, ping};

const KEY: [u8; 32] = [7; 32];
const REFUSED: &str =
    "expected `requestState` as this server sent it with its questions, but found another one";

async fn secret(ctx: Context) -> Result<String, ToolError> {
    ctx.step("kept", || async { "plaintext-of-a-step".to_owned() }).await?;
    ctx.elicit::<String>("name", "plaintext-of-a-question?").await?.accepted()
}

#[derive(Deserialize, JsonSchema)]
struct Sum {
    #[serde(default)]
    a: u8,
    #[serde(default)]
    b: u8,
}

fn server_of(name: &str, version: &str, key: [u8; 32]) -> Server {
    Server::new(name)
        .version(version)
        .sealing_keys([key])
        .tool(Tool::new("t", secret))
        .tool(Tool::new("twin", secret))
        .tool(Tool::new("other", || async { "" }))
        .tool(Tool::new("sum", |it: Sum, ctx: Context| async move {
            Ok::<_, ToolError>(format!("{}{}", it.a + it.b, secret(ctx).await?))
        }))
}

fn server() -> Server {
    server_of("s", "1", KEY)
}

fn answers() -> Value {
    json!({"name": accept("Ada")})
}

/// Asserts that `answer` refuses a request state with the one message for all reasons, and that the log names
/// `reason`.
#[track_caller]
fn assert_refused(answer: &str, reason: &str) {
    let message: Value = serde_json::from_str(answer).expect("JSON");
    assert_eq!(message["error"], json!({"code": -32602, "message": REFUSED}), "{reason}");
    // The line for a reason is not repeated for some time, so earlier lines count too.
    LOG.with_borrow_mut(|log| {
        log.push_str(&logged());
        let line = log.lines().find(|line| line.contains(reason)).unwrap_or_default();
        assert!(line.contains("refused a request state of tools/call"), "{reason}: {log}");
    });
}

thread_local! {
    /// All that was logged in this test.
    static LOG: RefCell<String> = const { RefCell::new(String::new()) };
}

#[tokio::test]
async fn the_reason_of_a_cancellation_is_logged_without_its_line_breaks() {
    install();
    let tool = Tool::new("t", std::future::pending::<String>);
    let mut asked = Asked::connect(Server::new("s").tool(tool), "2025-11-25").await;
    asked.raw.send(&call("5", "t", "{}")).await;
    let params = json!({ "requestId": 5, "reason": "a\nERROR forged: b\u{1b}[31m" });
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
    asked.raw.send(&cancel.to_string()).await;
    asked.raw.ask(&ping("6")).await;
    let log = logged();
    assert!(log.contains(r#"cancelled: "a\nERROR forged: b\u{1b}[31m""#), "{log}");
}

/// Makes a call, which the server answers with a question and a request state. Returns the connection and the
/// state. Log lines from before the end of this function are discarded.
async fn first_round(server: Server) -> (Asked, Value) {
    install();
    let mut asked = Asked::connect(server, MODERN).await;
    let first = asked.tool("t").await;
    assert_eq!(keys(&first), ["name"]);
    logged();
    (asked, state(&first))
}

#[tokio::test]
async fn a_state_is_good_for_the_call_that_it_came_from_and_may_be_used_again() {
    let (mut asked, state) = first_round(server()).await;
    for _ in 0..2 {
        assert_eq!(text(&asked.again("t", &answers(), &state).await), "Ada");
    }
    // Another replica that has the same keys accepts the state too.
    let mut replica = Asked::connect(server(), MODERN).await;
    assert_eq!(text(&replica.again("t", &answers(), &state).await), "Ada");
}

#[tokio::test]
async fn a_state_of_another_tool_is_refused_even_if_the_question_is_the_same() {
    let (mut asked, state) = first_round(server()).await;
    for tool in ["twin", "other", "sum"] {
        assert_refused(&asked.again(tool, &answers(), &state).await, "a difference in its name");
    }
}

#[tokio::test]
async fn a_state_is_good_for_the_same_arguments_in_any_order() {
    let (mut asked, _) = first_round(server()).await;
    let params = |arguments: &str, more: &str| format!(r#"{{"name":"sum","arguments":{arguments}{more}}}"#);
    let first = asked.begin("tools/call", &params(r#"{"a":1,"b":2}"#, "")).await;
    let more = format!(r#","inputResponses":{},"requestState":{}"#, answers(), state(&first));
    let same = asked.begin("tools/call", &params(r#"{ "b": 2, "\u0061": 1 }"#, &more)).await;
    assert_eq!(text(&same), "3Ada");
    for other in [r#"{"a":2,"b":1}"#, r#"{"a":1}"#, "{}"] {
        assert_refused(
            &asked.begin("tools/call", &params(other, &more)).await,
            "a difference in its arguments",
        );
    }
}

#[tokio::test]
async fn a_state_of_somebody_else_is_refused() {
    let people = [None, Some("ada"), Some("bob"), Some("")];
    for (owner, user) in people.iter().flat_map(|a| people.iter().map(move |b| (*a, *b))) {
        first_round(server()).await;
        let first = Asked::named(server(), owner).await.tool("t").await;
        let answer = Asked::named(server(), user).await.again("t", &answers(), &state(&first)).await;
        if owner == user {
            assert_eq!(text(&answer), "Ada");
        } else {
            assert_refused(&answer, "a difference in its principal");
        }
    }
}

#[tokio::test]
async fn a_state_of_another_server_version_or_key_is_refused() {
    let (_, state) = first_round(server()).await;
    for (other, reason) in [
        (server_of("x", "1", KEY), "a difference in its server"),
        (server_of("s", "2", KEY), "a difference in its server"),
        (server_of("s", "1", [8; 32]), "no key opens it"),
    ] {
        let mut asked = Asked::connect(other, MODERN).await;
        assert_refused(&asked.again("t", &answers(), &state).await, reason);
    }
}

#[tokio::test]
async fn without_keys_each_server_has_one_of_its_own() {
    let (_, _) = first_round(server()).await;
    let fresh = || Server::new("s").tool(Tool::new("t", secret));
    let first = Asked::connect(fresh(), MODERN).await.tool("t").await;
    let answer = Asked::connect(fresh(), MODERN).await.again("t", &answers(), &state(&first)).await;
    assert_refused(&answer, "no key opens it");
}

#[tokio::test]
async fn a_state_past_its_time_is_refused() {
    let (mut asked, state) = first_round(server().state_lifetime(Duration::ZERO)).await;
    assert_refused(&asked.again("t", &answers(), &state).await, "it has expired");
}

#[tokio::test]
async fn a_state_for_one_use_is_refused_the_second_time() {
    let (mut asked, state) = first_round(server().single_use_states()).await;
    let malformed = asked.again("t", &json!({"name": 7}), &state).await;
    assert!(malformed.contains("inputResponses.name"), "does not count as a use: {malformed}");
    assert_eq!(text(&asked.again("t", &answers(), &state).await), "Ada");
    assert_refused(&asked.again("t", &answers(), &state).await, "it was used before");
}

#[tokio::test]
async fn a_state_that_was_changed_is_refused() {
    let (mut asked, state) = first_round(server()).await;
    let state = state.as_str().expect("text");
    for at in [0, 5, 33, 40, state.len() / 2, state.len() - 2] {
        let mut bytes = state.as_bytes().to_vec();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(bytes).expect("ASCII");
        let reason = if at == 0 { "another shape" } else { "no key opens it" };
        assert_refused(&asked.again("t", &answers(), &json!(changed)).await, reason);
    }
    for other in ["", "x", &state[..20], &format!("{state}!"), "ä"] {
        assert_refused(&asked.again("t", &answers(), &json!(other)).await, "another shape");
    }
    assert_refused(&asked.again("t", &answers(), &json!("A".repeat(70_000))).await, "to be longer");
}

#[tokio::test]
async fn a_flood_of_forged_states_is_logged_once_for_each_reason() {
    let (mut asked, _) = first_round(server()).await;
    for n in 0..1_000 {
        let forged = if n % 2 == 0 { "forged".to_owned() } else { "A".repeat(70_000) };
        assert!(asked.again("t", &answers(), &json!(forged)).await.contains(REFUSED));
    }
    let log = logged();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("refused a request state")).collect();
    assert_eq!(lines.len(), 2, "{:?}", lines.first());
    assert!(lines[0].contains("of tools/call \"t\" of an unknown caller"), "{lines:?}");
}

#[tokio::test]
async fn keys_can_be_changed_while_a_call_is_under_way() {
    let (_, state) = first_round(server()).await;
    let rotated = |keys: &[[u8; 32]]| server().sealing_keys(keys.to_vec());
    let mut both = Asked::connect(rotated(&[[9; 32], KEY]), MODERN).await;
    assert_eq!(text(&both.again("t", &answers(), &state).await), "Ada");
    let first = both.tool("t").await;
    let mut old = Asked::connect(rotated(&[KEY]), MODERN).await;
    assert_refused(&old.again("t", &answers(), &super::support::state(&first)).await, "no key opens it");
}

#[tokio::test]
async fn no_keys_and_too_many_are_a_mistake_in_the_declaration() {
    for (count, good) in [(0, false), (1, true), (16, true), (17, false)] {
        let mut raw = Raw::connect(server().sealing_keys(vec![KEY; count]));
        raw.hang_up();
        let served = raw.served().await.map_err(|error| error.to_string());
        match served {
            Ok(()) => assert!(good, "{count}"),
            Err(text) => {
                assert!(!good && text.contains("expected 1 to 16 sealing keys"), "{count}: {text}");
            }
        }
    }
}

#[tokio::test]
async fn a_state_that_would_be_too_large_ends_the_call_with_the_name_of_the_limit() {
    for (bytes, fits) in [(40_000, true), (70_000, false)] {
        let tool = Tool::new("t", move |ctx: Context| async move {
            ctx.step("big", || async { "x".repeat(bytes) }).await?;
            ctx.elicit::<String>("name", "?").await?.accepted()
        });
        let answer = Asked::connect(Server::new("s").tool(tool), MODERN).await.tool("t").await;
        if fits {
            assert_eq!(keys(&answer), ["name"]);
        } else {
            assert!(answer.contains("(65536 when it is sealed: limit `request_state`)"), "{answer}");
            assert!(answer.contains("-32603"), "{answer}");
        }
    }
}

#[tokio::test]
async fn a_state_shows_nothing_of_what_is_in_it() {
    let mut asked = Asked::connect(server(), MODERN).await;
    let first = asked.tool("t").await;
    let sealed = state(&first);
    let sealed = sealed.as_str().expect("text");
    let bytes = plainwire::proto::base64::decode_url(sealed).expect("base64");
    for hidden in ["plaintext", "elicitation", "name", "tools/call"] {
        assert!(!sealed.contains(hidden));
        assert!(!bytes.windows(hidden.len()).any(|window| window == hidden.as_bytes()), "{hidden}");
    }
    // The state of a second call with the same arguments is sealed into another text.
    assert_ne!(state(&asked.tool("t").await), sealed);
    let person = Person::new().answers("plaintext-of-a-question?", &accept("Ada").to_string());
    assert_eq!(text(&asked.call("t", "{}", &person).await), "Ada");
}
