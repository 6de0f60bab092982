//! Tests of a client's subscriptions, log levels and declared capabilities.

use super::*;
use crate::model::{LogLevel, SubscriptionFilter};

/// Creates a modern client that has sent a request for a subscription, with the id 2.
fn listening() -> Client {
    let mut client = Client::speaking(V26);
    let filter = SubscriptionFilter {
        resource_subscriptions: vec!["a:\"1\"".to_owned()],
        tools_list_changed: true,
        ..SubscriptionFilter::default()
    };
    client.0.client.listen(&filter, client.0.now);
    client
}

/// Returns a notification that belongs to the subscription `id`.
fn tagged(id: &str, method: &str, more: &str) -> String {
    let meta = format!(r#""_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}"#);
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{{{meta}{more}}}}}"#)
}

#[test]
fn a_subscription_asks_for_no_progress_and_no_log_and_has_no_deadline() {
    let mut client = Client::speaking(V26);
    client.0.client.set_log_level(Some(LogLevel::Info));
    client.0.client.listen(&SubscriptionFilter::default(), client.0.now);
    let sent = client.sent().remove(0);
    assert!(
        sent.ends_with(r#""io.modelcontextprotocol/clientCapabilities":{}},"notifications":{}}}"#),
        "{sent}"
    );
    assert_eq!(client.0.client.poll_timeout(), None);
    assert_eq!(client.waits(Duration::from_secs(1_000_000_000)), [""; 0]);
}

#[test]
fn a_subscription_names_what_it_wants_and_nothing_else() {
    let sent = listening().sent().remove(0);
    assert!(
        sent.ends_with(r#""notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:\"1\""]}}}"#),
        "{sent}"
    );
}

#[test]
fn tells_what_a_subscription_hears() {
    let mut client = listening();
    for (method, more, told) in [
        (
            "subscriptions/acknowledged",
            r#","notifications":{"toolsListChanged":true}"#,
            "Acknowledged(SubscriptionFilter { prompts_list_changed: false, resource_subscriptions: [], resources_list_changed: false, tools_list_changed: true })",
        ),
        ("tools/list_changed", "", "ListChanged(Tools)"),
        ("prompts/list_changed", "", "ListChanged(Prompts)"),
        ("resources/list_changed", "", "ListChanged(Resources)"),
        ("resources/updated", r#","uri":"a:\u0031""#, "ResourceUpdated(\"a:1\")"),
    ] {
        assert_eq!(client.hears(tagged("2", method, more)), [format!("news 2: {told}")]);
    }
    for (method, more, why) in [
        ("resources/updated", "", "expected the parameters of `notifications/resources/updated`"),
        ("subscriptions/acknowledged", "", "expected the parameters of `notifications/subscriptions/ack"),
        ("message", "", "expected news of a subscription, but found `notifications/message`"),
    ] {
        let told = client.hears(tagged("2", method, more)).remove(0);
        assert!(told.starts_with(&format!("ignored: {why}")), "{told}");
    }
}

#[test]
fn ignores_news_of_subscriptions_that_are_not_open() {
    let mut client = listening();
    client.sent();
    client.call();
    for id in ["\"2\"", "1", "3", "9", "-2", "2.0", "null", "[2]"] {
        assert_eq!(
            client.hears(tagged(id, "tools/list_changed", "")),
            [format!("ignored: notification for the subscription {id}, which is not open")]
        );
    }
}

#[test]
fn a_subscription_ends_by_a_result_by_a_cancellation_or_by_an_error() {
    for (end, told) in [
        (result("2", r#"{"resultType":"complete"}"#), "news 2: Ended"),
        (cancelled("2"), "news 2: Ended"),
        (error("2", -32601, "no"), "failed 2: MethodNotFound: no"),
    ] {
        let mut client = listening();
        assert_eq!(client.hears(&end), [told]);
        assert_eq!(client.0.client.waiting(), 0);
        let late = client.hears(tagged("2", "tools/list_changed", ""));
        assert_eq!(late, ["ignored: notification for the subscription 2, which is not open"]);
    }
}

#[test]
fn a_server_ends_nothing_but_subscriptions_by_a_cancellation() {
    let mut client = listening();
    client.sent();
    client.call();
    assert_eq!(client.hears(cancelled("3")), ["ignored: cancellation of 3, which is not in flight"]);
    assert_eq!(client.hears(cancelled("\"2\"")), ["ignored: cancellation of \"2\", which is not in flight"]);
    assert_eq!(client.hears(result("3", "{}")), ["result 3: {}"]);
}

#[test]
fn modern_requests_ask_for_the_log_and_legacy_ones_do_not() {
    for (revision, asks) in [(V26, true), (V25C, false)] {
        let mut client = Client::speaking(revision);
        client.0.client.set_log_level(Some(LogLevel::Warning));
        client.0.client.request("tools/list", "{}", RequestOptions::default(), client.0.now);
        let sent = client.sent().remove(0);
        let level = r#""io.modelcontextprotocol/logLevel":"warning""#;
        assert_eq!(sent.contains(level), asks, "{sent}");
        client.0.client.set_log_level(None);
        client.0.client.request("tools/list", "{}", RequestOptions::default(), client.0.now);
        assert!(!client.sent().remove(0).contains("logLevel"));
    }
}

#[test]
fn promises_to_tell_of_changed_roots_only_where_it_can() {
    for (revision, declared) in [(V25C, r#"{"roots":{"listChanged":true}}"#), (V26, r#"{"roots":{}}"#)] {
        let mut config = client_config(&[revision], EraChoice::default());
        config.capabilities.declare("roots", json!({ "listChanged": true }));
        let sent = Client::connecting(config).sent().remove(0);
        assert!(sent.contains(declared), "{sent}");
    }
}
