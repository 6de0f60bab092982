//! The tools: thin functions over [`jira`](crate::jira).
//!
//! In: arguments. Out: values. What a server offers of them is chosen in `toolsets`; a tool that is not offered does not exist, and can't be
//! called.

pub(crate) mod args;
pub(crate) mod by_url;
pub(crate) mod jira;
pub(crate) mod names;
pub(crate) mod toolsets;
mod undo;
mod v1;

use plainwire::Entries;
use plainwire::prelude::*;

use crate::jira::Jira;
use crate::rest::Site;
use crate::write::{Change, Journal, Plan, Writer};

pub(crate) use by_url::ByUrl;
pub(crate) use names::Names;
pub(crate) use toolsets::Choice;

/// Returns all tools of some names.
pub(crate) fn entries(names: Names) -> Entries {
    let of_v2 = || jira::entries().into_iter().fold(undo::entries(), Entries::with);
    match names {
        Names::V1 => undo::entries().with(v1::entries(names)),
        Names::V2 => of_v2(),
        Names::Both => of_v2().with(v1::entries(names)),
    }
}

/// Makes a change of a call, or shows it.
pub(crate) async fn write(
    jira: &Jira,
    journal: &Journal,
    context: &Context,
    plan: Plan,
    is_preview: bool,
) -> Result<Change, ToolError> {
    let change = writer(jira, journal, context).write(plan, is_preview).await?;
    Ok(finished(jira, context, change))
}

/// Makes a thing of a call once for its idempotency key, or shows it.
pub(crate) async fn write_once(
    jira: &Jira,
    journal: &Journal,
    context: &Context,
    plan: Plan,
    key: Option<&str>,
    arguments: &Value,
) -> Result<Change, ToolError> {
    let change = writer(jira, journal, context).write_once(plan, key, arguments).await?;
    Ok(finished(jira, context, change))
}

/// Adds the key and the address of an issue to a change, and tells those who watch it.
fn finished(jira: &Jira, context: &Context, mut change: Change) -> Change {
    if let Some(key) = change.result.pointer("/issue/key").and_then(Value::as_str) {
        change.key = Some(key.to_owned());
    }
    if let Some(key) = change.key.as_deref().filter(|it| it.contains('-')) {
        change.url = Some(jira.browse(key));
        if !change.is_preview {
            crate::resources::uris(key).into_iter().for_each(|uri| context.notify_resource_updated(uri));
        }
    }
    if change.result.as_object().is_some_and(|it| it.is_empty()) {
        change.result = Value::Null;
    }
    change
}

/// Returns the one who makes the changes of a call.
pub(crate) fn writer<'a>(jira: &'a Jira, journal: &'a Journal, context: &Context) -> Writer<'a> {
    writer_at(jira.site(), journal, context)
}

/// Like [`writer`], at another site, such as the gateway.
pub(crate) fn writer_at<'a>(site: &'a Site, journal: &'a Journal, context: &Context) -> Writer<'a> {
    Writer {
        site,
        journal,
        principal: context.principal().map(|it| it.name.clone()),
        request: context.request_id().to_string(),
        now: jiff::Timestamp::now().as_second(),
    }
}
