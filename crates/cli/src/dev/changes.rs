//! The messages of a restart: what tells a client that everything may have changed, and what answers a lost request.
//!
//! In: capabilities, and requests of clients. Out: frames for the client, and lines for the developer.

use serde_json::{Value, json};

use crate::visible;

/// The lists that a server can announce changes of.
const LISTS: [&str; 3] = ["tools", "resources", "prompts"];

/// The line for the developer when a session takes too much room to be remembered.
pub(super) const NOT_REMEMBERED: &str =
    "a session has too much to remember: a part of it ends with the server";

/// The maximal number of characters of a name in a line for the developer.
pub(super) const MAX_NAME: usize = 80;

/// Returns the name of the tool or prompt that a request names, or the URI of the resource, for the developer.
pub(super) fn name(request: &Value) -> String {
    let params = &request["params"];
    let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default();
    visible::short_line(name, MAX_NAME)
}

/// Returns the line for the developer about an answered request.
pub(super) fn said(method: &str, name: &str, has_failed: bool, millis: u128) -> String {
    let method = visible::short_line(method, MAX_NAME);
    let mark = if has_failed { " failed" } else { "" };
    format!("{method} {name}{mark} {millis} ms").replace("  ", " ")
}

/// Adds `listChanged` to the capabilities in the answer to `initialize` or `server/discover`. Returns whether the
/// answer has changed.
pub(super) fn announce(method: &str, answer: &mut Value) -> bool {
    if !["initialize", "server/discover"].contains(&method) {
        return false;
    }
    let mut has_any = false;
    for list in LISTS {
        let capability = answer.pointer_mut(&format!("/result/capabilities/{list}"));
        if let Some(capability) = capability.and_then(Value::as_object_mut) {
            capability.insert("listChanged".to_owned(), true.into());
            has_any = true;
        }
    }
    has_any
}

/// Returns the lists that a server with these capabilities has.
pub(super) fn lists(capabilities: &Value) -> Vec<&'static str> {
    LISTS.into_iter().filter(|list| capabilities.get(list).is_some()).collect()
}

/// Returns the notifications that everything has changed: these lists, and the resources that the client of the session
/// has subscribed to.
pub(super) fn of_session<'u>(lists: &[&str], uris: impl IntoIterator<Item = &'u String>) -> Vec<String> {
    let lists = lists
        .iter()
        .map(|list| json!({ "jsonrpc": "2.0", "method": format!("notifications/{list}/list_changed") }));
    let uris = uris.into_iter().map(|uri| {
        json!({ "jsonrpc": "2.0", "method": "notifications/resources/updated", "params": { "uri": uri } })
    });
    lists.chain(uris).map(|frame| frame.to_string()).collect()
}

/// Adds the lists that the client has asked for to the acknowledgement of its subscription: a restart reports all of
/// them, even if the server reports fewer.
pub(super) fn acknowledge(listen: &Value, acknowledgement: &mut Value) {
    let wants = &listen["params"]["notifications"];
    let Some(granted) = acknowledgement.pointer_mut("/params/notifications").and_then(Value::as_object_mut)
    else {
        return;
    };
    for list in LISTS.map(|list| format!("{list}ListChanged")).into_iter().filter(|list| wants[list] == true)
    {
        granted.insert(list, true.into());
    }
}

/// Returns the notifications that everything in a subscription of 2026-07-28 has changed: the lists, and the resources
/// that the server has acknowledged.
pub(super) fn of_listen(listen: &Value, acknowledgement: &Value) -> Vec<String> {
    let wants = &listen["params"]["notifications"];
    let meta = json!({ "io.modelcontextprotocol/subscriptionId": listen["id"] });
    let lists = LISTS.iter().filter(|list| wants[format!("{list}ListChanged")] == true).map(|list| {
        json!({ "jsonrpc": "2.0", "method": format!("notifications/{list}/list_changed"), "params": { "_meta": meta } })
    });
    let granted = &acknowledgement["params"]["notifications"]["resourceSubscriptions"];
    let uris = granted.as_array().into_iter().flatten().map(|uri| {
        json!({ "jsonrpc": "2.0", "method": "notifications/resources/updated", "params": { "uri": uri, "_meta": meta } })
    });
    lists.chain(uris).map(|frame| frame.to_string()).collect()
}

/// Returns whether a notification of a server belongs to a call: it reports its progress, or is a log message.
pub(super) fn is_of_call(method: &str) -> bool {
    ["notifications/message", "notifications/progress"].contains(&method)
}

/// Returns the id of the subscription that a notification belongs to.
pub(super) fn subscription(notification: &Value) -> &Value {
    &notification["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"]
}

/// Returns the error that answers a request while no server runs.
pub(super) fn not_running(id: &Value, why: &str) -> String {
    let message = format!("the server is not running: {why}");
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32603, "message": message } }).to_string()
}

/// Returns the error that answers a request whose answer got lost.
pub(super) fn unanswered(id: &Value, method: &str, why: &str) -> String {
    let method = visible::short_line(method, MAX_NAME);
    let message = format!("the answer to `{method}` got lost: {why}");
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32603, "message": message } }).to_string()
}

/// Returns the notification that withdraws a request of a server that is gone.
pub(super) fn withdrawn(id: &str) -> String {
    let params = json!({ "requestId": id, "reason": "the server is gone" });
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }).to_string()
}

/// Returns the error that answers a request beyond the limit of open ones.
pub(super) fn too_many(id: &Value) -> String {
    let message =
        "expected at most 1,000 open requests, with ids of at most 1 KiB, but found one more or a longer one";
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32603, "message": message } }).to_string()
}

/// Returns the error that answers a request whose server is gone: `why` says what happened to the server, as in `was
/// restarted`.
pub(super) fn lost(id: &Value, method: &str, why: &str) -> String {
    let method = visible::short_line(method, MAX_NAME);
    let message = format!("the server {why} before it answered `{method}`");
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32603, "message": message } }).to_string()
}
