//! `plainwire watch`: prints a line for each change of a resource or a list.

use plainwire::Client;
use plainwire::client::Change;
use plainwire::model::{RawJson, ReadResourceResult, ResourceContents, SubscriptionFilter};
use plainwire::proto::cursor::List;
use plainwire::proto::revision::Era;
use serde_json::{Value, json};

use crate::args::Watch;
use crate::ask::read_as;
use crate::connect::with_client_for_long;
use crate::exit::{Exit, Failure};
use crate::{meant, output, visible};

pub(crate) async fn run(watch: Watch) -> Result<Exit, Failure> {
    with_client_for_long(&watch.ask, async |client| {
        let filter = filter(&watch, client)?;
        let mut listen = match client.listen(filter.clone()).await {
            Ok(listen) => listen,
            Err(error) => return Err(refused(client, &filter, error).await),
        };
        check_watched(client, &watch.uris, listen.honoured()).await?;
        check_agreed(&watch, &filter, listen.honoured())?;
        let mut left = watch.count;
        while let Some(change) = listen.next().await {
            show_change(&watch, client, &change).await?;
            left = left.map(|left| left - 1);
            if left == Some(0) {
                return Ok(Exit::Done);
            }
        }
        Err(Failure::unreachable("the server has ended and reports no more changes"))
    })
    .await
}

/// Returns the changes to subscribe to: those of the given resources, and with --lists those of all lists
/// that the server has.
fn filter(watch: &Watch, client: &Client) -> Result<SubscriptionFilter, Failure> {
    let has = |name| watch.lists && client.hello().capabilities.has(name);
    let filter = SubscriptionFilter {
        prompts_list_changed: has("prompts"),
        resource_subscriptions: watch.uris.clone(),
        resources_list_changed: has("resources"),
        tools_list_changed: has("tools"),
    };
    if watch.lists && lists(&filter).is_empty() {
        return Err(Failure::refused("expected a server with lists, but found that it has none".into()));
    }
    Ok(filter)
}

/// Returns the failure for a subscription that the server refused as a whole.
async fn refused(client: &Client, filter: &SubscriptionFilter, error: plainwire::Error) -> Failure {
    let wanted = names(filter).join(", ");
    if matches!(&error, plainwire::Error::Rpc(it) if it.received_code() == Some(-32601)) {
        let in_sessions = "some servers report changes in sessions only: `--era legacy`";
        let hint = (client.revision().era() == Era::Modern).then(|| in_sessions.to_owned());
        let text = format!("expected the server to watch {wanted}, but it has no subscriptions");
        return Failure { hint, ..Failure::refused(text) };
    }
    let failure = Failure::from(error);
    let hint = match &filter.resource_subscriptions[..] {
        [uri] if failure.exit == Exit::Refused => near(client, uri).await,
        _ => None,
    };
    Failure { hint: hint.or(failure.hint), text: format!("watching {wanted}: {}", failure.text), ..failure }
}

/// Returns the hint for a URI that is probably mistyped. A resource of a template may exist, and not be watchable.
async fn near(client: &Client, uri: &str) -> Option<String> {
    let hint = meant::by(client, List::Resources, uri).await.hint();
    hint.filter(|hint| hint.starts_with("did you mean"))
}

/// Fails if the server does not watch all wanted resources.
async fn check_watched(client: &Client, uris: &[String], agreed: &SubscriptionFilter) -> Result<(), Failure> {
    let mut unwatched = uris.iter().filter(|uri| !agreed.resource_subscriptions.contains(uri)).peekable();
    let Some(first) = unwatched.peek() else { return Ok(()) };
    let hint = near(client, first).await;
    let unwatched: Vec<String> = unwatched.map(|uri| format!("`{}`", visible::line(uri))).collect();
    let text = format!("expected the server to watch {}, but it does not", unwatched.join(", "));
    let no_changes = || "the server reports no changes of it; `plainwire read` reads it once".to_owned();
    Err(Failure { hint: hint.or_else(|| Some(no_changes())), ..Failure::refused(text) })
}

/// Prints the resources and lists that the server watches, and the wanted lists that it does not watch. Fails and
/// prints nothing if --lists is set and the server watches no list.
fn check_agreed(
    watch: &Watch,
    asked: &SubscriptionFilter,
    agreed: &SubscriptionFilter,
) -> Result<(), Failure> {
    let watched = lists(agreed);
    if watch.lists && watched.is_empty() {
        let text =
            format!("expected the server to report changes of {}, but it does not", lists(asked).join(", "));
        return Err(Failure::refused(text));
    }
    let mut text = format!("watching {}\n", names(agreed).join(", "));
    let missing: Vec<_> = lists(asked).into_iter().filter(|it| !watched.contains(it)).collect();
    if !missing.is_empty() {
        text += &format!("not watching {}: the server does not report changes\n", missing.join(", "));
    }
    output::to_stderr(&text);
    Ok(())
}

fn lists(filter: &SubscriptionFilter) -> Vec<&'static str> {
    let all = [
        (filter.tools_list_changed, "tools"),
        (filter.resources_list_changed, "resources"),
        (filter.prompts_list_changed, "prompts"),
    ];
    all.into_iter().filter_map(|(on, name)| on.then_some(name)).collect()
}

fn names(filter: &SubscriptionFilter) -> Vec<String> {
    let uris = filter.resource_subscriptions.iter().map(|uri| format!("`{}`", visible::line(uri)));
    uris.chain(lists(filter).into_iter().map(ToOwned::to_owned)).collect()
}

/// Prints a change. If it is the change of a resource and --read is set, also prints the contents.
async fn show_change(watch: &Watch, client: &Client, change: &Change) -> Result<(), Failure> {
    let uri = match change {
        Change::Resource(uri) => uri,
        Change::List(list) => {
            let name = name(*list);
            let printed = match watch.ask.json {
                Some(_) => output::json(&json!({ "changed": name })),
                None => output::line(&format!("{name} changed")),
            };
            return Ok(printed?);
        }
    };
    if watch.ask.json.is_some() {
        let read = if watch.read { contents(client, uri).await } else { Ok(None) };
        let mut line = json!({ "changed": "resource", "uri": uri });
        if let (Ok(Some(raw)), Value::Object(line)) = (&read, &mut line) {
            let mut result: Value = read_as(raw)?;
            line.insert("contents".to_owned(), result["contents"].take());
        }
        // A change is told even if the server ends before it is read.
        output::json(&line)?;
        return read.map(drop);
    }
    output::line(&format!("resource {} changed", visible::line(uri)))?;
    if !watch.read {
        return Ok(());
    }
    let contents = contents(client, uri).await?;
    let Some(raw) = contents else { return Ok(()) };
    let result: ReadResourceResult = read_as(&raw)?;
    for contents in &result.contents {
        match contents {
            // Indented, so that no line of a resource looks like a change.
            ResourceContents::Text(it) => {
                it.text.lines().try_for_each(|line| output::line(&format!("  {}", visible::line(line))))?;
            }
            ResourceContents::Blob(_) => output::contents(contents)?,
        }
    }
    Ok(())
}

/// Reads the contents of a resource. If the server refuses, the error is printed and watching continues: the
/// resource may exist again after the next change.
async fn contents(client: &Client, uri: &str) -> Result<Option<RawJson>, Failure> {
    match client.request("resources/read", &json!({ "uri": uri }).to_string()).await {
        Ok(raw) => Ok(Some(raw)),
        Err(error) => {
            let failure = Failure::from(error);
            if failure.exit != Exit::Refused {
                return Err(failure);
            }
            output::failure(&failure);
            Ok(None)
        }
    }
}

const fn name(list: List) -> &'static str {
    match list {
        List::Prompts => "prompts",
        List::ResourceTemplates | List::Resources => "resources",
        List::Tools => "tools",
    }
}
