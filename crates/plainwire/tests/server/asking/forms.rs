//! Answers to forms: answers that fit the form, answers that do not, and malformed ones.

use plainwire::prelude::*;
use serde_json::{Value, json};

use super::support::{Asked, ERAS, Person, accept, keys, reply, state, text};
use crate::raw_client::MODERN;

#[derive(Deserialize, JsonSchema)]
struct Trip {
    nights: u8,
    #[serde(default)]
    class: Option<Class>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Class {
    First,
    Second,
}

fn server() -> Server {
    let tool = Tool::new("t", |ctx: Context| async move {
        let trip: Trip = ctx.elicit("trip", "Trip?").await?.accepted()?;
        let class = match trip.class {
            Some(Class::First) => "first",
            Some(Class::Second) => "second",
            None => "any",
        };
        Ok::<_, ToolError>(format!("{} {class}", trip.nights))
    });
    Server::new("s").tool(tool)
}

async fn answered(era: &'static str, answer: &Value) -> String {
    let person = Person::new().answers("Trip?", &answer.to_string());
    let mut asked = Asked::connect(server(), era).await;
    text(&asked.call("t", "{}", &person).await)
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_the_tools_error_and_says_where() {
    for era in ERAS {
        for (content, expected) in [
            (json!({"nights": 2}), "2 any"),
            (json!({"nights": 2, "class": "second"}), "2 second"),
            (json!({"nights": 2.0, "class": null}), "2 any"),
            (json!({}), "the answer to `trip`: expected `nights` to be an integer, but found nothing"),
            (
                json!({"nights": "two"}),
                "the answer to `trip`: expected `nights` to be an integer, but found \"two\"",
            ),
            (
                json!({"nights": 256}),
                "the answer to `trip`: expected `nights` to be at most 255, but found 256",
            ),
            (json!({"nights": -1}), "the answer to `trip`: expected `nights` to be at least 0, but found -1"),
            (
                json!({"nights": 2, "class": "third"}),
                "the answer to `trip`: expected `class` to be one of \"first\", \"second\", but found \"third\"",
            ),
            (
                json!({"nights": 2, "more": 1}),
                "the answer to `trip`: expected `content` to have only `nights`, `class`, but found `more`",
            ),
        ] {
            let found = answered(era, &json!({"action": "accept", "content": content})).await;
            assert_eq!(found, expected, "{era}");
        }
    }
}

#[tokio::test]
async fn a_person_may_say_no_or_nothing() {
    for era in ERAS {
        assert_eq!(answered(era, &json!({"action": "decline"})).await, "the user declined");
        let cancelled = answered(era, &json!({"action": "cancel"})).await;
        assert_eq!(cancelled, "the user closed the question unanswered");
        let found = answered(era, &json!({"action": "accept"})).await;
        assert_eq!(found, "the answer to `trip`: expected `nights` to be an integer, but found nothing");
    }
}

#[tokio::test]
async fn what_is_not_answered_is_asked_again() {
    let trip = json!({"trip": {"action": "accept", "content": {"nights": 1}}});
    let mut asked = Asked::connect(server(), MODERN).await;
    let first = asked.tool("t").await;
    for responses in [json!({}), json!({"other": 7}), json!({"": {"action": "accept"}})] {
        let second = asked.again("t", &responses, &state(&first)).await;
        assert_eq!(keys(&second), ["trip"], "{responses}");
        assert_eq!(text(&asked.again("t", &trip, &state(&second)).await), "1 any");
    }
    let alone = format!(r#"{{"name":"t","requestState":{}}}"#, state(&first));
    assert_eq!(keys(&asked.begin("tools/call", &alone).await), ["trip"]);
    // A client may send the answer with its first request, before the server has asked the question.
    let alone = format!(r#"{{"name":"t","inputResponses":{trip}}}"#);
    assert_eq!(text(&asked.begin("tools/call", &alone).await), "1 any");
}

/// A client sends answers to questions that the server did not ask: the server must ignore them, even
/// malformed ones, because it has no schema to check them with.
#[tokio::test]
async fn answers_under_unknown_keys_are_ignored_well_formed_or_not() {
    let mut asked = Asked::connect(server(), MODERN).await;
    let first = asked.tool("t").await;
    let fits = json!({"action": "accept", "content": {"nights": 1}});
    for strange in [accept("x"), json!({"roots": []}), json!({"action": "maybe"}), json!(7), json!(null)] {
        for key in ["", "Trip", "trip ", "other"] {
            let both = json!({ "trip": fits, key: strange });
            assert_eq!(text(&asked.again("t", &both, &state(&first)).await), "1 any", "{both}");
            let alone = json!({ key: strange });
            assert_eq!(keys(&asked.again("t", &alone, &state(&first)).await), ["trip"], "{alone}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_is_none_is_an_error_of_the_request() {
    let mut asked = Asked::connect(server(), MODERN).await;
    let first = asked.tool("t").await;
    for (responses, expected) in [
        ("null", "expected `inputResponses` to be an object, but found null"),
        ("7", "expected `inputResponses` to be an object, but found 7"),
        ("[]", "expected `inputResponses` to be an object, but found []"),
        (r#"{"trip":7}"#, "`inputResponses.trip`: expected an answer to `elicitation/create`, but found 7"),
        (
            r#"{"trip":{}}"#,
            "`inputResponses.trip`: expected an answer to `elicitation/create`, but found missing field `action`",
        ),
    ] {
        let params =
            format!(r#"{{"name":"t","inputResponses":{responses},"requestState":{}}}"#, state(&first));
        let answer: Value = serde_json::from_str(&asked.begin("tools/call", &params).await).expect("JSON");
        assert_eq!(answer["error"]["code"], -32602, "{responses}");
        assert_eq!(answer["error"]["message"], expected);
    }
    for state in ["7", "null", "{}"] {
        let params = format!(r#"{{"name":"t","requestState":{state}}}"#);
        let answer: Value = serde_json::from_str(&asked.begin("tools/call", &params).await).expect("JSON");
        assert_eq!(answer["error"]["code"], -32602, "{state}");
        let expected = format!("expected `requestState` to be a string, but found {state}");
        assert_eq!(answer["error"]["message"], expected);
    }
}

#[tokio::test]
async fn answers_and_states_mean_nothing_in_a_session() {
    let mut asked = Asked::connect(server(), "2025-11-25").await;
    let question = asked.begin("tools/call", r#"{"name":"t","inputResponses":7,"requestState":7}"#).await;
    let fits = json!({"action": "accept", "content": {"nights": 1}});
    assert_eq!(text(&asked.reply(&question, &fits).await), "1 any");
}

#[tokio::test]
async fn a_second_answer_to_a_question_is_ignored() {
    let tool = Tool::new("t", |ctx: Context| async move {
        let one: String = ctx.elicit("one", "?").await?.accepted()?;
        let two: String = ctx.elicit("two", "?").await?.accepted()?;
        Ok::<_, ToolError>(one + &two)
    });
    let mut asked = Asked::connect(Server::new("s").tool(tool), "2025-11-25").await;
    let first = asked.tool("t").await;
    let second = asked.reply(&first, &accept("1")).await;
    asked.raw.send(&reply(&first, &accept("again"))).await;
    for unknown in ["99", "\"1\"", "1.5", "-1"] {
        asked.raw.send(&format!(r#"{{"jsonrpc":"2.0","id":{unknown},"result":{{}}}}"#)).await;
    }
    assert_eq!(text(&asked.reply(&second, &accept("2")).await), "12");
}

#[tokio::test]
async fn what_a_client_says_instead_of_an_answer_reaches_the_handler() {
    for (said, code, expected) in [
        (r#""error":{"code":-32601,"message":"no idea"}"#, "no_answer", "no idea"),
        (r#""result":7"#, "no_answer", "expected `result` to be an object, but found 7"),
        (r#""result":{}"#, "invalid_answer", "missing field `action`"),
        (r#""result":{"action":"maybe"}"#, "invalid_answer", "unknown variant `maybe`"),
        (r#""result":{"action":"accept","content":[]}"#, "invalid_answer", "expected a map"),
        (r#""result":{"roots":[]}"#, "invalid_answer", "missing field `action`"),
    ] {
        for era in ["2025-06-18", "2025-11-25"] {
            let mut asked = Asked::connect(server(), era).await;
            let question: Value = serde_json::from_str(&asked.tool("t").await).expect("JSON");
            let line = format!(r#"{{"jsonrpc":"2.0","id":{},{said}}}"#, question["id"]);
            let answer = asked.raw.ask(&line).await;
            let failed: Value = serde_json::from_str(&answer).expect("JSON");
            assert_eq!(failed["result"]["_meta"]["plainwire/error"]["code"], code, "{answer}");
            assert!(text(&answer).contains("`trip`") && text(&answer).contains(expected), "{answer}");
        }
    }
}
