//! `plainwire watch`: one line for each change of a resource or a list.

use std::io::{self, Write as _};

use plainwire::model::{RawJson, SubscriptionFilter};
use plainwire::proto::cursor::List;
use plainwire::{Change, Client};
use serde_json::{Value, json};

use crate::args::Watch;
use crate::ask::read_as;
use crate::connect::asking;
use crate::exit::{Exit, Failure};
use crate::{output, visible};

pub(crate) async fn run(watch: Watch) -> Result<Exit, Failure> {
    asking(&watch.ask, async |client| {
        let filter = filter(&watch, client)?;
        let wanted = names(&filter).join(", ");
        let mut listen = client.listen(filter.clone()).await.map_err(|error| {
            let failure = Failure::from(error);
            Failure { text: format!("watching {wanted}: {}", failure.text), ..failure }
        })?;
        agree(&watch, &filter, listen.honoured())?;
        let mut left = watch.count;
        while let Some(change) = listen.next().await {
            tell(&watch, client, &change).await?;
            left = left.map(|left| left - 1);
            if left == Some(0) {
                return Ok(Exit::Done);
            }
        }
        Err(Failure::gone("the server has ended and tells of no more changes"))
    })
    .await
}

/// What to ask for: of lists only those that the server has.
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

/// Says what is watched. All resources have to be, and at least one list if lists were asked for.
fn agree(watch: &Watch, asked: &SubscriptionFilter, agreed: &SubscriptionFilter) -> Result<(), Failure> {
    let deaf = |uri: &&String| !agreed.resource_subscriptions.contains(uri);
    let deaf: Vec<String> =
        watch.uris.iter().filter(deaf).map(|uri| format!("`{}`", visible::line(uri))).collect();
    if !deaf.is_empty() {
        let text = format!("expected the server to watch {}, but it does not", deaf.join(", "));
        return Err(Failure::refused(text));
    }
    let heard = lists(agreed);
    if watch.lists && heard.is_empty() {
        let text =
            format!("expected the server to tell when {} change, but it does not", lists(asked).join(", "));
        return Err(Failure::refused(text));
    }
    let mut text = format!("watching {}\n", names(agreed).join(", "));
    let missing: Vec<_> = lists(asked).into_iter().filter(|it| !heard.contains(it)).collect();
    if !missing.is_empty() {
        text += &format!("not watching {}: the server does not tell\n", missing.join(", "));
    }
    // Nobody is left to tell if stderr is gone.
    let _ = io::stderr().write_all(text.as_bytes());
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

async fn tell(watch: &Watch, client: &Client, change: &Change) -> Result<(), Failure> {
    let uri = match change {
        Change::Resource(uri) => uri,
        Change::List(list) => {
            let name = name(*list);
            let told = match watch.ask.json {
                Some(_) => output::json(&json!({ "changed": name })),
                None => output::line(&format!("{name} changed")),
            };
            return Ok(told?);
        }
    };
    let contents = if watch.read { contents(client, uri).await? } else { None };
    if watch.ask.json.is_some() {
        let mut line = json!({ "changed": "resource", "uri": uri });
        if let (Some(raw), Value::Object(line)) = (contents, &mut line) {
            let mut result: Value = read_as(&raw)?;
            line.insert("contents".to_owned(), result["contents"].take());
        }
        return Ok(output::json(&line)?);
    }
    output::line(&format!("resource {} changed", visible::line(uri)))?;
    match contents {
        Some(raw) => Ok(output::resource(&read_as(&raw)?)?),
        None => Ok(()),
    }
}

/// What is in a resource now. One that can't be read is no end: it may be there again after the next change.
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
