//! Turns: a client's messages are handled between the many notifications that a server has to send.

use std::sync::Arc;

use plainwire::prelude::*;
use tokio::sync::Notify;

use crate::Item;
use crate::raw_client::{LEGACY, Raw, call, ping, pong, request, result};

/// Returns the number of lines that the server sends before it answers the ping with the id 7.
async fn lines_before_pong(raw: &mut Raw) -> usize {
    let mut lines = 0;
    while raw.line().await != pong("7") {
        lines += 1;
    }
    lines
}

#[tokio::test]
async fn after_64_reports_of_calls_a_message_of_the_client_has_its_turn() {
    let go = Arc::new(Notify::new());
    let waits = Arc::clone(&go);
    let tool = Tool::new("logs", move |ctx: Context| {
        let go = Arc::clone(&waits);
        async move {
            go.notified().await;
            ctx.log(LogLevel::Error, "x".repeat(2 << 20));
            (0..500).for_each(|n| ctx.log(LogLevel::Error, n));
        }
    });
    let mut raw = Raw::session(Server::new("s").logging().tool(tool), LEGACY).await;
    raw.send(&call("1", "logs", "{}")).await;
    assert_eq!(raw.ask(&ping("2")).await, pong("2"));
    // The server reads the ping while it waits for the client to read the first report. Once the client has
    // read enough of that, it sends 64 of the other reports, and then handles the ping.
    go.notify_one();
    raw.send(&ping("7")).await;
    assert_eq!(lines_before_pong(&mut raw).await, 1 + 64);
}

#[tokio::test]
async fn after_64_changes_a_message_of_the_client_has_its_turn() {
    let all = ResourceTemplate::new("item://all/{id}", "items", |it: Item| async move { it.id });
    let mut server = Server::new("s").resource_template(all.subscribable());
    let handle = server.handle();
    let mut raw = Raw::session(server, LEGACY).await;
    let uris: Vec<String> = (0..500).map(|n| format!("item://all/{n}")).collect();
    for uri in &uris {
        let subscribe = request(LEGACY, "1", "resources/subscribe", &format!(r#"{{"uri":"{uri}"}}"#));
        assert_eq!(raw.ask(&subscribe).await, result("1", "{}"));
    }
    uris.iter().for_each(|uri| handle.notify_resource_updated(uri));
    // After the first 64 changes the server reads the ping, and after another 64 it handles what it has read.
    raw.send(&ping("7")).await;
    assert_eq!(lines_before_pong(&mut raw).await, 2 * 64);
}
