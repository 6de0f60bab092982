//! Calls that a modern server answers with questions, which the client answers by repeating the call.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire::client::{ClientBuilder, Sampling};
use plainwire::model::{CallToolResult, CreateMessageResult, ElicitResult, Elicitation};
use plainwire::prelude::*;
use plainwire::proto::peer::RequestOptions;
use plainwire::{Client, Error};
use serde_json::Map;
use tokio::time::Instant;

use crate::scripted_server::{MODERN, Script, elicit, sample};

/// Returns a builder of a client that answers each form by putting the form's message into the field `n`.
fn echoing() -> ClientBuilder {
    Client::builder().on_elicit(|question| async move {
        let Elicitation::Form { message, .. } = question else { return ElicitResult::decline() };
        ElicitResult::accept(json!({ "n": message }))
    })
}

/// Calls the tool `t` while the script runs `serve`.
async fn call(client: &Client, serve: impl Future<Output = ()>) -> Result<CallToolResult> {
    tokio::join!(client.call_tool("t", json!({ "a": "é\n" })), serve).0
}

/// Calls a tool, answers the call with `result`, and returns the error of the call. The connection must still
/// work afterwards.
async fn fails(client: ClientBuilder, result: Value) -> String {
    let (client, mut script) = Script::connect(client, MODERN).await;
    let failed = call(&client, async {
        let (id, _) = script.expect("tools/call").await;
        script.answer(&id, result).await;
    });
    let failed = failed.await.expect_err("a failure").to_string();
    // The connection still works, and the call has left no state in the client.
    let (next, _) = tokio::join!(client.request("tools/list", "{}"), async {
        let (id, _) = script.expect("tools/list").await;
        script.answer(&id, json!({ "resultType": "complete", "tools": [] })).await;
    });
    next.expect("an answer");
    failed
}

#[tokio::test]
async fn answers_all_questions_of_a_round_and_asks_again() {
    let (client, mut script) = Script::connect(echoing(), MODERN).await;
    let done = call(&client, async {
        let (first, asked) = script.expect("tools/call").await;
        let (a, b) = (elicit("A"), elicit("B"));
        let result = format!(
            r#"{{"resultType":"input_required","inputRequests":{{"b":{b},"a":{a}}},"requestState":"s"}}"#
        );
        script.send_line(&format!(r#"{{"jsonrpc":"2.0","id":{first},"result":{result}}}"#)).await;
        let line = script.line().await.expect("a request");
        let wanted = concat!(
            r#""inputResponses":{"b":{"action":"accept","content":{"d":7,"n":"B"}},"#,
            r#""a":{"action":"accept","content":{"d":7,"n":"A"}}},"requestState":"s","name":"t","arguments":{"a":"é\n"}}}"#
        );
        assert!(line.ends_with(wanted), "{line}");
        let again: Value = serde_json::from_str(&line).expect("JSON");
        assert_ne!(again["id"], first, "a request of its own");
        assert_eq!(again["params"]["_meta"]["progressToken"], again["id"]);
        let version = "io.modelcontextprotocol/protocolVersion";
        assert_eq!(again["params"]["_meta"][version], asked["_meta"][version]);
        // The request after the second round has only the answers and the state of that round.
        script.requires(&again["id"], json!({ "c": elicit("C") }), Value::Null).await;
        let (third, params) = script.expect("tools/call").await;
        assert!(third != first && third != again["id"]);
        assert_eq!(params["inputResponses"].as_object().map(Map::len), Some(1));
        assert_eq!(params["inputResponses"]["c"]["content"]["n"], "C");
        assert_eq!(params.get("requestState"), None);
        script.done(&third).await;
    });
    assert_eq!(done.await.expect("an answer").content.len(), 1);
}

#[tokio::test]
async fn a_state_comes_back_as_it_is_and_one_that_was_not_given_does_not() {
    for state in ["", "é\u{2028}😀", "a\"b\\c\nd\u{0}\u{1f}/", "{\"x\":1}", " "] {
        let (client, mut script) = Script::connect(echoing(), MODERN).await;
        let done = call(&client, async {
            let (id, _) = script.expect("tools/call").await;
            script.requires(&id, json!({ "k": elicit("?") }), json!(state)).await;
            let (id, params) = script.expect("tools/call").await;
            assert_eq!(params["requestState"], state);
            script.done(&id).await;
        });
        done.await.expect("an answer");
    }
    // The client sends the characters of the state back, although it need not write them with the escapes of
    // the server.
    let (client, mut script) = Script::connect(echoing(), MODERN).await;
    let done = call(&client, async {
        let (id, _) = script.expect("tools/call").await;
        let result = r#"{"resultType":"input_required","requestState":"\u00e9\/\u0041\ud83d\ude00"}"#;
        script.send_line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)).await;
        let (id, params) = script.expect("tools/call").await;
        assert_eq!(params["requestState"], "é/A😀");
        assert_eq!(params.get("inputResponses"), None);
        script.done(&id).await;
    });
    done.await.expect("an answer");
}

#[tokio::test]
async fn prompts_and_resources_are_asked_about_too() {
    let (client, mut script) = Script::connect(echoing(), MODERN).await;
    let serve = async {
        for (method, result) in [
            ("prompts/get", json!({ "resultType": "complete", "messages": [] })),
            ("resources/read", json!({ "resultType": "complete", "contents": [] })),
        ] {
            let (id, _) = script.expect(method).await;
            script.requires(&id, json!({ "k": elicit("?") }), Value::Null).await;
            let (id, params) = script.expect(method).await;
            assert_eq!(params["inputResponses"]["k"]["action"], "accept");
            script.answer(&id, result).await;
        }
    };
    let ask = async {
        client.get_prompt("p", json!({})).await.expect("a prompt");
        client.read_resource("a:1").await.expect("a resource");
    };
    tokio::join!(ask, serve);
}

#[tokio::test]
async fn whoever_declines_is_an_answer() {
    for (result, action) in [(ElicitResult::decline(), "decline"), (ElicitResult::cancel(), "cancel")] {
        let client = Client::builder().on_elicit(move |_| std::future::ready(result.clone()));
        let (client, mut script) = Script::connect(client, MODERN).await;
        let done = call(&client, async {
            let (id, _) = script.expect("tools/call").await;
            script.requires(&id, json!({ "k": elicit("?") }), Value::Null).await;
            let (id, params) = script.expect("tools/call").await;
            assert_eq!(params["inputResponses"], json!({ "k": { "action": action } }));
            script.done(&id).await;
        });
        done.await.expect("an answer");
    }
}

#[tokio::test]
async fn a_server_that_asks_for_ever_is_stopped() {
    for (client, limit) in [(echoing(), 16), (echoing().max_rounds(2), 2), (echoing().max_rounds(0), 0)] {
        let (client, mut script) = Script::connect(client, MODERN).await;
        let failed = call(&client, async {
            for _ in 0..=limit {
                let (id, _) = script.expect("tools/call").await;
                script.requires(&id, json!({ "k": elicit("?") }), Value::Null).await;
            }
        });
        assert_eq!(
            failed.await.expect_err("a limit").to_string(),
            format!(
                "expected an answer to `tools/call` after at most {limit} rounds of questions (limit `max_rounds`), but found one more"
            )
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_without_a_question_is_asked_again_after_a_while_that_grows() {
    let (client, mut script) = Script::connect(echoing(), MODERN).await;
    let mut waits = Vec::new();
    let failed = call(&client, async {
        for _ in 0..=16 {
            let began = Instant::now();
            let (id, params) = script.expect("tools/call").await;
            assert_eq!(params.get("inputResponses"), None);
            waits.push(began.elapsed().as_millis());
            script.requires(&id, Value::Null, json!("s")).await;
        }
    });
    assert!(failed.await.expect_err("a limit").to_string().contains("`max_rounds`"));
    waits.iter_mut().for_each(|wait| *wait -= *wait % 100);
    assert_eq!(waits[..8], [0, 100, 200, 400, 800, 1600, 3200, 5000]);
    assert_eq!(waits[16], 5000);
}

#[tokio::test(start_paused = true)]
async fn the_hard_deadline_spans_all_rounds_and_the_idle_one_does_not_run_meanwhile() {
    let options = RequestOptions { idle: Duration::from_secs(10), hard: Duration::from_secs(100) };
    let client = Client::builder().deadlines(options).on_elicit(|_| async {
        tokio::time::sleep(Duration::from_secs(29)).await;
        ElicitResult::decline()
    });
    let (client, mut script) = Script::connect(client, MODERN).await;
    let began = Instant::now();
    let failed = call(&client, async {
        for _ in 0..4 {
            let (id, _) = script.expect("tools/call").await;
            script.requires(&id, json!({ "k": elicit("?") }), Value::Null).await;
        }
    });
    let failed = failed.await.expect_err("a deadline").to_string();
    assert_eq!(
        failed,
        "expected an answer to `tools/call` of \"t\", but the deadline of 100s passed; it may have taken effect"
    );
    assert_eq!(began.elapsed().as_secs(), 100);
}

#[tokio::test(start_paused = true)]
async fn the_hard_deadline_of_a_later_round_is_what_is_left() {
    let options = RequestOptions { idle: Duration::from_secs(1_000), hard: Duration::from_secs(100) };
    let client = Client::builder().deadlines(options).on_elicit(|_| async {
        tokio::time::sleep(Duration::from_secs(29)).await;
        ElicitResult::decline()
    });
    let (client, mut script) = Script::connect(client, MODERN).await;
    let began = Instant::now();
    let failed = call(&client, async {
        let (id, _) = script.expect("tools/call").await;
        script.requires(&id, json!({ "k": elicit("?") }), Value::Null).await;
        script.expect("tools/call").await;
    });
    assert!(failed.await.expect_err("a deadline").to_string().contains("the deadline of 100s passed"));
    assert_eq!(began.elapsed().as_secs(), 100);
}

#[tokio::test]
async fn a_question_that_was_not_declared_fails_the_call_and_asks_nobody() {
    let asked = Arc::new(Mutex::new(0));
    let count = asked.clone();
    let client = Client::builder().on_elicit(move |_| {
        *count.lock().expect("a lock") += 1;
        std::future::ready(ElicitResult::decline())
    });
    let sampling = json!({ "method": "sampling/createMessage", "params": sample(5) });
    let roots = json!({ "method": "roots/list", "params": {} });
    for (client, question, named) in [
        (Client::builder(), elicit("?"), "`elicitation/create`, which needs `elicitation`"),
        (client.clone(), sampling, "`sampling/createMessage`, which needs `sampling`"),
        (client, roots, "`roots/list`, which needs `roots`"),
    ] {
        let questions = json!({ "a": elicit("legal"), "k": question });
        let failed =
            fails(client, json!({ "resultType": "input_required", "inputRequests": questions })).await;
        assert!(failed.starts_with("the server's question ") && failed.contains(named), "{failed}");
    }
    assert_eq!(*asked.lock().expect("a lock"), 0);
}

#[tokio::test]
async fn a_result_that_asks_for_nothing_that_there_is_fails_the_call() {
    for (more, why) in [
        (json!({}), "expected `inputRequests` or `requestState`"),
        (json!({ "inputRequests": {} }), "expected `inputRequests` or `requestState`"),
        (json!({ "inputRequests": [] }), "expected `inputRequests` to be an object"),
        (json!({ "inputRequests": "x", "requestState": "s" }), "expected `inputRequests` to be an object"),
        (json!({ "inputRequests": { "k": 7 } }), "`inputRequests.k`: "),
        (
            json!({ "inputRequests": { "k": { "method": "tools/call", "params": {} } } }),
            "`inputRequests.k`: expected a question, but found `tools/call`",
        ),
        (json!({ "inputRequests": { "k": { "method": "elicitation/create" } } }), "`inputRequests.k`: "),
        (json!({ "requestState": 7 }), "expected an `input_required` result"),
    ] {
        let mut result = json!({ "resultType": "input_required" });
        result.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let failed = fails(echoing(), result).await;
        assert!(failed.starts_with(why), "{more}: {failed}");
    }
}

#[tokio::test]
async fn a_question_that_stands_there_twice_fails_the_call() {
    let (client, mut script) = Script::connect(echoing(), MODERN).await;
    let failed = call(&client, async {
        let (id, _) = script.expect("tools/call").await;
        let question = elicit("?");
        let result = format!(
            r#"{{"resultType":"input_required","inputRequests":{{"k":{question},"\u006b":{question}}}}}"#
        );
        script.send_line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)).await;
    });
    let failed = failed.await.expect_err("a failure").to_string();
    assert_eq!(failed, "`inputRequests.k`: expected the key once, but found it twice");
}

#[tokio::test]
async fn a_round_has_at_most_64_questions() {
    for (count, why) in [(64, "`max_rounds`"), (65, "(limit `MAX_QUESTIONS`), but found 65")] {
        let questions: Map<String, Value> = (0..count).map(|n| (n.to_string(), elicit("?"))).collect();
        let (client, mut script) = Script::connect(echoing().max_rounds(1), MODERN).await;
        let failed = call(&client, async {
            let (id, _) = script.expect("tools/call").await;
            script.requires(&id, questions.clone().into(), Value::Null).await;
            if count == 64 {
                let (id, params) = script.expect("tools/call").await;
                assert_eq!(params["inputResponses"].as_object().map(Map::len), Some(64));
                script.requires(&id, questions.into(), Value::Null).await;
            }
        });
        let failed = failed.await.expect_err("a limit").to_string();
        assert!(failed.contains(why), "{failed}");
    }
}

#[tokio::test]
async fn a_handler_that_fails_fails_the_call_and_names_the_question() {
    let panics = Client::builder().on_elicit(|question| async move {
        match question {
            Elicitation::Form { message, .. } if message == "bad" => panic!("secret"),
            _ => std::future::pending().await,
        }
    });
    let questions = json!({ "open": elicit("good"), "broken": elicit("bad") });
    let failed = fails(panics, json!({ "resultType": "input_required", "inputRequests": questions })).await;
    assert_eq!(
        failed,
        "the server's question \"broken\" has no answer: expected the handler of the question to answer, but it panicked"
    );
    let page = json!({ "method": "elicitation/create", "params": { "mode": "url", "message": "?", "url": "file:///x" } });
    let failed =
        fails(echoing(), json!({ "resultType": "input_required", "inputRequests": { "k": page } })).await;
    assert!(failed.contains("\"k\"") && failed.contains("`https://`"), "{failed}");
}

#[tokio::test]
async fn progress_of_every_round_goes_where_it_went_before() {
    let (client, mut script) = Script::connect(echoing(), MODERN).await;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let note = heard.clone();
    let calling = client.call_tool("t", json!({})).on_progress(move |progress| {
        note.lock().expect("a lock").push(progress.done);
    });
    let serve = async {
        let (first, params) = script.expect("tools/call").await;
        let token = params["_meta"]["progressToken"].clone();
        script.notify("notifications/progress", json!({ "progressToken": token, "progress": 1 })).await;
        script.requires(&first, json!({ "k": elicit("?") }), Value::Null).await;
        let (second, params) = script.expect("tools/call").await;
        // The first request has been answered, so progress with its token is ignored.
        script.notify("notifications/progress", json!({ "progressToken": token, "progress": 2 })).await;
        let token = params["_meta"]["progressToken"].clone();
        script.notify("notifications/progress", json!({ "progressToken": token, "progress": 1.5 })).await;
        script.done(&second).await;
    };
    let (done, ()) = tokio::join!(calling, serve);
    done.expect("an answer");
    assert_eq!(*heard.lock().expect("a lock"), [1.0, 1.5]);
}

#[tokio::test]
async fn a_question_about_a_call_that_was_given_up_is_not_asked() {
    let asked = Arc::new(Mutex::new(0));
    let count = asked.clone();
    let client = Client::builder().on_elicit(move |_| {
        *count.lock().expect("a lock") += 1;
        std::future::ready(ElicitResult::decline())
    });
    let (client, mut script) = Script::connect(client, MODERN).await;
    let given_up = tokio::select! {
        _ = client.call_tool("t", json!({})) => panic!("nobody answers"),
        (id, _) = script.expect("tools/call") => id,
    };
    let (_, cancelled) = script.expect("notifications/cancelled").await;
    assert_eq!(cancelled["requestId"], given_up);
    script.requires(&given_up, json!({ "k": elicit("?") }), Value::Null).await;
    let done = call(&client, async {
        let (id, params) = script.expect("tools/call").await;
        assert_eq!(params.get("inputResponses"), None);
        script.done(&id).await;
    });
    done.await.expect("an answer");
    assert_eq!(*asked.lock().expect("a lock"), 0);
}

#[tokio::test]
async fn answers_that_a_program_gave_by_itself_are_replaced() {
    let (client, mut script) = Script::connect(echoing(), MODERN).await;
    let params = r#"{"name":"t","requestState":"old","inputResponses":{"x":{"action":"decline"}}}"#;
    let serve = async {
        let (id, params) = script.expect("tools/call").await;
        assert_eq!(params["requestState"], "old");
        script.requires(&id, json!({ "k": elicit("?") }), Value::Null).await;
        let line = script.line().await.expect("a request");
        assert_eq!(line.matches("inputResponses").count(), 1, "{line}");
        assert!(!line.contains("requestState"), "{line}");
        let again: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(again["params"]["name"], "t");
        script.done(&again["id"]).await;
    };
    let (done, ()) = tokio::join!(client.request("tools/call", params), serve);
    done.expect("an answer");
}

#[tokio::test]
async fn everything_that_waits_is_told_when_the_server_leaves() {
    let client = Client::builder().on_elicit(|_| std::future::pending());
    let (client, mut script) = Script::connect(client, MODERN).await;
    let (failed, ()) = tokio::join!(client.call_tool("t", json!({})), async {
        let (id, _) = script.expect("tools/call").await;
        script.requires(&id, json!({ "k": elicit("?") }), Value::Null).await;
        drop(script);
    });
    assert!(matches!(failed, Err(Error::Closed { .. })), "{failed:?}");
}

#[tokio::test]
async fn questions_and_states_of_all_calls_have_32_mib_together() {
    // The model answers questions for one token at once, and others never.
    let sampling = Sampling::new(|request| async move {
        match request.max_tokens {
            1 => Ok(CreateMessageResult::text("m", "done")),
            _ => std::future::pending().await,
        }
    });
    let client = Client::builder().on_sample(sampling.consent(|_| async { true }));
    let (client, mut script) = Script::connect(client, MODERN).await;
    // Each stop sequence counts 259 bytes: two of these questions fit, and not three.
    let question = |tokens: u64, stops: usize| {
        let mut params = sample(tokens);
        params["stopSequences"] = vec![""; stops].into();
        json!({ "q": { "method": "sampling/createMessage", "params": params } })
    };
    let mut calls = [(); 3].map(|()| Box::pin(client.call_tool("t", json!({})).into_future()));
    let [first, second, third] = &mut calls;
    let expected = "expected the questions that wait to have at most 33554432 bytes together (limit `MAX_QUESTION_BYTES`), but found more";
    // The question of the first call waits for the model. The second call is made again, and waits for the server.
    let served = async {
        let (id, _) = script.expect("tools/call").await;
        script.requires(&id, question(2, 48_000), Value::Null).await;
    };
    tokio::select! { _ = first => panic!("an answer"), () = served => {} }
    let served = async {
        let (id, _) = script.expect("tools/call").await;
        script.requires(&id, question(1, 48_000), Value::Null).await;
        script.expect("tools/call").await.0
    };
    let open = tokio::select! { _ = &mut *second => panic!("an answer"), id = served => id };
    let served = async {
        let (id, _) = script.expect("tools/call").await;
        script.requires(&id, question(1, 48_000), Value::Null).await;
    };
    let refused = tokio::join!(third, served).0.expect_err("too much").to_string();
    assert!(refused.contains(expected), "{refused}");
    // A call that ends makes room.
    let served = async { script.done(&open).await };
    tokio::join!(second, served).0.expect("an answer");
    // A state counts three times: it goes back to the server.
    for (state, is_too_much) in [(130_000, false), (140_000, true)] {
        let state = Value::from("s".repeat(state));
        let served = async {
            let (id, _) = script.expect("tools/call").await;
            script.requires(&id, question(1, 80_000), state.clone()).await;
            if !is_too_much {
                let (id, params) = script.expect("tools/call").await;
                assert_eq!(params["requestState"], state);
                script.done(&id).await;
            }
        };
        match call(&client, served).await {
            Ok(_) => assert!(!is_too_much),
            Err(error) => assert!(is_too_much && error.to_string().contains(expected), "{error}"),
        }
    }
}

/// The handler of the server runs from its beginning in each round.
#[tokio::test]
async fn progress_does_not_go_back_in_a_later_round() {
    #[tool]
    async fn count(ctx: Context) -> Result<(), ToolError> {
        ctx.progress(1.0, None, None);
        ctx.progress(2.0, None, None);
        ctx.elicit::<Confirm>("on", "On?").await?.accepted()?;
        ctx.progress(3.0, None, None);
        Ok(())
    }

    let server = plainwire::server!("counts").progress_rate(100, 100).tool(count);
    let builder = Client::builder().on_elicit(async |_| ElicitResult::accept(json!({})));
    let client = plainwire::testing::client_with(server, builder).await.expect("a server");
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&heard);
    let report = move |it: plainwire::client::Progress| sink.lock().expect("no panic").push(it.done);
    client.call::<()>("count", json!({})).on_progress(report).await.expect("an answer");
    assert_eq!(*heard.lock().expect("no panic"), [1.0, 2.0, 3.0]);
}
