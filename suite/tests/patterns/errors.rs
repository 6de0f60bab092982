//! Errors: 19, 24, 25.

use std::net::TcpListener;

use plainwire_patterns::Patterns;
use serde_json::{Value, json};

use crate::stub::Stub;
use crate::{in_eras, payloads, server, texts, value};

/// Returns the error of a search in each form: its texts, and its value.
async fn errors(url: &str) -> Vec<(Vec<String>, Vec<Value>, Value)> {
    let mut all = Vec::new();
    for format in ["markdown", "json", "both"] {
        let server = Patterns { upstream: Some((url.to_owned(), None)), ..Patterns::default() }
            .server()
            .expect("a server");
        let client = plainwire::testing::client(server).await.expect("a client");
        let result = client
            .call_tool("search_patterns", json!({ "q": "x", "format": format }))
            .await
            .expect("a result");
        assert!(result.is_error);
        all.push((
            texts(&result).into_iter().map(str::to_owned).collect(),
            payloads(&result),
            value(&result),
        ));
    }
    all
}

#[tokio::test]
async fn t19_each_failure_of_the_api_has_its_code() {
    for (answer, code, is_retryable, text) in [
        (Some((500, "{}")), "SERVER_ERROR", true, "the status 500"),
        (Some((503, "<html>")), "SERVER_ERROR", true, "the status 503"),
        (Some((404, "{}")), "NOT_FOUND", false, "the status 404"),
        (Some((401, "{}")), "AUTHENTICATION_ERROR", false, "the status 401"),
        (Some((403, "{}")), "AUTHENTICATION_ERROR", false, "the status 403"),
        (Some((400, r#"{"error":"limit is too large"}"#)), "CLIENT_ERROR", false, "limit is too large"),
        (
            Some((429, r#"{"message":"{\"error\":\"too many requests\"}"}"#)),
            "CLIENT_ERROR",
            false,
            "too many requests",
        ),
        (Some((200, "{}")), "UNKNOWN_ERROR", false, "can't be read"),
        (Some((302, "{}")), "UNKNOWN_ERROR", false, "the status 302"),
        (None, "NETWORK_ERROR", true, "the API"),
    ] {
        let answered = answer.map(|(status, body)| (status, body.to_owned()));
        let stub = Stub::start(move |_, _| answered.clone()).await;
        for (at, (texts, payloads, error)) in errors(&stub.url).await.into_iter().enumerate() {
            assert_eq!(
                (&error["kind"], &error["code"]),
                (&json!("toolError:v1"), &json!(code)),
                "{answer:?}"
            );
            assert_eq!(error["retryable"], is_retryable, "{answer:?}");
            assert!(error["message"].as_str().is_some_and(|it| it.contains(text)), "{error}");
            let host = stub.url.strip_prefix("http://").expect("a URL");
            assert_eq!(
                (&error["details"]["apiHost"], &error["details"]["hasApiKey"]),
                (&json!(host), &json!(false))
            );
            assert_eq!(
                error["details"].get("statusCode"),
                answer.filter(|it| it.0 != 200).map(|it| json!(it.0)).as_ref()
            );
            // Markdown has no block of JSON, `json` has no other one, and `both` has it last.
            assert_eq!((texts.len(), payloads.len()), [(1, 0), (1, 1), (2, 1)][at], "{texts:?}");
            assert_eq!(texts[0].starts_with("**Error:** "), at != 1);
        }
    }
    // Nobody listens there.
    let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port").port();
    for (_, _, error) in errors(&format!("http://127.0.0.1:{port}")).await {
        assert_eq!((&error["code"], &error["retryable"]), (&json!("NETWORK_ERROR"), &json!(true)));
        assert_eq!(error["details"]["errorType"], "connection_refused");
    }
    // A server that speaks no TLS: another try does not help.
    let stub = Stub::start(|_, _| Some((200, "{}".to_owned()))).await;
    for (_, _, error) in errors(&stub.url.replace("http:", "https:")).await {
        assert_eq!(
            (&error["code"], &error["retryable"]),
            (&json!("NETWORK_ERROR"), &json!(false)),
            "{error}"
        );
        assert_eq!(error["details"]["errorType"], "tls_error");
    }
}

#[tokio::test]
async fn t19_the_library_answers_in_place_of_an_api_only_if_the_server_was_started_so() {
    let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port").port();
    let upstream = Some((format!("http://127.0.0.1:{port}"), None));
    let server = Patterns { upstream, falls_back: true, ..Patterns::default() }.server().expect("a server");
    let client = plainwire::testing::client(server).await.expect("a client");
    let arguments = json!({ "q": "cron", "includeProvenancePanel": true });
    let found = value(&client.call_tool("search_patterns", arguments).await.expect("a result"));
    assert_eq!(
        (&found["metadata"]["totalCount"], &found["provenance"]["source"]),
        (&json!(1), &json!("github.com/PaulJPhilp/EffectPatterns"))
    );
}

#[tokio::test]
async fn an_answer_of_the_api_over_8_mib_is_refused() {
    let stub = Stub::start(|_, _| Some((200, format!("{{\"patterns\":[]{}}}", " ".repeat(8 << 20))))).await;
    for (_, _, error) in errors(&stub.url).await {
        assert_eq!(error["code"], "UNKNOWN_ERROR");
        assert!(error["message"].as_str().is_some_and(|it| it.contains("at most 8388608 bytes")), "{error}");
    }
}

#[tokio::test]
async fn t24_errors_tell_nothing_of_databases_and_no_secrets() {
    let secret = "sk-live-123";
    for body in [
        r#"{"error":"relation \"patterns\" does not exist"}"#,
        r#"{"message":"SELECT * FROM users WHERE password = 'x'"}"#,
        r#"{"error":"invalid API key sk-live-123"}"#,
    ] {
        for status in [400, 401, 500] {
            let stub = Stub::start(move |_, _| Some((status, body.to_owned()))).await;
            let upstream = Some((stub.url.clone(), Some(secret.to_owned())));
            let server = Patterns { upstream, ..Patterns::default() }.server().expect("a server");
            let client = plainwire::testing::client(server).await.expect("a client");
            let result = client
                .call_tool("search_patterns", json!({ "q": "x", "format": "both" }))
                .await
                .expect("a result");
            let all = format!("{} {}", texts(&result).concat(), value(&result)).to_lowercase();
            for word in ["select", "relation", "password", secret, "sql"] {
                assert!(!all.contains(word), "{word}: {all}");
            }
            assert_eq!(value(&result)["details"]["hasApiKey"], true);
        }
    }
}

#[tokio::test]
async fn t25_a_connection_outlives_errors() {
    in_eras(server, async |client| {
        for _ in 0..5 {
            assert!(
                client
                    .call_tool("search_patterns", json!({ "q": 7, "colour": "red" }))
                    .await
                    .is_ok_and(|it| it.is_error)
                    || client.call_tool("search_patterns", json!({ "limit": 0 })).await.is_err()
            );
        }
        let found = client.call_tool("search_patterns", json!({ "q": "cron" })).await?;
        assert_eq!(value(&found)["metadata"]["totalCount"], 1);
        Ok(())
    })
    .await;
}
