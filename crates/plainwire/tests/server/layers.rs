//! Layers around calls: their order, the requests and results that they read and change, errors that they
//! return, and the layers of this crate.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire::handler::{Completing, TraceContext};
use plainwire::layer::{self, Kind, Next, Request, Response};
use plainwire::model::{
    CallToolResult, ClientCapability, CompleteRequest, CompletionReference, Content, ElicitResult,
    Elicitation, GetPromptResult, ReadResourceResult,
};
use plainwire::prelude::*;
use plainwire::proto::peer::EraChoice;
use plainwire::{Client, testing, tracing};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};

use crate::collected_logs as collected;
use crate::raw_client::{self as raw, LEGACY, MODERN, REVISIONS, Raw, call, cancel, ping, pong, request};

const SECOND: Duration = Duration::from_secs(1);

type Said = Arc<Mutex<Vec<String>>>;

/// Returns a layer with the name `name` that records in `said` each call that passes it, on the way in and on
/// the way out.
fn telling(name: &'static str, said: &Said) -> impl layer::Layer + use<> {
    let said = Arc::clone(said);
    move |request: Request, next: Next| {
        let said = Arc::clone(&said);
        async move {
            said.lock().unwrap().push(format!("into {name}"));
            let returned = next.run(request).await;
            said.lock().unwrap().push(format!("out of {name}"));
            returned
        }
    }
}

/// Calls a tool and returns the text of its result.
async fn text(client: &Client, tool: &str, arguments: Value) -> String {
    let result = client.call_tool(tool, arguments).await.expect("a result");
    result.content[0].as_text().expect("text").to_owned()
}

/// Returns a request to complete the argument `n` of the prompt `p`.
fn completing() -> CompleteRequest {
    CompleteRequest {
        argument: "n".to_owned(),
        arguments: BTreeMap::new(),
        reference: CompletionReference::Prompt("p".to_owned()),
        value: String::new(),
    }
}

#[derive(Deserialize, JsonSchema)]
struct Number {
    n: u32,
}

#[tokio::test]
async fn layers_are_passed_from_the_outside_in_and_those_of_the_server_first() {
    let said = Said::default();
    let handled = Arc::clone(&said);
    let tool = Tool::new("t", move || {
        handled.lock().unwrap().push("handler".to_owned());
        async { "done" }
    });
    let tool = tool.layer(telling("c", &said)).layer(telling("d", &said));
    let server = Server::new("s").layer(telling("a", &said)).tool(tool).layer(telling("b", &said));
    let client = testing::client(server).await.expect("a client");
    assert_eq!(text(&client, "t", json!({})).await, "done");
    let expected = "into a, into b, into c, into d, handler, out of d, out of c, out of b, out of a";
    assert_eq!(said.lock().unwrap().join(", "), expected);
}

#[tokio::test]
async fn every_kind_of_entry_has_layers_and_completions_have_none() {
    let seen = Said::default();
    let noted = Arc::clone(&seen);
    let note = move |request: Request, next: Next| {
        noted.lock().unwrap().push(format!("{} {} {}", request.kind(), request.name(), request.arguments()));
        next.run(request)
    };
    let complete = |_: Completing| async { vec!["1".to_owned()] };
    let server = Server::new("s")
        .tool(Tool::new("t", |it: Number| async move { it.n }).layer(note.clone()))
        .resource(Resource::new("r://one", "r", || async { "one" }).layer(note.clone()))
        .resource_template(
            ResourceTemplate::new("t://{n}", "t", |it: Number| async move { it.n.to_string() })
                .layer(note.clone()),
        )
        .prompt(
            Prompt::new("p", |it: Number| async move { it.n.to_string() })
                .layer(note)
                .complete("n", complete),
        );
    let client = testing::client(server).await.expect("a client");
    client.call_tool("t", json!({ "n": 1 })).await.expect("a result");
    client.read_resource("r://one").await.expect("a resource");
    client.read_resource("t://2").await.expect("a resource");
    client.get_prompt("p", json!({ "n": "3" })).await.expect("a prompt");
    let completion = client.complete(&completing()).await.expect("a completion");
    assert_eq!(completion.values, ["1"]);
    let expected =
        [r#"tool t {"n":1}"#, "resource r://one {}", r#"resource t://2 {"n":"2"}"#, r#"prompt p {"n":"3"}"#];
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_layer_that_never_goes_on_answers_by_itself() {
    let ran = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&ran);
    let cached = |_: Request, _: Next| async {
        let content = vec![Content::text("from the cache")];
        Ok::<Response, ToolError>(CallToolResult { content, ..CallToolResult::default() }.into())
    };
    let closed = |request: Request, _: Next| async move {
        Err(ToolError::new("closed", format!("{} is closed", request.name())).hint("come back"))
    };
    let tool = Tool::new("t", move || {
        counted.fetch_add(1, SeqCst);
        async { "fresh" }
    });
    let server = Server::new("s")
        .tool(tool.layer(cached))
        .resource(Resource::new("r://one", "r", || async { "one" }).layer(closed));
    let client = testing::client(server).await.expect("a client");
    assert_eq!(text(&client, "t", json!({ "n": "not looked at" })).await, "from the cache");
    let error = client.read_resource("r://one").await.expect_err("closed");
    assert!(error.to_string().contains("r://one is closed\n\nhint: come back"), "{error}");
    assert_eq!(ran.load(SeqCst), 0);
}

/// Returns a server with an entry for each way in which a call can end.
fn everything() -> Server {
    let failing =
        |code: &'static str| move || async move { Err::<String, _>(ToolError::new(code, "no").hint("h")) };
    let missing = || async { Err::<String, _>(ToolError::unsupported(ClientCapability::Sampling, "can't")) };
    Server::new("s")
        .tool(Tool::new("ok", |it: Number| async move { it.n }))
        .tool(Tool::new("fails", failing("not_found")))
        .tool(Tool::new("displayed", || async { "x".parse::<u32>() }))
        .tool(Tool::new("missing", missing))
        .tool(Tool::new("requires", || async { "fine" }).requires(ClientCapability::Sampling))
        .tool(Tool::new("panics", || async { panic!("secret") as String }))
        .tool(Tool::new("slow", pending::<String>).timeout(Duration::from_millis(1)))
        .resource(Resource::new("r://ok", "r", || async { "one" }).mime_type("text/plain"))
        .resource(Resource::new("r://not_found", "r", failing("not_found")))
        .resource(Resource::new("r://invalid", "r", failing("invalid_input")))
        .resource(Resource::new("r://missing", "r", missing))
        .resource_template(ResourceTemplate::new(
            "t://{n}",
            "t",
            |it: Number| async move { it.n.to_string() },
        ))
        .prompt(Prompt::new("ok", |it: Number| async move { it.n.to_string() }))
        .prompt(Prompt::new("fails", failing("invalid_input")))
        .prompt(Prompt::new("missing", missing))
}

#[tokio::test]
async fn layers_that_change_nothing_change_no_byte_of_any_answer() {
    let through = |request: Request, next: Next| async move { next.run(request).await };
    let later = |request: Request, next: Next| async move {
        tokio::task::yield_now().await;
        let returned = next.run(request).await;
        tokio::task::yield_now().await;
        returned
    };
    let calls = [
        ("tools/call", r#"{"name":"ok","arguments":{"n":1}}"#),
        ("tools/call", r#"{"name":"ok","arguments":{"n":"x"}}"#),
        ("tools/call", r#"{"name":"ok","arguments":{"n":1,"m":2}}"#),
        ("tools/call", r#"{"name":"ok"}"#),
        ("tools/call", r#"{"name":"fails"}"#),
        ("tools/call", r#"{"name":"fails","arguments":{"n":1}}"#),
        ("tools/call", r#"{"name":"displayed"}"#),
        ("tools/call", r#"{"name":"missing"}"#),
        ("tools/call", r#"{"name":"requires"}"#),
        ("tools/call", r#"{"name":"panics"}"#),
        ("tools/call", r#"{"name":"slow"}"#),
        ("tools/call", r#"{"name":"unknown"}"#),
        ("resources/read", r#"{"uri":"r://ok"}"#),
        ("resources/read", r#"{"uri":"r://not_found"}"#),
        ("resources/read", r#"{"uri":"r://invalid"}"#),
        ("resources/read", r#"{"uri":"r://missing"}"#),
        ("resources/read", r#"{"uri":"t://7"}"#),
        ("resources/read", r#"{"uri":"t://x"}"#),
        ("prompts/get", r#"{"name":"ok","arguments":{"n":"1"}}"#),
        ("prompts/get", r#"{"name":"ok","arguments":{"n":"x"}}"#),
        ("prompts/get", r#"{"name":"fails"}"#),
        ("prompts/get", r#"{"name":"missing"}"#),
    ];
    for revision in REVISIONS {
        let mut plain = Raw::session(everything(), revision).await;
        let mut layered = Raw::session(everything().layer(through).layer(through), revision).await;
        let mut waiting = Raw::session(everything().layer(later), revision).await;
        for (method, params) in calls {
            let frame = request(revision, "1", method, params);
            let expected = plain.ask(&frame).await;
            assert_eq!(layered.ask(&frame).await, expected, "{revision} {params}");
            assert_eq!(waiting.ask(&frame).await, expected, "{revision} {params}");
        }
    }
}

#[tokio::test]
async fn a_layer_reads_and_replaces_arguments() {
    let doubling = |mut request: Request, next: Next| async move {
        let Number { n } = request.read_arguments()?;
        request.replace_arguments(&json!({ "n": 2 * n }))?;
        next.run(request).await
    };
    let server = Server::new("s").tool(Tool::new("t", |it: Number| async move { it.n }).layer(doubling));
    let client = testing::client(server).await.expect("a client");
    assert_eq!(text(&client, "t", json!({ "n": 21 })).await, "42");
    let unfit = text(&client, "t", json!({ "n": "x" })).await;
    assert!(unfit.starts_with("expected `arguments.n` to fit, but found: invalid type: string"), "{unfit}");
}

#[tokio::test]
async fn arguments_are_replaced_by_an_object_only_and_checked_after_that() {
    let wrong = |mut request: Request, next: Next| async move {
        request.replace_arguments(&[1])?;
        next.run(request).await
    };
    let unfit = |mut request: Request, next: Next| async move {
        request.replace_arguments(&json!({ "n": true }))?;
        next.run(request).await
    };
    let tool = |name: &str| Tool::new(name, |it: Number| async move { it.n });
    let server = Server::new("s").tool(tool("wrong").layer(wrong)).tool(tool("unfit").layer(unfit));
    let client = testing::client(server).await.expect("a client");
    let expected = "expected the arguments to be a JSON object, but found another value";
    assert_eq!(text(&client, "wrong", json!({ "n": 1 })).await, expected);
    let expected = "expected `arguments.n` to be an integer, but found true; 1 would fit";
    assert_eq!(text(&client, "unfit", json!({ "n": 1 })).await, expected);
}

#[tokio::test]
async fn a_layer_sees_and_changes_what_comes_back() {
    let shouting = |request: Request, next: Next| async move {
        match next.run(request).await? {
            Response::Tool(mut result) => {
                result.content.push(Content::text("!"));
                Ok(result.into())
            }
            other => Ok(other),
        }
    };
    let forgiving = |request: Request, next: Next| async move {
        match next.run(request).await {
            Err(error) if error.code() == "not_found" => {
                let content = vec![Content::text(format!("nothing: {}", error.message()))];
                Ok(CallToolResult { content, ..CallToolResult::default() }.into())
            }
            returned => returned,
        }
    };
    let missing = || async { Err::<String, _>(ToolError::not_found("gone")) };
    let server = Server::new("s")
        .tool(Tool::new("shouts", || async { "hey" }).layer(shouting))
        .tool(Tool::new("forgives", missing).layer(forgiving));
    let client = testing::client(server).await.expect("a client");
    let result = client.call_tool("shouts", json!({})).await.expect("a result");
    assert_eq!(result.content.iter().filter_map(Content::as_text).collect::<String>(), "hey!");
    let result = client.call_tool("forgives", json!({})).await.expect("a result");
    assert!(!result.is_error);
    assert_eq!(result.content[0].as_text(), Some("nothing: gone"));
}

#[tokio::test]
async fn a_layer_that_tries_again_runs_the_handler_again() {
    let tries = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&tries);
    let again = |request: Request, next: Next| async move {
        match next.clone().run(request.clone()).await {
            Err(_) => next.run(request).await,
            returned => returned,
        }
    };
    let tool = Tool::new("t", move || {
        let nth = counted.fetch_add(1, SeqCst);
        async move { if nth == 0 { Err(ToolError::failed("not yet")) } else { Ok("now") } }
    });
    let client = testing::client(Server::new("s").tool(tool.layer(again))).await.expect("a client");
    assert_eq!(text(&client, "t", json!({})).await, "now");
    assert_eq!(tries.load(SeqCst), 2);
}

#[tokio::test]
async fn a_result_of_another_kind_is_an_error_that_names_the_layers() {
    let prompt = |_: Request, _: Next| async { Ok::<Response, ToolError>(GetPromptResult::default().into()) };
    let resource =
        |_: Request, _: Next| async { Ok::<Response, ToolError>(ReadResourceResult::default().into()) };
    let server = Server::new("s")
        .tool(Tool::new("t", || async { "done" }).layer(prompt))
        .prompt(Prompt::new("p", || async { "done" }).layer(resource));
    let mut raw = Raw::session(server, LEGACY).await;
    let expected =
        "expected the layers of the tool `t` to give the result of a tool, but found that of a prompt";
    assert_eq!(raw.ask(&call("1", "t", "{}")).await, raw::error("1", -32603, expected));
    let expected =
        "expected the layers of the prompt `p` to give the result of a prompt, but found that of a resource";
    let answer = raw.ask(&request(LEGACY, "2", "prompts/get", r#"{"name":"p"}"#)).await;
    assert_eq!(answer, raw::error("2", -32603, expected));
}

#[tokio::test]
async fn a_layer_that_panics_is_an_answer() {
    async fn later(_: Request, _: Next) -> Result<Response, ToolError> {
        tokio::task::yield_now().await;
        panic!("secret")
    }
    fn at_once(_: Request, _: Next) -> std::future::Ready<Result<Response, ToolError>> {
        panic!("secret")
    }
    async fn behind(request: Request, next: Next) -> Result<Response, ToolError> {
        next.run(request).await?;
        panic!("secret")
    }
    let tool = |name: &str| Tool::new(name, || async { "done" });
    let server = Server::new("s")
        .tool(tool("later").layer(later))
        .tool(tool("at_once").layer(at_once))
        .tool(tool("behind").layer(behind))
        .tool(tool("fine"));
    let mut raw = Raw::session(server, LEGACY).await;
    for name in ["later", "at_once", "behind"] {
        let expected = format!("expected the tool `{name}` to answer, but it panicked");
        assert_eq!(raw.ask(&call("1", name, "{}")).await, raw::error("1", -32603, &expected));
    }
    assert_eq!(raw.ask(&call("2", "fine", "{}")).await, raw::text("2", "done"));
}

#[tokio::test]
async fn entries_that_come_later_have_the_layers_of_the_server_too() {
    let said = Said::default();
    let mut server = Server::new("s").layer(telling("a", &said));
    let handle = server.handle();
    let client = testing::client(server).await.expect("a client");
    handle.add_tool(Tool::new("t", || async { "done" })).expect("a legal tool");
    assert_eq!(text(&client, "t", json!({})).await, "done");
    assert_eq!(said.lock().unwrap().join(", "), "into a, out of a");
}

#[tokio::test]
async fn layers_ask_and_are_passed_once_per_round() {
    for (era, rounds) in [(EraChoice::Legacy, 1), (EraChoice::Modern, 3)] {
        let passed = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&passed);
        let asking = move |request: Request, next: Next| {
            counted.fetch_add(1, SeqCst);
            async move {
                let word: String = request.context().elicit("layer", "the layer").await?.accepted()?;
                let returned = next.run(request).await?;
                assert_eq!(word, "open sesame");
                Ok::<Response, ToolError>(returned)
            }
        };
        let tool = Tool::new("t", |ctx: Context| async move {
            ctx.elicit::<String>("handler", "the handler").await?.accepted()
        });
        let person = async |question: Elicitation| match question {
            Elicitation::Form { message, .. } if message == "the layer" => {
                ElicitResult::accept("open sesame")
            }
            _ => ElicitResult::accept("inside"),
        };
        let builder = Client::builder().on_elicit(person).era(era);
        let client = testing::client_with(Server::new("s").tool(tool.layer(asking)), builder).await;
        assert_eq!(text(&client.expect("a client"), "t", json!({})).await, "inside");
        assert_eq!(passed.load(SeqCst), rounds, "{era:?}");
    }
}

#[tokio::test]
async fn cancelling_a_call_drops_its_layers() {
    struct Tells(mpsc::UnboundedSender<()>);
    impl Drop for Tells {
        fn drop(&mut self) {
            let _ = self.0.send(());
        }
    }
    let (told, mut dropped) = mpsc::unbounded_channel();
    let holding = move |request: Request, next: Next| {
        let tells = Tells(told.clone());
        async move {
            let _tells = tells;
            next.run(request).await
        }
    };
    let server = Server::new("s").tool(Tool::new("t", pending::<String>).layer(holding));
    let mut raw = Raw::session(server, LEGACY).await;
    raw.send(&call("1", "t", "{}")).await;
    raw.send(&cancel("1")).await;
    timeout(raw::PATIENCE, dropped.recv()).await.expect("in time").expect("dropped");
    assert_eq!(raw.ask(&ping("2")).await, pong("2"));
    assert!(raw.end().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn timeout_ends_what_is_further_in() {
    let said = Said::default();
    let limit = layer::timeout(SECOND);
    let server = Server::new("s")
        .layer(telling("outer", &said))
        .layer(limit)
        .tool(Tool::new("slow", pending::<String>).layer(telling("inner", &said)))
        .tool(Tool::new("quick", || async { "done" }))
        .resource(Resource::new("r://slow", "r", pending::<String>));
    let client = testing::client(server).await.expect("a client");
    let began = Instant::now();
    assert_eq!(text(&client, "quick", json!({})).await, "done");
    let expected = "expected the tool `slow` to end within 1s, but it did not";
    assert_eq!(text(&client, "slow", json!({})).await, expected);
    assert_eq!(began.elapsed(), SECOND);
    let expected = "into outer, out of outer, into outer, into inner, out of outer";
    assert_eq!(said.lock().unwrap().join(", "), expected);
    let error = client.read_resource("r://slow").await.expect_err("too slow").to_string();
    assert!(error.contains("expected the resource `r://slow` to end within 1s"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn time_in_which_a_person_thinks_does_not_count_for_timeout() {
    let slow_person = async |_: Elicitation| {
        sleep(10 * SECOND).await;
        ElicitResult::accept("yes")
    };
    let tool = Tool::new("t", |ctx: Context| async move {
        sleep(SECOND / 2).await;
        ctx.elicit::<String>("q", "?").await?.accepted()
    });
    testing::in_each_era(
        || Server::new("s").tool(tool.clone().layer(layer::timeout(SECOND))),
        Client::builder().on_elicit(slow_person),
        async |client| {
            assert_eq!(text(&client, "t", json!({})).await, "yes");
            Ok(())
        },
    )
    .await
    .expect("both eras");
}

/// Returns a tool that takes a second. `most` becomes the highest number of its calls that ran at the same
/// time.
fn busy(name: &str, most: &Arc<AtomicUsize>) -> Tool {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::clone(most));
    Tool::new(name, move || {
        let (running, most) = (Arc::clone(&running), Arc::clone(&most));
        async move {
            most.fetch_max(running.fetch_add(1, SeqCst) + 1, SeqCst);
            sleep(SECOND).await;
            running.fetch_sub(1, SeqCst);
            "done"
        }
    })
}

#[tokio::test(start_paused = true)]
async fn concurrency_lets_so_many_calls_run_and_the_others_wait_their_turn() {
    for (limit, at_a_time) in [(1, 1), (2, 2), (0, 1), (usize::MAX, 6)] {
        let most = Arc::new(AtomicUsize::new(0));
        let server = Server::new("s").tool(busy("t", &most).layer(layer::concurrency(limit)));
        let mut raw = Raw::session(server, LEGACY).await;
        let began = Instant::now();
        for id in 1..=6 {
            raw.send(&call(&id.to_string(), "t", "{}")).await;
        }
        for id in 1..=6 {
            let answer = raw.line().await;
            if limit == 1 {
                assert_eq!(answer, raw::text(&id.to_string(), "done"), "in their order");
            }
        }
        assert_eq!(most.load(SeqCst), at_a_time, "{limit}");
        assert_eq!(began.elapsed(), SECOND * 6 / u32::try_from(at_a_time).expect("a few"), "{limit}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_concurrency_that_is_cloned_is_one_limit_and_a_cancelled_call_gives_its_turn_back() {
    let most = Arc::default();
    let one = layer::concurrency(1);
    let server = Server::new("s").tool(busy("a", &most).layer(one.clone())).tool(busy("b", &most).layer(one));
    let mut raw = Raw::session(server, LEGACY).await;
    let began = Instant::now();
    for (id, tool) in [("1", "a"), ("2", "b"), ("3", "a")] {
        raw.send(&call(id, tool, "{}")).await;
    }
    assert_eq!(raw.ask(&ping("4")).await, pong("4"));
    raw.send(&cancel("2")).await;
    assert_eq!(raw.line().await, raw::text("1", "done"));
    assert_eq!(raw.line().await, raw::text("3", "done"));
    assert_eq!(began.elapsed(), 2 * SECOND);
}

async fn leaky() -> Result<String, ToolError> {
    Err("SELECT * FROM users".parse::<u32>().map_err(|_| std::io::Error::other("SELECT * FROM users"))?)?
}

const MASKED: &str = "the call failed; the log of the server says why";

#[tokio::test]
async fn mask_errors_hides_what_was_displayed_and_leaves_what_was_chosen() {
    let hinted = || async {
        let displayed = ToolError::from(std::io::Error::other("SELECT"));
        Err::<String, _>(displayed.hint("try later").retryable())
    };
    let server = Server::new("s")
        .layer(layer::mask_errors())
        .tool(Tool::new("leaky", leaky))
        .tool(Tool::new("hinted", hinted))
        .tool(Tool::new("chosen", || async { Err::<String, _>(ToolError::failed("the oven is cold")) }))
        .tool(Tool::new("fits", |it: Number| async move { it.n }))
        .resource(Resource::new("r://leaky", "r", leaky));
    let client = testing::client(server).await.expect("a client");
    assert_eq!(text(&client, "leaky", json!({})).await, MASKED);
    assert_eq!(text(&client, "hinted", json!({})).await, format!("{MASKED}\n\nhint: try later"));
    assert_eq!(text(&client, "chosen", json!({})).await, "the oven is cold");
    let unfit = "expected `arguments.n` to be an integer, but found \"x\"; 1 would fit";
    assert_eq!(text(&client, "fits", json!({ "n": "x" })).await, unfit);
    let error = client.read_resource("r://leaky").await.expect_err("leaky").to_string();
    assert!(error.contains(MASKED) && !error.contains("SELECT"), "{error}");
}

#[tokio::test]
async fn a_server_that_masks_errors_masks_completions_and_layers_too() {
    let failing = |_: Request, _: Next| async { leaky().await.map(|_| unreachable!("it fails")) };
    let complete = |_: Completing| async { leaky().await.map(|it| vec![it]) };
    let waits = || async {
        tokio::task::yield_now().await;
        leaky().await
    };
    let server =
        || {
            Server::new("s").mask_errors().layer(failing).tool(Tool::new("t", || async { "done" })).prompt(
                Prompt::new("p", |it: Number| async move { it.n.to_string() }).complete("n", complete),
            )
        };
    let client = testing::client(server()).await.expect("a client");
    assert_eq!(text(&client, "t", json!({})).await, MASKED);
    let error = client.complete(&completing()).await.expect_err("leaky").to_string();
    assert!(error.contains(MASKED) && !error.contains("SELECT"), "{error}");
    let server = Server::new("s").mask_errors().tool(Tool::new("later", waits));
    assert_eq!(text(&testing::client(server).await.expect("a client"), "later", json!({})).await, MASKED);
}

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

#[tokio::test]
async fn a_call_knows_the_trace_that_it_is_part_of() {
    let (told, mut heard) = mpsc::unbounded_channel();
    let tool = Tool::new("t", move |ctx: Context| {
        told.send(ctx.trace_context()).expect("somebody listens");
        async {}
    });
    let mut heard = async |revision: &str, meta: &str| -> Option<TraceContext> {
        let mut raw = Raw::session(Server::new("s").tool(tool.clone()), revision).await;
        let frame = request(revision, "1", "tools/call", r#"{"name":"t"}"#);
        let frame = match revision {
            MODERN => frame.replace(r#""_meta":{"#, &format!(r#""_meta":{{{meta},"#)),
            _ => frame.replace(r#""name":"t""#, &format!(r#""name":"t","_meta":{{{meta}}}"#)),
        };
        raw.ask(&frame).await;
        heard.recv().await.expect("a call")
    };
    for revision in REVISIONS {
        let meta = format!(r#""traceparent":"{PARENT}","tracestate":"a=1","baggage":"user=ada""#);
        let trace = heard(revision, &meta).await.expect("a trace");
        assert_eq!(trace.traceparent(), PARENT);
        assert_eq!((trace.tracestate(), trace.baggage()), (Some("a=1"), Some("user=ada")));
        assert_eq!(heard(revision, r#""traceparent":"00-1-2-3""#).await, None, "{revision}");
        assert_eq!(heard(revision, r#""progressToken":1"#).await, None, "{revision}");
    }
}

#[tokio::test]
async fn trace_opens_spans_in_the_words_of_opentelemetry() {
    collected::install();
    let server = Server::new("s")
        .layer(layer::trace().level(tracing::Level::DEBUG))
        .tool(Tool::new("traced", || async { "done" }))
        .prompt(Prompt::new("traced", || async { Err::<String, _>(ToolError::invalid_input("no")) }));
    let mut raw = Raw::session(server, MODERN).await;
    let meta = format!(r#""_meta":{{"traceparent":"{PARENT}","tracestate":"a=1","#);
    let frame = request(MODERN, "1", "tools/call", r#"{"name":"traced"}"#).replace(r#""_meta":{"#, &meta);
    raw.ask(&frame).await;
    let expected = format!(
        "(span)=DEBUG call\ngen_ai.operation.name=execute_tool\ngen_ai.tool.name=traced\njsonrpc.request.id=1\n\
         mcp.method.name=tools/call\nmcp.protocol.version=2026-07-28\notel.kind=server\n\
         otel.name=tools/call traced\ntraceparent={PARENT}\ntracestate=a=1"
    );
    assert_eq!(collected::span("otel.name", "tools/call traced"), expected);
    raw.ask(&request(MODERN, "2", "prompts/get", r#"{"name":"traced"}"#)).await;
    let expected = "(span)=DEBUG call\nerror.type=-32602\ngen_ai.prompt.name=traced\njsonrpc.request.id=2\nmcp.method.name=prompts/get\n\
         mcp.protocol.version=2026-07-28\notel.kind=server\notel.name=prompts/get traced\notel.status_code=ERROR\n\
         otel.status_description=no";
    assert_eq!(collected::span("otel.name", "prompts/get traced"), expected);
}

#[tokio::test]
async fn trace_records_what_kind_of_error_the_client_sees() {
    collected::install();
    let failed = || async { CallToolResult { is_error: true, ..CallToolResult::default() } };
    let missing = || async { Err::<String, _>(ToolError::unsupported(ClientCapability::Sampling, "can't")) };
    for (revision, unfit, unsupported, not_found) in
        [("2025-06-18", "-32602", "tool_error", "-32002"), (MODERN, "tool_error", "-32021", "-32602")]
    {
        let name = |tool: &str| format!("{tool}-{revision}");
        let server = Server::new("s")
            .layer(layer::trace())
            .tool(Tool::new(name("fails"), || async { Err::<String, _>(ToolError::failed("no")) }))
            .tool(Tool::new(name("says"), failed))
            .tool(Tool::new(name("unfit"), |it: Number| async move { it.n }))
            .tool(Tool::new(name("missing"), missing));
        let mut raw = Raw::session(server, revision).await;
        for (tool, kind) in
            [("fails", "tool_error"), ("says", "tool_error"), ("unfit", unfit), ("missing", unsupported)]
        {
            let tool = name(tool);
            raw.ask(&request(revision, "1", "tools/call", &json!({ "name": tool }).to_string())).await;
            let span = collected::span("otel.name", &format!("tools/call {tool}"));
            assert!(span.contains(&format!("error.type={kind}\n")), "{revision}: {span}");
            assert!(span.starts_with("(span)=INFO call"), "{span}");
        }
        let layered = Server::new("s").resource_template(
            ResourceTemplate::new("t://{n}", "t", |it: Number| async move { it.n.to_string() })
                .layer(layer::trace()),
        );
        let uri = format!("t://{revision}");
        let mut raw = Raw::session(layered, revision).await;
        raw.ask(&request(revision, "1", "resources/read", &json!({ "uri": uri }).to_string())).await;
        let span = collected::span("mcp.resource.uri", &uri);
        assert!(span.contains(&format!("error.type={not_found}\n")), "{revision}: {span}");
        assert!(span.contains("otel.name=resources/read\n"), "{span}");
    }
}

#[test]
fn kinds_have_their_methods() {
    let methods = [Kind::Prompt, Kind::Resource, Kind::Tool].map(Kind::method);
    assert_eq!(methods, ["prompts/get", "resources/read", "tools/call"]);
}

#[tokio::test]
async fn blocking_work_past_the_deadline_of_a_layer_is_told_and_an_outer_layer_may_go_on() {
    let (told, mut heard) = mpsc::unbounded_channel();
    let tool = Tool::blocking("slow", move |ctx: Context| {
        let began = std::time::Instant::now();
        while !ctx.is_cancelled() && began.elapsed() < 10 * SECOND {
            std::thread::yield_now();
        }
        told.send(ctx.is_cancelled()).expect("somebody listens");
    });
    let later = |request: Request, next: Next| async move {
        let context = request.context().clone();
        let returned = next.run(request).await;
        tokio::task::yield_now().await;
        assert!(!context.is_cancelled(), "only a part of the call is over");
        returned
    };
    let server = Server::new("s").tool(tool.layer(later).layer(layer::timeout(Duration::from_millis(50))));
    let client = testing::client(server).await.expect("a client");
    let expected = "expected the tool `slow` to end within 50ms, but it did not";
    assert_eq!(text(&client, "slow", json!({})).await, expected);
    assert_eq!(heard.recv().await, Some(true));
}

#[derive(JsonSchema)]
struct Unwritable;

impl Serialize for Unwritable {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("secret"))
    }
}

#[tokio::test]
async fn mask_errors_hides_the_words_of_a_serializer() {
    let server = || Server::new("s").tool(Tool::new("t", || async { Unwritable }));
    let client = testing::client(server()).await.expect("a client");
    assert_eq!(text(&client, "t", json!({})).await, "the result has no JSON: secret");
    let client = testing::client(server().mask_errors()).await.expect("a client");
    assert_eq!(text(&client, "t", json!({})).await, MASKED);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_cancelled_while_it_waits_for_its_turn_never_runs() {
    let ran = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&ran);
    let tool = Tool::new("t", move || {
        counted.fetch_add(1, SeqCst);
        async {
            sleep(SECOND).await;
            "done"
        }
    });
    let tool = tool.layer(layer::concurrency(1)).on_cancel(OnCancel::Finish);
    let mut raw = Raw::session(Server::new("s").tool(tool), LEGACY).await;
    raw.send(&call("1", "t", "{}")).await;
    raw.send(&call("2", "t", "{}")).await;
    raw.send(&cancel("2")).await;
    assert_eq!(raw.line().await, raw::text("1", "done"));
    sleep(3 * SECOND).await;
    assert_eq!(ran.load(SeqCst), 1);
    assert!(raw.end().await.is_empty());
}

#[tokio::test]
async fn a_layer_that_breaks_the_output_schema_of_a_tool_is_warned_of() {
    collected::install();
    let textual = |_: Request, _: Next| async {
        let content = vec![Content::text("from the cache")];
        Ok::<Response, ToolError>(CallToolResult { content, ..CallToolResult::default() }.into())
    };
    let through = |request: Request, next: Next| next.run(request);
    let server = Server::new("s")
        .tool(Tool::new("broken", || async { 7 }).layer(textual))
        .tool(Tool::new("kept", || async { 7 }).layer(through))
        .tool(Tool::new("unlisted", || async { "text" }).layer(textual));
    let client = testing::client(server).await.expect("a client");
    for tool in ["broken", "kept", "unlisted"] {
        // The result is ignored, because the client may refuse it too.
        let _ = client.call_tool(tool, json!({})).await;
    }
    let structure = "to give structured content, which its output schema promises, but found none";
    let warned = collected::warnings(structure);
    assert_eq!(warned, [format!("expected the layers of the tool `broken` {structure}")]);
}
