//! Questions that legacy servers ask a client, and the checks of questions in both eras.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use plainwire::Client;
use plainwire::client::{Notice, Sampling};
use plainwire::model::{CreateMessageResult, ElicitResult, Elicitation, Root};
use plainwire::proto::revision::Revision;
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot};

use crate::scripted_server::{LEGACY, MODERN, PATIENCE, Script, elicit, form, sample};

fn filled(value: Value) -> ElicitResult {
    ElicitResult::accept(value)
}

/// Returns a builder of a client that answers every elicitation with `result`.
fn always(result: ElicitResult) -> plainwire::client::ClientBuilder {
    Client::builder().on_elicit(move |_| {
        let result = result.clone();
        async move { result }
    })
}

/// Returns a sampling handler. Its answer is a text with the `maxTokens` of the request, and `true` if the
/// request has `includeContext`, else `false`.
fn counting() -> Sampling {
    Sampling::new(|request| async move {
        let context = request.include_context.is_some();
        Ok(CreateMessageResult::text("m", format!("{} {context}", request.max_tokens)))
    })
}

/// Sends one request of the server to the client. Returns the `result` of the client's answer, or `[code,
/// message]` of its error.
async fn asked(script: &mut Script, method: &str, params: Value) -> Value {
    script.ask("q", method, params).await;
    let answer = script.next().await;
    assert_eq!(answer["id"], "q", "{answer}");
    match answer.get("error") {
        Some(error) => json!([error["code"], error["message"]]),
        None => answer["result"].clone(),
    }
}

#[tokio::test]
async fn declares_what_has_an_answer_and_nothing_else() {
    for (client, legacy, modern) in [
        (Client::builder(), json!({}), json!({})),
        (
            always(ElicitResult::decline()),
            json!({ "elicitation": { "form": {}, "url": {} } }),
            json!({ "elicitation": { "form": {}, "url": {} } }),
        ),
        (
            Client::builder().roots(vec![]),
            json!({ "roots": { "listChanged": true } }),
            json!({ "roots": {} }),
        ),
        (Client::builder().on_sample(counting()), json!({ "sampling": {} }), json!({ "sampling": {} })),
        (
            Client::builder().on_sample(counting().tools().context()),
            json!({ "sampling": { "tools": {}, "context": {} } }),
            json!({ "sampling": { "tools": {}, "context": {} } }),
        ),
    ] {
        let (_client, script) = Script::connect(client.clone(), LEGACY).await;
        assert_eq!(script.hello["params"]["capabilities"], legacy);
        let (_client, script) = Script::connect(client, MODERN).await;
        let meta = &script.hello["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], modern);
    }
}

#[tokio::test]
async fn a_client_without_handlers_knows_no_questions() {
    let (_client, mut script) = Script::connect(Client::builder(), LEGACY).await;
    for method in ["elicitation/create", "sampling/createMessage", "roots/list"] {
        assert_eq!(asked(&mut script, method, json!({})).await[0], -32601);
    }
}

#[tokio::test]
async fn fills_in_defaults_and_sends_what_fits() {
    let (_client, mut script) = Script::connect(always(filled(json!({ "n": "x" }))), LEGACY).await;
    let answer = asked(&mut script, "elicitation/create", form("?")).await;
    assert_eq!(answer, json!({ "action": "accept", "content": { "n": "x", "d": 7 } }));
}

#[tokio::test]
async fn an_accepted_form_that_does_not_fit_is_not_sent() {
    for content in [json!({}), json!({ "n": 7 })] {
        let (_client, mut script) = Script::connect(always(filled(content)), LEGACY).await;
        let answer = asked(&mut script, "elicitation/create", form("?")).await;
        assert_eq!(answer[0], -32603, "{answer}");
    }
}

#[tokio::test]
async fn whoever_declines_or_cancels_says_no_more_than_that() {
    for (result, action) in [(ElicitResult::decline(), "decline"), (ElicitResult::cancel(), "cancel")] {
        let result = ElicitResult { content: Some(Map::new()), ..result };
        let (_client, mut script) = Script::connect(always(result), LEGACY).await;
        let answer = asked(&mut script, "elicitation/create", form("?")).await;
        assert_eq!(answer, json!({ "action": action }));
    }
}

#[tokio::test]
async fn asks_nobody_for_a_form_that_is_none_or_a_page_that_is_not_of_the_web() {
    let asked_for = Arc::new(AtomicU32::new(0));
    let count = asked_for.clone();
    let client = Client::builder().on_elicit(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        async { ElicitResult::agree() }
    });
    let (_client, mut script) = Script::connect(client, LEGACY).await;
    let nested = json!({ "type": "object", "properties": { "a": { "type": "object", "properties": {} } } });
    for params in [
        json!({ "message": "?" }),
        json!({ "mode": "form", "message": "?", "requestedSchema": nested }),
        json!({ "mode": "form", "message": "?", "requestedSchema": { "type": "string" } }),
        json!({ "mode": "url", "message": "?", "elicitationId": "1", "url": "javascript:alert(1)" }),
        json!({ "mode": "url", "message": "?", "elicitationId": "1", "url": "file:///etc/passwd" }),
        json!({ "mode": "url", "message": "?", "elicitationId": "1" }),
        json!({ "mode": "voice", "message": "?" }),
        json!({ "requestedSchema": { "type": "object", "properties": {} } }),
    ] {
        let answer = asked(&mut script, "elicitation/create", params.clone()).await;
        assert_eq!(answer[0], -32602, "{params}: {answer}");
    }
    assert_eq!(asked_for.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn shows_a_page_and_sends_no_content_back() {
    let seen = Arc::new(Mutex::new(None));
    let note = seen.clone();
    let client = Client::builder().on_elicit(move |question| {
        *note.lock().expect("a lock") = Some(question);
        async { filled(json!({ "secret": 1 })) }
    });
    let (_client, mut script) = Script::connect(client, LEGACY).await;
    let params =
        json!({ "mode": "url", "message": "m", "elicitationId": "e", "url": "https://example.com/a" });
    assert_eq!(asked(&mut script, "elicitation/create", params).await, json!({ "action": "accept" }));
    let expected =
        Elicitation::Url { id: "e".into(), message: "m".into(), url: "https://example.com/a".into() };
    assert_eq!(*seen.lock().expect("a lock"), Some(expected));
}

#[tokio::test]
async fn an_old_revision_is_not_shown_pages() {
    let (_client, mut script) = Script::connect(always(ElicitResult::agree()), Revision::V2025_06_18).await;
    let page = json!({ "mode": "url", "message": "?", "url": "https://example.com" });
    let answer = asked(&mut script, "elicitation/create", page).await;
    assert_eq!(answer[0], -32602, "{answer}");
    assert!(answer[1].as_str().is_some_and(|text| text.contains("`elicitation.url`")), "{answer}");
}

#[tokio::test]
async fn two_questions_are_open_at_once_and_answered_as_they_come() {
    let (tell, mut told) = mpsc::unbounded_channel::<(String, oneshot::Sender<()>)>();
    let client = Client::builder().on_elicit(move |question| {
        let tell = tell.clone();
        async move {
            let Elicitation::Form { message, .. } = question else { return ElicitResult::decline() };
            let (go, gone) = oneshot::channel();
            tell.send((message.clone(), go)).expect("a test");
            gone.await.expect("a word");
            filled(json!({ "n": message }))
        }
    });
    let (_client, mut script) = Script::connect(client, LEGACY).await;
    script.ask("1", "elicitation/create", form("first")).await;
    let first = told.recv().await.expect("a question");
    script.ask("2", "elicitation/create", form("second")).await;
    let second = told.recv().await.expect("a question");
    for (id, (message, go)) in [("2", second), ("1", first)] {
        go.send(()).expect("somebody who waits");
        let answer = script.next().await;
        assert_eq!((&answer["id"], &answer["result"]["content"]["n"]), (&json!(id), &json!(message)));
    }
}

#[tokio::test]
async fn a_second_question_with_an_id_that_is_open_is_refused() {
    let client = Client::builder().on_elicit(|_| std::future::pending());
    let (_client, mut script) = Script::connect(client, LEGACY).await;
    script.ask("q", "elicitation/create", form("first")).await;
    let answer = asked(&mut script, "elicitation/create", form("second")).await;
    assert_eq!(answer[0], -32600, "{answer}");
}

#[tokio::test]
async fn a_handler_that_panics_is_an_error_and_says_nothing_of_what_it_said() {
    let client = Client::builder().on_elicit(|_| async { panic!("secret") });
    let (_client, mut script) = Script::connect(client, LEGACY).await;
    let answer = asked(&mut script, "elicitation/create", form("?")).await;
    assert_eq!(answer, json!([-32603, "expected the handler of the question to answer, but it panicked"]));
    script.expect_silence().await;
}

/// Waits for `what`, and fails the test after 30 seconds.
async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, what).await.expect("something in time")
}

/// A guard that sends a message to a channel when it is dropped.
struct Dropped(Option<oneshot::Sender<()>>);

impl Drop for Dropped {
    fn drop(&mut self) {
        if let Some(tell) = self.0.take() {
            let _ = tell.send(());
        }
    }
}

/// Returns a builder of a client whose first question handler never answers; later ones answer `cancel`. The
/// first channel reports that the first handler has begun, the second that it was dropped.
fn never() -> (plainwire::client::ClientBuilder, oneshot::Receiver<()>, oneshot::Receiver<()>) {
    let ((begin, begun), (end, ended)) = (oneshot::channel(), oneshot::channel());
    let ends = Mutex::new(Some((begin, Dropped(Some(end)))));
    let client = Client::builder().on_elicit(move |_| {
        let ends = ends.lock().expect("a lock").take();
        async move {
            let Some((begin, _dropped)) = ends else { return ElicitResult::cancel() };
            let _ = begin.send(());
            std::future::pending().await
        }
    });
    (client, begun, ended)
}

#[tokio::test]
async fn a_question_that_was_taken_back_stops_its_handler_and_is_not_answered() {
    let (client, begun, ended) = never();
    let (_client, mut script) = Script::connect(client, LEGACY).await;
    script.ask("q", "elicitation/create", form("?")).await;
    soon(begun).await.expect("a handler");
    script.notify("notifications/cancelled", json!({ "requestId": "q" })).await;
    soon(ended).await.expect("an end");
    script.expect_silence().await;
    // The id of a cancelled question can be used again.
    assert_eq!(asked(&mut script, "elicitation/create", form("?")).await, json!({ "action": "cancel" }));
}

#[tokio::test]
async fn an_answer_that_comes_with_the_cancellation_is_not_sent() {
    let (go, gone) = oneshot::channel::<()>();
    let gone = Mutex::new(Some(gone));
    let client = Client::builder().on_elicit(move |_| {
        let gone = gone.lock().expect("a lock").take();
        async move {
            let _ = gone.expect("one question").await;
            ElicitResult::cancel()
        }
    });
    let (_client, mut script) = Script::connect(client, LEGACY).await;
    script.ask("q", "elicitation/create", form("?")).await;
    script.expect_silence().await;
    // The server's cancellation and the handler's answer both reach the client before its task runs again.
    script.notify("notifications/cancelled", json!({ "requestId": "q" })).await;
    go.send(()).expect("a handler");
    script.expect_silence().await;
}

#[tokio::test]
async fn a_client_that_is_dropped_stops_its_handlers() {
    let (client, begun, ended) = never();
    let (client, mut script) = Script::connect(client, LEGACY).await;
    script.ask("q", "elicitation/create", form("?")).await;
    soon(begun).await.expect("a handler");
    drop(client);
    soon(ended).await.expect("an end");
    assert_eq!(script.line().await, None);
}

#[tokio::test]
async fn a_call_that_was_given_up_stops_the_handlers_of_its_round() {
    let (client, begun, ended) = never();
    let (client, mut script) = Script::connect(client, MODERN).await;
    let call = client.call_tool("t", json!({}));
    let serve = async {
        let (id, _) = script.expect("tools/call").await;
        script.requires(&id, json!({ "k": elicit("?") }), json!("s")).await;
        soon(begun).await.expect("a handler");
    };
    tokio::select! {
        _ = call => panic!("nobody answers"),
        () = serve => {}
    }
    soon(ended).await.expect("an end");
    // The server has answered the request with a question, so dropping the call sends no cancellation. The
    // next call starts without answers.
    let next = client.call_tool("t", json!({}));
    let serve = async {
        let (id, params) = script.expect("tools/call").await;
        assert_eq!(params.get("inputResponses"), None);
        script.done(&id).await;
    };
    let (next, ()) = tokio::join!(next, serve);
    next.expect("an answer");
}

#[tokio::test]
async fn nothing_is_sampled_without_consent() {
    let model = |asked: &Arc<AtomicU32>| {
        let asked = asked.clone();
        Sampling::new(move |_| {
            asked.fetch_add(1, Ordering::Relaxed);
            async { Ok(CreateMessageResult::text("m", "x")) }
        })
    };
    let asked_for = Arc::new(AtomicU32::new(0));
    let rejected = "expected the user to allow `sampling/createMessage`, but it was rejected";
    let unasked = "expected a consent callback for `sampling/createMessage`, but found none: `Sampling::consent` sets it";
    for (sampling, expected) in
        [(model(&asked_for), unasked), (model(&asked_for).consent(|_| async { false }), rejected)]
    {
        let client = Client::builder().on_sample(sampling);
        let (_client, mut script) = Script::connect(client.clone(), LEGACY).await;
        let answer = asked(&mut script, "sampling/createMessage", sample(5)).await;
        assert_eq!(answer, json!([-1, expected]));
        let (client, mut script) = Script::connect(client, MODERN).await;
        let serve = async {
            let (id, _) = script.expect("tools/call").await;
            let question = json!({ "method": "sampling/createMessage", "params": sample(5) });
            script.requires(&id, json!({ "k": question }), Value::Null).await;
        };
        let (failed, ()) = tokio::join!(client.call_tool("t", json!({})), serve);
        let failed = failed.expect_err("a rejection").to_string();
        assert_eq!(failed, format!("the server's question \"k\" has no answer: {expected}"));
    }
    assert_eq!(asked_for.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_cap_lowers_tokens_before_anybody_sees_them() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let note = seen.clone();
    let consenting = move |sampling: Sampling| {
        let note = note.clone();
        sampling.consent(move |request| {
            note.lock().expect("a lock").push(request.max_tokens);
            async { true }
        })
    };
    for (sampling, wanted, given) in [
        (counting(), 5, "5 false"),
        (counting(), 4_096, "4096 false"),
        (counting(), 4_097, "4096 false"),
        (counting().max_tokens(10), 11, "10 false"),
        (counting().context(), 1, "1 true"),
    ] {
        let client = Client::builder().on_sample(consenting(sampling));
        let (_client, mut script) = Script::connect(client, LEGACY).await;
        let mut params = sample(wanted);
        params["includeContext"] = json!("thisServer");
        let answer = asked(&mut script, "sampling/createMessage", params).await;
        assert_eq!(answer["content"]["text"], given, "{answer}");
    }
    assert_eq!(*seen.lock().expect("a lock"), [5, 4096, 4096, 10, 1]);
}

#[tokio::test]
async fn tools_are_for_models_that_can_use_them() {
    let mut params = sample(5);
    params["tools"] = json!([{ "name": "t", "inputSchema": { "type": "object" } }]);
    let willing = || counting().consent(|_| async { true });
    let (_client, mut script) = Script::connect(Client::builder().on_sample(willing()), LEGACY).await;
    let answer = asked(&mut script, "sampling/createMessage", params.clone()).await;
    assert_eq!(answer[0], -32602, "{answer}");
    assert!(answer[1].as_str().is_some_and(|text| text.contains("`sampling.tools`")), "{answer}");
    let (_client, mut script) = Script::connect(Client::builder().on_sample(willing().tools()), LEGACY).await;
    let answer = asked(&mut script, "sampling/createMessage", params).await;
    assert_eq!(answer["model"], "m", "{answer}");
}

#[tokio::test]
async fn a_conversation_without_the_result_of_a_tool_is_refused() {
    let client = Client::builder().on_sample(counting().tools().consent(|_| async { true }));
    let (_client, mut script) = Script::connect(client, LEGACY).await;
    let usage = json!({ "type": "tool_use", "id": "1", "name": "t", "input": {} });
    let params = json!({ "maxTokens": 5, "messages": [{ "role": "assistant", "content": [usage] }] });
    assert_eq!(asked(&mut script, "sampling/createMessage", params).await[0], -32602);
}

#[tokio::test]
async fn a_model_that_fails_says_so() {
    let sampling = Sampling::new(|_| async { Err("out of tokens".to_owned()) }).consent(|_| async { true });
    let (_client, mut script) = Script::connect(Client::builder().on_sample(sampling), LEGACY).await;
    let answer = asked(&mut script, "sampling/createMessage", sample(5)).await;
    assert_eq!(answer, json!([-32603, "out of tokens"]));
}

#[tokio::test]
async fn roots_are_those_of_now_and_legacy_servers_are_told_of_new_ones() {
    let client = Client::builder().roots(vec![Root::new("file:///a")]);
    let (legacy, mut script) = Script::connect(client.clone(), LEGACY).await;
    let roots = asked(&mut script, "roots/list", json!({})).await;
    assert_eq!(roots, json!({ "roots": [{ "uri": "file:///a" }] }));
    legacy.set_roots(vec![Root::new("file:///b")]).await.expect("roots");
    script.expect("notifications/roots/list_changed").await;
    let roots = asked(&mut script, "roots/list", json!({})).await;
    assert_eq!(roots, json!({ "roots": [{ "uri": "file:///b" }] }));

    let (modern, mut script) = Script::connect(client, MODERN).await;
    modern.set_roots(vec![Root::new("file:///c")]).await.expect("roots");
    let serve = async {
        let (id, _) = script.expect("tools/call").await;
        script.requires(&id, json!({ "k": { "method": "roots/list" } }), Value::Null).await;
        let (id, params) = script.expect("tools/call").await;
        assert_eq!(params["inputResponses"], json!({ "k": { "roots": [{ "uri": "file:///c" }] } }));
        script.done(&id).await;
    };
    let (done, ()) = tokio::join!(modern.call_tool("t", json!({})), serve);
    done.expect("an answer");
}

#[tokio::test]
async fn roots_that_were_not_declared_can_not_change() {
    let (client, mut script) = Script::connect(Client::builder(), LEGACY).await;
    let refused = client.set_roots(vec![Root::new("file:///a")]).await.expect_err("no roots").to_string();
    assert!(refused.contains("`ClientBuilder::roots`"), "{refused}");
    script.expect_silence().await;
}

fn page(id: &str) -> Value {
    json!({ "mode": "url", "elicitationId": id, "url": "https://example.com", "message": id })
}

/// Returns a builder of a client that agrees to open every page except `no`. For the page `late` it agrees
/// only when the test sends `go`, which is after the server has reported that the page is completed.
fn opening(go: oneshot::Receiver<()>) -> plainwire::client::ClientBuilder {
    let go = Arc::new(Mutex::new(Some(go)));
    Client::builder().on_elicit(move |question| {
        let go = go.clone();
        async move {
            let Elicitation::Url { id, .. } = question else { panic!("a page") };
            match id.as_str() {
                "no" => return ElicitResult::decline(),
                "late" => {
                    let go = go.lock().expect("a lock").take();
                    let _ = go.expect("one late page").await;
                }
                _ => {}
            }
            ElicitResult::agree()
        }
    })
}

#[tokio::test]
async fn only_pages_that_are_open_end_and_each_once() {
    let (go, gone) = oneshot::channel();
    let (client, mut script) = Script::connect(opening(gone), LEGACY).await;
    let mut notices = client.notices().expect("notices");
    asked(&mut script, "elicitation/create", page("yes")).await;
    asked(&mut script, "elicitation/create", page("no")).await;
    script.ask("q", "elicitation/create", page("late")).await;
    for id in ["yes", "no", "yes", "late", "unknown"] {
        script.notify("notifications/elicitation/complete", json!({ "elicitationId": id })).await;
    }
    script.expect_silence().await;
    go.send(()).expect("a handler");
    assert_eq!(script.next().await["result"], json!({ "action": "accept" }));
    // A server may refuse a call because a page has to be opened first. The client reports that error and
    // does not ask its user.
    let serve = async {
        let (id, _) = script.expect("tools/call").await;
        let data = json!({ "elicitations": [page("first")] });
        let error = json!({ "code": -32042, "message": "no", "data": data });
        script.send(json!({ "jsonrpc": "2.0", "id": id, "error": error })).await;
    };
    tokio::join!(client.call_tool("t", json!({})), serve).0.expect_err("a refusal");
    script.notify("notifications/elicitation/complete", json!({ "elicitationId": "first" })).await;
    script.expect_silence().await;
    drop(client);
    let mut ended = Vec::new();
    while let Some(Notice::ElicitationComplete { id }) = soon(notices.recv()).await {
        ended.push(id);
    }
    assert_eq!(ended, ["yes", "late", "first"]);
}

#[tokio::test]
async fn the_oldest_of_65_open_pages_is_forgotten() {
    let (client, mut script) = Script::connect(always(ElicitResult::agree()), LEGACY).await;
    let mut notices = client.notices().expect("notices");
    for n in 0..65 {
        asked(&mut script, "elicitation/create", page(&n.to_string())).await;
    }
    for id in ["0", "1"] {
        script.notify("notifications/elicitation/complete", json!({ "elicitationId": id })).await;
    }
    let ended = soon(notices.recv()).await;
    assert!(matches!(&ended, Some(Notice::ElicitationComplete { id }) if id == "1"), "{ended:?}");
}

#[tokio::test]
async fn only_64_handlers_think_at_a_time() {
    let client = Client::builder().roots(Vec::new()).on_elicit(|_| std::future::pending());
    let (_client, mut script) = Script::connect(client, LEGACY).await;
    for n in 0..64 {
        script.ask(&n.to_string(), "elicitation/create", form("?")).await;
    }
    let refused = asked(&mut script, "elicitation/create", form("?")).await;
    let expected = "expected at most 64 questions at a time (limit `MAX_QUESTIONS`), but found one more";
    assert_eq!(refused, json!([-32603, expected]));
    assert_eq!(asked(&mut script, "roots/list", json!({})).await, json!({ "roots": [] }));
    // Cancelling one of the questions makes room for another.
    script.notify("notifications/cancelled", json!({ "requestId": "7" })).await;
    script.ask("q", "elicitation/create", form("?")).await;
    script.expect_silence().await;
}

const TOO_MUCH: &str = "expected the questions that wait to have at most 33554432 bytes together (limit `MAX_QUESTION_BYTES`), but found more";

/// Returns the parameters of a sampling request with so many stop sequences, each of which counts 259 bytes.
fn stops(count: usize) -> Value {
    let mut question = sample(1);
    question["stopSequences"] = vec![""; count].into();
    question
}

/// Returns a builder of a client that has roots, and never answers a sampling request.
fn thinking() -> plainwire::client::ClientBuilder {
    let sampling = Sampling::new(|_| std::future::pending()).consent(|_| std::future::pending());
    Client::builder().roots(Vec::new()).on_sample(sampling)
}

#[tokio::test]
async fn questions_that_wait_have_32_mib_together() {
    let (_client, mut script) = Script::connect(thinking(), LEGACY).await;
    // Two of these fit, and not three.
    let large = stops(48_000);
    for n in 0..2 {
        script.ask(&n.to_string(), "sampling/createMessage", large.clone()).await;
    }
    let refused = asked(&mut script, "sampling/createMessage", large.clone()).await;
    assert_eq!(refused, json!([-32603, TOO_MUCH]));
    assert_eq!(asked(&mut script, "roots/list", json!({})).await, json!({ "roots": [] }));
    // Cancelling one of the questions makes room for another.
    script.notify("notifications/cancelled", json!({ "requestId": "0" })).await;
    script.ask("2", "sampling/createMessage", large.clone()).await;
    script.expect_silence().await;
    assert_eq!(asked(&mut script, "sampling/createMessage", large).await, json!([-32603, TOO_MUCH]));
}

#[tokio::test]
async fn each_part_of_a_question_to_a_model_counts_256_bytes_beside_its_text() {
    let (_client, mut script) = Script::connect(thinking(), LEGACY).await;
    // 33,554,432 bytes, less those of the text, of one message and of its block.
    let most = ((32 << 20) - stops(0).to_string().len() - 2 * 256) / (256 + r#""","#.len());
    let refused = asked(&mut script, "sampling/createMessage", stops(most + 1)).await;
    assert_eq!(refused, json!([-32603, TOO_MUCH]));
    script.ask("1", "sampling/createMessage", stops(most)).await;
    script.expect_silence().await;
}
