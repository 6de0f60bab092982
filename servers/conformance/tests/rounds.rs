//! Tests of rounds (the runs of a handler between which the client answers questions) in 2026-07-28, as
//! messages on the wire. For the scenarios `input-required-result-*`, and parts of `server-stateless`.

mod raw;

use plainwire::prelude::json;
use plainwire::serde_json::{Value, from_str};
use raw::{Raw, accepted, questions};

const ELICIT: &str = "elicitation/create";

fn text(answer: &Value) -> &str {
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    answer["result"]["content"][0]["text"].as_str().expect("a text")
}

#[tokio::test]
async fn each_kind_of_question_is_asked_under_its_key_and_answered_once() {
    let said = json!({ "role": "assistant", "content": { "type": "text", "text": "Paris" }, "model": "m" });
    for (tool, key, method, answer, expected) in [
        ("elicitation", "user_name", ELICIT, accepted(json!({ "name": "Alice" })), "Hello, Alice!"),
        ("sampling", "capital_question", "sampling/createMessage", said, "Paris"),
        (
            "list_roots",
            "client_roots",
            "roots/list",
            json!({ "roots": [{ "uri": "file:///a" }] }),
            "Roots: file:///a",
        ),
        ("request_state", "confirm", ELICIT, accepted(json!({ "ok": true })), "state-ok, confirmed: true"),
    ] {
        let (mut raw, tool) = (Raw::connect(), format!("test_input_required_result_{tool}"));
        let asked = raw.call(&tool).await;
        assert_eq!(questions(&asked), [(key, method)]);
        let done = raw.again(&tool, json!({ key: answer }), &asked["result"]["requestState"]).await;
        assert_eq!(text(&done), expected);
    }
}

#[tokio::test]
async fn a_form_asks_for_what_the_suite_describes() {
    let asked = Raw::connect().call("test_input_required_result_elicitation").await;
    let params = &asked["result"]["inputRequests"]["user_name"]["params"];
    assert_eq!(params["message"], "What is your name?");
    let form =
        json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
    assert_eq!(params["requestedSchema"], form);
}

#[tokio::test]
async fn a_form_has_defaults_and_each_kind_of_choice() {
    let mut raw = Raw::connect();
    let form = |asked: &Value, key: &str| {
        asked["result"]["inputRequests"][key]["params"]["requestedSchema"]["properties"].clone()
    };
    let asked = form(&raw.call("test_elicitation_sep1034_defaults").await, "profile");
    assert_eq!(
        asked,
        json!({
            "age": { "type": "integer", "default": 30 },
            "name": { "type": "string", "default": "John Doe" },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true },
        })
    );
    let asked = form(&raw.call("test_elicitation_sep1330_enums").await, "choices");
    assert_eq!(
        asked["untitledSingle"],
        json!({ "type": "string", "enum": ["option1", "option2", "option3"] })
    );
    assert_eq!(asked["titledSingle"]["oneOf"][0], json!({ "const": "value1", "title": "First Option" }));
    assert_eq!(asked["legacyEnum"]["enumNames"], json!(["Option One", "Option Two", "Option Three"]));
    assert_eq!(asked["untitledMulti"]["items"]["enum"], json!(["option1", "option2", "option3"]));
    assert_eq!(
        asked["titledMulti"]["items"]["anyOf"][2],
        json!({ "const": "value3", "title": "Third Choice" })
    );
}

#[tokio::test]
async fn three_questions_go_out_at_once() {
    let (mut raw, tool) = (Raw::connect(), "test_input_required_result_multiple_inputs");
    let asked = raw.call(tool).await;
    let expected =
        [("client_roots", "roots/list"), ("greeting", "sampling/createMessage"), ("user_name", ELICIT)];
    assert_eq!(questions(&asked), expected);
    let answers = json!({
        "client_roots": { "roots": [] },
        "greeting": { "role": "assistant", "content": { "type": "text", "text": "Hi" }, "model": "m" },
        "user_name": accepted(json!({ "name": "Alice" })),
    });
    assert_eq!(text(&raw.again(tool, answers, &asked["result"]["requestState"]).await), "Hi Alice works in ");
}

#[tokio::test]
async fn a_second_round_has_a_state_of_its_own() {
    let (mut raw, tool) = (Raw::connect(), "test_input_required_result_multi_round");
    let first = raw.call(tool).await;
    assert_eq!(questions(&first), [("step1", ELICIT)]);
    let state = &first["result"]["requestState"];
    let second = raw.again(tool, json!({ "step1": accepted(json!({ "name": "Alice" })) }), state).await;
    assert_eq!(questions(&second), [("step2", ELICIT)]);
    assert_ne!(second["result"]["requestState"], *state);
    let state = &second["result"]["requestState"];
    let done = raw.again(tool, json!({ "step2": accepted(json!({ "color": "blue" })) }), state).await;
    assert_eq!(text(&done), "Alice likes blue");
}

#[tokio::test]
async fn a_state_that_somebody_changed_is_refused() {
    let (mut raw, tool) = (Raw::connect(), "test_input_required_result_tampered_state");
    let asked = raw.call(tool).await;
    let state = asked["result"]["requestState"].as_str().expect("a state");
    let answers = json!({ "confirm": accepted(json!({ "ok": true })) });
    let refused = raw.again(tool, answers, &json!(format!("{state}-TAMPERED"))).await;
    assert_eq!(refused["error"]["code"], -32602);
}

#[tokio::test]
async fn only_what_the_client_declares_is_asked() {
    let tool = json!({ "name": "test_input_required_result_capabilities", "arguments": {} });
    for (capabilities, expected) in [
        (json!({ "sampling": {} }), &[("greeting", "sampling/createMessage")][..]),
        (json!({ "elicitation": {} }), &[("user_name", ELICIT)]),
    ] {
        let mut heard = Raw::connect().all("tools/call", tool.clone(), capabilities).await;
        assert_eq!(questions(&heard.pop().expect("an answer")), expected);
    }
    let mut heard = Raw::connect().all("tools/call", tool, json!({})).await;
    assert_eq!(text(&heard.pop().expect("an answer")), "Hello nobody");
}

#[tokio::test]
async fn a_tool_that_needs_a_capability_says_which_one() {
    let tool = json!({ "name": "test_missing_capability", "arguments": {} });
    let heard = Raw::connect().all("tools/call", tool, json!({})).await;
    assert_eq!(heard[0]["error"]["code"], -32021);
    assert_eq!(heard[0]["error"]["data"]["requiredCapabilities"], json!({ "sampling": {} }));
}

#[tokio::test]
async fn a_prompt_asks_too() {
    let mut raw = Raw::connect();
    let name = "test_input_required_result_prompt";
    let asked = raw.ask("prompts/get", json!({ "name": name })).await;
    assert_eq!(questions(&asked), [("user_context", ELICIT)]);
    let answers = json!({ "user_context": accepted(json!({ "context": "a test" })) });
    let state = &asked["result"]["requestState"];
    let again = json!({ "name": name, "inputResponses": answers, "requestState": state });
    let done = raw.ask("prompts/get", again).await;
    assert_eq!(done["result"]["messages"][0]["content"]["text"], "Use this context: a test");
}

#[tokio::test]
async fn nothing_but_notifications_comes_before_an_answer() {
    let mut raw = Raw::connect();
    let tool = json!({ "name": "test_streaming_elicitation", "arguments": {} });
    let heard = raw.all("tools/call", tool, json!({ "elicitation": {} })).await;
    assert_eq!(questions(heard.last().expect("an answer")), [("confirm", ELICIT)]);
    let others = &heard[..heard.len() - 1];
    assert!(others.iter().all(|it| it["id"].is_null()), "{others:?}");
    let tool = json!({ "name": "test_logging_tool", "arguments": {} });
    assert_eq!(raw.all("tools/call", tool, json!({})).await.len(), 1, "nobody asked for the log");
}

#[tokio::test]
async fn lists_and_reads_say_how_long_they_may_be_kept() {
    let mut raw = Raw::connect();
    for (method, params) in [
        ("tools/list", "{}"),
        ("prompts/list", "{}"),
        ("resources/list", "{}"),
        ("resources/templates/list", "{}"),
        ("resources/read", r#"{"uri":"test://static-text"}"#),
    ] {
        let result = raw.ask(method, from_str(params).expect("JSON")).await["result"].take();
        assert!(result["ttlMs"].as_u64().is_some(), "{method}: {result}");
        assert!(
            ["private", "public"].contains(&result["cacheScope"].as_str().unwrap_or_default()),
            "{method}"
        );
    }
}

#[tokio::test]
async fn a_resource_that_does_not_exist_is_an_error_with_its_uri() {
    let uri = "test://nonexistent-resource-for-conformance-testing";
    let refused = Raw::connect().ask("resources/read", json!({ "uri": uri })).await;
    assert_eq!((&refused["error"]["code"], &refused["error"]["data"]["uri"]), (&json!(-32602), &json!(uri)));
}

#[tokio::test]
async fn answers_beside_the_one_that_was_asked_for_are_ignored() {
    let (mut raw, tool) = (Raw::connect(), "test_input_required_result_elicitation");
    let asked = raw.call(tool).await;
    let state = &asked["result"]["requestState"];
    let answers = json!({
        "another": accepted(json!({ "baz": 123 })),
        "user_name": accepted(json!({ "name": "Alice" })),
    });
    assert_eq!(text(&raw.again(tool, answers, state).await), "Hello, Alice!");
}

#[tokio::test]
async fn an_answer_that_is_none_is_refused_or_asked_for_again() {
    let (mut raw, tool) = (Raw::connect(), "test_input_required_result_elicitation");
    let asked = raw.call(tool).await;
    let state = &asked["result"]["requestState"];
    assert_eq!(raw.again(tool, json!(null), state).await["error"]["code"], -32602);
    assert_eq!(raw.again(tool, json!({ "user_name": 12345 }), state).await["error"]["code"], -32602);
    let wrong_key = json!({ "wrong_key": accepted(json!({ "data": "wrong" })) });
    assert_eq!(questions(&raw.again(tool, wrong_key, state).await), [("user_name", ELICIT)]);
}

#[tokio::test]
async fn an_answer_that_comes_before_its_question_is_taken_if_it_is_one() {
    let name = "test_input_required_result_elicitation";
    let right = accepted(json!({ "name": "Alice" }));
    let again = |answers| json!({ "name": name, "arguments": {}, "inputResponses": answers });
    for answers in [json!({ "user_name": 12345 }), json!({ "wrong_key": right })] {
        assert_eq!(
            questions(&Raw::connect().ask("tools/call", again(answers)).await),
            [("user_name", ELICIT)]
        );
    }
    let with_another = json!({ "another": right, "user_name": right });
    assert_eq!(text(&Raw::connect().ask("tools/call", again(with_another)).await), "Hello, Alice!");
}
